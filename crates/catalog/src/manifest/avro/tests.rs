//! The decoder of this crate against `apache-avro`'s, and against schemas that never end.

use apache_avro::types::Value as Avro;
use apache_avro::{Codec, Reader, Schema, Writer};
use serde_json::json;

use super::*;
use crate::Datum;
use crate::error::Fault;

const SCHEMA: &str = r#"{"type":"record","name":"r","fields":[
    {"name":"a","type":["null","long"],"field-id":1},
    {"name":"skipped","type":{"type":"array","items":{"type":"record","name":"s","fields":[
        {"name":"x","type":"string"},{"name":"y","type":{"type":"map","values":"double"}}]}}},
    {"name":"d","type":{"type":"fixed","name":"f","size":5,"logicalType":"decimal","precision":9,"scale":2},"field-id":2},
    {"name":"e","type":["null","f"],"field-id":3},
    {"name":"text","type":"string","field-id":4}]}"#;

type Row = (Option<i64>, Datum, Option<Datum>, String);

fn rows(bytes: &[u8]) -> Result<Vec<Row>, Fault> {
    let container = Container::open(bytes)?;
    let mut rows = Vec::new();
    container.each(|values, shape| {
        let mut row = (None, None, None, String::new());
        values.record(shape, |values, field| {
            match field.id {
                Some(1) => row.0 = values.optional_long(&field.shape)?,
                Some(2) => row.1 = values.datum(&field.shape)?,
                Some(3) => row.2 = values.datum(&field.shape)?,
                Some(4) => {
                    row.3 = values
                        .optional_text(&field.shape)?
                        .unwrap_or_default()
                        .to_owned();
                }
                _ => values.skip(&field.shape)?,
            }
            Ok(())
        })?;
        rows.push((row.0, row.1.ok_or(Fault::corrupt("null"))?, row.2, row.3));
        Ok(())
    })?;
    Ok(rows)
}

fn written(codec: Codec) -> Vec<u8> {
    let schema = Schema::parse_str(SCHEMA).unwrap();
    let mut writer = Writer::with_codec(&schema, Vec::new(), codec).unwrap();
    for number in 0..30_i64 {
        let item = Avro::Record(vec![
            ("x".into(), Avro::String("x".repeat(3))),
            (
                "y".into(),
                Avro::Map([("k".to_owned(), Avro::Double(1.5))].into()),
            ),
        ]);
        let optional = match number % 3 {
            0 => Avro::Union(0, Box::new(Avro::Null)),
            _ => Avro::Union(1, Box::new(Avro::Long(i64::MIN + number))),
        };
        let fixed = || Avro::Decimal([0xff, 0xff, 0xff, 0xff, 0xfe].into());
        writer
            .append_value(Avro::Record(vec![
                ("a".into(), optional),
                ("skipped".into(), Avro::Array(vec![item; 2])),
                ("d".into(), fixed()),
                ("e".into(), Avro::Union(1, Box::new(fixed()))),
                ("text".into(), Avro::String(format!("row {number}"))),
            ]))
            .unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn reads_what_the_library_reads() {
    for codec in [
        Codec::Null,
        Codec::Deflate(Default::default()),
        Codec::Snappy,
        Codec::Zstandard(Default::default()),
    ] {
        let bytes = written(codec);
        let ours = rows(&bytes).unwrap();
        let theirs: Vec<Avro> = Reader::new(&bytes[..])
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(ours.len(), theirs.len());
        for (row, theirs) in ours.iter().zip(theirs) {
            let Avro::Record(fields) = theirs else {
                panic!("no record")
            };
            let number = match &fields[0].1 {
                Avro::Union(_, value) => match **value {
                    Avro::Long(number) => Some(number),
                    _ => None,
                },
                _ => None,
            };
            let minus_two = Datum::Decimal {
                unscaled: -2,
                scale: 2,
            };
            assert_eq!(row.0, number);
            assert_eq!((&row.1, &row.2), (&minus_two, &Some(minus_two.clone())));
            assert_eq!(Avro::String(row.3.clone()), fields[4].1);
        }
    }
}

#[test]
fn a_cut_or_changed_file_is_an_error_or_read() {
    let bytes = written(Codec::Null);
    for len in (0..bytes.len()).step_by(7) {
        let _ = rows(&bytes[..len]);
    }
    for position in 0..bytes.len().min(3000) {
        let mut changed = bytes.clone();
        changed[position] ^= 1 << (position % 8);
        let _ = rows(&changed);
    }
}

#[test]
fn schemas_that_never_end_are_refused() {
    let endless = [
        json!({"type": "array", "items": "null"}),
        json!({"type": "array", "items": {"type": "record", "name": "r", "fields": []}}),
        json!({"type": "map", "values": {"type": "fixed", "name": "f", "size": 0}}),
        json!({"type": "record", "name": "r", "fields": [{"name": "next", "type": ["null", "r"]}]}),
        json!({"type": "nonsense"}),
        json!({"type": 5}),
        json!(7),
    ];
    for schema in endless {
        assert!(Shape::compile(&schema).is_err(), "{schema}");
    }
    let huge = json!({"type": "fixed", "name": "f", "size": u64::MAX});
    let shape = Shape::compile(&huge).unwrap();
    assert!(Values::new(&[1, 2, 3]).skip(&shape).is_err());
}

#[test]
fn counts_that_lie_end_with_the_bytes() {
    let shape = Shape::compile(&json!({"type": "array", "items": "long"})).unwrap();
    // A count of 2^62, then three items.
    let mut bytes = vec![0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    bytes.extend([2, 2, 2]);
    assert!(Values::new(&bytes).skip(&shape).is_err());
    assert!(Values::new(&[0xff; 11]).long().is_err());
    assert_eq!(Values::new(&[1]).long(), Ok(-1));
    let least = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    assert_eq!(Values::new(&least).long(), Ok(i64::MIN));
}
