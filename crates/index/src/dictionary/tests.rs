//! Bytes that lie, behind a checksum that does not.

use std::ops::Bound;

use growler_schema::{DataType, Value};

use super::{DictionaryView, DictionaryWriter, SortedValue};

fn sample(data_type: DataType) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = DictionaryWriter::new(data_type);
    let texts: Vec<String> = (0..300).map(|at| format!("value {at:03}")).collect();
    for (at, text) in (0_u32..).zip(&texts) {
        let value = match data_type {
            DataType::String | DataType::Bytes => SortedValue::Text(text.as_bytes()),
            DataType::BigDecimal { .. } => SortedValue::Wide(at.into()),
            DataType::Float => SortedValue::Number(crate::order::of_f32(1.0) + u64::from(at)),
            _ => SortedValue::Number((1 << 63) + u64::from(at) * 3),
        };
        writer.push(value, &mut bytes).unwrap();
    }
    writer.finish(&mut bytes).unwrap();
    bytes
}

fn ask(bytes: &[u8], data_type: DataType, value: &Value) {
    let Ok(view) = DictionaryView::try_new(bytes, data_type) else {
        return;
    };
    let len = view.len().min(1000);
    if let Ok(values) = view.values(0..len) {
        assert_eq!(values.len(), len as usize);
        assert_eq!(*values.data_type(), data_type.arrow_type());
    }
    for rank in (0..len).step_by(7) {
        let _ = view.value(rank);
    }
    if let Ok(ranks) = view.rank_range(Bound::Included(value), Bound::Unbounded) {
        assert!(ranks.start <= ranks.end && ranks.end <= view.len());
    }
    let _ = view.prefix_ranks(b"value 1");
}

#[test]
fn lying_bytes_are_errors_or_values() {
    let cases = [
        (DataType::Int, Value::Int(77)),
        (DataType::Float, Value::Float(1.5)),
        (DataType::Boolean, Value::Boolean(true)),
        (DataType::BigDecimal { scale: 1 }, Value::BigDecimal(7, 1)),
        (DataType::String, Value::String("value 1".to_owned())),
        (DataType::Bytes, Value::Bytes(b"value 1".to_vec())),
    ];
    for (data_type, value) in cases {
        let sound = sample(data_type);
        assert_eq!(
            DictionaryView::try_new(&sound, data_type).unwrap().len(),
            300
        );
        for at in 0..sound.len() {
            for change in [1, 0x80, 0xFF] {
                let mut lying = sound.clone();
                lying[at] ^= change;
                ask(&lying, data_type, &value);
            }
            ask(&sound[..at], data_type, &value);
            ask(&sound[at..], data_type, &value);
        }
    }
}

/// Lengths on both sides of what one byte says.
#[test]
fn text_of_any_lengths_comes_back() {
    let mut texts: Vec<String> = Vec::new();
    for shared in [0, 1, 30, 31, 32, 158, 159, 200, 255] {
        for rest in [0, 1, 6, 7, 8, 120, 134, 135, 255] {
            if shared + rest <= 256 {
                texts.push(format!("{}{}", "b".repeat(shared), "z".repeat(rest)));
                texts.push(format!("{}a{}", "b".repeat(shared), "z".repeat(rest)));
            }
        }
    }
    texts.retain(|text| text.len() <= 256);
    texts.sort();
    texts.dedup();
    let mut bytes = Vec::new();
    let mut writer = DictionaryWriter::new(DataType::String);
    for text in &texts {
        let value = SortedValue::Text(text.as_bytes());
        writer.push(value, &mut bytes).unwrap();
    }
    writer.finish(&mut bytes).unwrap();
    let view = DictionaryView::try_new(&bytes, DataType::String).unwrap();
    for (rank, text) in (0..).zip(&texts) {
        let value = Value::String(text.clone());
        assert_eq!(view.value(rank).unwrap(), value);
        let ranks = view.rank_range(Bound::Included(&value), Bound::Included(&value));
        assert_eq!(ranks.unwrap(), rank..rank + 1);
    }
}
