//! The hand-made byte vectors of `tests/data/variant-bytes.json`.

use growler_variant::validate::validate;
use serde_json::Value;

use crate::json;

const VECTORS: &str = include_str!("../data/variant-bytes.json");

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// Returns the JSON text of the vectors that describe their value in words.
fn described(name: &str) -> Option<String> {
    Some(match name {
        "double_nan" => "\"NaN\"".to_owned(),
        "double_inf" => "\"Infinity\"".to_owned(),
        "dec4_scale38" => format!("0.{}1", "0".repeat(37)),
        "double_1e300" => "1e300".to_owned(),
        "double_denormal" => "5e-324".to_owned(),
        "ts_-1" => "\"1969-12-31T23:59:59.999999+00:00\"".to_owned(),
        "tsntz_-1" => "\"1969-12-31T23:59:59.999999\"".to_owned(),
        "tsns_-1" => "\"1969-12-31T23:59:59.999999999+00:00\"".to_owned(),
        "tsntzns_-1" => "\"1969-12-31T23:59:59.999999999\"".to_owned(),
        "binary_nonutf8" => "\"//4A\"".to_owned(),
        "arr_256_large" => {
            let elements: Vec<String> = (0..256).map(|i| (i % 100).to_string()).collect();
            format!("[{}]", elements.join(","))
        }
        "nested_arr_in_obj_then_field" => return None,
        "deep_100" => return None,
        _ => return None,
    })
}

/// Tells whether a text is what a vector expects: as JSON, or digit by digit.
fn is_expected(name: &str, text: &str, expected: &Value) -> bool {
    match (described(name), expected) {
        (Some(described), _) => text == described,
        (None, Value::String(words)) if name == "deep_100" => {
            words == "100 nested arrays" && text.matches('[').count() == 100
        }
        (None, Value::String(words)) if words.starts_with("{a:[300") => {
            text.matches(',').count() == 300 && text.ends_with("],\"b\":7}")
        }
        (None, Value::String(digits)) if name.starts_with("dec") => text == digits,
        (None, expected) => serde_json::from_str::<Value>(text).unwrap() == *expected,
    }
}

#[test]
fn reads_or_refuses_every_vector_as_it_says() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(vectors.len(), 107);
    for vector in &vectors {
        let field = |key: &str| vector[key].as_str().unwrap();
        let name = field("name");
        let (metadata, value) = (bytes(field("metadata")), bytes(field("value")));
        let (text, checked) = (json(&metadata, &value), validate(&metadata, &value));
        let is_right = |text: &String| is_expected(name, text, &vector["json"]);
        match field("expect") {
            "ok" => {
                let text = text.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(is_right(&text), "{name}: {text}");
                assert_eq!(checked, Ok(()), "{name}");
            }
            "err" => {
                assert!(text.is_err(), "{name}: {text:?}");
                assert!(checked.is_err(), "{name}");
            }
            "reject-or-exact" => {
                let is_fine = text.as_ref().map_or(true, is_right);
                assert!(is_fine, "{name}: {text:?}");
            }
            "no-panic" => assert_no_wrong_value(name, text.as_deref().ok()),
            other => panic!("unknown expectation {other}"),
        }
    }
}

/// What must not panic must not be wrong either.
fn assert_no_wrong_value(name: &str, text: Option<&str>) {
    let expected = match name {
        "date_min" => Some("\"-5877641-06-23\""),
        "ts_min" => Some("\"-290308-12-21T19:59:05.224192+00:00\""),
        "tsntz_min" => Some("\"-290308-12-21T19:59:05.224192\""),
        "tsns_min" => Some("\"1677-09-21T00:12:43.145224192+00:00\""),
        "tsntzns_min" => Some("\"1677-09-21T00:12:43.145224192\""),
        "obj_gap_in_area" => Some("{\"a\":1,\"b\":2}"),
        "time_24h" | "time_neg" | "deep_20000" | "overlap_bomb_40" => None,
        other => panic!("no expectation for {other}"),
    };
    assert_eq!(text, expected, "{name}");
}
