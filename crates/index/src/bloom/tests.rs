//! A filter against a set.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, Float32Array, Float64Array,
    Int32Array, Int64Array, StringArray, StringViewArray, TimestampMillisecondArray, types,
};
use growler_schema::index_plan::BloomOptions;
use growler_schema::{DataType, TimeUnit, Value};

use super::{BloomBuilder, BloomView};

type Failure = Box<dyn std::error::Error>;

fn built(values: &dyn Array, data_type: DataType, row_count: u32) -> Result<Vec<u8>, Failure> {
    built_with(values, data_type, row_count, BloomOptions::default())
}

fn built_with(
    values: &dyn Array,
    data_type: DataType,
    row_count: u32,
    options: BloomOptions,
) -> Result<Vec<u8>, Failure> {
    let mut builder = BloomBuilder::new(data_type, row_count, options);
    builder.push(values)?;
    Ok(builder.finish()?)
}

#[test]
fn options_bound_errors_and_bytes() -> Result<(), Failure> {
    let rows = 20_000;
    let values = Int64Array::from_iter_values((0..i64::from(rows)).map(|value| value * 7));
    // Parts that may be wrong, most bytes; how many of as many absent values may be, and bytes.
    let cases = [
        (0, 0, 0..=160, 0..=65_544),
        (1_000_000, 0, 0..=50, 32_768..=131_088),
        (50_000_000, 0, 20..=1_600, 0..=32_784),
        (300_000_000, 0, 1_000..=7_500, 0..=16_400),
        (1_000_000, 5_000, 8_000..=20_000, 4_096..=4_112),
        (0, 1, 19_000..=20_000, 48..=48),
    ];
    for (false_positives, most_bytes, wrong, len) in cases {
        let options = BloomOptions {
            false_positives,
            most_bytes,
        };
        let bytes = built_with(&values, DataType::Long, rows, options)?;
        let view = BloomView::try_new(&bytes, DataType::Long)?;
        assert_eq!(view.options(), options);
        let is_there = |value: i64| view.may_contain(&Value::Long(value));
        assert!((0..i64::from(rows)).all(|value| is_there(value * 7)));
        let absent = (0..i64::from(rows)).filter(|value| is_there(value * 7 + 3));
        let count = absent.count();
        assert!(wrong.contains(&count), "{options:?} wrong={count}");
        assert!(
            len.contains(&bytes.len()),
            "{options:?} len={}",
            bytes.len()
        );
        for cut in [1, 4, 8, 12, 16] {
            let cut = bytes
                .get(..bytes.len().saturating_sub(cut))
                .unwrap_or_default();
            assert!(BloomView::try_new(cut, DataType::Long).is_err());
        }
    }
    Ok(())
}

#[test]
fn what_is_there_may_be_there_and_what_is_not_seldom() -> Result<(), Failure> {
    for (distinct, rows) in [
        (0, 0),
        (1, 1),
        (10, 100_000),
        (5000, 5000),
        (60_000, 1_000_000),
    ] {
        let values = (0..rows).map(|row| row % distinct * 7);
        let array = Int64Array::from_iter_values(values);
        let bytes = built(&array, DataType::Long, u32::try_from(rows)?)?;
        let view = BloomView::try_new(&bytes, DataType::Long)?;
        let there: HashSet<i64> = array.values().iter().copied().collect();
        assert!(
            there
                .iter()
                .all(|value| view.may_contain(&Value::Long(*value)))
        );
        let absent = (0..20_000).map(|n| Value::Long(n * 7 + 3));
        let wrong = absent.filter(|value| view.may_contain(value)).count();
        assert!(wrong < 300, "distinct={distinct} wrong={wrong}");
        // Folded to what is needed: at most twice 12 bits a value, at least one block.
        let most = usize::try_from(distinct)? * 12 * 2 / 8 + 32 + 8;
        assert!(
            bytes.len() <= most,
            "distinct={distinct} len={}",
            bytes.len()
        );
    }
    Ok(())
}

#[test]
fn every_type_finds_its_values() -> Result<(), Failure> {
    let millis = TimeUnit::Millis;
    let text = |text: &str| Value::String(text.to_owned());
    let decimals = Decimal128Array::from(vec![Some(150), None]).with_precision_and_scale(38, 2)?;
    let mut dictionary = StringDictionaryBuilder::<types::Int32Type>::new();
    dictionary.append("unused")?;
    dictionary.append("used")?;
    dictionary.append_null();
    let dictionary = dictionary.finish().slice(1, 2);
    let cases: Vec<(ArrayRef, DataType, Value, Value)> = vec![
        (
            Arc::new(Int32Array::from(vec![Some(5), None])),
            DataType::Int,
            Value::Int(5),
            Value::Int(0),
        ),
        (
            Arc::new(Float64Array::from(vec![-0.0, 1.5])),
            DataType::Double,
            Value::Double(0.0),
            Value::Double(2.5),
        ),
        (
            Arc::new(Float32Array::from(vec![0.1])),
            DataType::Float,
            Value::Float(0.1),
            Value::Double(0.1),
        ),
        (
            Arc::new(TimestampMillisecondArray::from(vec![7])),
            DataType::Timestamp { unit: millis },
            Value::Timestamp(7, millis),
            Value::Timestamp(8, millis),
        ),
        (
            Arc::new(BooleanArray::from(vec![true])),
            DataType::Boolean,
            Value::Boolean(true),
            Value::Boolean(false),
        ),
        (
            Arc::new(decimals),
            DataType::BigDecimal { scale: 2 },
            Value::BigDecimal(150, 2),
            Value::BigDecimal(0, 2),
        ),
        (
            Arc::new(StringViewArray::from(vec!["", "a"])),
            DataType::String,
            text(""),
            text("b"),
        ),
        (
            Arc::new(StringArray::from(vec!["a"])),
            DataType::Json,
            text("a"),
            text("b"),
        ),
        (
            Arc::new(dictionary),
            DataType::String,
            text("used"),
            text("unused"),
        ),
        (
            Arc::new(BinaryViewArray::from(vec![b"\xff".as_slice()])),
            DataType::Bytes,
            Value::Bytes(vec![0xff]),
            Value::Bytes(vec![0xfe]),
        ),
    ];
    for (array, data_type, there, absent) in cases {
        let bytes = built(&array, data_type, 2)?;
        let view = BloomView::try_new(&bytes, data_type)?;
        assert!(view.may_contain(&there), "{data_type:?}");
        assert!(!view.may_contain(&absent), "{data_type:?}");
        // Another type proves nothing.
        assert!(
            view.may_contain(&Value::BigDecimal(150, 3)),
            "{data_type:?}"
        );
    }
    assert!(built(&Int32Array::from(vec![1]), DataType::Long, 1).is_err());
    assert!(built(&StringArray::from(vec!["a"]), DataType::Bytes, 1).is_err());
    Ok(())
}

#[test]
fn damage_is_told_or_harmless() -> Result<(), Failure> {
    let bytes = built(&Int32Array::from_iter_values(0..100), DataType::Int, 100)?;
    for len in 0..bytes.len() {
        assert!(BloomView::try_new(&bytes[..len], DataType::Int).is_err());
    }
    for at in bytes.len() - 8..bytes.len() {
        for flip in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << flip;
            assert!(BloomView::try_new(&changed, DataType::Int).is_err());
        }
    }
    let none = [[0; 4], *b"BLM1"].concat();
    assert!(BloomView::try_new(&none, DataType::Int).is_err());
    Ok(())
}
