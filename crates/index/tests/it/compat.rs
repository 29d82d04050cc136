//! Files that earlier versions wrote are read as they were meant.
//!
//! Each folder was written by `write_version` as it then was, and is never written again: a version that writes
//! otherwise adds a folder.

use std::fmt::Debug;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use growler_index::{
    Budget, IndexWriter, Kind, Kinds, Reading, Remainder, RowSet, SegmentIndexes, SourceIdentity,
    Subject, ValueBuilder, ValueIndex, identity,
};
use growler_schema::{DataType, TimeUnit, Value};
use serde_json::{Value as Json, json};

use crate::filters::{is_ranked, passes};
use crate::model::{Rows, array, compare, value};

type Failure = Box<dyn std::error::Error>;

const SOURCE: SourceIdentity = SourceIdentity {
    len_bytes: 123_456_789,
    footer_hash: 0x0123_4567_89ab_cdef,
    row_count: 66_000,
};
const CONFIG_HASH: u64 = 42;

/// Versions that wrote files.
const VERSIONS: [&str; 2] = ["index-v1", "index-v2"];

fn folder(version: &str) -> PathBuf {
    let compat = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/compat");
    compat.join(version)
}

fn open(version: &str) -> Result<SegmentIndexes, Failure> {
    let path = folder(version).join("index.gix");
    Ok(SegmentIndexes::open(&path, &SOURCE)?.ok_or("no file")?)
}

/// Digest of a set: rows, and XXH3 of the rows as u32.
fn digest(rows: &RowSet) -> Json {
    let bytes: Vec<u8> = rows.iter().flat_map(u32::to_le_bytes).collect();
    json!({"rows": rows.len(), "xxh3": format!("{:016x}", identity::hash(&bytes))})
}

fn texts<T: Debug>(values: &[T]) -> Vec<String> {
    values.iter().map(|value| format!("{value:?}")).collect()
}

/// Pairs of ranks that bound what the range index is asked for.
fn rank_pairs(len: u32) -> Vec<[u32; 2]> {
    let last = len.saturating_sub(1);
    vec![[0, 0], [0, last], [len / 3, len / 2], [last, last]]
}

#[test]
fn every_version_answers_as_expected() -> Result<(), Failure> {
    for version in VERSIONS {
        check(version)?;
    }
    Ok(())
}

fn check(version: &str) -> Result<(), Failure> {
    let indexes = open(version)?;
    let expected = std::fs::read(folder(version).join("expected.json"))?;
    let expected: Json = serde_json::from_slice(&expected)?;
    assert!(indexes.verify().is_empty());
    assert_eq!(indexes.config_hash(), CONFIG_HASH);
    assert_eq!(
        texts(indexes.remainders()),
        texts_of(&expected["remainders"])?
    );
    let mut answers = serde_json::Map::new();
    for entry in indexes.entries() {
        let index = indexes.of_subject(&entry.subject).ok_or("no subject")?;
        let subject = entry.subject.to_string();
        if !answers.contains_key(&subject) {
            answers.insert(subject, answer(&index)?);
        }
    }
    let subjects = expected["subjects"].as_object().ok_or("no subjects")?;
    assert_eq!(answers.len(), subjects.len());
    for (subject, expected) in subjects {
        assert_eq!(answers.get(subject), Some(expected), "{version} {subject}");
    }
    Ok(())
}

#[test]
fn every_version_proves_values_absent() -> Result<(), Failure> {
    for version in VERSIONS {
        let indexes = open(version)?;
        for (column, absent) in [
            ("sparse Int", Value::Int(-77)),
            ("sparse String", Value::String("nowhere".to_owned())),
            ("sparse Double", Value::Double(0.123)),
        ] {
            let index = indexes.subject(column, None, Reading::Values);
            let index = index.ok_or("no subject")?;
            assert!(!index.may_contain(&absent), "{version} {column}");
        }
    }
    Ok(())
}

/// An index of an earlier version goes into a new file as it is.
#[test]
fn indexes_of_every_version_are_kept() -> Result<(), Failure> {
    for version in VERSIONS {
        let (before, new) = (open(version)?, tempfile::tempdir()?);
        let mut writer = IndexWriter::create(new.path(), "index.gix", SOURCE, CONFIG_HASH)?;
        for entry in before.entries() {
            writer.copy_from(&before, entry)?;
        }
        writer.finish()?;
        let after = SegmentIndexes::open(&new.path().join("index.gix"), &SOURCE)?;
        let after = after.ok_or("no file")?;
        assert!(after.verify().is_empty());
        for entry in before.entries() {
            let index = |of: &SegmentIndexes| {
                let index = of.of_subject(&entry.subject).ok_or("no subject")?;
                answer(&index)
            };
            assert_eq!(
                index(&before)?,
                index(&after)?,
                "{version} {}",
                entry.subject
            );
        }
    }
    Ok(())
}

fn texts_of(json: &Json) -> Result<Vec<String>, Failure> {
    Ok(serde_json::from_value(json.clone())?)
}

/// Asks a file about one subject.
fn answer(index: &ValueIndex<'_>) -> Result<Json, Failure> {
    let dictionary = index.dictionary()?.ok_or("no dictionary")?;
    let len = dictionary.len();
    let values: Vec<Value> = (0..len)
        .map(|rank| dictionary.value(rank))
        .collect::<Result<_, _>>()?;
    assert!(values.iter().all(|value| index.may_contain(value)));
    let mut postings = Vec::new();
    let mut ranges = Vec::new();
    for rank in 0..len {
        let one = rank..rank + 1;
        let rows = index.rows(std::slice::from_ref(&one))?;
        assert_eq!(index.count(std::slice::from_ref(&one))?, rows.len());
        postings.push(digest(&rows));
    }
    for [low, high] in rank_pairs(len) {
        let (lower, upper) = (dictionary.value(low)?, dictionary.value(high)?);
        let rows = index.range_rows(Bound::Included(&lower), Bound::Included(&upper))?;
        ranges.push(digest(&rows.ok_or("no range index")?));
    }
    Ok(json!({
        "type": format!("{:?}", index.data_type()),
        "nulls": digest(&index.nulls()?),
        "others": digest(&index.others()?.unwrap_or_default()),
        "values": texts(&values),
        "postings": postings,
        "ranges": ranges,
    }))
}

/// What the file holds: sparse rows of every type, and dense ones of a few.
fn subjects() -> Vec<(Subject, DataType, Rows)> {
    let unit = TimeUnit::Micros;
    let scale = 2;
    let mut subjects = Vec::new();
    for data_type in [
        DataType::Int,
        DataType::Long,
        DataType::Float,
        DataType::Double,
        DataType::BigDecimal { scale },
        DataType::Boolean,
        DataType::Timestamp { unit },
        DataType::String,
        DataType::Bytes,
    ] {
        let row = |row: u32| (row % 97 == 5).then(|| value(data_type, row / 97 % 120));
        let name = format!("{data_type:?}");
        let name = name.split_whitespace().next().unwrap_or_default();
        let column = Subject::column(format!("sparse {name}"));
        subjects.push((column, data_type, (0..SOURCE.row_count).map(row).collect()));
    }
    let mixed = |row: u32| row.wrapping_mul(0x9e37_79b1) >> 13;
    let dense = |row| (row % 11 != 3).then(|| value(DataType::Int, mixed(row) % 5));
    let key = Subject::key("props", "a.b", Reading::Values);
    subjects.push((
        key,
        DataType::Int,
        (0..SOURCE.row_count).map(dense).collect(),
    ));
    let runs = |row: u32| Some(Value::Double(f64::from(row / 9000)));
    let key = Subject::key("props", "a.b", Reading::Numbers);
    subjects.push((
        key,
        DataType::Double,
        (0..SOURCE.row_count).map(runs).collect(),
    ));
    subjects
}

/// What a file must answer about rows, found row by row.
fn expected(data_type: DataType, rows: &Rows) -> Json {
    let mut values: Vec<&Value> = rows
        .iter()
        .flatten()
        .filter(|value| is_ranked(value))
        .collect();
    values.sort_by(|a, b| compare(a, b));
    values.dedup_by(|a, b| compare(a, b).is_eq());
    let digest_of = |is_in: &dyn Fn(Option<&Value>) -> bool| {
        let pairs = (0..).zip(rows);
        let found = pairs.filter(|(_, value)| is_in(value.as_ref()));
        digest(&found.map(|(row, _)| row).collect())
    };
    let of_value = |wanted: &&Value| digest_of(&|v| v.is_some_and(|v| compare(v, wanted).is_eq()));
    let within = |[low, high]: [u32; 2]| {
        let [lower, upper] = [low, high].map(|rank| Bound::Included(values[rank as usize]));
        digest_of(&|v| v.is_some_and(|v| is_ranked(v) && passes(v, lower, upper)))
    };
    let pairs = rank_pairs(u32::try_from(values.len()).unwrap());
    json!({
        "type": format!("{data_type:?}"),
        "nulls": digest_of(&|value| value.is_none()),
        "others": digest_of(&|value| value.is_some_and(|value| !is_ranked(value))),
        "values": texts(&values),
        "postings": values.iter().map(of_value).collect::<Vec<_>>(),
        "ranges": pairs.into_iter().map(within).collect::<Vec<_>>(),
    })
}

#[test]
#[ignore = "writes a folder of testdata/compat, which is written once"]
fn write_version() -> Result<(), Failure> {
    let folder = folder(VERSIONS[VERSIONS.len() - 1]);
    let mut writer = IndexWriter::create(&folder, "index.gix", SOURCE, CONFIG_HASH)?;
    let mut answers = serde_json::Map::new();
    for (subject, data_type, rows) in subjects() {
        answers.insert(subject.to_string(), expected(data_type, &rows));
        let wanted: Kinds = Kind::ALL.into_iter().collect();
        let budget = Budget::of_bytes(64 << 20);
        let mut builder = ValueBuilder::new(subject, data_type, SOURCE.row_count, wanted, budget);
        builder.push(&array(data_type, &rows))?;
        builder.finish(&mut writer)?;
    }
    let remainder = Remainder {
        column: "props".into(),
        complete: true,
        key_count: 1,
    };
    let expected = json!({"remainders": texts(&[&remainder]), "subjects": answers});
    writer.add_remainder(remainder);
    writer.finish()?;
    let text = serde_json::to_string_pretty(&expected)?;
    Ok(std::fs::write(folder.join("expected.json"), text + "\n")?)
}
