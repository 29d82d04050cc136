//! What lies inside of objects and arrays is what the whole value's text has there, and is read
//! without the rest.

use anyhow::Result;
use growler_base::{RowGroupIdx, RowRanges};
use growler_schema::{DataType, KeyType};
use growler_segment::{
    InsidePath, InsideStep, KeyOutput, KeyPath, NonObjectRoot, ReadOptions, Segment, Source,
    UNWALKED,
};
use serde_json::Value;

use crate::reading::{field, json_key, open, pack, testdata, texts, typed_key};

fn name(name: &str) -> InsideStep {
    InsideStep::Name(name.into())
}

fn bind(segment: &Segment, key: &str, steps: &[InsideStep], output: KeyOutput) -> Result<Source> {
    let (key, inside) = (KeyPath::parse(key)?, InsidePath::new(steps.to_vec()));
    let props = field(segment, "props")?;
    Ok(segment.bind_inside(&props, &key, &inside, output, NonObjectRoot::Fail)?)
}

/// Follows the steps in the text of the whole value.
fn followed(text: &str, steps: &[InsideStep]) -> Option<Value> {
    let whole: Value = serde_json::from_str(text).unwrap();
    let found = steps.iter().try_fold(&whole, |value, step| match step {
        InsideStep::Name(name) => value.as_object()?.get(&**name),
        InsideStep::At(at) => value.as_array()?.get(usize::try_from(*at).unwrap()),
    });
    found.cloned()
}

#[test]
fn what_lies_inside_is_what_the_text_of_the_whole_has_there() -> Result<()> {
    let mut files = Vec::new();
    for folder in ["spark", "duckdb"] {
        for name in [
            "seed4_typed",
            "seed4_none",
            "seed4_partial",
            "seed4_v2pages",
        ] {
            files.push(testdata(folder).join(format!("{name}.parquet")));
        }
        for name in ["rg_many__none", "rg_many__typed", "pages_v2__typed"] {
            files.push(pack(folder).join(format!("{name}.parquet")));
        }
    }
    let at = InsideStep::At;
    let paths = [
        vec![at(0)],
        vec![at(1)],
        vec![at(7)],
        vec![name("os")],
        vec![name("no")],
        vec![at(0), name("sku")],
        vec![at(0), name("promo"), name("code")],
        vec![at(0), name("promo")],
        vec![at(0), at(0)],
    ];
    let text = KeyOutput::Typed(KeyType {
        data_type: DataType::String,
        typed: false,
    });
    let (mut found, mut marked) = (0, 0);
    for file in files.iter().filter(|file| file.exists()) {
        let segment = open(file)?;
        for key in ["items", "tags", "device", "page_type", "latency_ms", "none"] {
            let whole = texts(
                &segment,
                &json_key(&segment, "props", key, NonObjectRoot::Fail)?,
            )?;
            let plain = texts(
                &segment,
                &typed_key(&segment, "props", key, DataType::String)?,
            )?;
            for steps in &paths {
                let inside = texts(&segment, &bind(&segment, key, steps, KeyOutput::Json)?)?;
                let expected = whole.iter().map(|text| {
                    let text = text.as_ref()?;
                    Some(followed(text, steps).unwrap_or(Value::Null))
                });
                let values = inside
                    .iter()
                    .map(|text| Some(serde_json::from_str(text.as_ref()?).unwrap()));
                let values: Vec<Option<Value>> = values.collect();
                assert_eq!(
                    values,
                    expected.collect::<Vec<_>>(),
                    "{key} {steps:?} {}",
                    file.display()
                );
                found += values
                    .iter()
                    .flatten()
                    .filter(|value| !value.is_null())
                    .count();
                // The other form differs in strings alone, which are as they are.
                let other = texts(&segment, &bind(&segment, key, steps, text)?)?;
                for (row, other) in other.iter().enumerate() {
                    let unwalked = other
                        .as_ref()
                        .and_then(|other| other.strip_prefix(UNWALKED));
                    match unwalked {
                        Some(unwalked) => {
                            assert_eq!(Some(unwalked), plain[row].as_deref());
                            assert!(whole[row].as_ref().unwrap().starts_with('"'));
                            marked += 1;
                        }
                        None => assert_eq!(*other, inside[row]),
                    }
                }
            }
        }
    }
    assert!(found > 100 && marked > 100, "{found} {marked}");
    Ok(())
}

#[test]
fn only_leaves_on_the_path_are_read() -> Result<()> {
    let segment = open(&testdata("spark").join("seed4_typed.parquet"))?;
    let leaves = |source: &Source| {
        let rows = RowRanges::all(segment.row_group(RowGroupIdx(0)).row_count);
        let sources = std::slice::from_ref(source);
        let reader = segment.read(RowGroupIdx(0), sources, &rows, &ReadOptions::default())?;
        anyhow::Ok(reader.leaves().len())
    };
    let whole = leaves(&json_key(&segment, "props", "items", NonObjectRoot::Fail)?)?;
    let steps = [InsideStep::At(0), name("promo"), name("code")];
    let inside = leaves(&bind(&segment, "items", &steps, KeyOutput::Json)?)?;
    assert!(inside < whole, "{inside} {whole}");
    Ok(())
}
