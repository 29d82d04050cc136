//! Writes a Parquet file with a VARIANT column `v` beside an INT column `id`.
//!
//! ```text
//! write_variant json INPUT OUTPUT none|infer ROW_GROUP_ROWS   one JSON text a line; an empty one is NULL
//! write_variant types OUTPUT none|infer                       one value of every primitive type
//! ```

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema};
use growler_segment::write::{WriteOptions, Writer, variant_field};
use growler_variant::Node;
use growler_variant::build::{ColumnBuilder, Dictionary};
use growler_variant::shred::{InferOptions, Inference, split};
use growler_variant::value::TimestampUnit;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["json", input, output, shape, row_group_rows] => {
            let text = std::fs::read_to_string(input)?;
            let mut column = ColumnBuilder::new(Dictionary::Shared);
            for line in text.lines() {
                match line {
                    "" => column.push_null()?,
                    json => column.push_json(json)?,
                }
            }
            let options = WriteOptions {
                row_group_rows: row_group_rows.parse()?,
                ..WriteOptions::default()
            };
            write(Path::new(output), &column.finish()?, shape, &options)
        }
        ["types", output, shape] => {
            let options = WriteOptions::default();
            write(Path::new(output), &types()?, shape, &options)
        }
        _ => bail!(
            "usage: write_variant json INPUT OUTPUT none|infer ROWS | types OUTPUT none|infer"
        ),
    }
}

/// Makes one row with a field of every primitive type.
fn types() -> Result<StructArray> {
    let timestamp = |value, unit, utc| Node::Timestamp { value, unit, utc };
    let (micros, nanos) = (TimestampUnit::Micros, TimestampUnit::Nanos);
    let decimal = |unscaled, scale| Node::Decimal {
        unscaled,
        scale,
        width: 16,
    };
    let fields = [
        ("null", Node::Null),
        ("true", Node::Boolean(true)),
        ("false", Node::Boolean(false)),
        ("int8", Node::Int8(-8)),
        ("int16", Node::Int16(-1600)),
        ("int32", Node::Int32(-320_000)),
        ("int64", Node::Int64(i64::MIN)),
        ("float", Node::Float(1.5)),
        ("double", Node::Double(-0.1)),
        ("decimal4", decimal(12_345, 2)),
        ("decimal8", decimal(-123_456_789_012, 3)),
        (
            "decimal16",
            decimal(12_345_678_901_234_567_890_123_456_789, 9),
        ),
        ("date", Node::Date(-1)),
        ("time", Node::Time(86_399_999_999)),
        ("timestamp", timestamp(1_700_000_000_123_456, micros, true)),
        ("timestamp_ntz", timestamp(-1, micros, false)),
        (
            "timestamp_ns",
            timestamp(1_700_000_000_123_456_789, nanos, false),
        ),
        ("binary", Node::Binary(b"\x00abc")),
        ("string", Node::String("ünï\"q")),
        (
            "uuid",
            Node::Uuid(*b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"),
        ),
    ];
    let mut column = ColumnBuilder::new(Dictionary::PerRow);
    column.push(|encoder| {
        encoder.begin_object()?;
        for (name, node) in &fields {
            encoder.key(name)?;
            encoder.scalar(node)?;
        }
        encoder.end()
    })?;
    Ok(column.finish()?)
}

fn write(path: &Path, plain: &StructArray, shape: &str, options: &WriteOptions) -> Result<()> {
    let column = match shape {
        "none" => plain.clone(),
        "infer" => shredded(plain)?,
        other => bail!("unknown shape: {other}"),
    };
    let count = i32::try_from(column.len())?;
    let ids: ArrayRef = Arc::new((0..count).collect::<Int32Array>());
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int32, false),
        variant_field("v", column.data_type(), true),
    ]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![ids, Arc::new(column)])?;
    let mut writer = Writer::try_new(File::create(path)?, &schema, options)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}

fn shredded(column: &StructArray) -> Result<StructArray> {
    let bytes = |name| {
        let child = column.column_by_name(name).context("a child is missing")?;
        child.as_binary_opt::<i32>().context("a child is no binary")
    };
    let (metadata, values) = (bytes("metadata")?, bytes("value")?);
    let mut inference = Inference::new(InferOptions::default());
    for row in (0..column.len()).filter(|row| column.is_valid(*row)) {
        inference.see(metadata.value(row), values.value(row))?;
    }
    Ok(split(column, &inference.shape())?)
}
