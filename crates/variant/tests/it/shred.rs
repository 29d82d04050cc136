//! Layout never changes an answer: keys and documents of arrays shredded by `parquet-variant` in
//! many ways, against the unshredded array and against the JSON they were made of.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, StringArray, StructArray,
};
use arrow_schema::{DataType as ArrowType, Field, TimeUnit as ArrowUnit};
use growler_base::LeafIdx;
use growler_schema::{DataType, KeyType, TimeUnit};
use growler_variant::shred::{
    DocumentReader, KeyOutput, KeyPlan, KeyReader, LeafFacts, NonObjectRoot, ValueWriter, Written,
};
use growler_variant::{Error, KeyPath};
use parquet_variant_compute::{json_to_variant, shred_variant};
use serde_json::Value;

use crate::shred_column::{cells, facts_of, layout_of, prune};

// `shred_variant` casts as it shreds, and loses by it (1.5 to 1, false to 0): no key that a schema
// types has values here that it would cast to something else.
const DOCUMENTS: [Option<&str>; 26] = [
    Some(
        r#"{"page":"HOME","latency":100,"device":{"os":"ios"},"tags":["t0","common"],"tier":"gold"}"#,
    ),
    Some(
        r#"{"page":"SEARCH","latency":110,"device":{"os":"android"},"tags":["t1"],"session":"s-1"}"#,
    ),
    Some(r#"{"page":"SEARCH","latency":"n/a","device":{"os":"ios"},"tags":["t4"],"tier":"null"}"#),
    Some(
        r#"{"page":"a page with a name that no view holds itself","device":{"os":"windows for workgroups"},"tags":[]}"#,
    ),
    None,
    Some("{}"),
    Some(r#"{"latency":null,"device":null,"tags":null,"page":null}"#),
    Some(r#"{"device":"phone","tags":"none","page":{"x":1},"latency":{"p50":1,"p99":2}}"#),
    Some(r#"{"device":{"os":{"name":"ios","version":[1,2]},"model":"x","":"empty"}}"#),
    Some(r#"{"device":{},"tags":{},"latency":[],"page":[]}"#),
    Some(r#"{"device.os":"literal","device":{"os":"nested"}}"#),
    Some(r#"{"device.os":null,"device":{"os":"nested"}}"#),
    Some(r#"{"device.os":{"x":1}}"#),
    Some(r#"{"a":{"b":{"c":1}},"a.b.c":2}"#),
    Some(r#"{"a":{"b":{"c":1},"b.c":3}}"#),
    Some(r#"{"a":{"b":{"c":1}}}"#),
    Some(r#"{"a":{"b":{"d":1},"b.c":"x"},"a.b":{"c":4}}"#),
    Some(r#"{"a":{"b":[{"c":5}]},"a.b":7}"#),
    Some(r#"{"a":[1,{"b":2}],"":{"":"deep"},".":"dot"}"#),
    Some(r#"{"latency":2147483648,"page":"2147483648"}"#),
    Some(r#"{"latency":-9223372036854775808,"flag":true}"#),
    Some(r#"{"ratio":1.5,"price":2.0,"tags":[1,"two",null,{"b":1,"a":2},[3,[4]]]}"#),
    Some(r#"{"flag":false,"ratio":0.1,"tags":[["x"],[],[null]]}"#),
    Some(r#"{"é":"ü","\u0000":"nul","quote\"":"a\"b\\c\n","𐍈":1,"\uffff":2}"#),
    Some(r#"{"items":[{"sku":"s0","promo":{"code":"P0","x":1}},{"sku":7},{"promo":null},5,null]}"#),
    Some(r#"{"items":{"sku":"not a list"},"z":1,"latency":7,"device":{"zz":1,"aa":2,"os":"x"}}"#),
];

const KEYS: [&str; 33] = [
    "page",
    "latency",
    "flag",
    "ratio",
    "price",
    "device",
    "device.os",
    "device.os.name",
    "device.model",
    "device.",
    "tags",
    "tags.0",
    "tier",
    "session",
    "a",
    "a.b",
    "a.b.c",
    "b",
    "b.c",
    "a.b.d",
    "",
    ".",
    "é",
    "\0",
    "quote\"",
    "𐍈",
    "\u{ffff}",
    "items",
    "items.sku",
    "latency.p50",
    "page.x",
    "nowhere",
    "nowhere.at.all",
];

const OUTPUTS: [DataType; 10] = [
    DataType::Int,
    DataType::Long,
    DataType::Float,
    DataType::Double,
    DataType::BigDecimal { scale: 2 },
    DataType::Boolean,
    DataType::Timestamp {
        unit: TimeUnit::Micros,
    },
    DataType::String,
    DataType::Bytes,
    DataType::Json,
];

fn outputs() -> impl Iterator<Item = KeyOutput> {
    let typed = |data_type| {
        KeyOutput::Typed(KeyType {
            data_type,
            typed: true,
        })
    };
    OUTPUTS
        .map(typed)
        .into_iter()
        .chain([KeyOutput::Json, KeyOutput::Number])
}

fn object(fields: &[(&str, ArrowType)]) -> ArrowType {
    let field = |(name, arrow): &(&str, ArrowType)| Field::new(*name, arrow.clone(), true);
    ArrowType::Struct(fields.iter().map(field).collect())
}

fn list(item: ArrowType) -> ArrowType {
    ArrowType::List(Arc::new(Field::new("item", item, true)))
}

fn schemas() -> Vec<ArrowType> {
    use ArrowType::{Boolean, Float64, Int8, Int32, Int64, Utf8, Utf8View};
    let os = || object(&[("os", Utf8)]);
    let abc = || object(&[("b", object(&[("c", Int64)]))]);
    let promo = object(&[("code", Utf8)]);
    vec![
        object(&[
            ("page", Utf8),
            ("latency", Int64),
            ("device", os()),
            ("tags", list(Utf8)),
        ]),
        object(&[
            ("page", Utf8View),
            ("latency", Int32),
            ("device", Utf8),
            ("tags", Utf8),
        ]),
        object(&[("latency", Int8), ("flag", Boolean), ("z", Int32)]),
        object(&[
            ("latency", Utf8),
            ("page", Int64),
            ("tags", list(list(Utf8))),
        ]),
        object(&[
            ("ratio", Float64),
            ("device", object(&[("os", os()), ("model", Utf8)])),
        ]),
        object(&[("device.os", Utf8)]),
        object(&[("device.os", Utf8), ("device", os())]),
        object(&[("a", abc())]),
        object(&[("a.b.c", Int64)]),
        object(&[("a.b.c", Int64), ("a", abc())]),
        object(&[(
            "a",
            object(&[("b.c", Utf8), ("b", object(&[("c", Int64)]))]),
        )]),
        object(&[
            ("a.b", object(&[("c", Int64)])),
            ("a", object(&[("b.c", Utf8)])),
        ]),
        object(&[
            ("a", list(object(&[("b", Int64)]))),
            ("", object(&[("", Utf8)])),
        ]),
        object(&[
            ("items", list(object(&[("sku", Utf8), ("promo", promo)]))),
            ("é", Utf8),
        ]),
        object(&[
            ("nowhere", object(&[("at", object(&[("all", Int64)]))])),
            ("𐍈", Int64),
        ]),
        object(&[(
            "latency",
            ArrowType::Timestamp(ArrowUnit::Microsecond, None),
        )]),
        list(Int64),
        Int64,
        Utf8,
    ]
}

fn unshredded() -> Result<StructArray, Box<dyn std::error::Error>> {
    let texts: ArrayRef = Arc::new(StringArray::from(DOCUMENTS.to_vec()));
    Ok(json_to_variant(&texts)?.into_inner())
}

/// The same documents in many layouts, each with a name for messages.
pub fn layouts() -> Result<Vec<(String, StructArray)>, Box<dyn std::error::Error>> {
    let plain = unshredded()?;
    let variant = parquet_variant_compute::VariantArray::try_new(&plain)?;
    let mut layouts = vec![("unshredded".to_owned(), plain)];
    for schema in schemas() {
        let shredded = shred_variant(&variant, &schema)?;
        let shredded = shredded.into_inner();
        layouts.push((format!("dictionary {schema}"), other_form(&shredded)));
        layouts.push((schema.to_string(), shredded));
    }
    Ok(layouts)
}

/// Returns the group with its metadata as a dictionary, its values with offsets, its text leaves as
/// dictionaries.
fn other_form(column: &StructArray) -> StructArray {
    let arrays = column
        .fields()
        .iter()
        .zip(column.columns())
        .map(|(field, child)| {
            let array: ArrayRef = match (field.name().as_str(), child.data_type()) {
                ("metadata", _) => dictionary_of(child),
                (_, ArrowType::BinaryView) => {
                    Arc::new(child.as_binary_view().iter().collect::<BinaryArray>())
                }
                (_, ArrowType::Utf8) => {
                    let texts = child.as_string::<i32>().iter();
                    Arc::new(texts.collect::<DictionaryArray<Int32Type>>())
                }
                (_, ArrowType::Struct(_)) => Arc::new(other_form(child.as_struct())),
                _ => Arc::clone(child),
            };
            let arrow = array.data_type().clone();
            (
                Arc::new(
                    field
                        .as_ref()
                        .clone()
                        .with_data_type(arrow)
                        .with_nullable(true),
                ),
                array,
            )
        });
    let (fields, arrays): (Vec<_>, Vec<_>) = arrays.unzip();
    StructArray::new(fields.into(), arrays, column.nulls().cloned())
}

fn dictionary_of(metadata: &ArrayRef) -> ArrayRef {
    let mut distinct: Vec<&[u8]> = Vec::new();
    let rows = metadata.as_binary_view();
    let keys = (0..rows.len()).map(|row| {
        let bytes = rows.value(row);
        let known = distinct.iter().position(|known| *known == bytes);
        let key = known.unwrap_or_else(|| {
            distinct.push(bytes);
            distinct.len() - 1
        });
        Some(i32::try_from(key).unwrap())
    });
    let keys: Int32Array = keys.collect();
    Arc::new(DictionaryArray::new(
        keys,
        Arc::new(BinaryArray::from_iter_values(distinct)),
    ))
}

/// Reads a key as the segment does: without the residuals on the way first.
fn read_key(
    column: &StructArray,
    key: &str,
    output: KeyOutput,
    facts: &LeafFacts,
) -> Vec<Option<String>> {
    let layout = layout_of(column);
    let plan = Arc::new(KeyPlan::compile(&layout, &KeyPath::parse(key).unwrap()));
    let mut reader = KeyReader::new(Arc::clone(&plan), output, NonObjectRoot::Fail);
    let first = reader.read(&prune(column, &plan.leaves(facts, output)), facts);
    let read = match first {
        Err(Error::NeedsResidual { residuals, .. }) => {
            let facts = facts.clone().with_residuals(&residuals);
            reader.read(&prune(column, &plan.leaves(&facts, output)), &facts)
        }
        first => first,
    };
    let read = read.unwrap_or_else(|error| panic!("{key:?} as {output:?}: {error}"));
    assert_eq!(read.malformed_rows, 0);
    assert_eq!(read.array.len(), column.len());
    cells(&read.array)
}

#[test]
fn every_layout_gives_the_same_key() -> Result<(), Box<dyn std::error::Error>> {
    let layouts = layouts()?;
    let (_, plain) = layouts.first().ok_or("no layout")?;
    for key in KEYS {
        for output in outputs() {
            let expected = read_key(plain, key, output, &LeafFacts::unknown());
            for (name, column) in &layouts {
                let every_residual: Vec<LeafIdx> =
                    layout_of(column).leaves().into_iter().skip(1).collect();
                for facts in [
                    LeafFacts::unknown(),
                    facts_of(column),
                    facts_of(column).with_residuals(&every_residual),
                ] {
                    let found = read_key(column, key, output, &facts);
                    assert_eq!(
                        found, expected,
                        "key={key:?} output={output:?} layout={name}"
                    );
                }
            }
        }
    }
    Ok(())
}

#[test]
fn keys_are_those_of_the_json() -> Result<(), Box<dyn std::error::Error>> {
    let (text, json) = (KeyOutput::Typed(KeyType::untyped()), KeyOutput::Json);
    for (name, column) in layouts()? {
        for key in KEYS {
            let values = DOCUMENTS.map(|document| {
                let value = serde_json::from_str(document?).unwrap();
                look_up(&value, key).filter(|value| !value.is_null())
            });
            let as_text = |value: &Value| match value {
                Value::String(text) => text.clone(),
                other => sorted(other),
            };
            let expected: Vec<_> = values
                .iter()
                .map(|value| value.as_ref().map(as_text))
                .collect();
            let found = read_key(&column, key, text, &facts_of(&column));
            assert_eq!(found, expected, "key={key:?} layout={name}");
            let expected: Vec<_> = values
                .iter()
                .map(|value| value.as_ref().map(sorted))
                .collect();
            let found = read_key(&column, key, json, &facts_of(&column));
            assert_eq!(found, expected, "key={key:?} layout={name} as JSON");
        }
    }
    Ok(())
}

#[test]
fn documents_are_the_json() -> Result<(), Box<dyn std::error::Error>> {
    let expected = DOCUMENTS.map(|text| Some(sorted(&serde_json::from_str(text?).unwrap())));
    for (name, column) in layouts()? {
        let layout = Arc::new(layout_of(&column));
        let reader = DocumentReader::new(Arc::clone(&layout), NonObjectRoot::Fail);
        for facts in [LeafFacts::unknown(), facts_of(&column)] {
            let read = reader.read(&prune(&column, &reader.leaves(&facts)))?;
            assert_eq!(read.malformed_rows, 0);
            assert_eq!(cells(&read.array), expected, "{name}");
        }
        let writer = ValueWriter::try_new(&layout, &column)?;
        for (row, expected) in expected.iter().enumerate() {
            let mut text = Vec::new();
            let written = writer.write(row, &mut text)?;
            assert_eq!(written == Written::Value, expected.is_some());
            assert_eq!(
                String::from_utf8(text)?,
                expected.clone().unwrap_or_default()
            );
        }
    }
    Ok(())
}

/// The rule of architecture decision 2, row by row over parsed JSON.
fn look_up(value: &Value, path: &str) -> Option<Value> {
    let object = value.as_object()?;
    if let Some(found) = object.get(path) {
        return Some(found.clone());
    }
    let (step, rest) = path.split_once('.')?;
    look_up(object.get(step)?, rest)
}

fn sorted(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| name.as_bytes());
            let field = |(name, value): &(&String, &Value)| {
                format!("{}:{}", Value::String((*name).clone()), sorted(value))
            };
            format!(
                "{{{}}}",
                fields.iter().map(field).collect::<Vec<_>>().join(",")
            )
        }
        Value::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(sorted).collect::<Vec<_>>().join(",")
            )
        }
        scalar => scalar.to_string(),
    }
}
