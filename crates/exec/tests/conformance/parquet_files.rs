//! Parquet files of VARIANT groups: from arrays, or leaf by leaf where no array has such a type.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryViewArray, Int32Array, RecordBatch, StringArray, StructArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::data_type::{
    ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
    Int96, Int96Type,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet_variant_compute::json_to_variant;

/// Metadata and value.
pub type Parts = (Vec<u8>, Vec<u8>);
/// Parts of a row; none is SQL NULL.
pub type Row = Option<Parts>;

/// How a file is cut and encoded.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    /// Rows of a row group.
    pub row_group_rows: usize,
    /// Rows of a page.
    pub page_rows: usize,
    /// Whether columns have dictionaries.
    pub dictionary: bool,
    /// Size at which a dictionary is given up.
    pub dictionary_bytes: usize,
}

impl Default for Cut {
    fn default() -> Self {
        Self {
            row_group_rows: 1 << 20,
            page_rows: 1 << 14,
            dictionary: true,
            dictionary_bytes: 1 << 20,
        }
    }
}

impl Cut {
    /// Returns the writer's settings.
    pub fn properties(self) -> parquet::file::properties::WriterPropertiesBuilder {
        WriterProperties::builder()
            .set_max_row_group_row_count(Some(self.row_group_rows))
            .set_data_page_row_count_limit(self.page_rows)
            .set_write_batch_size(self.page_rows)
            .set_dictionary_enabled(self.dictionary)
            .set_dictionary_page_size_limit(self.dictionary_bytes)
            .set_statistics_enabled(EnabledStatistics::Page)
    }
}

/// Writes columns `v` of one shape into one file, one after the other.
pub fn write(path: &Path, columns: &[StructArray], cut: Cut) {
    let batches: Vec<_> = columns
        .iter()
        .map(|v| batch(vec![("v", Arc::new(v.clone()))]))
        .collect();
    write_batches(path, &batches, cut.properties().build());
}

/// Writes batches into one file.
pub fn write_batches(path: &Path, batches: &[RecordBatch], properties: WriterProperties) {
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batches[0].schema(), Some(properties)).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.close().unwrap();
}

/// Makes a batch of nullable columns.
pub fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(schema), arrays).unwrap()
}

/// Makes an INT column that counts rows.
pub fn ids(len: usize) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(0..i32::try_from(len).unwrap()))
}

/// Makes a group of nullable children.
pub fn group(children: Vec<(&str, ArrayRef)>, nulls: Option<Vec<bool>>) -> StructArray {
    let field = |(name, array): &(&str, ArrayRef)| {
        Arc::new(Field::new(*name, array.data_type().clone(), true))
    };
    let fields: Vec<_> = children.iter().map(field).collect();
    let arrays = children.into_iter().map(|(_, array)| array).collect();
    StructArray::new(fields.into(), arrays, nulls.map(NullBuffer::from))
}

/// Makes a column of bytes.
pub fn bytes(rows: &[Option<Vec<u8>>]) -> ArrayRef {
    Arc::new(
        rows.iter()
            .map(Option::as_deref)
            .collect::<BinaryViewArray>(),
    )
}

/// Makes an unshredded column.
pub fn unshredded(rows: &[Row]) -> StructArray {
    let part = |pick: fn(&Parts) -> &[u8]| {
        let parts = rows
            .iter()
            .map(|row| row.as_ref().map_or(&[][..], |row| pick(row)));
        Arc::new(BinaryViewArray::from_iter_values(parts)) as ArrayRef
    };
    let nulls = rows.iter().map(Option::is_some).collect();
    group(
        vec![
            ("metadata", part(|row| &row.0)),
            ("value", part(|row| &row.1)),
        ],
        Some(nulls),
    )
}

/// Makes an unshredded column of JSON documents.
pub fn of_json(documents: &[Option<&str>]) -> StructArray {
    let texts: ArrayRef = Arc::new(StringArray::from(documents.to_vec()));
    json_to_variant(&texts).unwrap().into_inner()
}

/// Values of a leaf with their definition and repetition levels.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// The values that are there.
    pub values: LeafValues,
    /// Definition levels.
    pub defs: Vec<i16>,
}

/// Values of one physical type.
#[derive(Debug, Clone)]
pub enum LeafValues {
    /// INT32.
    Int32(Vec<i32>),
    /// INT64.
    Int64(Vec<i64>),
    /// INT96.
    Int96(Vec<[u32; 3]>),
    /// BYTE_ARRAY.
    Bytes(Vec<Vec<u8>>),
    /// FIXED_LEN_BYTE_ARRAY.
    Fixed(Vec<Vec<u8>>),
}

/// Writes one row group leaf by leaf.
pub fn write_leaves(path: &Path, message: &str, leaves: &[Leaf], properties: WriterProperties) {
    let schema = Arc::new(parse_message_type(message).unwrap());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for leaf in leaves {
        let mut column = group.next_column().unwrap().expect("a column");
        let defs = Some(leaf.defs.as_slice());
        macro_rules! put {
            ($kind:ty, $values:expr) => {
                column
                    .typed::<$kind>()
                    .write_batch($values, defs, None)
                    .unwrap()
            };
        }
        match &leaf.values {
            LeafValues::Int32(values) => put!(Int32Type, values),
            LeafValues::Int64(values) => put!(Int64Type, values),
            LeafValues::Int96(values) => {
                let values: Vec<_> = values.iter().map(|v| Int96::from(v.to_vec())).collect();
                put!(Int96Type, &values)
            }
            LeafValues::Bytes(values) => {
                let values: Vec<_> = values.iter().cloned().map(ByteArray::from).collect();
                put!(ByteArrayType, &values)
            }
            LeafValues::Fixed(values) => {
                let value = |v: &Vec<u8>| FixedLenByteArray::from(ByteArray::from(v.clone()));
                let values: Vec<_> = values.iter().map(value).collect();
                put!(FixedLenByteArrayType, &values)
            }
        };
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}
