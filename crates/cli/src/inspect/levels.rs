//! In how many rows a part of a nested column is absent: from the footer, or by reading levels.
//!
//! A row that lacks the part has exactly one level slot below the part's definition level, lists
//! inside the part or not; so the slots below that level are the rows that lack it.

use parquet::basic::Repetition;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::schema::types::Type;

use crate::inspect::leaf::chunks;

/// Values decoded at a time.
const BATCH: usize = 8192;

/// Returns the definition level of the node that `names` lead to; none inside a list.
pub fn definition_level(root: &Type, names: &[String]) -> Option<i16> {
    let (mut node, mut level) = (root, 0);
    for name in names {
        let fields = if node.is_group() {
            node.get_fields()
        } else {
            return None;
        };
        node = fields.iter().find(|field| field.name() == name)?;
        level += match node.get_basic_info().repetition() {
            Repetition::REQUIRED => 0,
            Repetition::OPTIONAL => 1,
            Repetition::REPEATED => return None,
        };
    }
    Some(level)
}

/// Counts the rows in which the part at `level` above or at `leaf` is absent.
///
/// # Errors
/// What reading pages gives, where the footer does not tell.
pub fn absent_rows(file: &dyn FileReader, leaf: usize, level: i16) -> Result<u64, ParquetError> {
    let metadata = file.metadata();
    let mut absent = 0;
    for (row_group, chunk) in chunks(metadata, leaf).enumerate() {
        let descriptor = chunk.column_descr();
        let nulls = chunk
            .statistics()
            .and_then(|statistics| statistics.null_count_opt());
        let flat = descriptor.max_rep_level() == 0 && descriptor.max_def_level() == level;
        absent += match (chunk.definition_level_histogram(), nulls) {
            _ if level == 0 => 0,
            (_, Some(nulls)) if flat => nulls,
            (Some(histogram), _) => below(histogram.values(), level),
            _ => read(file, row_group, leaf, level)?,
        };
    }
    Ok(absent)
}

fn below(histogram: &[i64], level: i16) -> u64 {
    let levels = usize::try_from(level).unwrap_or_default();
    let counts = histogram.iter().take(levels);
    counts
        .map(|count| u64::try_from(*count).unwrap_or_default())
        .sum()
}

fn read(
    file: &dyn FileReader,
    row_group: usize,
    leaf: usize,
    level: i16,
) -> Result<u64, ParquetError> {
    match file.get_row_group(row_group)?.get_column_reader(leaf)? {
        ColumnReader::BoolColumnReader(reader) => count(reader, level),
        ColumnReader::Int32ColumnReader(reader) => count(reader, level),
        ColumnReader::Int64ColumnReader(reader) => count(reader, level),
        ColumnReader::Int96ColumnReader(reader) => count(reader, level),
        ColumnReader::FloatColumnReader(reader) => count(reader, level),
        ColumnReader::DoubleColumnReader(reader) => count(reader, level),
        ColumnReader::ByteArrayColumnReader(reader) => count(reader, level),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => count(reader, level),
    }
}

fn count<T: DataType>(mut reader: ColumnReaderImpl<T>, level: i16) -> Result<u64, ParquetError> {
    let (mut levels, mut repetitions, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut absent = 0;
    loop {
        levels.clear();
        repetitions.clear();
        values.clear();
        let (records, _, read) = reader.read_records(
            BATCH,
            Some(&mut levels),
            Some(&mut repetitions),
            &mut values,
        )?;
        absent += levels
            .iter()
            .map(|found| u64::from(*found < level))
            .sum::<u64>();
        if records == 0 && read == 0 {
            return Ok(absent);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;

    use parquet::file::reader::SerializedFileReader;

    use super::*;

    #[test]
    fn the_footer_and_the_pages_agree() -> Result<(), Box<dyn std::error::Error>> {
        let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
        let mut checked = 0;
        for name in [
            "spark/seed4_typed",
            "spark/seed4_v2pages",
            "duckdb/seed4_typed",
        ] {
            let file = File::open(testdata.join(name).with_extension("parquet"))?;
            let file = SerializedFileReader::new(file)?;
            let schema = file.metadata().file_metadata().schema_descr_ptr();
            for (leaf, column) in schema.columns().iter().enumerate() {
                for level in 0..=column.max_def_level() {
                    let told = absent_rows(&file, leaf, level)?;
                    let found = read(&file, 0, leaf, level)?;
                    assert_eq!(told, found, "{name} {} level={level}", column.path());
                    checked += 1;
                }
            }
        }
        assert!(checked > 100, "{checked}");
        Ok(())
    }

    #[test]
    fn finds_levels_by_name_outside_lists() -> Result<(), ParquetError> {
        let schema = parquet::schema::parser::parse_message_type(
            "message m { optional group a { required group b { optional int32 c; } }
             repeated int32 d; }",
        )?;
        for (names, expected) in [
            (&["a"][..], Some(1)),
            (&["a", "b"], Some(1)),
            (&["a", "b", "c"], Some(2)),
            (&["a", "x"], None),
            (&["a", "b", "c", "x"], None),
            (&["d"], None),
        ] {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(definition_level(&schema, &names), expected, "{names:?}");
        }
        Ok(())
    }
}
