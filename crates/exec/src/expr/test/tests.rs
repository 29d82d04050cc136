use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, DictionaryArray, Float32Array, Float64Array,
    Int32Array, Int64Array, ListArray, StringArray, StringViewArray, TimestampMicrosecondArray,
    types::{Int32Type, Int64Type},
};
use growler_schema::{ColumnType, DataType, TimeUnit, Value};
use proptest::prelude::*;

use super::{Test, pattern::Pattern};
use crate::{error::Error, expr::convert::value, sql::ast::Literal};

fn text(text: &str) -> Literal {
    Literal::String(text.to_owned())
}

fn double(written: &str) -> Literal {
    Literal::Double(written.parse().unwrap(), written.to_owned())
}

/// Checks which rows pass, and that `matches` and `may_match` agree with the array.
fn check(name: &str, literals: &[Literal], data_type: DataType, array: &ArrayRef, rows: &[usize]) {
    let test = Test::compile(name, literals, data_type.single(), "x").unwrap();
    let passes: Vec<usize> = test.evaluate(array).unwrap().set_indices().collect();
    assert_eq!(passes, rows, "{name} {literals:?}");
    for row in 0..array.len() {
        let plain = match array.data_type() {
            arrow_schema::DataType::Dictionary(..) => {
                arrow_cast::cast(array, &arrow_schema::DataType::Utf8View).unwrap()
            }
            _ => Arc::clone(array),
        };
        if let Some(value) = value::value_at(&plain, row, data_type) {
            assert_eq!(
                test.matches(&value),
                rows.contains(&row),
                "{name} {literals:?} {value:?}"
            );
            check_spans(&test, &value, &format!("{name} {literals:?} {value:?}"));
            if rows.contains(&row) {
                assert!(
                    test.may_match(Some(&value), Some(&value)),
                    "{name} {literals:?} {value:?}"
                );
            }
        }
    }
}

/// Checks that the ranges hold a value that passes, and no other when they are exact.
fn check_spans(test: &Test, value: &Value, what: &str) {
    let spans = test.spans().unwrap();
    let inside = spans.ranges.iter().any(|(low, high)| {
        let above = match low {
            Bound::Included(low) => order(value, low).is_ge(),
            Bound::Excluded(low) => order(value, low).is_gt(),
            Bound::Unbounded => true,
        };
        above
            && match high {
                Bound::Included(high) => order(value, high).is_le(),
                Bound::Excluded(high) => order(value, high).is_lt(),
                Bound::Unbounded => true,
            }
    });
    let holds = test.matches(value) != test.is_negated();
    assert!(
        inside == holds || inside && !spans.is_exact,
        "{what} {spans:?}"
    );
}

/// Orders values of one type as a sorted index does.
fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Long(a), Value::Long(b)) => a.cmp(b),
        (Value::Timestamp(a, of), Value::Timestamp(b, other)) if of == other => a.cmp(b),
        (Value::BigDecimal(a, of), Value::BigDecimal(b, other)) if of == other => a.cmp(b),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.total_cmp(b),
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (a, b) => panic!("values of different types: {a:?} {b:?}"),
    }
}

#[test]
fn prefixes_in_any_case_are_few_ranges() {
    let strings = |pattern: &str| {
        let test = Test::compile("like", &[text(pattern)], DataType::String.single(), "x");
        let test = test.unwrap();
        let spans = test.spans().unwrap();
        assert!(!spans.is_exact);
        spans.ranges.clone()
    };
    let between = |low: &str, high: &str| {
        (
            Bound::Included(Value::String(low.to_owned())),
            Bound::Excluded(Value::String(high.to_owned())),
        )
    };
    let everything = vec![(Bound::Unbounded, Bound::Unbounded)];
    assert_eq!(strings("1-%"), [between("1-", "1.")]);
    assert_eq!(strings("a1%"), [between("A1", "A2"), between("a1", "a2")]);
    assert_eq!(
        strings("s"),
        [
            between("S", "T"),
            between("s", "t"),
            between("\u{17f}", "\u{180}")
        ]
    );
    assert_eq!(strings("abcdefgh%").len(), 16);
    assert_eq!(strings("%a%"), everything);
    assert_eq!(strings("_a"), everything);
    assert_eq!(strings("\u{fc}%"), everything);
}

#[test]
fn ranges_are_found_once() {
    let test = Test::compile(
        "in",
        &[text("a"), text("b")],
        DataType::String.single(),
        "x",
    );
    let test = test.unwrap();
    let again = test.clone();
    assert!(std::ptr::eq(test.spans().unwrap(), again.spans().unwrap()));
}

#[test]
fn bounds_that_exclude_each_other_are_no_range() {
    let test = Test::compile(
        "between",
        &[text("b"), text("a")],
        DataType::String.single(),
        "x",
    );
    assert_eq!(test.unwrap().spans().unwrap().ranges, []);
}

proptest! {
    #[test]
    fn spans_of_floats_are_exact(literals in prop::collection::vec(any::<f64>(), 1..12), values in prop::collection::vec(any::<f32>(), 1..20)) {
        let special = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN];
        let near = literals.iter().map(|literal| *literal as f32);
        let all: Vec<f32> = values.into_iter().chain(special).chain(near).collect();
        let written: Vec<Literal> = literals.iter().map(|value| Literal::Double(*value, value.to_string())).collect();
        for name in ["in", "not_in", "less_than", "greater_than_or_equal", "between"] {
            let used = match name {
                "in" | "not_in" => written.as_slice(),
                "between" => &[written[0].clone(), written[written.len() - 1].clone()],
                _ => &written[..1],
            };
            for data_type in [DataType::Float, DataType::Double] {
                let Ok(test) = Test::compile(name, used, data_type.single(), "x") else {
                    continue;
                };
                for value in &all {
                    let value = match data_type {
                        DataType::Float => Value::Float(*value),
                        _ => Value::Double(f64::from(*value)),
                    };
                    check_spans(&test, &value, &format!("{name} {used:?} {value:?}"));
                }
            }
        }
    }
}

#[test]
fn whole_numbers_meet_any_literal() {
    let array: ArrayRef = Arc::new(Int32Array::from(vec![
        Some(i32::MIN),
        None,
        Some(-1),
        Some(5),
        Some(i32::MAX),
    ]));
    let all = [0, 2, 3, 4];
    let none: [usize; 0] = [];
    let huge = Literal::Long(3_000_000_000);
    let cases: [(&str, Vec<Literal>, &[usize]); 22] = [
        ("equals", vec![Literal::Int(5)], &[3]),
        ("equals", vec![text("5")], &[3]),
        ("equals", vec![double("5.0")], &[3]),
        ("equals", vec![double("5.5")], &none),
        ("equals", vec![huge.clone()], &none),
        ("not_equals", vec![huge.clone()], &all),
        ("not_equals", vec![double("5.5")], &all),
        ("not_equals", vec![Literal::Int(5)], &[0, 2, 4]),
        ("less_than", vec![double("5.1")], &[0, 2, 3]),
        ("less_than", vec![double("5.0")], &[0, 2]),
        ("less_than_or_equal", vec![double("4.9")], &[0, 2]),
        ("less_than", vec![huge.clone()], &all),
        ("greater_than", vec![huge.clone()], &none),
        ("greater_than", vec![double("-3E9")], &all),
        ("greater_than", vec![double("1e300")], &none),
        ("greater_than", vec![Literal::Int(i32::MAX)], &none),
        ("greater_than_or_equal", vec![double("-0.5")], &[3, 4]),
        ("between", vec![double("-1.5"), double("5.5")], &[2, 3]),
        ("between", vec![double("5.5"), huge.clone()], &[4]),
        ("between", vec![Literal::Int(10), Literal::Int(0)], &none),
        (
            "in",
            vec![Literal::Int(5), huge, double("0.5"), Literal::Int(-1)],
            &[2, 3],
        ),
        ("not_in", vec![Literal::Int(5), double("0.5")], &[0, 2, 4]),
    ];
    for (name, literals, rows) in cases {
        check(name, &literals, DataType::Int, &array, rows);
    }
}

#[test]
fn long_sets_are_hashed() {
    let array: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
    let literals: Vec<Literal> = (0..40).map(|n| Literal::Int(n * 5)).collect();
    let rows: Vec<usize> = (0..100).step_by(5).collect();
    check("in", &literals, DataType::Long, &array, &rows);
    let rest: Vec<usize> = (0..100).filter(|n| n % 5 != 0).collect();
    check("not_in", &literals, DataType::Long, &array, &rest);
}

#[test]
fn floating_numbers_compare_exactly() {
    let two53 = 9_007_199_254_740_992.0;
    let array: ArrayRef = Arc::new(Float64Array::from(vec![
        0.1,
        -0.0,
        f64::NAN,
        two53,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ]));
    let beyond = Literal::Long(9_007_199_254_740_993);
    let cases: [(&str, Vec<Literal>, &[usize]); 13] = [
        ("equals", vec![double("0.1")], &[0]),
        ("equals", vec![Literal::Int(0)], &[1]),
        (
            "greater_than_or_equal",
            vec![Literal::Int(0)],
            &[0, 1, 3, 4],
        ),
        ("greater_than", vec![Literal::Int(0)], &[0, 3, 4]),
        ("less_than", vec![double("0.1")], &[1, 5]),
        ("equals", vec![beyond.clone()], &[]),
        ("not_equals", vec![beyond.clone()], &[0, 1, 2, 3, 4, 5]),
        ("less_than", vec![beyond.clone()], &[0, 1, 3, 5]),
        ("greater_than_or_equal", vec![beyond], &[4]),
        ("equals", vec![text("Infinity")], &[4]),
        ("greater_than", vec![text("Infinity")], &[]),
        ("less_than", vec![text("NaN")], &[]),
        ("in", vec![double("0.1"), text("NaN")], &[0]),
    ];
    for (name, literals, rows) in cases {
        check(name, &literals, DataType::Double, &array, rows);
    }
    let floats: ArrayRef = Arc::new(Float32Array::from(vec![0.1, 16_777_216.0]));
    check("equals", &[double("0.1")], DataType::Float, &floats, &[0]);
    check(
        "greater_than",
        &[double("0.1")],
        DataType::Float,
        &floats,
        &[1],
    );
    check(
        "equals",
        &[Literal::Int(16_777_217)],
        DataType::Float,
        &floats,
        &[],
    );
    check(
        "less_than",
        &[Literal::Int(16_777_217)],
        DataType::Float,
        &floats,
        &[0, 1],
    );
}

#[test]
fn decimals_compare_by_value() -> Result<(), Error> {
    let array = value::decimals(vec![125, -50, 9_900], 2)?;
    let decimal = DataType::BigDecimal { scale: 2 };
    let cases: [(&str, Vec<Literal>, &[usize]); 7] = [
        ("equals", vec![double("1.25")], &[0]),
        ("equals", vec![double("1.250")], &[0]),
        ("equals", vec![double("1.251")], &[]),
        ("less_than", vec![double("1.251")], &[0, 1]),
        ("greater_than", vec![double("-0.501")], &[0, 1, 2]),
        ("in", vec![Literal::Int(99), text("-0.5")], &[1, 2]),
        ("less_than", vec![double("1e200")], &[0, 1, 2]),
    ];
    for (name, literals, rows) in cases {
        check(name, &literals, decimal, &array, rows);
    }
    let test = Test::compile("equals", &[double("1.5")], decimal.single(), "x")?;
    assert!(test.matches(&Value::BigDecimal(15, 1)));
    Ok(())
}

#[test]
fn times_meet_text_and_millis() {
    let at = 1_758_649_080_000_000;
    let array: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![at, at + 1]));
    let micros = DataType::Timestamp {
        unit: TimeUnit::Micros,
    };
    let cases: [(&str, Literal, &[usize]); 6] = [
        ("equals", text("2025-09-23T17:38:00"), &[0]),
        ("equals", text("2025-09-23 17:38:00.000001"), &[1]),
        ("equals", Literal::Long(at / 1000), &[0]),
        ("greater_than", Literal::Long(at / 1000), &[1]),
        ("less_than", text("2025-09-23 17:38:00.0000005"), &[0]),
        ("less_than", text("2025-09-24"), &[0, 1]),
    ];
    for (name, literal, rows) in cases {
        check(name, &[literal], micros, &array, rows);
    }
}

#[test]
fn text_compares_as_text() {
    let values = vec![
        Some("apple"),
        None,
        Some("Pear"),
        Some("a longer text, out of line"),
        Some("10"),
    ];
    let view: ArrayRef = Arc::new(StringViewArray::from(values.clone()));
    let dictionary: DictionaryArray<Int32Type> = values.into_iter().collect();
    let dictionary: ArrayRef = Arc::new(dictionary);
    let cases: [(&str, Vec<Literal>, &[usize]); 15] = [
        ("equals", vec![text("apple")], &[0]),
        ("equals", vec![text("a longer text, out of line")], &[3]),
        ("equals", vec![text("a longer text, out of lime")], &[]),
        ("not_equals", vec![text("apple")], &[2, 3, 4]),
        ("equals", vec![Literal::Int(10)], &[4]),
        ("less_than", vec![Literal::Int(9)], &[4]),
        ("greater_than", vec![text("apple")], &[]),
        ("between", vec![text("a"), text("b")], &[0, 3]),
        ("in", vec![text("apple"), text("Pear")], &[0, 2]),
        ("not_in", vec![text("apple"), text("Pear")], &[3, 4]),
        ("like", vec![text("PE%")], &[2]),
        ("not_like", vec![text("%p%")], &[3, 4]),
        ("regexp_like", vec![text("p")], &[0]),
        ("regexp_like", vec![text("^P"), text("i")], &[2]),
        ("like", vec![text("%")], &[0, 2, 3, 4]),
    ];
    for (name, literals, rows) in cases {
        check(name, &literals, DataType::String, &view, rows);
        check(name, &literals, DataType::String, &dictionary, rows);
    }
    let plain: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let test = Test::compile("equals", &[text("y")], DataType::String.single(), "x").unwrap();
    assert_eq!(
        test.evaluate(&plain)
            .unwrap()
            .set_indices()
            .collect::<Vec<_>>(),
        [1]
    );
}

/// Batches of one dictionary are told apart from those of another; long ones go by rows.
#[test]
fn dictionaries_are_remembered() {
    let test = Test::compile("like", &[text("%7")], DataType::String.single(), "x").unwrap();
    for seed in 0..20 {
        let words: Vec<String> = (0..100).map(|n| format!("w{}", n + seed)).collect();
        let words: ArrayRef = Arc::new(StringArray::from(words));
        for keys in [vec![1, 7, 90, 97], (0..100).collect(), vec![7]] {
            let rows: Vec<usize> = (0..keys.len())
                .filter(|row| (keys[*row] + seed) % 10 == 7)
                .collect();
            let keys = Int32Array::from(keys);
            let array: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::clone(&words)));
            assert_eq!(
                test.evaluate(&array)
                    .unwrap()
                    .set_indices()
                    .collect::<Vec<_>>(),
                rows
            );
        }
    }
}

#[test]
fn other_types() {
    let booleans: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]));
    check(
        "equals",
        &[Literal::Boolean(true)],
        DataType::Boolean,
        &booleans,
        &[0],
    );
    check(
        "equals",
        &[Literal::Int(0)],
        DataType::Boolean,
        &booleans,
        &[2],
    );
    check(
        "not_equals",
        &[text("true")],
        DataType::Boolean,
        &booleans,
        &[2],
    );
    check(
        "less_than",
        &[Literal::Boolean(true)],
        DataType::Boolean,
        &booleans,
        &[2],
    );
    let bytes: ArrayRef = Arc::new(BinaryViewArray::from(vec![&[1u8, 0xff][..], &[2]]));
    check("equals", &[text("01FF")], DataType::Bytes, &bytes, &[0]);
    check(
        "greater_than",
        &[text("01ff")],
        DataType::Bytes,
        &bytes,
        &[1],
    );
    let uuid = "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
    let uuids: ArrayRef = Arc::new(StringViewArray::from(vec![uuid]));
    check(
        "equals",
        &[text(&uuid.to_uppercase())],
        DataType::Uuid,
        &uuids,
        &[0],
    );
    let longs: ArrayRef = Arc::new(Int64Array::from(vec![100, 110, 7]));
    check("like", &[text("1_0")], DataType::Long, &longs, &[0, 1]);
}

#[test]
fn lists_pass_by_any_element_and_negations_by_none() -> Result<(), Error> {
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([
        Some(vec![Some(1), Some(2)]),
        Some(vec![]),
        None,
        Some(vec![Some(3)]),
    ]));
    let cases: [(&str, &[usize]); 5] = [
        ("equals", &[0]),
        ("not_equals", &[1, 3]),
        ("less_than_or_equal", &[0]),
        ("in", &[0]),
        ("not_in", &[1, 3]),
    ];
    for (name, rows) in cases {
        let test = Test::compile(name, &[Literal::Int(2)], DataType::Long.multi(), "x")?;
        assert_eq!(
            test.evaluate(&lists)?.set_indices().collect::<Vec<_>>(),
            rows,
            "{name}"
        );
    }
    Ok(())
}

#[test]
fn bad_literals_name_the_predicate() {
    let cases: [(&str, Vec<Literal>, ColumnType, &str); 6] = [
        (
            "equals",
            vec![text("abc")],
            DataType::Int.single(),
            "QueryValidationError: Cannot convert value: 'abc' to type: INT, expression=equals(x,'abc')",
        ),
        (
            "equals",
            vec![text("yesterday")],
            DataType::Timestamp {
                unit: TimeUnit::Millis,
            }
            .single(),
            "QueryValidationError: Cannot convert value: 'yesterday' to type: TIMESTAMP, \
             expression=equals(x,'yesterday')",
        ),
        (
            "equals",
            vec![text("0x1")],
            DataType::Bytes.single(),
            "QueryValidationError: Cannot convert value: '0x1' to type: BYTES, expression=equals(x,'0x1')",
        ),
        (
            "equals",
            vec![Literal::Null],
            DataType::Int.single(),
            "QueryValidationError: Using NULL in EQUALS filter is not supported",
        ),
        (
            "regexp_like",
            vec![text("a"), text("x")],
            DataType::String.single(),
            "QueryValidationError: Unsupported match parameter: 'x'. Only 'i'/'I' (case-insensitive) \
             and 'c'/'C' (case-sensitive) are supported.",
        ),
        (
            "between",
            vec![Literal::Int(1)],
            DataType::Int.single(),
            "QueryValidationError: wrong number of arguments, expression=between(x,'1')",
        ),
    ];
    for (name, literals, column_type, message) in cases {
        let error = Test::compile(name, &literals, column_type, "x").unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(error.code(), 700);
    }
    let large = "(a{1000}){1000}";
    let error = Test::compile(
        "regexp_like",
        &[text(large)],
        DataType::String.single(),
        "x",
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .ends_with("the compiled pattern is too large")
    );
}

#[test]
fn bounds_prune_only_what_cannot_match() {
    let int = |v| Some(Value::Int(v));
    let string = |v: &str| Some(Value::String(v.to_owned()));
    let float = |v| Some(Value::Double(v));
    let cases = [
        (
            "equals",
            vec![Literal::Int(5)],
            DataType::Int,
            int(1),
            int(4),
            false,
        ),
        (
            "equals",
            vec![Literal::Int(5)],
            DataType::Int,
            int(1),
            int(5),
            true,
        ),
        (
            "equals",
            vec![Literal::Int(5)],
            DataType::Int,
            None,
            int(4),
            true,
        ),
        (
            "not_equals",
            vec![Literal::Int(5)],
            DataType::Int,
            int(5),
            int(5),
            false,
        ),
        (
            "not_equals",
            vec![Literal::Int(5)],
            DataType::Int,
            int(5),
            int(6),
            true,
        ),
        (
            "not_equals",
            vec![Literal::Int(5)],
            DataType::Double,
            float(5.0),
            float(5.0),
            true,
        ),
        (
            "greater_than",
            vec![Literal::Int(5)],
            DataType::Int,
            int(1),
            int(5),
            false,
        ),
        (
            "in",
            vec![Literal::Int(0), Literal::Int(9)],
            DataType::Int,
            int(1),
            int(5),
            false,
        ),
        (
            "equals",
            vec![text("m")],
            DataType::String,
            string("n"),
            string("z"),
            false,
        ),
        (
            "like",
            vec![text("a%")],
            DataType::String,
            string("n"),
            string("z"),
            true,
        ),
        (
            "equals",
            vec![double("0.5")],
            DataType::Int,
            int(0),
            int(1),
            false,
        ),
    ];
    for (name, literals, data_type, min, max, expected) in cases {
        let test = Test::compile(name, &literals, data_type.single(), "x").unwrap();
        let may = test.may_match(min.as_ref(), max.as_ref());
        assert_eq!(may, expected, "{name} {literals:?} {min:?}..{max:?}");
    }
}

#[test]
fn like_patterns() {
    let cases = [
        ("abc", "ABC", true),
        ("abc", "abcd", false),
        ("", "", true),
        ("", "a", false),
        ("%", "", true),
        ("%%", "any\nthing", true),
        ("_", "é", true),
        ("_", "", false),
        ("a%", "A\nb", true),
        ("%c", "a\nC", true),
        ("%b%", "a\nB\nc", true),
        ("a%c", "abc", true),
        ("a%c", "a\nc", false),
        ("a_c", "a\nc", false),
        ("100\\%", "100%", true),
        ("100\\%", "100%x", false),
        ("100\\%%", "100%x", true),
        ("a\\_b", "a_b", true),
        ("a\\_b", "axb", false),
        ("a.c", "abc", false),
        ("[a]%", "[A]x", true),
        ("\\d%", "\\dx", true),
        ("É%", "école", true),
        ("%straße", "EINE STRAẞE", true),
        ("kelvin", "\u{212a}elvin", true),
        ("%s%", "\u{17f}", true),
        ("%ss%", "xsSx", true),
        ("%aab%", "aaaab", true),
    ];
    for (pattern, text, expected) in cases {
        let matches = Pattern::like(pattern).unwrap().matches(text);
        assert_eq!(matches, expected, "{pattern:?} {text:?}");
    }
}

proptest! {
    #[test]
    fn like_equals_its_regular_expression(
        pattern in "[aAkKsSé%_\\\\\n.]{0,6}",
        text in "[aAkKsSéÉ\u{17f}\u{212a}%_\\\\\n.]{0,8}",
    ) {
        prop_assert_eq!(Pattern::like(&pattern).unwrap().matches(&text), slow_like(&pattern, &text));
    }

    #[test]
    fn integer_tests_agree_with_exact_comparison(
        values in prop::collection::vec(any::<i64>(), 1..20),
        literal in any::<f64>().prop_filter("finite", |v| v.is_finite()),
        name in prop::sample::select(vec!["equals", "less_than", "less_than_or_equal",
            "greater_than", "greater_than_or_equal", "not_equals"]),
    ) {
        use std::cmp::Ordering;
        let array: ArrayRef = Arc::new(Int64Array::from(values.clone()));
        let literal = Literal::Double(literal, format!("{literal:?}"));
        let Literal::Double(bound, _) = literal else { unreachable!() };
        let test = Test::compile(name, &[literal], DataType::Long.single(), "x").unwrap();
        let passes = test.evaluate(&array).unwrap();
        for (row, value) in values.iter().enumerate() {
            let order = compare(*value, bound);
            let expected = match name {
                "equals" => order == Ordering::Equal,
                "not_equals" => order != Ordering::Equal,
                "less_than" => order == Ordering::Less,
                "less_than_or_equal" => order != Ordering::Greater,
                "greater_than" => order == Ordering::Greater,
                _ => order != Ordering::Less,
            };
            prop_assert_eq!(passes.value(row), expected, "{} {} {}", value, name, bound);
        }
    }
}

/// Compares a whole number with a double exactly.
fn compare(value: i64, bound: f64) -> std::cmp::Ordering {
    if bound.abs() > 1e30 {
        return 0.0.partial_cmp(&bound).unwrap();
    }
    let whole = bound.trunc() as i128;
    i128::from(value)
        .cmp(&whole)
        .then(0.0.partial_cmp(&bound.fract()).unwrap())
}

/// LIKE by recursion over characters: free ends cross lines, inner wildcards do not.
fn slow_like(pattern: &str, text: &str) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum Part {
        Char(char),
        One,
        Many,
    }
    let mut parts = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        parts.push(match c {
            '\\' => match chars.peek().copied() {
                Some(next @ ('_' | '%' | '\\')) => {
                    chars.next();
                    Part::Char(next)
                }
                _ => Part::Char(c),
            },
            '_' => Part::One,
            '%' => Part::Many,
            c => Part::Char(c),
        });
    }
    let free_end = parts.last() == Some(&Part::Many);
    let free_start = parts.first() == Some(&Part::Many);
    while parts.last() == Some(&Part::Many) {
        parts.pop();
    }
    while parts.first() == Some(&Part::Many) {
        parts.remove(0);
    }
    fn same(a: char, b: char) -> bool {
        let fold = |c: char| match c {
            '\u{17f}' => 's',
            '\u{212a}' => 'k',
            c => c.to_lowercase().next().unwrap(),
        };
        fold(a) == fold(b)
    }
    fn run(parts: &[Part], text: &[char], free_end: bool) -> bool {
        match (parts.split_first(), text.split_first()) {
            (None, None) => true,
            (None, Some(_)) => free_end,
            (Some((Part::Many, rest)), text_head) => {
                run(rest, text, free_end)
                    || text_head.is_some_and(|(c, tail)| *c != '\n' && run(parts, tail, free_end))
            }
            (Some((Part::One, rest)), Some((c, tail))) => *c != '\n' && run(rest, tail, free_end),
            (Some((Part::Char(p), rest)), Some((c, tail))) => {
                same(*p, *c) && run(rest, tail, free_end)
            }
            (Some(_), None) => false,
        }
    }
    let text: Vec<char> = text.chars().collect();
    let starts = if free_start { text.len() } else { 0 };
    (0..=starts).any(|start| run(&parts, &text[start..], free_end))
}
