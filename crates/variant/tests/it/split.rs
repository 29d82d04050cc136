//! Shredding, read back by our own reader and by the twin crate.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use growler_variant::build::{ColumnBuilder, Dictionary};
use growler_variant::shred::{
    DocumentReader, InferOptions, Inference, NonObjectRoot, ScalarType, Shape, TypedShape, split,
};
use growler_variant::{Error, Node};
use parquet_variant_compute::{VariantArray, unshred_variant};
use parquet_variant_json::VariantToJson;
use proptest::prelude::*;
use serde_json::Value;

use crate::build::{rows, sorted_names};
use crate::shred_column::layout_of;
use crate::twin::{document, numbers_as_doubles};

fn column(texts: &[&str]) -> StructArray {
    let mut column = ColumnBuilder::new(Dictionary::PerRow);
    for text in texts {
        match *text {
            "" => column.push_null().unwrap(),
            text => column.push_json(text).unwrap(),
        }
    }
    column.finish().unwrap()
}

fn inferred(column: &StructArray, options: InferOptions) -> Shape {
    let bytes = |name| column.column_by_name(name).unwrap().as_binary::<i32>();
    let mut inference = Inference::new(options);
    for row in (0..column.len()).filter(|row| column.is_valid(*row)) {
        inference
            .see(bytes("metadata").value(row), bytes("value").value(row))
            .unwrap();
    }
    inference.shape()
}

/// Returns the documents as our reader puts them together.
fn documents(shredded: &StructArray) -> Vec<Option<String>> {
    let layout = layout_of(shredded);
    let reader = DocumentReader::new(Arc::new(layout), NonObjectRoot::Null);
    let read = reader.read(shredded).unwrap();
    assert_eq!(read.malformed_rows, 0);
    let texts = read.array.as_string_view().iter();
    texts.map(|text| text.map(str::to_owned)).collect()
}

fn parsed(texts: &[Option<String>]) -> Vec<Option<Value>> {
    let parse = |text: &String| numbers_as_doubles(&serde_json::from_str(text).unwrap());
    texts.iter().map(|text| text.as_ref().map(parse)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn shredded_documents_are_the_same(documents_ in prop::collection::vec(document(), 1..8), fill in 0..3_u8) {
        let documents_: Vec<Value> = documents_
            .iter()
            .map(|document| serde_json::json!({"a": document, "b": {"c": document}}))
            .collect();
        let names = sorted_names(&documents_.iter().collect::<Vec<_>>());
        let mut plain = ColumnBuilder::with_names(names);
        for document in &documents_ {
            plain.push_json(&document.to_string()).unwrap();
        }
        let plain = plain.finish().unwrap();
        let options = InferOptions { min_fill_rate: f64::from(fill) / 4.0, ..InferOptions::default() };
        let shredded = split(&plain, &inferred(&plain, options)).unwrap();
        let expected = rows(&plain).unwrap();
        prop_assert_eq!(documents(&shredded), expected.clone());
        let array: ArrayRef = Arc::new(shredded);
        let twin = unshred_variant(&VariantArray::try_new(&array).unwrap()).unwrap();
        let twin: Vec<_> = (0..twin.len()).map(|row| Some(twin.value(row).to_json_string().unwrap())).collect();
        prop_assert_eq!(parsed(&twin), parsed(&expected));
    }
}

fn present<'a>(shredded: &'a StructArray, path: &[&str]) -> &'a ArrayRef {
    let (last, groups) = path.split_last().unwrap();
    let mut group = shredded;
    for name in groups {
        group = group.column_by_name(name).unwrap().as_struct();
    }
    group.column_by_name(last).unwrap()
}

#[test]
fn values_go_where_the_specification_says() -> Result<(), Error> {
    let plain = column(&[
        r#"{"a":1,"b":"x"}"#,
        r#"{"a":"n/a","b":{"z":1}}"#,
        r#"{"b":null}"#,
        r#"{"a":300,"c":true}"#,
        "17",
        "",
    ]);
    let shape = Shape::object([
        ("a", Shape::scalar(ScalarType::Int8)),
        ("b", Shape::scalar(ScalarType::String)),
    ]);
    let shredded = split(&plain, &shape)?;
    let valid = |path: &[&str]| -> Vec<bool> {
        let array = present(&shredded, path);
        (0..array.len()).map(|row| array.is_valid(row)).collect()
    };
    let flags = |text: &str| text.bytes().map(|byte| byte == b'1').collect::<Vec<_>>();
    assert_eq!(valid(&["typed_value"]), flags("111100"));
    assert_eq!(valid(&["typed_value", "a", "typed_value"]), flags("100000"));
    assert_eq!(valid(&["typed_value", "a", "value"]), flags("010100"));
    assert_eq!(valid(&["typed_value", "b", "typed_value"]), flags("100000"));
    // A null is a value; a missing key is none.
    assert_eq!(valid(&["typed_value", "b", "value"]), flags("011000"));
    assert_eq!(valid(&["value"]), flags("000110"));
    assert!(shredded.is_null(5));
    Ok(())
}

#[test]
fn a_value_keeps_its_class_and_its_text() -> Result<(), Error> {
    let cases = [
        (Node::Int64(5), ScalarType::Int8, true),
        (Node::Int8(5), ScalarType::Int64, true),
        (Node::Int16(200), ScalarType::Int8, false),
        (Node::Int8(5), ScalarType::Double, false),
        (
            Node::Int8(5),
            ScalarType::Decimal {
                precision: 9,
                scale: 0,
            },
            false,
        ),
        (Node::Float(1.5), ScalarType::Double, false),
        (Node::Double(1.5), ScalarType::Float, false),
        (
            Node::Decimal {
                unscaled: 150,
                scale: 2,
                width: 4,
            },
            ScalarType::Decimal {
                precision: 38,
                scale: 2,
            },
            true,
        ),
        (
            Node::Decimal {
                unscaled: 150,
                scale: 2,
                width: 4,
            },
            ScalarType::Decimal {
                precision: 38,
                scale: 3,
            },
            false,
        ),
        (
            Node::Decimal {
                unscaled: 150,
                scale: 2,
                width: 4,
            },
            ScalarType::Decimal {
                precision: 2,
                scale: 2,
            },
            false,
        ),
        (Node::Date(1), ScalarType::Date, true),
        (Node::String("1970-01-02"), ScalarType::Date, false),
        (Node::Uuid([1; 16]), ScalarType::Uuid, true),
        (Node::Uuid([1; 16]), ScalarType::Binary, false),
        (Node::Null, ScalarType::String, false),
    ];
    for (node, scalar, typed) in cases {
        let mut plain = ColumnBuilder::new(Dictionary::PerRow);
        plain.push(|encoder| encoder.scalar(&node))?;
        let shredded = split(&plain.finish()?, &Shape::scalar(scalar))?;
        let found = present(&shredded, &["typed_value"]).is_valid(0);
        assert_eq!(found, typed, "{node:?} {scalar}");
        assert_eq!(
            present(&shredded, &["value"]).is_null(0),
            typed,
            "{node:?} {scalar}"
        );
    }
    Ok(())
}

#[test]
fn inference_keeps_to_its_limits() {
    let plain = column(&[
        r#"{"id":1,"name":"x","rare":true,"d":{"os":"ios","n":[1,2]},"t":[{"q":1.5},{"q":2.5}]}"#,
        r#"{"id":70000,"name":"y","d":{"os":"mac"},"ID":"z"}"#,
        r#"{"id":3,"name":7,"d":{"os":null,"n":[]},"t":[]}"#,
    ]);
    let decimal = ScalarType::Decimal {
        precision: 2,
        scale: 1,
    };
    let device = Shape::object([
        ("n", Shape::list(Shape::scalar(ScalarType::Int8))),
        ("os", Shape::scalar(ScalarType::String)),
    ]);
    let full = Shape::object([
        ("d", device),
        ("id", Shape::scalar(ScalarType::Int32)),
        ("name", Shape::scalar(ScalarType::String)),
        ("rare", Shape::scalar(ScalarType::Boolean)),
        (
            "t",
            Shape::list(Shape::object([("q", Shape::scalar(decimal))])),
        ),
    ]);
    let defaults = InferOptions::default();
    assert_eq!(inferred(&plain, defaults), full);
    let names = |options| match inferred(&plain, options).typed {
        Some(TypedShape::Object(fields)) => fields.into_iter().map(|field| field.name).collect(),
        _ => Vec::new(),
    };
    assert_eq!(
        names(InferOptions {
            min_fill_rate: 0.6,
            ..defaults
        }),
        ["d", "id", "name", "t"]
    );
    assert_eq!(
        names(InferOptions {
            max_columns: 1,
            ..defaults
        })
        .len(),
        1
    );
    assert_eq!(
        names(InferOptions {
            max_depth: 1,
            ..defaults
        }),
        ["id", "name", "rare"]
    );
    assert_eq!(
        names(InferOptions {
            max_depth: 0,
            ..defaults
        }),
        [""; 0]
    );
}

#[test]
fn shapes_that_no_file_can_have_are_refused() {
    let int = || Shape::scalar(ScalarType::Int8);
    let decimal = |precision, scale| Shape::scalar(ScalarType::Decimal { precision, scale });
    let deep = (0..200).fold(int(), |inner, _| Shape::list(inner));
    let plain = column(&["1"]);
    for shape in [
        Shape::typed(TypedShape::Object(Vec::new())),
        Shape::object([("a", int()), ("a", int())]),
        decimal(39, 0),
        decimal(2, 3),
        decimal(0, 0),
        deep,
    ] {
        assert!(split(&plain, &shape).is_err(), "{shape:?}");
    }
}
