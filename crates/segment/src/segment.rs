//! One opened Parquet file.

use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use growler_base::{LeafIdx, RowGroupIdx, RowId, RowRanges, SegmentId};
use growler_schema::{DataType, Field};
use growler_variant::shred::LeafFacts;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::schema::types::SchemaDescriptor;

use crate::binding::Plans;
use crate::bytes::FileBytes;
use crate::closed::{Closed, Layouts};
use crate::footer::Stamp;
use crate::read::facts::Facts;
use crate::read::page_index::PageIndexes;
use crate::schema::{Column, Columns, Refusal, Shape, columns, infer};
use crate::{
    BatchReader, Description, EncodedReader, Error, FooterCache, InsidePath, KeyOutput, KeyPath,
    Layout, NonObjectRoot, PageCache, Place, RangeSource, ReadOptions, ResidualPaths, Source,
    Statistics, TableFile, binding, describe, discover, open, page_cache, statistics,
};

/// One immutable Parquet file; cheap to clone.
///
/// It is open, save for one that a table lists ([`Self::closed`]). A closed one knows its name and
/// size; whoever wants more opens it ([`Self::opened`]), else it is opened by the first call that
/// needs it, for good. Calls that cannot fail then take a file that cannot be opened as empty.
#[derive(Debug, Clone)]
pub struct Segment {
    handle: Handle,
    table: Option<Arc<TableFile>>,
}

#[derive(Debug, Clone)]
enum Handle {
    Open(Arc<Inner>),
    Closed(Arc<Closed>),
}

/// What all handles of one file share.
pub(crate) struct Inner {
    pub(crate) id: SegmentId,
    pub(crate) path: Arc<Path>,
    pub(crate) bytes: FileBytes,
    pub(crate) metadata: ParquetMetaData,
    footer: Bytes,
    memory_bytes: usize,
    pub(crate) page_indexes: PageIndexes,
    pub(crate) facts: Facts,
    pub(crate) pages: Arc<page_cache::File>,
    pub(crate) plans: Plans,
    row_groups: Vec<RowGroup>,
    row_count: usize,
    columns: Columns,
    malformed_rows: AtomicU64,
    warned: Mutex<HashSet<Arc<str>>>,
}

/// Rows of one row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowGroup {
    /// Rows in it.
    pub row_count: usize,
    /// Its first row in the segment.
    pub first_row: RowId,
}

const NO_ROWS: RowGroup = RowGroup {
    row_count: 0,
    first_row: RowId(0),
};

impl Segment {
    /// Opens a file; one that `cache` knows unchanged is not parsed again.
    ///
    /// The id is the file's name. The file must not be written to while it is open.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable` when it cannot be read; `Corrupt` when it is no Parquet file, cut
    /// off or has a damaged footer; `LimitExceeded` when the footer or the file has too much.
    pub fn open(path: &Path, cache: &FooterCache) -> Result<Self, Error> {
        let unreadable = |source| Error::Unreadable {
            path: path.into(),
            source,
        };
        let stamp = Stamp::of(&std::fs::metadata(path).map_err(unreadable)?);
        if let Some(inner) = cache.get(path, &stamp) {
            return Ok(Self::of(inner));
        }
        let inner = Arc::new(Inner::new(open::open(path)?, cache.pages()));
        cache.put(path, stamp, inner.clone());
        Ok(Self::of(inner))
    }

    fn of(inner: Arc<Inner>) -> Self {
        Self {
            handle: Handle::Open(inner),
            table: None,
        }
    }

    /// Makes a file that is opened when it is needed.
    pub fn closed(file: Closed) -> Self {
        Self {
            handle: Handle::Closed(Arc::new(file)),
            table: None,
        }
    }

    /// Returns the file opened; a closed one stays closed itself, so that it is open no longer than
    /// what is returned.
    ///
    /// # Errors
    /// As [`Self::open`], and `Corrupt` when the file has other rows than its table says.
    pub fn opened(&self) -> Result<Self, Error> {
        match &self.handle {
            Handle::Open(_) => Ok(self.clone()),
            Handle::Closed(closed) => Ok(Self {
                handle: Handle::Open(closed.open()?),
                table: self.table.clone(),
            }),
        }
    }

    /// Tells whether the file is open.
    pub fn is_open(&self) -> bool {
        matches!(self.handle, Handle::Open(_))
    }

    fn inner(&self) -> Result<&Arc<Inner>, Error> {
        match &self.handle {
            Handle::Open(inner) => Ok(inner),
            Handle::Closed(closed) => closed.opened_for_good(),
        }
    }

    /// Returns the open file; none when it cannot be opened, which is logged.
    fn inner_if_any(&self) -> Option<&Arc<Inner>> {
        let opened = self.inner();
        opened
            .inspect_err(
                |error| tracing::warn!(segment = %self.id(), "file is not opened: {error}"),
            )
            .ok()
    }

    pub(crate) fn into_inner(self) -> Result<Arc<Inner>, Error> {
        self.inner().cloned()
    }

    /// Makes the file one of a table: columns are bound as the table says.
    #[must_use]
    pub fn in_table(mut self, file: Arc<TableFile>) -> Self {
        self.table = Some(file);
        self
    }

    /// Returns what a table knows of the file; none for a lone file.
    pub fn table(&self) -> Option<&Arc<TableFile>> {
        self.table.as_ref()
    }

    /// Opens a file whose bytes are fetched; one that `cache` knows of the same length, tag and reader is
    /// not parsed again, and still comes through the source that it was first opened with.
    ///
    /// The id is the name at the end of `location`.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_source(
        location: &str,
        source: Arc<dyn RangeSource>,
        cache: &FooterCache,
    ) -> Result<Self, Error> {
        let (path, stamp) = (Path::new(location), Stamp::of_source(source.as_ref()));
        if let Some(inner) = cache.get(path, &stamp) {
            return Ok(Self::of(inner));
        }
        let inner = Arc::new(Inner::new(open::open_source(path, source)?, cache.pages()));
        cache.put(path, stamp, inner.clone());
        Ok(Self::of(inner))
    }

    /// Tells whether the file's bytes are fetched, not mapped.
    pub fn is_remote(&self) -> bool {
        match &self.handle {
            Handle::Open(inner) => matches!(inner.bytes, FileBytes::Remote(_)),
            Handle::Closed(closed) => closed.is_remote,
        }
    }

    /// Returns the segment's id.
    pub fn id(&self) -> &SegmentId {
        match &self.handle {
            Handle::Open(inner) => &inner.id,
            Handle::Closed(closed) => &closed.id,
        }
    }

    /// Returns the file's path, or the location of a file whose bytes are fetched.
    pub fn path(&self) -> &Path {
        match &self.handle {
            Handle::Open(inner) => &inner.path,
            Handle::Closed(closed) => &closed.path,
        }
    }

    /// Returns how many rows the segment has.
    pub fn row_count(&self) -> usize {
        match &self.handle {
            Handle::Open(inner) => inner.row_count,
            Handle::Closed(closed) => closed.row_count,
        }
    }

    /// Returns how many bytes the file has.
    pub fn len_bytes(&self) -> u64 {
        match &self.handle {
            Handle::Open(inner) => inner.bytes.len_bytes(),
            Handle::Closed(closed) => closed.len_bytes,
        }
    }

    /// Returns the bytes of the file's footer. With [`Self::len_bytes`] they tell the file from others:
    /// they hold the place, length and statistics of everything in it.
    pub fn footer_bytes(&self) -> &[u8] {
        self.inner_if_any()
            .map_or(&[], |inner| inner.footer.as_ref())
    }

    /// Returns roughly how much memory the file takes for being open; none when it is closed.
    pub fn memory_bytes(&self) -> usize {
        match &self.handle {
            Handle::Open(inner) => inner.memory_bytes,
            Handle::Closed(_) => 0,
        }
    }

    /// Returns how many row groups the segment has.
    pub fn row_group_count(&self) -> usize {
        self.inner_if_any()
            .map_or(0, |inner| inner.row_groups.len())
    }

    /// Returns all row groups in order.
    pub fn row_groups(&self) -> impl Iterator<Item = (RowGroupIdx, RowGroup)> + '_ {
        let inner = self.inner_if_any();
        let row_groups = inner.map_or(&[][..], |inner| &inner.row_groups);
        (0..).map(RowGroupIdx).zip(row_groups.iter().copied())
    }

    /// Returns one row group; one that does not exist has no rows.
    pub fn row_group(&self, idx: RowGroupIdx) -> RowGroup {
        match self.inner_if_any() {
            Some(inner) => inner.row_group(idx),
            None => NO_ROWS,
        }
    }

    /// Returns the columns as a table inferred from this file has them, in file order. A column of a
    /// type that is not supported stands there as STRING; binding it gives the error.
    ///
    /// # Errors
    /// None today; kept for schemas that cannot be read as columns at all.
    pub fn fields(&self) -> Result<Vec<Field>, Error> {
        Ok(infer::fields(self.inner()?.schema()))
    }

    /// Returns the shredding layout of a VARIANT column by its name in the file; none when the column
    /// is not there or no VARIANT.
    ///
    /// # Errors
    /// `Unsupported` when a typed leaf has a type that shredding does not allow; `Corrupt` when the
    /// group is malformed.
    pub fn variant_layout(&self, column: &str) -> Result<Option<Arc<Layout>>, Error> {
        let inner = self.inner()?;
        let fields = inner.schema().root_schema().get_fields();
        let idx = fields.iter().position(|field| field.name() == column);
        let Some(column) = idx.and_then(|idx| inner.column(columns::ColumnIdx(idx))) else {
            return Ok(None);
        };
        match inner.shape(&column)? {
            Shape::Variant(layout) => Ok(Some(layout.clone())),
            _ => Ok(None),
        }
    }

    /// Returns the shredding layout of a table's VARIANT column; none when the file has no such column.
    ///
    /// # Errors
    /// As [`Self::variant_layout`], and `Unsupported` when the column is no VARIANT here.
    pub fn field_layout(&self, field: &Field) -> Result<Option<Arc<Layout>>, Error> {
        let found = binding::variant(&self.of_table()?, field)?;
        Ok(found.map(|(_, layout)| layout))
    }

    /// Binds a table's column: by field id; by name, then by alias, among columns without id. A
    /// field without id binds by name. An absent column gives a source of nulls. Values are
    /// converted to `field.column_type` at read. A VARIANT column gives its whole documents.
    ///
    /// A file of a table ([`Self::in_table`]) binds by field id alone, through the table's name
    /// mapping where it has no ids. There an absent column has the value that the table knows for
    /// it, and values may be read in a narrower type, as long as each of them fits.
    ///
    /// # Errors
    /// `Unsupported` when the column's type is not supported or does not convert, or nothing tells
    /// which column it is; `Corrupt` when a required column is missing.
    pub fn bind_column(&self, field: &Field) -> Result<Source, Error> {
        binding::column(&self.of_table()?, field, NonObjectRoot::Fail)
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
        binding::key(
            &self.of_table()?,
            field,
            path,
            (output, None),
            non_object_root,
        )
    }

    /// Binds what a path leads to inside of the objects and arrays that a key of a VARIANT column has, as
    /// JSON text; the text `null` where it leads nowhere. Strings of the key are marked, see
    /// [`growler_variant::inside::UNWALKED`].
    ///
    /// # Errors
    /// As [`Self::bind_key`].
    pub fn bind_inside(
        &self,
        field: &Field,
        path: &KeyPath,
        inside: &InsidePath,
        output: KeyOutput,
        non_object_root: NonObjectRoot,
    ) -> Result<Source, Error> {
        let what = (output, Some(inside.clone()));
        binding::key(&self.of_table()?, field, path, what, non_object_root)
    }

    /// Binds the whole documents of a VARIANT column as JSON text.
    ///
    /// # Errors
    /// As [`Self::bind_column`].
    pub fn bind_document(
        &self,
        field: &Field,
        non_object_root: NonObjectRoot,
    ) -> Result<Source, Error> {
        binding::column(&self.of_table()?, field, non_object_root)
    }

    /// Returns the type of a key's typed leaf in this file; none when the key is not typed here.
    ///
    /// # Errors
    /// As [`Self::bind_key`].
    pub fn key_type(&self, field: &Field, path: &KeyPath) -> Result<Option<DataType>, Error> {
        if let Some(layouts) = self.layouts() {
            return Ok(layouts.key_type(field, path));
        }
        binding::key_type(&self.of_table()?, field, path)
    }

    /// Returns the layouts that a closed file is known to have.
    pub fn layouts(&self) -> Option<&Arc<Layouts>> {
        match &self.handle {
            Handle::Open(_) => None,
            Handle::Closed(closed) => closed.layouts.as_ref(),
        }
    }

    /// Finds the keys of a VARIANT column that have values outside of typed columns, by one walk over
    /// its residuals; at most `most` are kept. None when the file has no such column, or when `advance`,
    /// called with the rows of each batch, breaks off.
    ///
    /// # Errors
    /// As [`Self::variant_layout`], and `Corrupt` when pages do not decode. Values that do not decode are
    /// left out, as they are when a key is read.
    pub fn residual_paths(
        &self,
        field: &Field,
        most: usize,
        advance: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Option<ResidualPaths>, Error> {
        discover::residual_paths(&self.of_table()?, field, most, advance)
    }

    /// Returns what the footer proves about a source in one row group. Never an error: missing or
    /// damaged evidence is no evidence.
    pub fn statistics(&self, row_group: RowGroupIdx, source: &Source) -> Statistics {
        match self.inner_if_any() {
            Some(inner) => statistics::of_row_group(inner, row_group, source),
            None => Statistics::unknown(0),
        }
    }

    /// Tells whether every row of a source in a row group reads, damaged pages aside: no value is of
    /// another type, and no document is looked into. Then it is of no matter which rows are read.
    pub fn reads_as_it_is(&self, row_group: RowGroupIdx, source: &Source) -> bool {
        self.inner_if_any()
            .is_some_and(|inner| statistics::reads_as_it_is(inner, row_group, source))
    }

    /// Returns the rows of a row group whose pages may match: those of pages for which `keep` holds.
    /// All rows when the file has no page index or it proves nothing about the source.
    pub fn page_ranges(
        &self,
        row_group: RowGroupIdx,
        source: &Source,
        keep: &dyn Fn(&Statistics) -> bool,
    ) -> RowRanges {
        match self.inner_if_any() {
            Some(inner) => statistics::page_ranges(inner, row_group, source, keep),
            None => RowRanges::default(),
        }
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
        BatchReader::try_new(self.inner()?, row_group, sources, rows, options)
    }

    /// Reads all rows of a row group as ids into a dictionary; none where the source is not stored so:
    /// in one leaf, all of whose pages are dictionary-encoded, that tells all of it, and whose entries
    /// convert. (An entry that does not is an error of [`Self::read`] only where a row has it.)
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_encoded(
        &self,
        row_group: RowGroupIdx,
        source: &Source,
    ) -> Result<Option<EncodedReader>, Error> {
        EncodedReader::try_new(self.inner()?, row_group, source, None)
    }

    /// As [`Self::read_encoded`] for a caller that passes over all but some rows: pages without such a
    /// row are not even fetched. None also where the dictionary has more entries than are asked for.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_encoded_rows(
        &self,
        row_group: RowGroupIdx,
        source: &Source,
        rows: &RowRanges,
    ) -> Result<Option<EncodedReader>, Error> {
        let asked = self.some_of(row_group, rows);
        EncodedReader::try_new(self.inner()?, row_group, source, asked)
    }

    /// As [`Self::read_encoded_rows`], but two readers where values of a key lie beside its typed leaf,
    /// too: a row has the value of the one that has one, and cannot be read where both have.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_encoded_parts(
        &self,
        row_group: RowGroupIdx,
        source: &Source,
        rows: &RowRanges,
    ) -> Result<Vec<EncodedReader>, Error> {
        let asked = self.some_of(row_group, rows);
        EncodedReader::parts(self.inner()?, row_group, source, asked)
    }

    /// Returns the rows that are asked for; none when they are all of a row group.
    fn some_of<'r>(&self, row_group: RowGroupIdx, rows: &'r RowRanges) -> Option<&'r RowRanges> {
        (rows.row_count() < self.row_group(row_group).row_count).then_some(rows)
    }

    /// Returns how many variant values that do not decode were read as absent so far, over all
    /// queries that share this segment's cache entry.
    pub fn malformed_rows(&self) -> u64 {
        match &self.handle {
            Handle::Open(inner) => inner.malformed_rows.load(Ordering::Relaxed),
            Handle::Closed(_) => 0,
        }
    }

    /// Returns a map of the file for people.
    pub fn describe(&self) -> Description {
        match self.inner_if_any() {
            Some(inner) => describe::describe(inner),
            None => Description::empty(self),
        }
    }
}

/// A file, and what its table knows of it.
#[derive(Clone, Copy)]
pub(crate) struct OfTable<'s> {
    pub(crate) inner: &'s Inner,
    pub(crate) table: Option<&'s Arc<TableFile>>,
}

impl Segment {
    fn of_table(&self) -> Result<OfTable<'_>, Error> {
        Ok(OfTable {
            inner: self.inner()?,
            table: self.table.as_ref(),
        })
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Inner {
    fn new(opened: open::Opened, pages: &Arc<PageCache>) -> Self {
        let footer_bytes = opened.footer.len();
        Self {
            memory_bytes: opened.metadata.memory_size().saturating_add(footer_bytes),
            id: opened.id,
            path: opened.path,
            bytes: opened.bytes,
            metadata: opened.metadata,
            footer: opened.footer,
            page_indexes: PageIndexes::default(),
            facts: Facts::default(),
            pages: Arc::new(page_cache::File::new(Arc::clone(pages))),
            plans: Plans::default(),
            row_groups: opened.row_groups,
            row_count: opened.row_count,
            columns: Columns::default(),
            malformed_rows: AtomicU64::new(0),
            warned: Mutex::default(),
        }
    }

    pub(crate) fn schema(&self) -> &SchemaDescriptor {
        self.metadata.file_metadata().schema_descr()
    }

    pub(crate) fn row_group(&self, idx: RowGroupIdx) -> RowGroup {
        self.row_groups.get(idx.index()).copied().unwrap_or(NO_ROWS)
    }

    pub(crate) fn row_groups(&self) -> impl Iterator<Item = (RowGroupIdx, RowGroup)> + '_ {
        (0..).map(RowGroupIdx).zip(self.row_groups.iter().copied())
    }

    pub(crate) fn column(&self, idx: columns::ColumnIdx) -> Option<Arc<Column>> {
        self.columns.get(self.schema(), idx)
    }

    /// Returns the shape of a column, or why it cannot be read.
    pub(crate) fn shape<'c>(&self, column: &'c Column) -> Result<&'c Shape, Error> {
        let place = || Box::new(self.place(None, Some(column.name.clone())));
        column.shape.as_ref().map_err(|refusal| match refusal {
            Refusal::Unsupported(cause) => Error::Unsupported {
                place: place(),
                cause: cause.as_str().into(),
            },
            Refusal::Malformed(cause) => Error::Corrupt {
                place: place(),
                cause: cause.as_str().into(),
            },
        })
    }

    pub(crate) fn chunk(&self, group: RowGroupIdx, leaf: LeafIdx) -> Option<&ColumnChunkMetaData> {
        self.metadata
            .row_groups()
            .get(group.index())?
            .columns()
            .get(leaf.index())
    }

    /// Returns what is known of the leaves of a row group.
    pub(crate) fn leaf_facts(&self, group: RowGroupIdx) -> LeafFacts {
        self.facts.leaves(self, group)
    }

    pub(crate) fn place(&self, row_group: Option<RowGroupIdx>, column: Option<Arc<str>>) -> Place {
        Place {
            segment: self.id.clone(),
            row_group,
            column,
        }
    }

    /// Counts rows whose variant bytes do not decode, and says so once a column.
    pub(crate) fn count_malformed(&self, column: &Arc<str>, rows: u64) {
        if rows == 0 {
            return;
        }
        self.malformed_rows.fetch_add(rows, Ordering::Relaxed);
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(column.clone()) {
            tracing::warn!(
                segment = %self.id, column = %column,
                "variant bytes do not decode; such rows read as absent"
            );
        }
    }
}
