//! The same rows in files of many kinds.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, Int32Array, RecordBatch, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, Field, Schema};
use growler_segment::write::{WriteOptions, Writer, variant_field};
use growler_variant::shred::{Shape, split};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterVersion};

use crate::document::Doc;
use crate::encode::{Encoder, Names};
use crate::rng::Rng;
use crate::shapes::shape;

/// How one file is made.
#[derive(Debug)]
pub struct Plan {
    pub names: Names,
    pub shape: Shape,
    pub options: WriteOptions,
}

/// Cuts rows into files of random kinds; returns what each is, for messages. The first layout is
/// the plainest there is.
pub fn write_layout(folder: &Path, rows: &[Option<Doc>], idx: usize, rng: &mut Rng) -> Vec<Plan> {
    let file_count = if idx == 0 { 1 } else { 1 + rng.below(3) };
    let mut start = 0;
    let mut plans = Vec::new();
    for file in 0..file_count {
        let end = match file + 1 == file_count {
            true => rows.len(),
            false => start + rng.below(rows.len() - start + 1),
        };
        let plan = if idx == 0 {
            plain()
        } else {
            plan(&rows[start..end], rng)
        };
        let path = folder.join(format!("part-{file}.parquet"));
        write(&path, &rows[start..end], start, &plan, rng);
        plans.push(plan);
        start = end;
    }
    plans
}

fn plain() -> Plan {
    Plan {
        names: Names::Shared,
        shape: Shape::unshredded(),
        options: WriteOptions::default(),
    }
}

fn plan(rows: &[Option<Doc>], rng: &mut Rng) -> Plan {
    let docs: Vec<&Doc> = rows.iter().flatten().collect();
    Plan {
        names: *rng.pick(&[
            Names::Shared,
            Names::Shuffled,
            Names::Repeated,
            Names::Lying,
        ]),
        shape: shape(rng, &docs),
        options: WriteOptions {
            row_group_rows: *rng.pick(&[1 << 20, 1 << 20, 15, 7]),
            page_rows: *rng.pick(&[20_000, 5, 3, 1]),
            dictionary: rng.chance(60),
            dictionary_len_bytes: *rng.pick(&[1 << 20, 16]),
            codec: *rng.pick(&[Compression::UNCOMPRESSED, Compression::SNAPPY]),
            page_version: *rng.pick(&[WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]),
            statistics: *rng.pick(&[
                EnabledStatistics::None,
                EnabledStatistics::Chunk,
                EnabledStatistics::Page,
                EnabledStatistics::Page,
            ]),
            page_index: rng.chance(70),
            ..WriteOptions::default()
        },
    }
}

fn write(path: &Path, rows: &[Option<Doc>], first_id: usize, plan: &Plan, rng: &mut Rng) {
    let ids: Int32Array = (first_id..first_id + rows.len())
        .map(|id| id as i32)
        .collect();
    let props = split(&column(rows, plan.names, rng), &plan.shape).unwrap();
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", ArrowType::Int32, false),
        variant_field("props", arrow_array::Array::data_type(&props), true),
    ]));
    let columns: Vec<ArrayRef> = vec![Arc::new(ids), Arc::new(props)];
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = Writer::try_new(file, &schema, &plan.options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn column(rows: &[Option<Doc>], names: Names, rng: &mut Rng) -> StructArray {
    let all: Vec<&Doc> = rows.iter().flatten().collect();
    let mut shared = Encoder::new(&all, names, rng);
    let (mut metadata, mut values) = (Vec::new(), Vec::new());
    for row in rows {
        let doc = row.as_ref().unwrap_or(&Doc::Null);
        let mut own = Encoder::new(&[doc], names, rng);
        let encoder = if names == Names::Shared {
            &mut shared
        } else {
            &mut own
        };
        metadata.push(encoder.metadata());
        let mut value = Vec::new();
        encoder.value(doc, &mut value);
        values.push(value);
    }
    let field = |name| Field::new(name, ArrowType::Binary, false);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(BinaryArray::from_iter_values(&metadata)),
        Arc::new(BinaryArray::from_iter_values(&values)),
    ];
    let nulls = rows.iter().map(Option::is_some).collect::<Vec<_>>();
    let fields = vec![field("metadata"), field("value")];
    StructArray::new(fields.into(), columns, Some(NullBuffer::from(nulls)))
}
