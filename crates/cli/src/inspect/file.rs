//! From a path to the map of a file.

use std::fs::File;
use std::path::Path;

use growler_base::ErrorKind;
use growler_segment::{FooterCache, Segment};
use parquet::basic::LogicalType;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::failure::Failure;
use crate::inspect::leaf;
use crate::inspect::map::{ColumnMap, FileMap, RowGroupMap};
use crate::inspect::variant::Variant;

/// Gathers the map of a file.
///
/// # Errors
/// `NotFound` or `Unavailable` when it cannot be opened, `Corrupt` when it is no Parquet file.
pub fn map(path: &Path) -> Result<FileMap, Failure> {
    // The segment's checks of the footer come first: they hold for damaged files too.
    let segment = Segment::open(path, &FooterCache::default())
        .map_err(|error| Failure::new(error.kind(), error))?;
    let unreadable = |error: &dyn std::fmt::Display| {
        let path = path.display();
        Failure::new(ErrorKind::Corrupt, format_args!("cannot read the file: {error} path={path}"))
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let file = SerializedFileReader::new(file).map_err(|error| unreadable(&error))?;
    let metadata = file.metadata();
    let mut map = FileMap {
        path: path.to_owned(),
        len_bytes: segment.len_bytes(),
        writer: metadata.file_metadata().created_by().map(str::to_owned),
        row_count: u64::try_from(segment.row_count()).unwrap_or_default(),
        row_groups: row_groups(metadata),
        columns: Vec::new(),
    };
    map.columns = columns(&segment, &file, map.row_count);
    Ok(map)
}

fn row_groups(metadata: &ParquetMetaData) -> Vec<RowGroupMap> {
    let row_groups = metadata.row_groups().iter().map(|row_group| RowGroupMap {
        row_count: u64::try_from(row_group.num_rows()).unwrap_or_default(),
        len_bytes: u64::try_from(row_group.compressed_size()).unwrap_or_default(),
    });
    row_groups.collect()
}

fn columns(segment: &Segment, file: &dyn FileReader, row_count: u64) -> Vec<ColumnMap> {
    let metadata = file.metadata();
    let schema = metadata.file_metadata().schema_descr();
    // A file whose columns are of unknown types can still be shown.
    let fields = segment.fields().unwrap_or_default();
    let mut columns = Vec::new();
    for node in schema.root_schema().get_fields() {
        let name = node.name();
        let info = node.get_basic_info();
        let leaves = (0..schema.num_columns()).filter(|leaf| schema.get_column_root(*leaf) == &**node);
        let layout = segment.variant_layout(name).ok().flatten();
        let variant = layout.as_deref().map(|layout| {
            let variant = Variant { file, path: segment.path(), column: name, layout, row_count };
            variant.describe(matches!(info.logical_type_ref(), Some(LogicalType::Variant(_))))
        });
        let field = fields.iter().find(|field| field.name == name);
        columns.push(ColumnMap {
            name: name.to_owned(),
            field_id: info.has_id().then(|| info.id()),
            data_type: field.map(|field| match field.column_type.multi_value {
                true => format!("{}_ARRAY", field.column_type.data_type.name()),
                false => field.column_type.data_type.name().to_owned(),
            }),
            leaves: leaves.filter_map(|leaf| leaf::describe(metadata, leaf)).collect(),
            variant,
        });
    }
    columns
}
