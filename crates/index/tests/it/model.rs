//! Rows of values, as arrays and as the naive answers to everything an index is asked.

use std::cmp::Ordering;
use std::ops::Bound;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, DictionaryArray, Float32Array,
    Float64Array, Int32Array, Int64Array, StringArray, StringViewArray, TimestampMicrosecondArray,
};
use growler_index::order::{of_f32, of_f64};
use growler_index::{
    Budget, Built, Error, IndexWriter, Kinds, SegmentIndexes, SourceIdentity, Subject, ValueBuilder,
};
use growler_schema::{DataType, TimeUnit, Value};

/// The values of a subject, row by row.
pub type Rows = Vec<Option<Value>>;

/// Types that an index is built of.
pub const TYPES: [DataType; 9] = [
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
];

/// Returns one of endless values of a type; small numbers are near one another.
pub fn value(data_type: DataType, of: u32) -> Value {
    let number = f64::from(of) - 3.0;
    match data_type {
        DataType::Int => Value::Int(of.cast_signed().wrapping_sub(3)),
        DataType::Long => Value::Long((i64::from(of) - 3) * 1_000_003),
        DataType::Float if of == 7 => Value::Float(f32::NAN),
        DataType::Float if of == 8 => Value::Float(-0.0),
        DataType::Float => Value::Float(f32::from(u16::try_from(of % 65_536).unwrap()) - 3.0),
        DataType::Double if of == 7 => Value::Double(-f64::NAN),
        DataType::Double if of == 8 => Value::Double(-0.0),
        DataType::Double => Value::Double(number / 7.0),
        DataType::BigDecimal { scale } => Value::BigDecimal((i128::from(of) - 3) << 70, scale),
        DataType::Boolean => Value::Boolean(of.is_multiple_of(2)),
        DataType::Timestamp { unit } => Value::Timestamp((i64::from(of) - 3) << 20, unit),
        DataType::Bytes => Value::Bytes((of % 1000).to_be_bytes()[..(of % 5) as usize].to_vec()),
        // Some are too long for a dictionary, some are empty.
        _ if of % 50 == 49 => Value::String(format!("{of:0>300}")),
        _ if of % 50 == 48 => Value::String(String::new()),
        _ => Value::String(format!("https://example.org/{}/{of}", of % 7)),
    }
}

/// Returns the order of two values of one type.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Long(a), Value::Long(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => of_f32(*a).cmp(&of_f32(*b)),
        (Value::Double(a), Value::Double(b)) => of_f64(*a).cmp(&of_f64(*b)),
        (Value::BigDecimal(a, _), Value::BigDecimal(b, _)) => a.cmp(b),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Timestamp(a, _), Value::Timestamp(b, _)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        _ => panic!("two types"),
    }
}

/// Tells whether a value lies within bounds.
pub fn within(value: &Value, lower: Bound<&Value>, upper: Bound<&Value>) -> bool {
    let above = match lower {
        Bound::Unbounded => true,
        Bound::Included(bound) => compare(value, bound).is_ge(),
        Bound::Excluded(bound) => compare(value, bound).is_gt(),
    };
    above
        && match upper {
            Bound::Unbounded => true,
            Bound::Included(bound) => compare(value, bound).is_le(),
            Bound::Excluded(bound) => compare(value, bound).is_lt(),
        }
}

macro_rules! column {
    ($rows:expr, $variant:pat => $value:expr) => {
        $rows.iter().map(|row| match row {
            Some($variant) => Some($value),
            _ => None,
        })
    };
}

/// Returns rows as an array of a type.
pub fn array(data_type: DataType, rows: &[Option<Value>]) -> ArrayRef {
    match data_type {
        DataType::Int => {
            Arc::new(column!(rows, Value::Int(value) => *value).collect::<Int32Array>())
        }
        DataType::Long => {
            Arc::new(column!(rows, Value::Long(value) => *value).collect::<Int64Array>())
        }
        DataType::Float => {
            Arc::new(column!(rows, Value::Float(value) => *value).collect::<Float32Array>())
        }
        DataType::Double => {
            Arc::new(column!(rows, Value::Double(value) => *value).collect::<Float64Array>())
        }
        DataType::BigDecimal { scale } => {
            let values = column!(rows, Value::BigDecimal(value, _) => *value);
            let array = values.collect::<Decimal128Array>();
            Arc::new(array.with_precision_and_scale(38, scale).unwrap())
        }
        DataType::Boolean => {
            Arc::new(column!(rows, Value::Boolean(value) => *value).collect::<BooleanArray>())
        }
        DataType::Timestamp { .. } => Arc::new(
            column!(rows, Value::Timestamp(value, _) => *value)
                .collect::<TimestampMicrosecondArray>(),
        ),
        DataType::Bytes => {
            Arc::new(column!(rows, Value::Bytes(value) => value).collect::<BinaryViewArray>())
        }
        _ => Arc::new(column!(rows, Value::String(value) => value).collect::<StringViewArray>()),
    }
}

/// Returns rows of text as an array with a dictionary.
pub fn dictionary_array(rows: &[Option<Value>]) -> ArrayRef {
    let text = column!(rows, Value::String(value) => value.as_str());
    let array: DictionaryArray<Int32Type> = text.collect();
    assert!(array.values().as_any().is::<StringArray>());
    Arc::new(array)
}

/// Returns rows as keys of one dictionary, which has values twice and nulls; so have the keys.
pub fn keyed_arrays(data_type: DataType, rows: &[Option<Value>], batch: usize) -> Vec<ArrayRef> {
    let entries = array(data_type, rows);
    let key = |(row, value): (usize, &Option<Value>)| {
        let is_null = value.is_none() && row % 3 == 0;
        (!is_null).then(|| i32::try_from(row).unwrap())
    };
    let keys: Int32Array = rows.iter().enumerate().map(key).collect();
    let all = DictionaryArray::<Int32Type>::new(keys, entries);
    let starts = (0..rows.len()).step_by(batch);
    starts
        .map(|start| Arc::new(all.slice(start, batch.min(rows.len() - start))) as ArrayRef)
        .collect()
}

/// Returns an array as values.
pub fn values(data_type: DataType, array: &ArrayRef) -> Vec<Value> {
    assert_eq!(*array.data_type(), data_type.arrow_type());
    assert_eq!(array.null_count(), 0);
    let all = 0..array.len();
    match data_type {
        DataType::Int => {
            let array = array.as_primitive::<Int32Type>();
            all.map(|at| Value::Int(array.value(at))).collect()
        }
        DataType::Long => {
            let array = array.as_primitive::<Int64Type>();
            all.map(|at| Value::Long(array.value(at))).collect()
        }
        DataType::Float => {
            let array = array.as_primitive::<Float32Type>();
            all.map(|at| Value::Float(array.value(at))).collect()
        }
        DataType::Double => {
            let array = array.as_primitive::<Float64Type>();
            all.map(|at| Value::Double(array.value(at))).collect()
        }
        DataType::BigDecimal { scale } => {
            let array = array.as_primitive::<Decimal128Type>();
            let value = |at| Value::BigDecimal(array.value(at), scale);
            all.map(value).collect()
        }
        DataType::Boolean => {
            let array = array.as_boolean();
            all.map(|at| Value::Boolean(array.value(at))).collect()
        }
        DataType::Timestamp { unit } => {
            let array = array.as_primitive::<TimestampMicrosecondType>();
            let value = |at| Value::Timestamp(array.value(at), unit);
            all.map(value).collect()
        }
        DataType::Bytes => {
            let array = array.as_binary_view();
            all.map(|at| Value::Bytes(array.value(at).to_vec()))
                .collect()
        }
        _ => {
            let array = array.as_string_view();
            let value = |at| Value::String(array.value(at).to_owned());
            all.map(value).collect()
        }
    }
}

/// The source that samples say they are of.
pub fn source(row_count: usize) -> SourceIdentity {
    SourceIdentity {
        len_bytes: 1234,
        footer_hash: 5678,
        row_count: u32::try_from(row_count).unwrap(),
    }
}

/// A file of indexes in a folder of its own.
pub struct Sample {
    pub folder: tempfile::TempDir,
    pub built: Built,
}

impl Sample {
    /// Builds the indexes of one subject from arrays.
    pub fn build(
        subject: Subject,
        data_type: DataType,
        arrays: &[ArrayRef],
        kinds: Kinds,
        budget: Budget,
    ) -> Result<Self, Error> {
        let folder = tempfile::tempdir().unwrap();
        let rows = arrays.iter().map(|array| array.len()).sum();
        let mut writer = IndexWriter::create(folder.path(), "a.gix", source(rows), 99)?;
        let budget = budget.with_spill_folder(folder.path());
        let row_count = source(rows).row_count;
        let mut builder = ValueBuilder::new(subject, data_type, row_count, kinds, budget);
        for array in arrays {
            builder.push(array)?;
        }
        let built = builder.finish(&mut writer)?;
        writer.finish()?;
        Ok(Self { folder, built })
    }

    /// Returns where the file is.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("a.gix")
    }

    /// Opens the file.
    pub fn open(&self, row_count: usize) -> Result<SegmentIndexes, Error> {
        let indexes = SegmentIndexes::open(&self.path(), &source(row_count))?;
        Ok(indexes.expect("there is a file"))
    }
}
