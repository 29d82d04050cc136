//! Rows that benchmarks index, from a seed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, StringArray};
use cpu_time::ThreadTime;
use criterion::Criterion;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use growler_index::{
    Budget, IndexWriter, Kind, Kinds, SegmentIndexes, SourceIdentity, Subject, ValueBuilder,
};
use growler_schema::DataType;
use tempfile::TempDir;

/// Time of the thread on a processor, which other programs disturb less than the time that passes.
pub struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = ThreadTime;
    type Value = Duration;

    fn start(&self) -> ThreadTime {
        ThreadTime::now()
    }

    fn end(&self, start: ThreadTime) -> Duration {
        start.elapsed()
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// Returns the settings of both benchmarks.
pub fn settings() -> Criterion<CpuTime> {
    Criterion::default()
        .with_measurement(CpuTime)
        .sample_size(10)
}

/// Rows of a batch, as queries decode them.
pub const BATCH_ROWS: usize = 8192;
/// Name of the only column.
pub const COLUMN: &str = "c";

/// Returns how many rows are indexed: two millions unless `GROWLER_BENCH_ROWS` says otherwise.
pub fn row_count() -> u32 {
    let asked = std::env::var("GROWLER_BENCH_ROWS").ok();
    asked.map_or(2_000_000, |rows| rows.parse().unwrap())
}

/// Returns one of `distinct` numbers for each row, spread evenly at random (xorshift).
pub fn numbers(rows: u32, distinct: u32) -> Vec<u32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let draw = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u32::try_from(((state >> 32) * u64::from(distinct)) >> 32).unwrap()
    };
    (0..rows).map(draw).collect()
}

/// Returns numbers as INT, in batches.
#[allow(dead_code, reason = "not every benchmark uses it")]
pub fn ints(numbers: &[u32]) -> Vec<ArrayRef> {
    batches(&Int32Array::from_iter_values(
        numbers.iter().map(|number| number.cast_signed()),
    ))
}

/// Returns numbers as LONG, in batches.
#[allow(dead_code, reason = "not every benchmark uses it")]
pub fn longs(numbers: &[u32]) -> Vec<ArrayRef> {
    batches(&Int64Array::from_iter_values(
        numbers.iter().map(|number| i64::from(*number)),
    ))
}

/// Returns numbers as text with one dictionary, in batches.
#[allow(dead_code, reason = "not every benchmark uses it")]
pub fn texts(numbers: &[u32], distinct: u32) -> Vec<ArrayRef> {
    let values = (0..distinct).map(|number| format!("https://example.org/page/{number}"));
    let values = Arc::new(StringArray::from_iter_values(values));
    let keys = Int32Array::from_iter_values(numbers.iter().map(|number| number.cast_signed()));
    batches(&DictionaryArray::<Int32Type>::new(keys, values))
}

/// Cuts an array into batches.
pub fn batches(array: &dyn Array) -> Vec<ArrayRef> {
    let starts = (0..array.len()).step_by(BATCH_ROWS);
    starts
        .map(|start| array.slice(start, BATCH_ROWS.min(array.len() - start)))
        .collect()
}

/// Returns a folder in memory, where there is such a one: disks are not measured.
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    };
    made.unwrap()
}

/// Says what files are of.
pub fn source(row_count: u32) -> SourceIdentity {
    SourceIdentity {
        len_bytes: 1,
        footer_hash: 2,
        row_count,
    }
}

/// Returns text without a value in a tenth of the rows.
#[allow(dead_code, reason = "not every benchmark uses it")]
pub fn without_some(text: &ArrayRef) -> ArrayRef {
    let text = text.as_dictionary::<Int32Type>();
    let drawn = numbers(u32::try_from(text.len()).unwrap(), 10);
    let keys = text.keys().iter().zip(drawn);
    let keys: Int32Array = keys.map(|(key, drawn)| key.filter(|_| drawn > 0)).collect();
    Arc::new(DictionaryArray::new(keys, text.values().clone()))
}

/// Builds a file of indexes over one column.
pub fn build(folder: &Path, data_type: DataType, arrays: &[ArrayRef], kinds: &[Kind]) {
    let rows = arrays.iter().map(|array| array.len()).sum::<usize>();
    let rows = u32::try_from(rows).unwrap();
    build_from(folder, (data_type, rows), arrays.iter().cloned(), kinds);
}

/// As [`build`], of arrays that come one by one.
pub fn build_from(
    folder: &Path,
    (data_type, rows): (DataType, u32),
    arrays: impl Iterator<Item = ArrayRef>,
    kinds: &[Kind],
) {
    let mut writer = IndexWriter::create(folder, "index.gix", source(rows), 3).unwrap();
    let wanted: Kinds = kinds.iter().copied().collect();
    let budget = Budget::of_bytes(256 << 20).with_spill_folder(folder);
    let mut builder = ValueBuilder::new(Subject::column(COLUMN), data_type, rows, wanted, budget);
    for array in arrays {
        builder.push(&array).unwrap();
    }
    builder.finish(&mut writer).unwrap();
    writer.finish().unwrap();
}

/// Opens the file.
#[allow(dead_code, reason = "not every benchmark uses it")]
pub fn open(folder: &Path, row_count: u32) -> SegmentIndexes {
    let path = folder.join("index.gix");
    SegmentIndexes::open(&path, &source(row_count))
        .unwrap()
        .unwrap()
}
