//! Comparisons, logic, CASE.

use super::harness::{Table, check_errors, check_one, check_types};
use growler_exec::Error;

#[test]
fn comparisons_with_literals() {
    check_one(&[
        ("i = 7", "true"),
        ("7 = i", "true"),
        ("3 < i", "true"),
        ("i = '7'", "true"),
        ("i = 7.0", "true"),
        ("i = 7.5", "false"),
        ("i <> 7.5", "true"),
        ("i < 3000000000", "true"),
        ("i BETWEEN 6.5 AND 7.5", "true"),
        ("i IN (1, 7, 9)", "true"),
        ("i NOT IN (1, 9)", "true"),
        ("l = 9007199254740993", "true"),
        ("l = 9007199254740992", "false"),
        ("f = 0.1", "true"),
        ("dec = 123.45", "true"),
        ("dec > 123.449", "true"),
        ("b = true", "true"),
        ("b = 'false'", "false"),
        ("s = 'Hello World'", "true"),
        ("n > 5", "false"),
        ("dict = 'Wörd'", "true"),
        ("bin = '01ab'", "true"),
        ("ts = '2025-09-23 17:38:12.345'", "true"),
        ("us > 1758649092345", "true"),
        ("ts >= 1758649092345", "true"),
        ("us = '2025-09-23 17:38:12.345678'", "true"),
        ("i = 3 + 4", "true"),
        ("upper(s) = 'HELLO WORLD'", "true"),
        ("s BETWEEN 'A' AND 'Z'", "true"),
        ("1 = 1", "true"),
        ("'a' = 'b'", "false"),
    ]);
}

#[test]
fn comparisons_of_columns() {
    check_one(&[
        ("i = l", "false"),
        ("i < l", "true"),
        ("l = CAST(l AS DOUBLE)", "false"),
        ("CAST(l AS DOUBLE) < l", "true"),
        ("i > d", "true"),
        ("f = 0.1", "true"),
        ("f > d", "false"),
        ("dec > i", "true"),
        ("dec > d", "true"),
        ("n > i", "true"),
        ("s > i", "false"),
        ("s <> i", "false"),
        ("s < dict", "true"),
        ("ts < us", "true"),
        ("ts = 1758649092345", "true"),
        ("ts > l", "false"),
        ("b = (i = 7)", "true"),
    ]);
    check_errors(&[(
        "b = i",
        700,
        "QueryValidationError: values of these types do not compare, expression=equals(b,i)",
    )]);
}

#[test]
fn logic() {
    check_one(&[
        ("b AND i = 7", "true"),
        ("b AND i = 8", "false"),
        ("i = 8 OR b", "true"),
        ("NOT b", "false"),
        ("i = 7 AND (s = 'x' OR n = '42') AND NOT (d > 3)", "true"),
        ("b IS TRUE", "true"),
        ("b IS NOT FALSE", "true"),
    ]);
}

#[test]
fn cases_share_a_type() {
    check_one(&[
        ("CASE WHEN i < 10 THEN 'less' ELSE 'more' END", "less"),
        (
            "CASE i WHEN 7 THEN 'seven' WHEN 8 THEN 'eight' END",
            "seven",
        ),
        ("CASE WHEN i > 10 THEN 1 ELSE 2.5 END", "2.5"),
        ("CASE WHEN b THEN i ELSE l END", "7"),
        ("CASE WHEN b THEN '5' ELSE i END", "5"),
        ("CASE WHEN b THEN dec ELSE 1.005 END", "123.450"),
        ("CASE WHEN b THEN ts ELSE us END", "2025-09-23T17:38:12.345"),
        ("CASE WHEN s = 'x' THEN CAST(s AS INT) ELSE 0 END", "0"),
        ("CASE WHEN b THEN 1 WHEN CAST(s AS INT) = 1 THEN 2 END", "1"),
    ]);
    check_types(&[
        ("CASE WHEN b THEN i ELSE l END", "LONG"),
        ("CASE WHEN b THEN i ELSE d END", "DOUBLE"),
        ("CASE WHEN b THEN dec ELSE i END", "BIG_DECIMAL"),
        ("CASE WHEN b THEN NULL ELSE i END", "INT"),
        ("CASE WHEN b THEN NULL END", "STRING"),
        ("CASE WHEN b THEN '5' ELSE i END", "INT"),
        ("CASE WHEN b THEN '2025-01-01' ELSE ts END", "TIMESTAMP"),
    ]);
    check_errors(&[(
        "CASE WHEN b THEN 'five' ELSE i END",
        700,
        "QueryValidationError: Cannot upcast from STRING to INT, \
         expression=case(b,'five',i)",
    )]);
}

/// A branch is evaluated for its own rows only, whatever their order.
#[test]
fn branches_see_their_rows_only() -> Result<(), Error> {
    let values = vec![
        Some("1"),
        Some("x"),
        Some("22"),
        None,
        Some("y"),
        Some("333"),
    ];
    let mut table = Table::new().texts("s", values);
    let sql = "CASE WHEN s IS NULL THEN -1 WHEN length(s) = 3 THEN CAST(s AS INT) * 2 \
               WHEN s NOT IN ('x', 'y') THEN CAST(s AS INT) ELSE 0 END";
    let expected = ["1.0", "0.0", "22.0", "-1.0", "0.0", "666.0"];
    assert_eq!(table.rows(sql, true)?, expected);
    Ok(())
}

/// A dictionary entry that no row uses cannot fail a query.
#[test]
fn unused_dictionary_entries_do_not_count() -> Result<(), Error> {
    use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
    let values = StringArray::from(vec!["1", "bad", "2"]);
    let keys = Int32Array::from(vec![Some(0), Some(2), None, Some(0)]);
    let array: ArrayRef =
        std::sync::Arc::new(DictionaryArray::new(keys, std::sync::Arc::new(values)));
    let mut table = Table::new().with("s", growler_schema::DataType::String.single(), array);
    assert_eq!(table.rows("CAST(s AS INT)", true)?, ["1", "2", "NULL", "1"]);
    assert_eq!(table.rows("upper(s)", true)?, ["1", "2", "NULL", "1"]);
    assert_eq!(
        table.rows("s = '2'", true)?,
        ["false", "true", "NULL", "false"]
    );
    assert_eq!(
        table.rows("s = 'null'", false)?,
        ["false", "false", "true", "false"]
    );
    assert_eq!(table.rows("s || '!'", false)?, ["1!", "2!", "null!", "1!"]);
    assert!(table.rows("CAST(s AS INT)", false).is_err());
    Ok(())
}

/// SQL text wants literals there; a query built by hand need not have them.
#[test]
fn bounds_and_members_may_be_columns() -> Result<(), Error> {
    use growler_exec::sql::ast::{Expr, Literal};
    let column = |name: &str| Expr::Column(name.to_owned());
    let text = |text: &str| Expr::Literal(Literal::String(text.to_owned()));
    let cases = [
        (
            "between",
            vec![column("i"), column("d"), column("l")],
            "true",
        ),
        (
            "in",
            vec![column("i"), column("d"), Expr::Literal(Literal::Int(7))],
            "true",
        ),
        (
            "not_in",
            vec![column("i"), column("d"), column("l")],
            "true",
        ),
        (
            "trim",
            vec![text("BOTH"), text("HdH"), column("s")],
            "ello Worl",
        ),
        (
            "trim",
            vec![text("TRAILING"), text("d"), column("s")],
            "Hello Worl",
        ),
    ];
    for (name, args, expected) in cases {
        let rows = super::harness::one_row().call(name, args)?;
        assert_eq!(rows, [expected], "{name}");
    }
    Ok(())
}
