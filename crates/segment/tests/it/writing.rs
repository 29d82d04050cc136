//! Small files written column by column, so that every physical type and annotation can be had.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

/// Values of an optional primitive column.
#[derive(Debug, Clone)]
pub enum Column {
    Bool(Vec<Option<bool>>),
    Int32(Vec<Option<i32>>),
    Int64(Vec<Option<i64>>),
    Int96(Vec<Option<[u32; 3]>>),
    Float(Vec<Option<f32>>),
    Double(Vec<Option<f64>>),
    Bytes(Vec<Option<Vec<u8>>>),
    Fixed(Vec<Option<Vec<u8>>>),
}

/// Writes one row group of optional columns, in the order of the schema.
pub fn write(
    path: &Path,
    message: &str,
    columns: &[Column],
    properties: WriterProperties,
) -> Result<()> {
    write_groups(path, message, &[columns.to_vec()], properties)
}

/// Writes row groups.
pub fn write_groups(
    path: &Path,
    message: &str,
    groups: &[Vec<Column>],
    properties: WriterProperties,
) -> Result<()> {
    let schema = Arc::new(parse_message_type(message)?);
    let file = std::fs::File::create(path)?;
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    for columns in groups {
        let mut group = writer.next_row_group()?;
        for column in columns {
            write_column(&mut group, column)?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

fn levels<T: Clone, U>(values: &[Option<T>], convert: impl Fn(T) -> U) -> (Vec<U>, Vec<i16>) {
    let levels = values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect();
    (
        values.iter().flatten().cloned().map(convert).collect(),
        levels,
    )
}

fn write_column<W: std::io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &Column,
) -> Result<()> {
    let mut writer = group
        .next_column()?
        .expect("more columns than the schema has");
    macro_rules! put {
        ($kind:ty, $values:expr, $convert:expr) => {{
            let (values, levels) = levels($values, $convert);
            writer
                .typed::<$kind>()
                .write_batch(&values, Some(&levels), None)?;
        }};
    }
    match column {
        Column::Bool(values) => put!(BoolType, values, |value| value),
        Column::Int32(values) => put!(Int32Type, values, |value| value),
        Column::Int64(values) => put!(Int64Type, values, |value| value),
        Column::Int96(values) => put!(Int96Type, values, |value: [u32; 3]| Int96::from(
            value.to_vec()
        )),
        Column::Float(values) => put!(FloatType, values, |value| value),
        Column::Double(values) => put!(DoubleType, values, |value| value),
        Column::Bytes(values) => put!(ByteArrayType, values, ByteArray::from),
        Column::Fixed(values) => put!(FixedLenByteArrayType, values, |value: Vec<u8>| {
            FixedLenByteArray::from(ByteArray::from(value))
        }),
    }
    writer.close()?;
    Ok(())
}
