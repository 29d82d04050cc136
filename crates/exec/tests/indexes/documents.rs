//! Columns of JSON text, and predicates on what documents have inside.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use serde_json::{Value, json};

use crate::document::KEYS;
use crate::pools::{self, quoted};
use crate::rng::Rng;

/// Names of fields; some together look like others.
const NAMES: [&str; 8] = ["a", "b", "a.b", "k", "x y", "it's", "", "c"];
/// What comes before the first field of a document that is not there.
const BROKEN: [&str; 8] = [
    "",
    "{",
    "[1,2",
    "{\"a\":1} x",
    "nothing",
    "{\"a\":\"\\ud800\",\"b\":1}",
    "{\"a\":1,\"a\":\"2\"}",
    " [ 1 , {\"a\" : 1e+3} ] ",
];

/// Makes a column.
pub fn column(count: usize, rng: &mut Rng) -> ArrayRef {
    let (broken, nulls) = (*rng.pick(&[0, 0, 5, 30]), *rng.pick(&[0, 5, 40, 100]));
    let depth = 1 + rng.below(4);
    let arrays = *rng.pick(&[0, 20, 50]);
    let text = |rng: &mut Rng| match rng.below(100) {
        roll if roll < broken => (*rng.pick(&BROKEN)).to_owned(),
        99 => format!("{{\"a\":{}1{}}}", "[".repeat(130), "]".repeat(130)),
        _ => value(depth, arrays, rng).to_string(),
    };
    let domain: Vec<String> = (0..*rng.pick(&[1, 5, 60])).map(|_| text(rng)).collect();
    let values = (0..count).map(|_| (!rng.chance(nulls)).then(|| rng.pick(&domain).clone()));
    Arc::new(values.collect::<StringArray>())
}

fn value(depth: usize, arrays: usize, rng: &mut Rng) -> Value {
    if depth == 0 || rng.chance(25) {
        return scalar(rng);
    }
    if rng.chance(arrays) {
        let count = *rng.pick(&[0, 1, 1, 2, 3, 7]);
        return (0..count).map(|_| value(depth - 1, arrays, rng)).collect();
    }
    let mut object = serde_json::Map::new();
    for _ in 0..rng.below(4) {
        object.insert(
            (*rng.pick(&NAMES)).to_owned(),
            value(depth - 1, arrays, rng),
        );
    }
    Value::Object(object)
}

fn scalar(rng: &mut Rng) -> Value {
    match rng.below(8) {
        0 => Value::Null,
        1 => json!(rng.chance(50)),
        2 => json!(*rng.pick(&[0.5, 1.0, 1e300, -2.5])),
        3 => json!(pools::text(rng)),
        4 => json!(format!("{}", rng.below(5))),
        5 => json!("[1,{\"a\":2}]"),
        _ => json!(rng.below(5)),
    }
}

/// Makes the indexes of a column.
pub fn kinds(rng: &mut Rng) -> Value {
    let paths = json!([
        *rng.pick(&["$.a", "$.a[*]", "$.a.b", "$['a.b']", "$.c"]),
        "$.k"
    ]);
    match rng.below(10) {
        0 => json!({"json": {"includePaths": paths}}),
        1 => json!({"json": {"excludePaths": paths}}),
        2 => json!({"json": {"maxLevels": 1 + rng.below(3), "excludeFields": ["b"]}}),
        3 => json!({"json": {"excludeArray": true}}),
        4 => json!({"json": {"maxValueLength": 3}, "inverted": {}}),
        5 => {
            json!({"compositeJson": {"invertedIndexConfigs": [{"path": "$.a"}, {"path": "$.a[*]"}]}})
        }
        6 => json!({"compositeJson": {"enablePositionalIndexing": false,
            "invertedIndexConfigs": [{"includeAllPaths": "true"}]}}),
        _ => json!({"json": {}}),
    }
}

/// Makes a predicate.
pub fn predicate(rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => format!("JSON_MATCH(j, {})", quoted(&filter(2, rng))),
        _ => extract(rng),
    }
}

fn filter(depth: usize, rng: &mut Rng) -> String {
    if depth > 0 && rng.chance(50) {
        let word = *rng.pick(&["AND", "AND", "OR"]);
        let parts = (0..2 + rng.below(2)).map(|_| match rng.below(6) {
            0 => format!("NOT ({})", filter(depth - 1, rng)),
            _ => format!("({})", filter(depth - 1, rng)),
        });
        return parts.collect::<Vec<_>>().join(&format!(" {word} "));
    }
    let key = key(rng);
    match rng.below(9) {
        0 => format!("\"{key}\" IS NOT NULL"),
        1 if depth == 2 => format!("\"{key}\" IS NULL"),
        2 => format!("\"{key}\" <> {}", literal(rng)),
        3 => format!("\"{key}\" IN ({}, {})", literal(rng), literal(rng)),
        4 => format!("\"{key}\" NOT IN ({}, {})", literal(rng), literal(rng)),
        5 => format!("\"{key}\" {} {}", rng.pick(&["<", ">=", ">"]), literal(rng)),
        6 => format!("REGEXP_LIKE(\"{key}\", '[0-9]|x.*')"),
        7 => format!("\"{key}\" LIKE '%e%'"),
        _ => format!("\"{key}\" = {}", literal(rng)),
    }
}

fn key(rng: &mut Rng) -> String {
    let mut key = "$".to_owned();
    for _ in 0..rng.below(4) {
        match rng.below(9) {
            0 | 1 => key.push_str("[*]"),
            2 => key.push_str(&format!("[{}]", rng.below(6))),
            3 => key.push_str("['a.b']"),
            _ => key.push_str(&format!(".{}", rng.pick(&["a", "b", "k", "c", "x y"]))),
        }
    }
    key
}

fn literal(rng: &mut Rng) -> String {
    match rng.below(6) {
        0 => (*rng.pick(&["true", "1.5", "-2.5", "1000", "'null'", "'true'"])).to_owned(),
        1 => quoted(&pools::text(rng)),
        2 => format!("'{}'", rng.below(5)),
        _ => rng.below(5).to_string(),
    }
}

/// Makes a test of `JSON_EXTRACT_SCALAR`.
fn extract(rng: &mut Rng) -> String {
    let (types, defaults) = [
        ("STRING", ["'none'", "''", "'null'", "null"]),
        ("STRING", ["'none'", "'1'", "'null'", "'x'"]),
        ("JSON", ["'1'", "'[]'", "'null'", "null"]),
        ("LONG", ["0", "1", "-5", "null"]),
        ("INT", ["0", "1", "-5", "null"]),
        ("DOUBLE", ["0", "1.5", "-5", "null"]),
        ("FLOAT", ["0", "1.5", "-5", "null"]),
        ("BIG_DECIMAL", ["0", "1.5", "-5", "null"]),
        ("BOOLEAN", ["true", "false", "true", "null"]),
        ("TIMESTAMP", ["0", "1", "5", "null"]),
    ][rng.below(10)];
    let default = *rng.pick(&defaults);
    let is_text = matches!(types, "STRING" | "JSON");
    let array = if rng.chance(30) && types != "JSON" {
        "_ARRAY"
    } else {
        ""
    };
    let source = match rng.below(3) {
        0 => "j".to_owned(),
        1 => "props".to_owned(),
        _ => format!(
            "props[{}]",
            quoted(rng.pick::<&str>(&["a", "A", "o", "p", KEYS[0], KEYS[1]]))
        ),
    };
    let path = path(source == "props", array != "", rng);
    let sql = format!(
        "JSON_EXTRACT_SCALAR({source}, {}, '{types}{array}', {default})",
        quoted(&path)
    );
    match rng.below(8) {
        0 | 1 => format!(
            "{sql} IN ({}, {})",
            value_of(is_text, rng),
            value_of(is_text, rng)
        ),
        2 => format!(
            "{sql} NOT IN ({}, {})",
            value_of(is_text, rng),
            value_of(is_text, rng)
        ),
        3 => format!("{sql} <> {}", value_of(is_text, rng)),
        4 if types != "BOOLEAN" => format!("{sql} >= {}", value_of(is_text, rng)),
        5 if is_text => format!("{sql} LIKE '%e%'"),
        _ => format!("{sql} = {}", value_of(is_text, rng)),
    }
}

fn value_of(is_text: bool, rng: &mut Rng) -> String {
    match is_text {
        true => match rng.below(3) {
            0 => quoted(&pools::text(rng)),
            1 => (*rng.pick(&["'none'", "''", "'null'", "'true'", "'[]'", "'{}'"])).to_owned(),
            _ => format!("'{}'", rng.below(5)),
        },
        false => rng.below(4).to_string(),
    }
}

fn path(of_props: bool, many: bool, rng: &mut Rng) -> String {
    let mut path = "$".to_owned();
    if of_props {
        path.push_str(&format!(
            ".{}",
            rng.pick(&["a", "A", "o", "p", "k", KEYS[0], KEYS[1]])
        ));
    }
    for _ in 0..rng.below(4) {
        match rng.below(8) {
            0 | 1 => path.push_str(&format!("[{}]", rng.below(6))),
            2 if many => path.push_str("[*]"),
            2 => path.push_str("['a.b']"),
            _ => path.push_str(&format!(".{}", rng.pick(&["a", "b", "k", "c", "p", "q"]))),
        }
    }
    path
}
