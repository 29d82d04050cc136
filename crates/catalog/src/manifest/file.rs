//! One data or delete file, as its manifest describes it.

use growler_base::FieldId;

use super::avro::{Shape, Values};
use super::columns::{Columns, ColumnsReader};
use super::list::is_given;
use super::partition::PartitionTuple;
use crate::error::Fault;
use crate::metadata::PartitionSpec;

/// A data or delete file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileEntry {
    /// What its rows are.
    pub content: Content,
    /// Where it is, as recorded.
    pub path: String,
    /// How it is written.
    pub format: FileFormat,
    /// Its partition, under the spec of its manifest.
    pub partition: PartitionTuple,
    /// Rows; of a deletion vector, its cardinality.
    pub row_count: u64,
    /// Its length, in bytes.
    pub len_bytes: u64,
    /// Bounds and counts of its columns.
    pub columns: Columns,
    /// Columns that an equality delete compares.
    pub equality_ids: Vec<FieldId>,
    /// Order that its rows are in, if the writer kept to one.
    pub sort_order_id: Option<i32>,
    /// Row id of its first row; its manifest may give it one.
    pub first_row_id: Option<i64>,
    /// The one data file that a deletion vector, or a position delete file, is about.
    pub referenced_data_file: Option<String>,
    /// Where a deletion vector starts in its file.
    pub content_offset: Option<u64>,
    /// How long a deletion vector is, in bytes.
    pub content_len_bytes: Option<u64>,
    /// Whether it is encrypted.
    pub is_encrypted: bool,
}

/// What the rows of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Rows of the table.
    Data,
    /// Positions of rows that are deleted; a deletion vector is of this kind too.
    PositionDeletes,
    /// Values of rows that are deleted.
    EqualityDeletes,
}

/// How a file is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFormat {
    /// Parquet.
    Parquet,
    /// Avro.
    Avro,
    /// ORC.
    Orc,
    /// Puffin: deletion vectors.
    Puffin,
    /// A format that is not known here.
    Other(Box<str>),
}

impl FileFormat {
    /// Parses the name of a format, in either case.
    pub fn parse(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "parquet" => Self::Parquet,
            "avro" => Self::Avro,
            "orc" => Self::Orc,
            "puffin" => Self::Puffin,
            other => Self::Other(other.into()),
        }
    }

    /// Returns the name of the format.
    pub fn name(&self) -> &str {
        match self {
            Self::Parquet => "parquet",
            Self::Avro => "avro",
            Self::Orc => "orc",
            Self::Puffin => "puffin",
            Self::Other(name) => name,
        }
    }
}

impl FileEntry {
    fn empty() -> Self {
        Self {
            content: Content::Data,
            path: String::new(),
            format: FileFormat::Parquet,
            partition: PartitionTuple::default(),
            row_count: 0,
            len_bytes: 0,
            columns: Columns::default(),
            equality_ids: Vec::new(),
            sort_order_id: None,
            first_row_id: None,
            referenced_data_file: None,
            content_offset: None,
            content_len_bytes: None,
            is_encrypted: false,
        }
    }

    pub(crate) fn read(
        values: &mut Values<'_>,
        shape: &Shape,
        spec: Option<&PartitionSpec>,
    ) -> Result<Self, Fault> {
        let mut file = Self::empty();
        let (mut path, mut row_count) = (None, None);
        let mut columns = ColumnsReader::default();
        values.record(shape, |values, field| {
            let shape = &field.shape;
            match field.id {
                Some(100) => path = values.optional_text(shape)?.map(str::to_owned),
                Some(102) => file.partition = PartitionTuple::read(values, shape, spec)?,
                Some(103) => row_count = count(values.optional_long(shape)?),
                Some(104) => file.len_bytes = count(values.optional_long(shape)?).unwrap_or(0),
                Some(id @ (109 | 110 | 137 | 125 | 128)) => {
                    read_columns(&mut columns, values, shape, id)?;
                }
                Some(id) => file.read_member(values, shape, id)?,
                None => values.skip(shape)?,
            }
            Ok(())
        })?;
        file.columns = columns.finish();
        file.path = path.ok_or_else(|| Fault::corrupt("file has no path"))?;
        let no_rows = || Fault::corrupt(format!("file has no row count file={}", file.path));
        file.row_count = row_count.ok_or_else(no_rows)?;
        Ok(file)
    }

    fn read_member(
        &mut self,
        values: &mut Values<'_>,
        shape: &Shape,
        id: i32,
    ) -> Result<(), Fault> {
        match id {
            134 => self.content = content(values.optional_long(shape)?)?,
            101 => {
                let name = values.optional_text(shape)?;
                self.format = name.map_or(FileFormat::Parquet, FileFormat::parse);
            }
            131 => self.is_encrypted = is_given(values.optional_bytes(shape)?),
            135 => values.list(shape, |values, item| {
                let id = values.optional_long(item)?;
                let id = id.and_then(|id| i32::try_from(id).ok());
                let id = id.ok_or_else(|| Fault::corrupt("equality_ids holds no field id"))?;
                self.equality_ids.push(FieldId(id));
                Ok(())
            })?,
            140 => {
                let id = values.optional_long(shape)?;
                self.sort_order_id = id.and_then(|id| i32::try_from(id).ok());
            }
            142 => self.first_row_id = values.optional_long(shape)?,
            143 => {
                // Some writers have the empty text for none.
                let path = values.optional_text(shape)?.filter(|path| !path.is_empty());
                self.referenced_data_file = path.map(str::to_owned);
            }
            144 => self.content_offset = count(values.optional_long(shape)?),
            145 => self.content_len_bytes = count(values.optional_long(shape)?),
            _ => values.skip(shape)?,
        }
        Ok(())
    }
}

fn read_columns(
    columns: &mut ColumnsReader,
    values: &mut Values<'_>,
    shape: &Shape,
    id: i32,
) -> Result<(), Fault> {
    match id {
        109 => columns.read_counts(values, shape, |stats| &mut stats.value_count),
        110 => columns.read_counts(values, shape, |stats| &mut stats.null_count),
        137 => columns.read_counts(values, shape, |stats| &mut stats.nan_count),
        125 => columns.read_bounds(values, shape, |stats| &mut stats.lower_bound),
        _ => columns.read_bounds(values, shape, |stats| &mut stats.upper_bound),
    }
}

fn count(value: Option<i64>) -> Option<u64> {
    u64::try_from(value?).ok()
}

fn content(code: Option<i64>) -> Result<Content, Fault> {
    match code.unwrap_or(0) {
        0 => Ok(Content::Data),
        1 => Ok(Content::PositionDeletes),
        2 => Ok(Content::EqualityDeletes),
        code => Err(Fault::Unsupported(format!(
            "content of a file is not known content={code}"
        ))),
    }
}
