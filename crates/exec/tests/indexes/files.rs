//! Rows in files of random kinds.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use growler_segment::write::{WriteOptions, Writer, variant_field};
use growler_variant::shred::{Shape, split};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterVersion};

use crate::data::Rows;
use crate::document::{Doc, Row};
use crate::encode::{self, Names};
use crate::generate::Focus;
use crate::reshape;
use crate::rng::Rng;
use crate::shapes::shape;

/// How one file is made.
#[derive(Debug)]
pub struct Plan {
    pub start: usize,
    pub end: usize,
    pub names: Names,
    pub shape: Shape,
    pub omits_values: bool,
    pub options: WriteOptions,
}

/// Cuts rows into files; returns what each is, for messages.
pub fn write_files(folder: &Path, rows: &Rows, focus: Focus, rng: &mut Rng) -> Vec<Plan> {
    let count = rows.documents.len();
    let file_count = *rng.pick(&[1, 1, 1, 2, 2, 3]);
    let mut start = 0;
    let mut plans = Vec::new();
    for file in 0..file_count {
        let end = match file + 1 == file_count {
            true => count,
            false => start + rng.below(count - start + 1),
        };
        let plan = plan(rows, start..end, focus, rng);
        let path = folder.join(format!("part-{file}.parquet"));
        write(&path, rows, &plan, rng);
        plans.push(plan);
        start = end;
    }
    plans
}

fn plan(rows: &Rows, range: std::ops::Range<usize>, focus: Focus, rng: &mut Rng) -> Plan {
    let documents = &rows.documents[range.clone()];
    let docs: Vec<&Doc> = documents.iter().filter_map(Row::value).collect();
    let shape = match rng.below(4) {
        0 => Shape::unshredded(),
        _ => shape(rng, &docs, focus),
    };
    let row_group_rows = *rng.pick(&[1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 15]);
    Plan {
        start: range.start,
        end: range.end,
        names: *rng.pick(&[
            Names::Shared,
            Names::Shuffled,
            Names::Repeated,
            Names::Lying,
        ]),
        shape,
        omits_values: rng.chance(50),
        options: WriteOptions {
            // A row group of few rows would take a large table for ever.
            row_group_rows: row_group_rows.max(docs.len() / 4),
            page_rows: *rng.pick(&[20_000, 20_000, 5]).max(&(docs.len() / 40)),
            dictionary: rng.chance(60),
            dictionary_len_bytes: *rng.pick(&[1 << 20, 16]),
            codec: Compression::UNCOMPRESSED,
            page_version: *rng.pick(&[WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]),
            statistics: *rng.pick(&[
                EnabledStatistics::None,
                EnabledStatistics::Chunk,
                EnabledStatistics::Page,
            ]),
            page_index: rng.chance(70),
            ..WriteOptions::default()
        },
    }
}

fn write(path: &Path, rows: &Rows, plan: &Plan, rng: &mut Rng) {
    let documents = &rows.documents[plan.start..plan.end];
    let props = split(&encode::column(documents, plan.names, rng), &plan.shape).unwrap();
    let props = reshape::damaged(&props, documents);
    let props = if plan.omits_values {
        reshape::without_idle_values(&props)
    } else {
        props
    };
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (name, column) in &rows.columns {
        fields.push(Field::new(*name, column.data_type().clone(), true));
        columns.push(column.slice(plan.start, plan.end - plan.start));
    }
    fields.push(variant_field("props", props.data_type(), true));
    columns.push(Arc::new(props));
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = Writer::try_new(file, &schema, &plan.options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}
