//! Paths of documents against a map of row sets.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray;
use growler_index::json::{JsonBudget, JsonBuilder, UNREADABLE};
use growler_index::{IndexWriter, Reading, SegmentIndexes, SourceIdentity};

const ROWS: u32 = 70_000;

#[derive(Default)]
struct Model {
    rows: BTreeMap<(String, String), BTreeSet<u32>>,
    present: BTreeMap<String, BTreeSet<u32>>,
    others: BTreeMap<String, BTreeSet<u32>>,
}

/// Pushes values that repeat, are many a row, long, and unique.
fn build(memory_bytes: usize, most: u32) -> (Model, SegmentIndexes) {
    let folder = tempfile::tempdir().unwrap();
    let source = SourceIdentity {
        len_bytes: 1,
        footer_hash: 2,
        row_count: ROWS,
    };
    let mut writer = IndexWriter::create(folder.path(), "x.gix", source, 3).unwrap();
    let mut builder = JsonBuilder::new(
        "c",
        JsonBudget {
            memory_bytes,
            path_count: 3,
            value_len_bytes: 20,
            spill_folder: folder.path().to_owned(),
        },
    );
    let mut model = Model::default();
    for row in 0..ROWS {
        let mut push = |path: &str, value: String| {
            let Some(id) = builder.path(path, most) else {
                return;
            };
            builder.push(id, value.as_bytes()).unwrap();
            model.present.entry(path.into()).or_default().insert(row);
            match value.len() > 20 {
                true => model.others.entry(path.into()).or_default().insert(row),
                false => model
                    .rows
                    .entry((path.into(), value))
                    .or_default()
                    .insert(row),
            };
        };
        push("$.a", format!("{}", row % 7));
        for element in 0..row % 4 {
            push("$.b[*]", format!("\"{}\"", (row + element) % 900));
        }
        if row % 3 == 0 {
            push("$.c", format!("\"unique {row}\""));
        }
        if row % 100 == 1 {
            push("$.c", "x".repeat(30));
            let path = builder.path("$.c", most).unwrap();
            builder.push_other(path);
        }
        if row == 5 {
            assert!(builder.path("$.d", most).is_none());
        }
        builder.end_row();
    }
    builder.finish(&mut writer).unwrap();
    writer.finish().unwrap();
    let opened = SegmentIndexes::open(&folder.path().join("x.gix"), &source);
    (model, opened.unwrap().unwrap())
}

#[test]
fn every_path_has_the_rows_of_its_values() {
    for memory_bytes in [64 << 20, 3 << 20, 1 << 20] {
        let (model, indexes) = build(memory_bytes, 1 << 20);
        assert!(indexes.verify().is_empty());
        for path in ["$.a", "$.b[*]", "$.c"] {
            let values = indexes.subject("c", Some(path), Reading::Json).unwrap();
            let rows = |set: &growler_index::RowSet| set.iter().collect::<BTreeSet<u32>>();
            let nulls = rows(&values.nulls().unwrap());
            let present: BTreeSet<u32> = (0..ROWS).filter(|row| !nulls.contains(row)).collect();
            assert_eq!(present, model.present[path], "{path}");
            let others = values.others().unwrap().unwrap_or_default();
            let Some(dictionary) = values.dictionary().unwrap() else {
                assert_eq!(rows(&others), present, "{path} {memory_bytes}");
                assert_eq!(path, "$.c");
                continue;
            };
            let expected = model.others.get(path).cloned().unwrap_or_default();
            assert_eq!(rows(&others), expected);
            let texts = dictionary.values(0..dictionary.len()).unwrap();
            let texts = texts.as_string_view();
            let distinct = model.rows.keys().filter(|(at, _)| at == path);
            let distinct: Vec<&str> = distinct.map(|(_, value)| value.as_str()).collect();
            assert_eq!(texts.iter().flatten().collect::<Vec<_>>(), distinct);
            let mut all = 0;
            for rank in (0..dictionary.len()).step_by(17) {
                let key = (path.to_owned(), texts.value(rank as usize).to_owned());
                let found = values.rows(&[rank..rank + 1]).unwrap();
                assert_eq!(rows(&found), model.rows[&key], "{key:?}");
                all = rank;
            }
            let union = rows(&values.rows(&[0..all + 1]).unwrap());
            let held = model.rows.iter().filter(|((at, value), _)| {
                at == path && value.as_str() <= texts.value(all as usize)
            });
            let held: BTreeSet<u32> = held.flat_map(|(_, rows)| rows).copied().collect();
            assert_eq!(union, held);
        }
        let marker = indexes.subject("c", Some(UNREADABLE), Reading::Json);
        let unreadable = marker.unwrap().others().unwrap().unwrap();
        assert_eq!(unreadable.iter().collect::<Vec<_>>(), [5]);
    }
}

#[test]
fn a_path_with_too_many_values_keeps_its_rows_only() {
    let (model, indexes) = build(64 << 20, 1000);
    let values = indexes.subject("c", Some("$.c"), Reading::Json).unwrap();
    assert!(values.dictionary().unwrap().is_none());
    let others: BTreeSet<u32> = values.others().unwrap().unwrap().iter().collect();
    assert_eq!(others, model.present["$.c"]);
    let kept = indexes.subject("c", Some("$.b[*]"), Reading::Json).unwrap();
    assert_eq!(kept.dictionary().unwrap().map(|d| d.len()), Some(900));
    assert_eq!(kept.data_type(), growler_schema::DataType::Json);
}
