//! Random documents, written by `parquet-variant` and read by both.

use growler_variant::cache::PathCache;
use growler_variant::json::write_json_in;
use growler_variant::names::DictionaryCache;
use growler_variant::validate::validate;
use growler_variant::{Budget, Found, KeyPath, Node};
use parquet_variant::{Variant, VariantBuilder};
use parquet_variant_json::{JsonToVariant, VariantToJson};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::json;

/// Names that meet each other in paths.
pub fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[abc]",
        2 => "[abc]\\.[abc]",
        1 => "[abc]\\.[abc]\\.[abc]",
        1 => Just(String::new()),
        1 => "\\PC{0,12}",
    ]
}

/// Documents of every JSON type; numbers are integers, or doubles with a fraction.
pub fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-200_i64..200).prop_map(Value::from),
        any::<f64>().prop_filter_map("finite with a fraction", |number| {
            (number.is_finite() && number.fract() != 0.0).then(|| Value::from(number))
        }),
        ".{0,80}".prop_map(Value::from),
        "[\\x00-\\x7f]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 80, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..8)
                .prop_map(|fields| Value::Object(Map::from_iter(fields))),
        ]
    })
}

/// Writes a document; the dictionary is sorted, holds more than is used, or comes as it comes.
pub fn encode(document: &Value, dictionary: u8) -> (Vec<u8>, Vec<u8>) {
    let mut builder = VariantBuilder::new();
    match dictionary % 3 {
        0 => {}
        1 => builder = builder.with_field_names(["a", "a.a", "b", "c"]),
        _ => {
            let names: Vec<String> = (0..300).map(|number| format!("unused {number}")).collect();
            builder = builder.with_field_names(names.iter().map(String::as_str));
        }
    }
    builder.append_json(&document.to_string()).unwrap();
    builder.finish()
}

/// The rule of dotted keys, on JSON.
fn walk<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let fields = value.as_object()?;
    if let Some(found) = fields.get(path) {
        return Some(found);
    }
    let (step, rest) = path.split_once('.')?;
    walk(fields.get(step)?, rest)
}

/// Puts the keys of all objects in byte order, as our text has them.
fn ordered(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| (name.clone(), ordered(value)))
                .collect();
            fields.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
            Value::Object(Map::from_iter(fields))
        }
        Value::Array(elements) => elements.iter().map(ordered).collect(),
        scalar => scalar.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn text_is_the_document_that_was_written(document in document(), dictionary: u8) {
        let (metadata, value) = encode(&document, dictionary);
        let text = json(&metadata, &value).unwrap();
        prop_assert_eq!(&text, &ordered(&document).to_string());
        prop_assert_eq!(validate(&metadata, &value), Ok(()));
        // The twin, in version 59, refuses the empty name where it comes last in a dictionary.
        if let Ok(twin) = Variant::try_new(&metadata, &value) {
            let twin: Value = serde_json::from_str(&twin.to_json_string().unwrap()).unwrap();
            let ours: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(numbers_as_doubles(&twin), numbers_as_doubles(&ours));
        } else {
            prop_assert!(text.contains("\"\":"));
        }
    }

    #[test]
    fn prepared_names_change_nothing(documents in prop::collection::vec(document(), 1..4)) {
        let mut cache = DictionaryCache::new();
        for round in 0..5 {
            for document in &documents {
                let (metadata, value) = encode(document, 1);
                let mut text = Vec::new();
                let dictionary = cache.get(&metadata).unwrap();
                write_json_in(dictionary, &value, &mut text, &mut Budget::new()).unwrap();
                let text = String::from_utf8(text).unwrap();
                prop_assert_eq!(text, ordered(document).to_string(), "round={}", round);
            }
        }
    }

    #[test]
    fn look_up_is_the_walk_of_the_document(
        document in document(),
        dictionary: u8,
        path in prop::collection::vec(name(), 1..4),
    ) {
        let (metadata, value) = encode(&document, dictionary);
        let path = path.join(".");
        let mut cache = PathCache::new(KeyPath::parse(&path).unwrap());
        let found = cache.resolve(&metadata).unwrap().find(&value).unwrap();
        let expected = walk(&document, &path);
        match found {
            Found::NotObject => prop_assert!(!document.is_object()),
            Found::Missing => prop_assert_eq!(expected, None),
            Found::Null => prop_assert_eq!(expected, Some(&Value::Null)),
            Found::Value(found) => {
                let text = json(&metadata, found).unwrap();
                prop_assert_eq!(Some(text), expected.map(|value| ordered(value).to_string()));
            }
        }
    }

    #[test]
    fn integers_and_doubles_come_back(integer: i64, double: f64) {
        let (_, value) = Variant::from(integer).encoded();
        let node = Node::try_new(&value).unwrap();
        prop_assert_eq!(node.to_i64(), Some(integer));
        prop_assert_eq!(node.to_i32(), i32::try_from(integer).ok());
        let (_, value) = Variant::from(double).encoded();
        let node = Node::try_new(&value).unwrap();
        prop_assert_eq!(node.to_f64().map(f64::to_bits), Some(double.to_bits()));
    }
}

trait Encoded {
    fn encoded(self) -> (Vec<u8>, Vec<u8>);
}

impl Encoded for Variant<'_, '_> {
    fn encoded(self) -> (Vec<u8>, Vec<u8>) {
        let mut builder = VariantBuilder::new();
        builder.append_value(self);
        builder.finish()
    }
}

/// The twin prints doubles without exponents; what they are worth is the same.
pub fn numbers_as_doubles(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64().unwrap()),
        Value::Array(elements) => elements.iter().map(numbers_as_doubles).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), numbers_as_doubles(value)))
            .collect(),
        scalar => scalar.clone(),
    }
}
