//! Keys whose values are at the limits of the number types.

use growler_exec::Engine;
use growler_schema::{DataType, TimeUnit};

use crate::support::{assert_rows, engine, expected, rows, sample, view, view_with_key};

const FILES: [&str; 2] = ["numbers/none.parquet", "numbers/typed.parquet"];

fn location(file: &str) -> String {
    sample(file).to_string_lossy().into_owned()
}

fn check(engine: &Engine, sql: &str, json: &str, what: &str) {
    let sql = format!("SET enableNullHandling = true; {sql}");
    assert_rows(
        &rows(engine, &sql),
        &expected(json),
        &format!("{what} {sql}"),
    );
}

#[test]
fn an_untyped_key_compares_with_numbers_as_they_are() {
    let cases = [
        // Values that no double holds are numbers too.
        ("p['l'] >= 1700000000000", "[[1], [2], [3], [4]]"),
        ("p['l'] < 1700000000000", "[[0], [5], [6]]"),
        ("NOT p['l'] < 100", "[[1], [2], [3], [4]]"),
        ("p['l'] BETWEEN 0 AND 0.2", "[[5], [6]]"),
        ("p['l'] <> 5", "[[1], [2], [3], [4], [5], [6]]"),
        // Literals that no double holds, or that stands for several numbers as a double.
        ("p['l'] = 9007199254740992", "[]"),
        ("p['l'] = 9007199254740993", "[[1]]"),
        ("p['l'] IN (5, 9223372036854775807)", "[[0], [2]]"),
        ("p['l'] > 9007199254740992", "[[1], [2], [3], [4]]"),
        ("p['l'] < 9007199254740993", "[[0], [5], [6]]"),
        ("p['l'] > 9007199254740992.5", "[[1], [2], [3], [4]]"),
        ("p['l'] > 9.2e18", "[[2], [3], [4]]"),
        ("p['l'] > 1e299", "[[3], [4]]"),
    ];
    for file in FILES {
        let engine = engine();
        engine.register(view("t", &location(file)));
        for (filter, json) in cases {
            let sql = format!("SELECT id FROM t WHERE {filter}");
            check(&engine, &sql, json, file);
        }
        let sql = "SELECT COUNT(*), MIN(p['l']), MAX(p['l']) FROM t WHERE id <> 4";
        check(&engine, sql, "[[8, 1e-25, 1e300]]", file);
        let sql = "SELECT SUM(p['l']) FROM t WHERE id IN (0, 2)";
        check(&engine, sql, "[[9223372036854775808.0]]", file);
    }
}

#[test]
fn a_declared_key_has_the_digits_of_the_values() {
    let decimal = DataType::BigDecimal { scale: 0 };
    let time = DataType::Timestamp {
        unit: TimeUnit::Millis,
    };
    for file in FILES {
        let engine = engine();
        engine.register(view_with_key("n", &location(file), "p", "n", decimal));
        engine.register(view_with_key("t", &location(file), "p", "t", time));
        let sql = "SELECT id, CAST(p['n'] AS DOUBLE) FROM n WHERE p['n'] IS NOT NULL";
        check(&engine, sql, "[[0, 1.5], [1, 2.0], [2, -0.25]]", file);
        let sql = "SELECT id FROM n WHERE p['n'] = 1.5 OR p['n'] = -0.25";
        check(&engine, sql, "[[0], [2]]", file);
        let sql = "SELECT id, p['t'] FROM t WHERE p['t'] IS NOT NULL";
        let times = r#"[[0, "2025-09-23 17:38:00.123456"], [1, "1969-12-31 23:59:59.999999"]]"#;
        check(&engine, sql, times, file);
        // The default null value is in the same unit.
        let sql = "SELECT COUNT(*) FROM t WHERE p['t'] = '1970-01-01 00:00:00'";
        assert_rows(&rows(&engine, sql), &expected("[[7]]"), file);
    }
}
