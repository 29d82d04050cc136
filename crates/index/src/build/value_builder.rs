//! The indexes of one subject from its values.

use std::io::Write;
use std::path::Path;

use arrow_array::Array;
use arrow_schema::DataType as ArrowType;
use growler_base::limits;
use growler_schema::DataType;
use tempfile::SpooledTempFile;

use super::Budget;
use super::assemble::assemble;
use super::gather::Gather;
use super::ranked::Ranked;
use crate::bloom::BloomBuilder;
use crate::dictionary::Form;
use crate::format::{Counts, UNKNOWN};
use crate::inverted::InvertedWriter;
use crate::posting::portable;
use crate::range::RangeBuilder;
use crate::row_set::CHUNK_ROWS;
use crate::write::append;
use crate::{Error, IndexWriter, Kind, Kinds, RowSet, RowSetBuilder, Subject, order};

/// Share of the memory in which a range index waits; what is more goes to a temporary file.
const SHARE_OF_SPOOL: usize = 8;
/// Bytes of it that stay in memory at least.
const SPOOL_BYTES: usize = 256 << 10;

/// Takes the values of one subject in row order and builds its indexes.
#[derive(Debug)]
pub struct ValueBuilder {
    subject: Subject,
    data_type: DataType,
    row_count: u32,
    wanted: Kinds,
    next_row: u32,
    nulls: RowSetBuilder,
    others: RowSetBuilder,
    marked: RowSetBuilder,
    last_marked: Option<u32>,
    gather: Option<Gather>,
    range: Option<RangeBuilder<SpooledTempFile>>,
    bloom: Option<BloomBuilder>,
}

/// What was built of one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// What it is of.
    pub subject: Subject,
    /// Each index with the bytes it takes.
    pub indexes: Vec<(Kind, u64)>,
    /// Distinct values in the dictionary; none without one.
    pub distinct_count: Option<u32>,
    /// Rows without a value.
    pub null_count: u32,
    /// Rows whose value is not in the dictionary.
    pub other_count: u32,
}

impl ValueBuilder {
    /// Begins the indexes of a subject whose segment has `row_count` rows.
    ///
    /// Nulls are always among what is built; an inverted index, and a range index of a type
    /// without numbers to sort by, bring a dictionary; rows that the dictionary leaves out bring
    /// [`Kind::Others`].
    pub fn new(
        subject: Subject,
        data_type: DataType,
        row_count: u32,
        wanted: Kinds,
        budget: Budget,
    ) -> Self {
        let wants = |kind| wanted.contains(kind);
        let ranks_ranges = wants(Kind::Range) && !order::is_ordered(data_type);
        let gathers = wants(Kind::Dictionary) || wants(Kind::Inverted) || ranks_ranges;
        let ranges = wants(Kind::Range) && !ranks_ranges;
        let spool = || {
            let folder = budget.spill_folder.clone();
            let folder = folder.unwrap_or_else(std::env::temp_dir);
            SpooledTempFile::new_in(spool_bytes(budget.memory_bytes), folder)
        };
        Self {
            subject,
            data_type,
            row_count,
            wanted,
            next_row: 0,
            nulls: RowSetBuilder::new(),
            others: RowSetBuilder::new(),
            marked: RowSetBuilder::new(),
            last_marked: None,
            gather: gathers.then(|| Gather::new(data_type, &budget)),
            range: ranges.then(|| RangeBuilder::with_sink(data_type, row_count, spool())),
            bloom: wants(Kind::Bloom)
                .then(|| BloomBuilder::new(data_type, row_count, budget.bloom)),
        }
    }

    /// Adds the next rows, as an array of exactly the type's Arrow type, or a dictionary of it with keys
    /// of 32 bits; that of text may also be of `Utf8`. Arrays of one dictionary are best shared.
    ///
    /// # Errors
    /// Internal when the array is of another type or there are more rows than announced;
    /// unavailable when spilling fails.
    pub fn push(&mut self, values: &dyn Array) -> Result<(), Error> {
        self.check(values)?;
        let mut from = 0;
        while from < values.len() {
            // Pieces of one chunk each, short enough for what is held to be looked at in between.
            let left = CHUNK_ROWS - self.next_row % CHUNK_ROWS;
            let len = (values.len() - from)
                .min(left as usize)
                .min(limits::BATCH_ROWS);
            let piece = values.slice(from, len);
            self.push_piece(&*piece)?;
            from += len;
        }
        Ok(())
    }

    fn check(&self, values: &dyn Array) -> Result<(), Error> {
        let found = values.data_type();
        let own = self.data_type.arrow_type();
        let is_text = Form::of(self.data_type) == Form::Text && self.data_type != DataType::Bytes;
        let is_own = match found {
            ArrowType::Dictionary(key, values) => {
                let is_text = is_text && **values == ArrowType::Utf8;
                **key == ArrowType::Int32 && (**values == own || is_text)
            }
            found => *found == own,
        };
        if !is_own {
            let name = self.data_type.name();
            return Err(Error::internal(format!(
                "values of another type: index={name} found={found}"
            )));
        }
        let left = (self.row_count - self.next_row) as usize;
        if values.len() > left {
            return Err(Error::internal(format!(
                "more rows than announced: rows={} subject={}",
                self.row_count, self.subject
            )));
        }
        Ok(())
    }

    fn push_piece(&mut self, values: &dyn Array) -> Result<(), Error> {
        let first_row = self.next_row;
        let len = u32::try_from(values.len()).map_err(|_| Error::internal("array too long"))?;
        if let Some(nulls) = values
            .logical_nulls()
            .filter(|nulls| nulls.null_count() > 0)
        {
            self.nulls.push_mask(first_row, &!nulls.inner());
        }
        if let Some(gather) = &mut self.gather {
            gather.push(first_row, values, &mut self.others)?;
        }
        if let Some(range) = &mut self.range {
            range.push(values)?;
        }
        if let Some(bloom) = &mut self.bloom {
            bloom.push(values)?;
        }
        self.next_row += len;
        Ok(())
    }

    /// Adds the next `row_count` rows, none of which has a value.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn push_nulls(&mut self, row_count: u32) -> Result<(), Error> {
        let mut left = row_count as usize;
        while left > 0 {
            let len = left.min(limits::BATCH_ROWS);
            self.push(&arrow_array::new_null_array(
                &self.data_type.arrow_type(),
                len,
            ))?;
            left -= len;
        }
        Ok(())
    }

    /// Marks a row that was pushed as null: it has a value, which is not for the dictionary.
    /// Rows ascend.
    ///
    /// # Errors
    /// Internal when rows do not ascend, or the row was not pushed yet.
    pub fn mark_other(&mut self, row: u32) -> Result<(), Error> {
        if row >= self.next_row || self.last_marked.is_some_and(|last| row <= last) {
            return Err(Error::internal(format!(
                "row marked out of order: row={row}"
            )));
        }
        self.last_marked = Some(row);
        self.marked.push(row);
        Ok(())
    }

    /// Builds the indexes and writes them.
    ///
    /// # Errors
    /// Internal when there were fewer rows than announced; unavailable; limit exceeded.
    pub fn finish(self, writer: &mut IndexWriter) -> Result<Built, Error> {
        if self.next_row != self.row_count || self.row_count != writer.row_count() {
            return Err(Error::internal(format!(
                "other rows than announced: rows={} pushed={} subject={}",
                self.row_count, self.next_row, self.subject
            )));
        }
        let marked = self.marked.finish();
        let mut finish = Finish {
            nulls: self.nulls.finish().without(&marked),
            others: self.others.finish().or(&marked),
            subject: self.subject,
            data_type: self.data_type,
            row_count: self.row_count,
            wanted: self.wanted,
            writer,
            indexes: Vec::new(),
            distinct_count: None,
        };
        finish.sets()?;
        finish.filters(self.range, self.bloom)?;
        if let Some(gather) = self.gather {
            finish.values(gather)?;
        }
        finish.end()
    }
}

/// The end of a build: everything gathered goes to the file.
struct Finish<'a> {
    subject: Subject,
    data_type: DataType,
    row_count: u32,
    wanted: Kinds,
    nulls: RowSet,
    others: RowSet,
    writer: &'a mut IndexWriter,
    indexes: Vec<(Kind, u64)>,
    distinct_count: Option<u32>,
}

impl Finish<'_> {
    fn sets(&mut self) -> Result<(), Error> {
        let counts = self.counts();
        self.writer
            .begin_subject(&self.subject, self.data_type, counts)?;
        let nulls = portable(&self.nulls);
        self.put(Kind::Nulls, &nulls)?;
        if !self.others.is_empty() {
            let others = portable(&self.others);
            self.put(Kind::Others, &others)?;
        }
        Ok(())
    }

    fn filters(
        &mut self,
        range: Option<RangeBuilder<SpooledTempFile>>,
        bloom: Option<BloomBuilder>,
    ) -> Result<(), Error> {
        if let Some(range) = range {
            self.put_spool(Kind::Range, range.finish()?)?;
        }
        if let Some(bloom) = bloom {
            self.put(Kind::Bloom, &bloom.finish()?)?;
        }
        Ok(())
    }

    fn values(&mut self, gather: Gather) -> Result<(), Error> {
        let (memory_bytes, folder) = (gather.memory_bytes(), gather.folder().to_owned());
        let mut ranked = None;
        let len = self
            .writer
            .put_with(&self.subject, Kind::Dictionary, |out| {
                ranked = Some(gather.finish(out)?);
                Ok(())
            })?;
        self.indexes.push((Kind::Dictionary, len));
        let Some(mut ranked) = ranked else {
            return Err(Error::internal("dictionary without ranks"));
        };
        self.distinct_count = Some(ranked.rank_count);
        self.writer.set_counts(&self.subject, self.counts());
        if self.wanted.contains(Kind::Inverted) {
            let shape = (ranked.rank_count, ranked.row_count());
            let mut inverted = InvertedWriter::new(self.row_count, shape, memory_bytes, &folder);
            let len = self.writer.put_with(&self.subject, Kind::Inverted, |out| {
                assemble(&mut ranked, &mut inverted, memory_bytes, out)?;
                inverted.finish(out)
            })?;
            self.indexes.push((Kind::Inverted, len));
        }
        if self.wanted.contains(Kind::Range) && !order::is_ordered(self.data_type) {
            self.rank_ranges(&mut ranked, (memory_bytes, &folder))?;
        }
        Ok(())
    }

    fn rank_ranges(
        &mut self,
        ranked: &mut Ranked,
        (memory_bytes, folder): (usize, &Path),
    ) -> Result<(), Error> {
        let spool = SpooledTempFile::new_in(spool_bytes(memory_bytes), folder);
        let mut range = RangeBuilder::with_sink(self.data_type, self.row_count, spool);
        ranked.each_row(self.row_count, |ranks| range.push(ranks))?;
        self.put_spool(Kind::Range, range.finish()?)
    }

    fn put_spool(&mut self, kind: Kind, spool: SpooledTempFile) -> Result<(), Error> {
        let put = self
            .writer
            .put(&self.subject, kind, |out| append(spool, out).map(|_| ()));
        let len = put?;
        self.indexes.push((kind, len));
        Ok(())
    }

    fn put(&mut self, kind: Kind, bytes: &[u8]) -> Result<(), Error> {
        let len = self
            .writer
            .put(&self.subject, kind, |out| out.write_all(bytes))?;
        self.indexes.push((kind, len));
        Ok(())
    }

    fn counts(&self) -> Counts {
        let count = |set: &RowSet| u32::try_from(set.len()).unwrap_or(UNKNOWN);
        Counts {
            distinct: self.distinct_count.unwrap_or(UNKNOWN),
            nulls: count(&self.nulls),
            others: count(&self.others),
        }
    }

    fn end(mut self) -> Result<Built, Error> {
        let counts = self.counts();
        self.indexes.sort_unstable_by_key(|(kind, _)| *kind);
        Ok(Built {
            subject: self.subject,
            indexes: self.indexes,
            distinct_count: self.distinct_count,
            null_count: counts.nulls,
            other_count: counts.others,
        })
    }
}

fn spool_bytes(memory_bytes: usize) -> usize {
    (memory_bytes / SHARE_OF_SPOOL).max(SPOOL_BYTES)
}
