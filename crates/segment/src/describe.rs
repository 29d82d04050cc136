//! A map of a file for people: what is in it and where. How a VARIANT column is shredded says its
//! [`Layout`](crate::Layout).

use growler_base::LeafIdx;

use crate::schema::columns::{ColumnIdx, field_id};
use crate::schema::infer;
use crate::schema::{Column, Shape};
use crate::segment::Inner;

/// A file, described.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// Program that wrote the file, as far as it says so.
    pub created_by: Option<String>,
    /// Length of the file.
    pub len_bytes: u64,
    /// Rows in the file.
    pub row_count: usize,
    /// Its row groups.
    pub row_groups: Vec<RowGroupDescription>,
    /// Its top-level columns, in file order.
    pub columns: Vec<ColumnDescription>,
}

impl Description {
    /// Describes a file that cannot be opened.
    pub(crate) fn empty(segment: &crate::Segment) -> Self {
        Self {
            created_by: None,
            len_bytes: segment.len_bytes(),
            row_count: segment.row_count(),
            row_groups: Vec::new(),
            columns: Vec::new(),
        }
    }
}

/// A row group, described.
#[derive(Debug, Clone, PartialEq)]
pub struct RowGroupDescription {
    /// Rows in it.
    pub row_count: usize,
    /// Bytes of its pages in the file.
    pub compressed_bytes: u64,
    /// Bytes of its pages once inflated.
    pub uncompressed_bytes: u64,
}

/// A column, described.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDescription {
    /// Name in the file.
    pub name: String,
    /// Field id in the file.
    pub field_id: Option<i32>,
    /// Type in the file.
    pub source_type: String,
    /// Type in a table inferred from the file.
    pub column_type: String,
    /// Why the column cannot be read, if so.
    pub refusal: Option<String>,
    /// Its leaves.
    pub leaves: Vec<LeafDescription>,
}

/// A leaf over all row groups, described.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafDescription {
    /// Path in the file, dotted.
    pub path: String,
    /// Encodings of its pages.
    pub encodings: Vec<String>,
    /// Codecs of its pages.
    pub codecs: Vec<String>,
    /// Bytes of its pages in the file.
    pub compressed_bytes: u64,
    /// Bytes of its pages once inflated.
    pub uncompressed_bytes: u64,
    /// Values, nulls included.
    pub value_count: u64,
    /// Nulls, when every row group tells.
    pub null_count: Option<u64>,
    /// Whether every row group has a minimum and maximum.
    pub has_min_max: bool,
    /// Whether every row group has a page index.
    pub has_page_index: bool,
}

/// Describes a file.
pub(crate) fn describe(segment: &Inner) -> Description {
    let groups = segment
        .metadata
        .row_groups()
        .iter()
        .map(|group| RowGroupDescription {
            row_count: usize::try_from(group.num_rows()).unwrap_or(0),
            compressed_bytes: sum(group.columns().iter().map(|chunk| chunk.compressed_size())),
            uncompressed_bytes: sum(group
                .columns()
                .iter()
                .map(|chunk| chunk.uncompressed_size())),
        });
    let fields = infer::fields(segment.schema());
    let columns = fields.iter().enumerate().filter_map(|(idx, field)| {
        let column = segment.column(ColumnIdx(idx))?;
        Some(describe_column(segment, &column, field.column_type.name()))
    });
    Description {
        created_by: segment
            .metadata
            .file_metadata()
            .created_by()
            .map(str::to_owned),
        len_bytes: segment.bytes.len_bytes(),
        row_count: segment.row_groups().map(|(_, group)| group.row_count).sum(),
        row_groups: groups.collect(),
        columns: columns.collect(),
    }
}

fn sum(sizes: impl Iterator<Item = i64>) -> u64 {
    sizes
        .map(|size| u64::try_from(size).unwrap_or(0))
        .fold(0, u64::saturating_add)
}

fn describe_column(segment: &Inner, column: &Column, column_type: String) -> ColumnDescription {
    let leaves: Vec<_> = column
        .leaves
        .iter()
        .map(|leaf| describe_leaf(segment, *leaf))
        .collect();
    let field = segment
        .schema()
        .root_schema()
        .get_fields()
        .get(column.idx.0);
    let shape = segment.shape(column);
    let source_type = match &shape {
        Ok(shape) => shape.source_type().to_string(),
        Err(_) => "unsupported".to_owned(),
    };
    let type_refusal = |shape: &Shape| shape.source_type().column_type().err();
    let refusal = match &shape {
        Ok(shape) => type_refusal(shape).map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    };
    ColumnDescription {
        name: column.name.to_string(),
        field_id: field.and_then(|field| field_id(field)),
        source_type,
        column_type,
        refusal,
        leaves,
    }
}

fn describe_leaf(segment: &Inner, leaf: LeafIdx) -> LeafDescription {
    let column = segment.schema().columns().get(leaf.index());
    let chunks: Vec<_> = segment
        .row_groups()
        .filter_map(|(group, _)| segment.chunk(group, leaf))
        .collect();
    let mut encodings: Vec<String> = Vec::new();
    let mut codecs: Vec<String> = Vec::new();
    for chunk in &chunks {
        encodings.extend(chunk.encodings().map(|encoding| encoding.to_string()));
        let codec = format!("{:?}", chunk.compression());
        codecs.push(codec.split('(').next().unwrap_or_default().to_owned());
    }
    for names in [&mut encodings, &mut codecs] {
        names.sort_unstable();
        names.dedup();
    }
    let has_bounds = |statistics: &parquet::file::statistics::Statistics| {
        statistics.min_bytes_opt().is_some() && statistics.max_bytes_opt().is_some()
    };
    LeafDescription {
        path: column
            .map(|column| column.path().string())
            .unwrap_or_default(),
        encodings,
        codecs,
        compressed_bytes: compressed(segment, leaf),
        uncompressed_bytes: sum(chunks.iter().map(|chunk| chunk.uncompressed_size())),
        value_count: sum(chunks.iter().map(|chunk| chunk.num_values())),
        null_count: nulls(segment, leaf),
        has_min_max: chunks
            .iter()
            .all(|chunk| chunk.statistics().is_some_and(has_bounds)),
        has_page_index: chunks
            .iter()
            .all(|chunk| chunk.offset_index_offset().is_some()),
    }
}

fn compressed(segment: &Inner, leaf: LeafIdx) -> u64 {
    let chunks = segment
        .row_groups()
        .filter_map(|(group, _)| segment.chunk(group, leaf));
    sum(chunks.map(|chunk| chunk.compressed_size()))
}

fn nulls(segment: &Inner, leaf: LeafIdx) -> Option<u64> {
    let mut nulls: u64 = 0;
    for (group, _) in segment.row_groups() {
        let statistics = segment.chunk(group, leaf)?.statistics()?;
        nulls = nulls.saturating_add(statistics.null_count_opt()?);
    }
    Some(nulls)
}
