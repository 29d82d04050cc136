//! One opened Parquet file.

use std::path::Path;
use std::sync::Arc;

use growler_base::{RowGroupIdx, RowId, RowRanges, SegmentId};
use growler_schema::{DataType, Field};

use crate::{
    BatchReader, Error, FooterCache, KeyOutput, KeyPath, Layout, NonObjectRoot, Place, ReadOptions,
    Source, Statistics,
};

/// One immutable Parquet file, opened; cheap to clone.
#[derive(Debug, Clone)]
pub struct Segment {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    id: SegmentId,
    path: Arc<Path>,
}

/// Rows of one row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowGroup {
    /// Rows in it.
    pub row_count: usize,
    /// Its first row in the segment.
    pub first_row: RowId,
}

impl Segment {
    /// Opens a file; one that `cache` knows unchanged is not parsed again.
    ///
    /// The id is the file's name. The file must not be written to while it is open.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable` when it cannot be read; `Corrupt` when it is no Parquet file, cut
    /// off or has a damaged footer; `LimitExceeded` when the footer is too large.
    pub fn open(path: &Path, cache: &FooterCache) -> Result<Self, Error> {
        let _ = cache;
        Err(Error::Footer { path: path.into(), cause: "not written yet".into() })
    }

    /// Returns the segment's id.
    pub fn id(&self) -> &SegmentId {
        &self.inner.id
    }

    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Returns how many rows the segment has.
    pub fn row_count(&self) -> usize {
        0
    }

    /// Returns how many bytes the file has.
    pub fn len_bytes(&self) -> u64 {
        0
    }

    /// Returns how many row groups the segment has.
    pub fn row_group_count(&self) -> usize {
        0
    }

    /// Returns all row groups in order.
    pub fn row_groups(&self) -> impl Iterator<Item = (RowGroupIdx, RowGroup)> + '_ {
        std::iter::empty()
    }

    /// Returns one row group; one that does not exist has no rows.
    pub fn row_group(&self, idx: RowGroupIdx) -> RowGroup {
        let _ = idx;
        RowGroup { row_count: 0, first_row: RowId(0) }
    }

    /// Returns the columns as a table inferred from this file has them, in file order; columns of
    /// types that are not supported are left out (binding one by name gives the error).
    ///
    /// # Errors
    /// `Corrupt` when the file's schema is malformed.
    pub fn fields(&self) -> Result<Vec<Field>, Error> {
        Ok(Vec::new())
    }

    /// Returns the shredding layout of a VARIANT column by its name in the file; none when the column
    /// is not there or no VARIANT.
    ///
    /// # Errors
    /// `Unsupported` when a typed leaf has a type that shredding does not allow; `Corrupt` when the
    /// group is malformed.
    pub fn variant_layout(&self, column: &str) -> Result<Option<Arc<Layout>>, Error> {
        let _ = column;
        Ok(None)
    }

    /// Binds a table's column: by field id; by name, then by alias, among columns without id. A
    /// field without id binds by name. An absent column gives a source of nulls. Values are
    /// converted to `field.column_type` at read. A VARIANT column gives its whole documents.
    ///
    /// # Errors
    /// `Unsupported` when the column's type is not supported or does not convert.
    pub fn bind_column(&self, field: &Field) -> Result<Source, Error> {
        Err(self.internal(&field.name))
    }

    /// Binds a key of a VARIANT column, converted as `output` says.
    ///
    /// # Errors
    /// As [`Self::variant_layout`], and `Unsupported` when the column is no VARIANT here.
    pub fn bind_key(
        &self,
        field: &Field,
        path: &KeyPath,
        output: KeyOutput,
        non_object_root: NonObjectRoot,
    ) -> Result<Source, Error> {
        let _ = (path, output, non_object_root);
        Err(self.internal(&field.name))
    }

    /// Binds the whole documents of a VARIANT column as JSON text.
    ///
    /// # Errors
    /// As [`Self::bind_key`].
    pub fn bind_document(
        &self,
        field: &Field,
        non_object_root: NonObjectRoot,
    ) -> Result<Source, Error> {
        let _ = non_object_root;
        Err(self.internal(&field.name))
    }

    /// Returns the type of a key's typed leaf in this file; none when the key is not typed here.
    ///
    /// # Errors
    /// As [`Self::bind_key`].
    pub fn key_type(&self, field: &Field, path: &KeyPath) -> Result<Option<DataType>, Error> {
        let _ = path;
        Err(self.internal(&field.name))
    }

    /// Returns what the footer proves about a source in one row group. Never an error: missing or
    /// damaged evidence is no evidence.
    pub fn statistics(&self, row_group: RowGroupIdx, source: &Source) -> Statistics {
        let _ = source;
        Statistics::unknown(self.row_group(row_group).row_count)
    }

    /// Returns the rows of a row group whose pages may match: those of pages for which `keep` holds.
    /// All rows when the file has no page index or it proves nothing about the source.
    pub fn page_ranges(
        &self,
        row_group: RowGroupIdx,
        source: &Source,
        keep: &dyn Fn(&Statistics) -> bool,
    ) -> RowRanges {
        let _ = (source, keep);
        RowRanges::all(self.row_group(row_group).row_count)
    }

    /// Reads rows of one row group. `rows` are local to the row group.
    ///
    /// # Errors
    /// Those of the batches, as far as they show before the first row is read.
    pub fn read(
        &self,
        row_group: RowGroupIdx,
        sources: &[Source],
        rows: &RowRanges,
        options: &ReadOptions,
    ) -> Result<BatchReader, Error> {
        let _ = (row_group, sources, rows, options);
        Ok(BatchReader::empty())
    }

    /// Returns how many variant values that do not decode were read as absent so far, over all
    /// queries that share this segment's cache entry.
    pub fn malformed_rows(&self) -> u64 {
        0
    }

    fn internal(&self, column: &str) -> Error {
        let place = Place {
            segment: self.inner.id.clone(),
            row_group: None,
            column: Some(column.into()),
        };
        Error::Internal { place: Box::new(place), cause: "not written yet".into() }
    }
}
