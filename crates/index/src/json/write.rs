//! One path to the indexes of its subject.

use std::io::Write;

use growler_schema::DataType;

use super::pairs::Pairs;
use super::spill::Spill;
use super::values::Values;
use crate::dictionary::{DictionaryWriter, SortedValue};
use crate::format::{Counts, UNKNOWN};
use crate::inverted::InvertedWriter;
use crate::posting::portable;
use crate::{Built, Error, IndexWriter, Kind, RowSet, Subject};

/// What is written of a path.
pub(super) struct PathWrite<'a> {
    pub subject: Subject,
    /// Rows with a value at the path.
    pub present: RowSet,
    /// Rows with a value that the dictionary leaves out.
    pub others: RowSet,
    /// None when the path keeps no dictionary.
    pub values: Option<(&'a Values, &'a Pairs)>,
    pub spill: Option<&'a mut Spill>,
    /// Memory for rows that are brought in order, in bytes.
    pub memory_bytes: usize,
}

impl PathWrite<'_> {
    /// Writes the subject.
    ///
    /// # Errors
    /// Unavailable; limit exceeded.
    pub fn write(mut self, writer: &mut IndexWriter) -> Result<Built, Error> {
        let row_count = writer.row_count();
        let nulls = self.present.complement(row_count);
        let distinct = self
            .values
            .map(|(values, _)| u32::try_from(values.len()).unwrap_or(UNKNOWN));
        let count = |set: &RowSet| u32::try_from(set.len()).unwrap_or(UNKNOWN);
        let counts = Counts {
            distinct: distinct.unwrap_or(UNKNOWN),
            nulls: count(&nulls),
            others: count(&self.others),
        };
        writer.begin_subject(&self.subject, DataType::Json, counts)?;
        let mut indexes = Vec::new();
        let mut put = |writer: &mut IndexWriter, kind, bytes: &[u8]| -> Result<(), Error> {
            let len = writer.put(&self.subject, kind, |out| out.write_all(bytes))?;
            indexes.push((kind, len));
            Ok(())
        };
        put(writer, Kind::Nulls, &portable(&nulls))?;
        if !self.others.is_empty() {
            put(writer, Kind::Others, &portable(&self.others))?;
        }
        if let Some((values, pairs)) = self.values {
            let ranked = values.sorted();
            let len = writer.put(&self.subject, Kind::Dictionary, |out| {
                let mut dictionary = DictionaryWriter::new(DataType::Json);
                for id in &ranked {
                    dictionary.push(SortedValue::Text(values.value(*id)), out)?;
                }
                dictionary.finish(out)
            })?;
            indexes.push((Kind::Dictionary, len));
            let folder = writer.folder().to_owned();
            let len = writer.put_with(&self.subject, Kind::Inverted, |out| {
                let rows = ranked.iter().map(|id| u64::from(values.count(*id))).sum();
                let shape = (distinct.unwrap_or(UNKNOWN), rows);
                let mut inverted =
                    InvertedWriter::new(row_count, shape, self.memory_bytes, &folder);
                let postings = Postings {
                    values,
                    pairs,
                    ranked: &ranked,
                    memory_bytes: self.memory_bytes,
                };
                postings.write(self.spill.as_deref_mut(), &mut inverted, out)?;
                inverted.finish(out)
            })?;
            indexes.push((Kind::Inverted, len));
        }
        indexes.sort_unstable_by_key(|(kind, _)| *kind);
        Ok(Built {
            subject: self.subject,
            indexes,
            distinct_count: distinct,
            null_count: counts.nulls,
            other_count: counts.others,
        })
    }
}

/// The postings of a path's values, in the order of their ranks.
struct Postings<'a> {
    values: &'a Values,
    pairs: &'a Pairs,
    /// Ids by rank.
    ranked: &'a [u32],
    memory_bytes: usize,
}

impl Postings<'_> {
    /// Writes them: as many ranks at a time as the memory holds rows for, each time by one pass over
    /// the pairs.
    fn write(
        &self,
        mut spill: Option<&mut Spill>,
        inverted: &mut InvertedWriter,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let most = self.memory_bytes / size_of::<u32>();
        // Where the next row of each value goes; out of reach for values of other ranks.
        let mut places = vec![u32::MAX; self.values.len()];
        let mut rows: Vec<u32> = Vec::new();
        let mut rest = self.ranked;
        while !rest.is_empty() {
            let (here, later) = rest.split_at(self.fitting(rest, most));
            let mut total = 0_u32;
            for id in here {
                if let Some(place) = places.get_mut(*id as usize) {
                    *place = total;
                }
                total = total
                    .checked_add(self.values.count(*id))
                    .ok_or_else(|| Error::limit("too many values at a JSON path"))?;
            }
            rows.clear();
            rows.resize(total as usize, 0);
            self.pairs.each(spill.as_deref_mut(), &mut |pairs| {
                for (id, row) in pairs {
                    if let Some(place) = places.get_mut(*id as usize)
                        && let Some(to) = rows.get_mut(*place as usize)
                    {
                        *to = *row;
                        *place += 1;
                    }
                }
            })?;
            let mut from = 0_usize;
            for id in here {
                let to = from + self.values.count(*id) as usize;
                let posting = rows.get(from..to).unwrap_or_default();
                inverted.push_rows(posting, out)?;
                from = to;
                if let Some(place) = places.get_mut(*id as usize) {
                    *place = u32::MAX;
                }
            }
            rest = later;
        }
        Ok(())
    }

    /// Returns how many ranks have no more rows than fit; one at least.
    fn fitting(&self, ranked: &[u32], most: usize) -> usize {
        let mut rows = 0_usize;
        let fits = |id: &&u32| {
            rows += self.values.count(**id) as usize;
            rows <= most
        };
        ranked.iter().take_while(fits).count().max(1)
    }
}
