//! The files that are changed: built in memory, once.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use arrow_array::{
    ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, Float64Array, Int32Array, Int64Array,
    StringViewArray,
};
use growler_index::{
    Budget, IndexWriter, JsonBudget, JsonBuilder, Kind, Kinds, Reading, Remainder, SegmentIndexes,
    SourceIdentity, Subject, ValueBuilder,
};
use growler_schema::DataType;

use super::ask::{self, Answers};

/// How many samples there are.
pub(super) const COUNT: usize = 4;

/// A sound file, and what it answers.
#[derive(Debug)]
pub(super) struct Sample {
    pub file: Vec<u8>,
    pub source: SourceIdentity,
    pub answers: Answers,
}

/// Returns a sample; 0 is small, 1 has every type, 2 more than one chunk of rows, 3 what is inside of
/// documents.
pub(super) fn sample(number: usize) -> &'static Sample {
    static SAMPLES: [OnceLock<Sample>; COUNT] = [const { OnceLock::new() }; COUNT];
    let sample = SAMPLES.get(number).expect("a number below the count");
    sample.get_or_init(|| built(number))
}

/// Returns an index file of a few hundred rows, for seeds; one over documents if so asked.
pub fn small_index_file(of_documents: bool) -> Vec<u8> {
    sample(if of_documents { 3 } else { 0 }).file.clone()
}

fn built(number: usize) -> Sample {
    let row_count: u32 = [300, 900, 70_000, 90][number];
    let source = SourceIdentity {
        len_bytes: 1000,
        footer_hash: 7,
        row_count,
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = IndexWriter::create(folder.path(), "sample", source, 1).expect("a folder");
    let rows = i64::from(row_count);
    for (name, data_type, values) in columns(number, rows) {
        let subject = match name.split_once('.') {
            Some((column, path)) => Subject::key(column, path, Reading::Values),
            None => Subject::column(name),
        };
        let wanted: Kinds = Kind::ALL.into_iter().collect();
        let budget = Budget::of_bytes(64 << 20);
        let mut builder = ValueBuilder::new(subject, data_type, row_count, wanted, budget);
        builder.push(&values).expect("values of the type");
        builder.finish(&mut writer).expect("a sound index");
    }
    if number == 3 {
        push_documents(&mut writer, folder.path());
    }
    writer.add_remainder(Remainder {
        column: "props".into(),
        complete: true,
        key_count: 1,
    });
    writer.finish().expect("a sound file");
    let path = folder.path().join("sample");
    let file = std::fs::read(&path).expect("the file");
    let indexes = SegmentIndexes::open(&path, &source).expect("a sound file");
    let answers = ask::ask(&indexes.expect("the file"));
    Sample {
        file,
        source,
        answers,
    }
}

/// Paths of documents: names, elements of arrays by position and all together, values that are left to
/// the scan, and rows that cannot be read.
fn push_documents(writer: &mut IndexWriter, spill_folder: &Path) {
    let budget = JsonBudget {
        memory_bytes: 1 << 20,
        path_count: 100,
        value_len_bytes: 32,
        spill_folder: spill_folder.to_owned(),
    };
    let mut builder = JsonBuilder::new("doc", budget);
    for row in 0..writer.row_count() {
        let mut push = |path: &str, value: String| {
            let path = builder.path(path, 50).expect("few paths");
            builder.push(path, value.as_bytes()).expect("memory enough");
        };
        if row % 3 != 0 {
            push("$.name", format!("\"v{}\"", row % 19));
            push("$.tags[0]", format!("\"v{}\"", row % 2));
            push("$.tags[*]", format!("\"v{}\"", row % 2));
            push("$.tags[*]", (row % 40).to_string());
        }
        // More values than are kept, and some that are too long.
        push("$.id", row.to_string());
        push("$.text", "x".repeat(row as usize % 9 * 5));
        if row % 7 == 0 {
            let path = builder.path("$.inner", 50).expect("few paths");
            builder.push_other(path);
        }
        if row % 101 == 0 {
            builder.mark_unreadable();
        }
        builder.end_row();
    }
    builder.finish(writer).expect("a sound index");
}

/// Columns and keys (`column.path`), with their values.
fn columns(number: usize, rows: i64) -> Vec<(&'static str, DataType, ArrayRef)> {
    let is_there = |row: &i64| row % 7 != 3;
    let text = |row: i64| is_there(&row).then(|| format!("v{}", row * row % 19));
    let texts: ArrayRef = Arc::new((0..rows).map(text).collect::<StringViewArray>());
    let long = |row: i64| is_there(&row).then_some(row * 31 % 1009 - 5);
    let longs: ArrayRef = Arc::new((0..rows).map(long).collect::<Int64Array>());
    if number == 3 {
        return Vec::new();
    }
    let mut columns = vec![("props.name", DataType::String, texts)];
    if number < 2 {
        columns.push(("id", DataType::Long, longs));
    }
    if number == 1 {
        let int = |row: i64| i32::try_from(row / 3).expect("a small number");
        let double = |row: i64| match row % 11 {
            0 => None,
            1 => Some(f64::NAN),
            2 => Some(-0.0),
            _ => Some(f64::from(int(row)) / 4.0),
        };
        let unique = |row: i64| Some(format!("v{row}").into_bytes());
        let decimals = (0..rows).map(|row| Some(i128::from(row % 50) << 70));
        let decimals = decimals.collect::<Decimal128Array>();
        let decimals = decimals.with_precision_and_scale(38, 2).expect("38 digits");
        columns.extend::<[(&'static str, DataType, ArrayRef); 5]>([
            (
                "b",
                DataType::Boolean,
                Arc::new(
                    (0..rows)
                        .map(|row| Some(row % 3 == 0))
                        .collect::<BooleanArray>(),
                ),
            ),
            (
                "d",
                DataType::Double,
                Arc::new((0..rows).map(double).collect::<Float64Array>()),
            ),
            (
                "i",
                DataType::Int,
                Arc::new((0..rows).map(|row| Some(int(row))).collect::<Int32Array>()),
            ),
            ("n", DataType::BigDecimal { scale: 2 }, Arc::new(decimals)),
            (
                "x",
                DataType::Bytes,
                Arc::new((0..rows).map(unique).collect::<BinaryViewArray>()),
            ),
        ]);
    }
    columns
}
