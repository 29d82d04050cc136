//! The same rows in files of many kinds.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch};
use arrow_schema::{DataType as ArrowType, Field, Schema};
use growler_segment::write::{WriteOptions, Writer, variant_field};
use growler_variant::shred::{Shape, split};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterVersion};

use crate::document::{Doc, Row};
use crate::encode::{self, Names};
use crate::generate::Focus;
use crate::nested;
use crate::reshape;
use crate::rng::Rng;
use crate::shapes::shape;

/// How one file is made.
#[derive(Debug)]
pub struct Plan {
    /// Position of its first row among those of the layout.
    pub start: usize,
    pub names: Names,
    pub shape: Shape,
    /// Whether residual columns without a value are left out.
    pub omits_values: bool,
    pub options: WriteOptions,
}

/// Cuts rows into files of random kinds; returns what each is, for messages. The first layout is
/// the plainest there is.
pub fn write_layout(
    folder: &Path,
    rows: &[Row],
    idx: usize,
    focus: Focus,
    rng: &mut Rng,
) -> Vec<Plan> {
    let file_count = if idx == 0 { 1 } else { 1 + rng.below(3) };
    let mut start = 0;
    let mut plans = Vec::new();
    for file in 0..file_count {
        let end = match file + 1 == file_count {
            true => rows.len(),
            false => start + rng.below(rows.len() - start + 1),
        };
        let mut plan = if idx == 0 {
            plain()
        } else {
            plan(&rows[start..end], focus, rng)
        };
        plan.start = start;
        let path = folder.join(format!("part-{file}.parquet"));
        write(&path, &rows[start..end], &plan, focus, rng);
        plans.push(plan);
        start = end;
    }
    plans
}

fn plain() -> Plan {
    Plan {
        start: 0,
        names: Names::Shared,
        shape: Shape::unshredded(),
        omits_values: false,
        options: WriteOptions::default(),
    }
}

fn plan(rows: &[Row], focus: Focus, rng: &mut Rng) -> Plan {
    let docs: Vec<&Doc> = rows.iter().filter_map(Row::value).collect();
    Plan {
        start: 0,
        names: *rng.pick(&[
            Names::Shared,
            Names::Shuffled,
            Names::Repeated,
            Names::Lying,
        ]),
        shape: shape(rng, &docs, focus),
        omits_values: rng.chance(50),
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

fn write(path: &Path, rows: &[Row], plan: &Plan, focus: Focus, rng: &mut Rng) {
    let range = plan.start..plan.start + rows.len();
    let ids: Int32Array = range.map(|id| id as i32).collect();
    let props = split(&encode::column(rows, plan.names, rng), &plan.shape).unwrap();
    let props = reshape::damaged(&props, rows);
    let props = if plan.omits_values {
        reshape::without_idle_values(&props)
    } else {
        props
    };
    let mut fields = vec![
        Field::new("id", ArrowType::Int32, false),
        variant_field("props", props.data_type(), true),
    ];
    let mut columns: Vec<ArrayRef> = vec![Arc::new(ids), Arc::new(props.clone())];
    if focus.nested {
        for (field, column) in nested::columns(&props, plan.start) {
            fields.push(field);
            columns.push(column);
        }
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = Writer::try_new(file, &schema, &plan.options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}
