//! Null handling: the cases N1 to N18, and what the off mode makes of the same rows.

use arrow_array::{ArrayRef, RecordBatch};
use growler_exec::Engine;

use crate::generate::{Cut, Files, batch, booleans, ints, texts};
use crate::support::{assert_rows, engine, expected, failure, rows};

const MIN: i32 = i32::MIN;

struct Table {
    engine: Engine,
    _files: Files,
}

fn table(columns: Vec<(&str, ArrayRef)>) -> Table {
    let whole: RecordBatch = batch(columns);
    // Two files and small row groups: rows of one answer come from several morsels.
    let half = whole.num_rows().div_ceil(2);
    let parts = [
        whole.slice(0, half),
        whole.slice(half, whole.num_rows() - half),
    ];
    let files = Files::new(
        &parts,
        Cut {
            row_group_rows: 2,
            page_rows: 1,
            dictionary: true,
        },
    );
    let engine = engine();
    files.register(&engine, "t");
    Table {
        engine,
        _files: files,
    }
}

fn ints_table(values: &[Option<i32>]) -> Table {
    table(vec![("c", ints(values))])
}

fn pairs_table(pairs: &[(Option<i32>, Option<i32>)]) -> Table {
    let (c1, c2): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    table(vec![("c1", ints(&c1)), ("c2", ints(&c2))])
}

impl Table {
    /// Checks a query with null handling on.
    fn on(&self, sql: &str, json: &str) {
        let sql = format!("SET enableNullHandling = true; {sql}");
        assert_rows(&rows(&self.engine, &sql), &expected(json), &sql);
    }

    /// Checks a query with null handling off.
    fn off(&self, sql: &str, json: &str) {
        assert_rows(&rows(&self.engine, sql), &expected(json), sql);
    }
}

#[test]
fn n1_null_is_a_group_of_its_own() {
    let t = ints_table(&[None, None, None, Some(1), Some(2), Some(2)]);
    let sql = "SELECT c, COUNT(*) FROM t GROUP BY c ORDER BY 1 DESC NULLS LAST";
    t.on(sql, "[[2, 2], [1, 1], [null, 3]]");
    t.off(sql, "[[2, 2], [1, 1], [-2147483648, 3]]");
    t.on(
        "SELECT c FROM t ORDER BY c LIMIT 4",
        "[[1], [2], [2], [null]]",
    );
    t.on(
        "SELECT c FROM t ORDER BY c DESC LIMIT 2",
        "[[null], [null]]",
    );
    t.on(
        "SELECT c FROM t ORDER BY c NULLS FIRST LIMIT 1 OFFSET 3",
        "[[1]]",
    );
}

#[test]
fn n2_having_tests_group_keys_for_null() {
    let t = pairs_table(&[(Some(1), Some(1)), (None, Some(1)), (None, Some(1))]);
    let sql = |having: &str| format!("SELECT c1, COUNT(c2) FROM t GROUP BY c1 HAVING {having}");
    t.on(&sql("c1 IS NULL"), "[[null, 2]]");
    t.on(&sql("c1 IS NOT NULL"), "[[1, 1]]");
    t.on(&sql("NOT (c1 IS NULL)"), "[[1, 1]]");
    let b = table(vec![
        ("b", booleans(&[Some(true), None, None])),
        ("c", ints(&[Some(1); 3])),
    ]);
    b.on(
        "SELECT b, COUNT(c) FROM t GROUP BY b HAVING (NOT b) IS NULL",
        "[[null, 2]]",
    );
}

#[test]
fn n3_n4_distinct_keeps_null_apart() {
    let t = ints_table(&[Some(MIN), None]);
    t.on(
        "SELECT DISTINCT c FROM t ORDER BY c",
        "[[-2147483648], [null]]",
    );
    t.off("SELECT DISTINCT c FROM t", "[[-2147483648]]");
    let t = pairs_table(&[
        (Some(1), Some(1)),
        (Some(1), Some(1)),
        (None, Some(1)),
        (None, Some(1)),
        (None, Some(2)),
        (None, None),
    ]);
    t.on(
        "SELECT DISTINCT c1, c2 FROM t",
        "[[1, 1], [null, 1], [null, 2], [null, null]]",
    );
    let sorted = "[[1, 1], [null, 1], [null, 2], [null, null]]";
    t.on("SELECT DISTINCT c1, c2 FROM t ORDER BY c1, c2", sorted);
    t.on(
        "SELECT DISTINCT c1, c2 FROM t ORDER BY c1 NULLS FIRST, c2 DESC NULLS LAST",
        "[[null, 2], [null, 1], [null, null], [1, 1]]",
    );
}

#[test]
fn n5_aggregates_skip_nulls() {
    ints_table(&[None, Some(1)]).on("SELECT DISTINCTCOUNT(c) FROM t", "[[1]]");
    let t = ints_table(&[None, Some(1), Some(2), Some(2)]);
    t.on(
        "SELECT DISTINCTSUM(c), DISTINCTAVG(c) FROM t",
        "[[3.0, 1.5]]",
    );
    ints_table(&[None, Some(1), Some(2)]).on("SELECT STDDEV_POP(c) FROM t", "[[0.5]]");
    ints_table(&[None, None]).on("SELECT STDDEV_POP(c) FROM t", "[[null]]");
}

#[test]
fn n6_groups_of_two_keys() {
    let t = pairs_table(&[
        (None, None),
        (None, Some(1)),
        (None, Some(1)),
        (Some(1), Some(1)),
        (Some(1), None),
        (Some(1), Some(MIN)),
    ]);
    t.on(
        "SELECT c1, c2, COUNT(*) FROM t GROUP BY c1, c2 ORDER BY c1, c2",
        "[[1, -2147483648, 1], [1, 1, 1], [1, null, 1], [null, 1, 2], [null, null, 1]]",
    );
}

#[test]
fn n7_case_over_null() {
    let t = ints_table(&[None]);
    t.on(
        "SELECT (CASE WHEN c = -2147483648 THEN 1 ELSE 2 END) + 0 FROM t",
        "[[2.0]]",
    );
    t.on("SELECT CASE WHEN c IS NULL THEN 1 END FROM t", "[[1]]");
}

#[test]
fn n8_to_n10_predicates_do_not_see_defaults() {
    let b = table(vec![("c", booleans(&[None, Some(false), Some(true)]))]);
    b.on("SELECT c FROM t WHERE c = false", "[[false]]");
    b.off("SELECT COUNT(*) FROM t WHERE c = false", "[[2]]");
    ints_table(&[Some(-1), None]).on("SELECT c FROM t WHERE c < 0", "[[-1]]");
    ints_table(&[Some(-1), None]).off("SELECT COUNT(*) FROM t WHERE c < 0", "[[2]]");
    ints_table(&[None, Some(MIN)]).on("SELECT c FROM t WHERE c = -2147483648", "[[-2147483648]]");
}

#[test]
fn n11_n12_three_valued_logic() {
    let t = pairs_table(&[
        (None, None),
        (None, Some(1)),
        (Some(1), Some(-1)),
        (Some(-1), None),
        (Some(-1), Some(1)),
        (Some(1), None),
        (None, Some(-1)),
    ]);
    t.on("SELECT COUNT(*) FROM t WHERE c1 > 0 OR c2 < 0", "[[3]]");
    t.on(
        "SELECT COUNT(*) FROM t WHERE NOT (c1 > 0 AND c2 < 0)",
        "[[3]]",
    );
    t.on(
        "SELECT c1, c2 FROM t WHERE NOT (c1 > 0 OR c2 < 0)",
        "[[-1, 1]]",
    );
    t.on("SELECT COUNT(*) FROM t WHERE c1 <> 99999", "[[4]]");
    t.on(
        "SELECT COUNT(*) FROM t WHERE c1 NOT IN (99999, 99998)",
        "[[4]]",
    );
    t.off("SELECT COUNT(*) FROM t WHERE c1 <> 99999", "[[7]]");
    ints_table(&[None, Some(-1), Some(1)]).on("SELECT c FROM t WHERE NOT (c = 1)", "[[-1]]");
}

#[test]
fn n13_n14_functions_of_null() {
    let t = ints_table(&[None, Some(MIN), Some(1), Some(-1)]);
    t.on("SELECT COUNT(*) FROM t WHERE c + 0 < 0", "[[2]]");
    t.on("SELECT COUNT(*) FROM t WHERE NOT (c + 0 > 0)", "[[2]]");
    let t = pairs_table(&[
        (None, None),
        (Some(MIN), Some(MIN)),
        (None, Some(1)),
        (Some(1), None),
        (Some(-1), Some(-1)),
        (Some(-1), None),
        (None, Some(-1)),
        (Some(1), Some(1)),
    ]);
    t.on("SELECT COUNT(*) FROM t WHERE GREATEST(c1, c2) < 0", "[[2]]");
    let t = ints_table(&[None, Some(1), Some(-1)]);
    t.on("SELECT c FROM t WHERE ADD(c, 0) IS NULL", "[[null]]");
    t.on(
        "SELECT c FROM t WHERE NOT (ADD(c, 0) IS NULL)",
        "[[1], [-1]]",
    );
}

#[test]
fn n15_and_or_of_null() {
    let t = table(vec![("b", booleans(&[None]))]);
    t.on(
        "SELECT true AND b, false AND b, true OR b, false OR b FROM t",
        "[[null, false, true, null]]",
    );
}

#[test]
fn n16_n17_null_arguments_and_casts() {
    let t = table(vec![("c", texts(&[Some("2025-09-23T17:38:00")]))]);
    t.on("SELECT STARTSWITH(c, NULL) FROM t", "[[null]]");
    t.on(
        "SELECT CAST(c AS TIMESTAMP) FROM t",
        r#"[["2025-09-23 17:38:00.0"]]"#,
    );
    let t = table(vec![("c", texts(&[None]))]);
    t.on("SELECT CAST(c AS TIMESTAMP) FROM t", "[[null]]");
    let (code, _) = failure(&t.engine, "SELECT CAST(c AS TIMESTAMP) FROM t");
    assert_eq!(code, 200);
}

#[test]
fn n18_a_column_of_nulls_only() {
    let t = ints_table(&[None; 5]);
    t.on(
        "SELECT COUNT(*), COUNT(c), MIN(c), MAX(c), SUM(c), DISTINCTCOUNT(c) FROM t",
        "[[5, 0, null, null, null, 0]]",
    );
    t.on("SELECT c, COUNT(*) FROM t GROUP BY c", "[[null, 5]]");
    t.on("SELECT c FROM t WHERE c = 7", "[]");
    t.on("SELECT c FROM t WHERE c <> 7", "[]");
    t.off(
        "SELECT COUNT(*), COUNT(c), MIN(c), SUM(c) FROM t",
        "[[5, 5, -2147483648.0, -10737418240.0]]",
    );
    t.off("SELECT COUNT(*) FROM t WHERE c <> 7", "[[5]]");
}

#[test]
fn no_rows_give_identities_when_off_and_null_when_on() {
    let t = ints_table(&[Some(1)]);
    let sql = "SELECT COUNT(*), SUM(c), MIN(c), MAX(c), AVG(c), DISTINCTCOUNT(c), MINMAXRANGE(c), \
               MODE(c), PERCENTILE(c, 50) FROM t WHERE c > 5";
    t.off(
        sql,
        r#"[[0, 0.0, "Infinity", "-Infinity", "-Infinity", 0, "-Infinity", "-Infinity", "-Infinity"]]"#,
    );
    t.on(sql, "[[0, null, null, null, null, 0, null, null, null]]");
    t.off("SELECT c, COUNT(*) FROM t WHERE c > 5 GROUP BY c", "[]");
}

#[test]
fn computed_nulls_are_those_of_the_stored_ones_in_both_modes() {
    let t = pairs_table(&[(None, Some(1)), (Some(3), Some(3)), (Some(0), None)]);
    let cases = [
        ("c1 + c2 IS NULL", "[[1], [-2147483648]]", "[[1], [null]]"),
        (
            "ABS(c1) IS NOT NULL",
            "[[3], [-2147483648]]",
            "[[3], [null]]",
        ),
        (
            "NOT (ABS(c1) IS NULL)",
            "[[3], [-2147483648]]",
            "[[3], [null]]",
        ),
        ("NULLIF(c1, c2) IS NULL", "[[1], [3]]", "[[1], [3]]"),
        ("COALESCE(c1, c2) IS NULL", "[]", "[]"),
        (
            "CASE WHEN c1 = 3 THEN 1 END IS NULL",
            "[[1], [-2147483648]]",
            "[[1], [null]]",
        ),
    ];
    for (filter, off, on) in cases {
        let sql = format!("SELECT c2 FROM t WHERE {filter}");
        t.off(&sql, off);
        t.on(&sql, on);
        // As a value it answers as it does as a filter.
        let counted =
            format!("SELECT COUNT(*) FROM t WHERE (CASE WHEN {filter} THEN 1 ELSE 0 END) = 1");
        let count = expected(off).len();
        t.off(&counted, &format!("[[{count}]]"));
    }
}

#[test]
fn a_null_filter_lets_no_row_pass() {
    let t = ints_table(&[None, Some(3)]);
    for filter in [
        "NULL",
        "NOT NULL",
        "c = 3 AND NULL",
        "NULL AND c IS NOT NULL",
    ] {
        let sql = format!("SELECT c FROM t WHERE {filter}");
        t.on(&sql, "[]");
        t.off(&sql, "[]");
    }
    t.on("SELECT c FROM t WHERE c = 3 OR NULL", "[[3]]");
    t.off("SELECT c FROM t WHERE c = 3 OR NULL", "[[3]]");
}

#[test]
fn stored_nulls_are_found_in_both_modes() {
    let t = ints_table(&[None, Some(MIN), Some(3)]);
    for sql in [
        "SELECT COUNT(*) FROM t WHERE c IS NULL",
        "SELECT COUNT(*) FROM t WHERE NOT c IS NOT NULL",
    ] {
        t.on(sql, "[[1]]");
        t.off(sql, "[[1]]");
    }
    t.off("SELECT c FROM t", "[[-2147483648], [-2147483648], [3]]");
    t.on("SELECT c FROM t", "[[null], [-2147483648], [3]]");
}
