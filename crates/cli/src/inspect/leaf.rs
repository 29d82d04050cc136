//! A leaf column over all row groups: size, smallest and largest value.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::{ProjectionMask, parquet_to_arrow_schema_by_columns};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use crate::inspect::map::Bytes;

/// Longest bound that is kept, in characters.
const BOUND_LEN: usize = 64;

/// Returns the chunks of a leaf, one a row group.
pub fn chunks(
    metadata: &ParquetMetaData,
    leaf: usize,
) -> impl Iterator<Item = &ColumnChunkMetaData> {
    metadata
        .row_groups()
        .iter()
        .filter_map(move |row_group| row_group.columns().get(leaf))
}

/// Sums the size of a leaf.
pub fn bytes(metadata: &ParquetMetaData, leaf: usize) -> Bytes {
    let mut sum = Bytes::default();
    for chunk in chunks(metadata, leaf) {
        sum += Bytes {
            compressed: u64::try_from(chunk.compressed_size()).unwrap_or_default(),
            uncompressed: u64::try_from(chunk.uncompressed_size()).unwrap_or_default(),
        };
    }
    sum
}

/// Finds the smallest and the largest value, when every row group with a value tells them.
pub fn bounds(metadata: &ParquetMetaData, leaf: usize) -> Option<(String, String)> {
    let field = arrow_field(metadata, leaf)?;
    let schema = metadata.file_metadata().schema_descr();
    let converter = StatisticsConverter::from_column_index(leaf, &field, schema).ok()?;
    let mins = converter.row_group_mins(metadata.row_groups()).ok()?;
    let maxes = converter.row_group_maxes(metadata.row_groups()).ok()?;
    let all_null = |(row_group, chunk): (usize, &ColumnChunkMetaData)| {
        let nulls = chunk
            .statistics()
            .and_then(|statistics| statistics.null_count_opt());
        let is_null = nulls.and_then(|nulls| i64::try_from(nulls).ok()) == Some(chunk.num_values());
        is_null || (mins.is_valid(row_group) && maxes.is_valid(row_group))
    };
    let known = chunks(metadata, leaf).enumerate().all(all_null);
    if !known {
        return None;
    }
    Some((extreme(&mins, false)?, extreme(&maxes, true)?))
}

/// Returns the text of the first (or last) value in order.
fn extreme(values: &ArrayRef, last: bool) -> Option<String> {
    let options = arrow::compute::SortOptions {
        descending: last,
        nulls_first: false,
    };
    let order = arrow::compute::sort_to_indices(values, Some(options), Some(1)).ok()?;
    let first = usize::try_from(*order.values().first()?).ok()?;
    if values.is_null(first) {
        return None;
    }
    let text = arrow::util::display::array_value_to_string(values, first).ok()?;
    Some(match text.char_indices().nth(BOUND_LEN) {
        Some((end, _)) => format!("{}…", text.get(..end)?),
        None => text,
    })
}

/// Returns the Arrow type of a leaf.
fn arrow_field(metadata: &ParquetMetaData, leaf: usize) -> Option<Field> {
    let schema = metadata.file_metadata().schema_descr();
    let mask = ProjectionMask::leaves(schema, [leaf]);
    let pruned: Schema = parquet_to_arrow_schema_by_columns(schema, mask, None).ok()?;
    let mut field = pruned.fields().first()?.clone();
    loop {
        field = match field.data_type() {
            DataType::Struct(children) => children.first()?.clone(),
            DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => {
                item.clone()
            }
            _ => return Some(field.as_ref().clone()),
        };
    }
}
