//! Null handling on: three-valued logic. Off: defaults and placeholders.

use growler_exec::Error;

use super::harness::{Table, check_rows};

/// INT and BOOLEAN columns over the values of the cases N11 and N13.
fn table() -> Table {
    Table::new()
        .ints("c", vec![None, Some(i32::MIN), Some(1), Some(-1)])
        .ints("c2", vec![None, Some(i32::MIN), None, Some(-1)])
        .booleans("t", vec![None, Some(false), Some(true), None])
        .texts(
            "s",
            vec![None, Some("null"), Some("x"), Some("2025-09-23T17:38:00")],
        )
}

#[test]
fn on_null_in_is_null_out() {
    check_rows(
        table,
        true,
        &[
            ("c + 0 < 0", ["NULL", "true", "false", "true"]),
            ("NOT (c + 0 > 0)", ["NULL", "true", "false", "true"]),
            ("greatest(c, c2) < 0", ["NULL", "true", "NULL", "true"]),
            ("add(c, 0) IS NULL", ["true", "false", "false", "false"]),
            ("NOT (add(c, 0) IS NULL)", ["false", "true", "true", "true"]),
            ("t AND NULL", ["NULL", "false", "NULL", "NULL"]),
            ("t OR NULL", ["NULL", "NULL", "true", "NULL"]),
            ("NOT t", ["NULL", "true", "false", "NULL"]),
            ("(NOT t) IS NULL", ["true", "false", "false", "true"]),
            ("t IS TRUE", ["false", "false", "true", "false"]),
            ("t IS NOT TRUE", ["true", "true", "false", "true"]),
            ("c = 1", ["NULL", "false", "true", "false"]),
            ("c <> 99999", ["NULL", "true", "true", "true"]),
            ("c <> 3000000000", ["NULL", "true", "true", "true"]),
            ("c NOT IN (99999)", ["NULL", "true", "true", "true"]),
            ("c = -2147483648", ["NULL", "true", "false", "false"]),
            ("startsWith(s, NULL)", ["NULL"; 4]),
            ("s LIKE '%'", ["NULL", "true", "true", "true"]),
            (
                "(CASE WHEN c = -2147483648 THEN 1 ELSE 2 END) + 0",
                ["2.0", "1.0", "2.0", "2.0"],
            ),
            (
                "CASE WHEN c IS NULL THEN 1 END",
                ["1", "NULL", "NULL", "NULL"],
            ),
            ("CASE WHEN c > 0 THEN c END", ["NULL", "NULL", "1", "NULL"]),
            ("coalesce(c, c2, 7)", ["7", "-2147483648", "1", "-1"]),
            ("coalesce(c2, c)", ["NULL", "-2147483648", "1", "-1"]),
            ("nullIf(c, 1)", ["NULL", "-2147483648", "NULL", "-1"]),
            ("c IS DISTINCT FROM c2", ["false", "false", "true", "false"]),
            (
                "c IS NOT DISTINCT FROM c2",
                ["true", "true", "false", "true"],
            ),
            ("c IS DISTINCT FROM NULL", ["false", "true", "true", "true"]),
            ("CAST(c AS STRING)", ["NULL", "-2147483648", "1", "-1"]),
            ("s || 'y'", ["NULL", "nully", "xy", "2025-09-23T17:38:00y"]),
            ("c + c2", ["NULL", "-4294967296.0", "NULL", "-2.0"]),
        ],
    );
}

#[test]
fn off_nulls_are_defaults_and_placeholders() {
    check_rows(
        table,
        false,
        &[
            ("c + 0 < 0", ["true", "true", "false", "true"]),
            ("c = -2147483648", ["true", "true", "false", "false"]),
            ("c <> 1", ["true", "true", "false", "true"]),
            ("c IS NULL", ["true", "false", "false", "false"]),
            ("c IS NOT NULL", ["false", "true", "true", "true"]),
            ("add(c, 0) IS NULL", ["true", "false", "false", "false"]),
            ("NOT t", ["true", "true", "false", "true"]),
            ("t AND NULL", ["false"; 4]),
            ("s = 'null'", ["true", "true", "false", "false"]),
            ("s || 'y'", ["nully", "nully", "xy", "2025-09-23T17:38:00y"]),
            ("CASE WHEN c > 0 THEN c END", ["0", "0", "1", "0"]),
            ("CASE WHEN c > 0 THEN s END", ["null", "null", "x", "null"]),
            ("coalesce(c, 7)", ["7", "-2147483648", "1", "-1"]),
            ("nullIf(c, 1)", ["0", "-2147483648", "0", "-1"]),
            ("c IS DISTINCT FROM c2", ["false", "false", "true", "false"]),
            ("length(NULL)", ["0"; 4]),
        ],
    );
}

#[test]
fn times_of_null() -> Result<(), Error> {
    let mut table = Table::new().texts("s", vec![None, Some("2025-09-23T17:38:00")]);
    let sql = "CAST(s AS TIMESTAMP)";
    assert_eq!(table.rows(sql, true)?, ["NULL", "2025-09-23T17:38:00"]);
    let error = table.rows(sql, false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "QueryExecutionError: Cannot convert value: 'null' to type: TIMESTAMP, \
         expression=cast(s,'TIMESTAMP')"
    );
    Ok(())
}

#[test]
fn constants_fold() -> Result<(), Error> {
    use growler_schema::Value;
    let cases = [
        ("1 + 2", Some(Some(Value::Double(3.0)))),
        ("upper('x')", Some(Some(Value::String("X".to_owned())))),
        ("NULL", Some(None)),
        ("1 = 1 AND 2 > 1", Some(Some(Value::Boolean(true)))),
        ("CASE WHEN 1 = 2 THEN 5 END", Some(None)),
        ("startsWith(s, NULL)", Some(None)),
        ("c", None),
        ("c + 1", None),
        ("CAST('x' AS INT)", None),
    ];
    for (sql, expected) in cases {
        assert_eq!(table().compile(sql, true)?.constant(), expected, "{sql}");
    }
    let compiled = table().compile("c + c2 + c", true)?;
    assert_eq!(compiled.slots(), [0, 1]);
    assert_eq!(compiled.bare_slot(), None);
    assert_eq!(table().compile("c2", true)?.bare_slot(), Some(0));
    Ok(())
}
