//! From a path to the map of a file.

use std::fs::File;
use std::path::Path;

use growler_base::ErrorKind;
use growler_schema::DataType;
use growler_segment::describe::{ColumnDescription, LeafDescription};
use growler_segment::{Description, FooterCache, Segment};
use parquet::basic::LogicalType;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::failure::Failure;
use crate::inspect::map::{Bytes, ColumnMap, FileMap, LeafMap, RowGroupMap, VariantMap};
use crate::inspect::variant::Variant;
use crate::inspect::{indexes, leaf};

/// Gathers the map of a file.
///
/// # Errors
/// `NotFound` or `Unavailable` when it cannot be opened, `Corrupt` when it is no Parquet file.
pub fn map(path: &Path, index_dir: Option<&Path>) -> Result<FileMap, Failure> {
    // The segment's checks of the footer come first: they hold for damaged files too.
    let segment = Segment::open(path, &FooterCache::default())
        .map_err(|error| Failure::new(error.kind(), error))?;
    let unreadable = |error: &dyn std::fmt::Display| {
        let path = path.display();
        Failure::new(
            ErrorKind::Corrupt,
            format_args!("cannot read the file: {error}: path={path}"),
        )
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let file = SerializedFileReader::new(file).map_err(|error| unreadable(&error))?;
    let description = segment.describe();
    let columns = columns(&segment, &file, &description);
    Ok(FileMap {
        path: path.to_owned(),
        len_bytes: description.len_bytes,
        writer: description.created_by,
        row_count: count(description.row_count),
        row_groups: description
            .row_groups
            .iter()
            .map(|row_group| RowGroupMap {
                row_count: count(row_group.row_count),
                len_bytes: row_group.compressed_bytes,
            })
            .collect(),
        columns,
        indexes: indexes::find(&segment, index_dir),
    })
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

fn columns(segment: &Segment, file: &dyn FileReader, description: &Description) -> Vec<ColumnMap> {
    let metadata = file.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let mut columns = Vec::new();
    for (idx, column) in description.columns.iter().enumerate() {
        let leaves =
            (0..schema.num_columns()).filter(|leaf| schema.get_column_root_idx(*leaf) == idx);
        let leaves = leaves
            .zip(&column.leaves)
            .map(|(leaf, described)| leaf_map(metadata, leaf, described));
        let variant = variant(segment, file, column, idx);
        columns.push(ColumnMap {
            name: column.name.clone(),
            field_id: column.field_id,
            source_type: column.source_type.clone(),
            column_type: match variant {
                // What a query answers is JSON text; what a schema declares is this.
                Some(_) => DataType::OpenStruct.name().to_owned(),
                None => column.column_type.clone(),
            },
            refusal: column.refusal.clone(),
            leaves: leaves.collect(),
            variant,
        });
    }
    columns
}

fn leaf_map(metadata: &ParquetMetaData, leaf: usize, described: &LeafDescription) -> LeafMap {
    LeafMap {
        path: described.path.clone(),
        codecs: described.codecs.clone(),
        encodings: described.encodings.clone(),
        bytes: Bytes {
            compressed: described.compressed_bytes,
            uncompressed: described.uncompressed_bytes,
        },
        value_count: described.value_count,
        null_count: described.null_count,
        bounds: leaf::bounds(metadata, leaf),
        has_page_index: described.has_page_index,
    }
}

fn variant(
    segment: &Segment,
    file: &dyn FileReader,
    column: &ColumnDescription,
    idx: usize,
) -> Option<VariantMap> {
    let layout = segment.variant_layout(&column.name).ok().flatten()?;
    let schema = file.metadata().file_metadata().schema_descr();
    let node = schema.root_schema().get_fields().get(idx)?;
    let annotation = node.get_basic_info().logical_type_ref();
    let variant = Variant {
        file,
        path: segment.path(),
        column: &column.name,
        layout: &layout,
        row_count: count(segment.row_count()),
    };
    Some(variant.describe(matches!(annotation, Some(LogicalType::Variant(_)))))
}
