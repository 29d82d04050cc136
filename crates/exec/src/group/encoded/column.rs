//! The ids of one slot, batch by batch.

use arrow_array::{Array, ArrayRef, UInt32Array, new_null_array};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_select::{concat::concat, take::take};
use growler_segment::{EncodedReader, EncodedStop};

use crate::{
    error::Error,
    plan::{Operand, operand::Nulls, substitute::fill_nulls},
};

/// A slot whose rows are read as ids.
pub(super) struct Column {
    reader: EncodedReader,
    /// What ids stand for; the last one for null.
    values: ArrayRef,
    /// Ids of the rows of the batch that have a value.
    ids: Vec<u32>,
    /// Which rows these are; none when all.
    validity: Option<BooleanBuffer>,
    row_count: usize,
}

impl Column {
    /// Makes the values of a reader's ids, with nulls replaced as the operand says.
    pub fn try_new(reader: EncodedReader, operand: &Operand, nulls: Nulls) -> Result<Self, Error> {
        let dictionary = reader.dictionary();
        let null = new_null_array(dictionary.data_type(), 1);
        let values = concat(&[dictionary.as_ref(), null.as_ref()]).map_err(internal)?;
        let values = match nulls {
            Nulls::Keep => values,
            Nulls::Fill => fill_nulls(&values, operand.default_null())?,
        };
        Ok(Self {
            reader,
            values,
            ids: Vec::new(),
            validity: None,
            row_count: 0,
        })
    }

    /// Returns how many ids there are, that of null included.
    pub fn id_count(&self) -> usize {
        self.values.len()
    }

    /// Returns the id of null.
    pub fn null_id(&self) -> u32 {
        // A dictionary has fewer entries than i32 counts: each takes a byte of a page at least.
        u32::try_from(self.values.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Returns the values of some ids.
    pub fn values(&self, ids: Vec<u32>) -> Result<ArrayRef, Error> {
        take(&self.values, &UInt32Array::from(ids), None).map_err(internal)
    }

    /// Returns the bytes of the values.
    pub fn size_bytes(&self) -> usize {
        self.values.get_array_memory_size()
    }

    /// Passes over rows.
    pub fn skip(&mut self, row_count: usize) -> Result<(), EncodedStop> {
        self.reader.skip(row_count)
    }

    /// Reads the next batch; all of its rows are there.
    pub fn read(&mut self, row_count: usize) -> Result<(), EncodedStop> {
        self.ids.clear();
        self.validity = None;
        self.row_count = row_count;
        let mut rows = 0;
        let mut bits: Option<BooleanBufferBuilder> = None;
        while rows < row_count {
            let block = self.reader.next_block(row_count.saturating_sub(rows))?;
            let block = block.ok_or(EncodedStop::Untold)?;
            self.ids.extend_from_slice(block.ids);
            let validity = block.validity.as_ref().map(|nulls| nulls.inner());
            if block.row_count == row_count {
                self.validity = validity.cloned();
                return Ok(());
            }
            if let Some(validity) = validity {
                let bits = bits.get_or_insert_with(|| BooleanBufferBuilder::new(row_count));
                bits.append_n(rows.saturating_sub(bits.len()), true);
                bits.append_buffer(validity);
            }
            rows = rows.saturating_add(block.row_count);
        }
        self.validity = bits.map(|mut bits| {
            bits.append_n(row_count.saturating_sub(bits.len()), true);
            bits.finish()
        });
        Ok(())
    }

    /// Returns the ids of the batch's rows that have a value.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Returns how many rows of the batch have none.
    pub fn null_count(&self) -> usize {
        self.row_count.saturating_sub(self.ids.len())
    }

    /// Puts an id for each row of the batch that `passed` has; all when none.
    pub fn rows(&self, passed: Option<&BooleanBuffer>, rows: &mut Vec<u32>) {
        rows.clear();
        match &self.validity {
            None => rows.extend_from_slice(&self.ids),
            Some(validity) => spread(&self.ids, validity, self.null_id(), rows),
        }
        if let Some(passed) = passed {
            keep(rows, passed);
        }
    }
}

/// Puts ids where rows have a value, and the id of null where not.
fn spread(ids: &[u32], validity: &BooleanBuffer, null: u32, rows: &mut Vec<u32>) {
    rows.resize(validity.len(), null);
    let mut next = 0;
    let words = validity.bit_chunks();
    let words = words.iter().chain([words.remainder_bits()]);
    for (slots, word) in rows.chunks_mut(64).zip(words) {
        let count = word.count_ones() as usize;
        let some = ids.get(next..).unwrap_or_default();
        next = next.saturating_add(count);
        if count == slots.len() {
            slots
                .iter_mut()
                .zip(some)
                .for_each(|(slot, id)| *slot = *id);
            continue;
        }
        let mut at = 0;
        for (bit, slot) in slots.iter_mut().enumerate() {
            let has = word >> bit & 1 == 1;
            let id = some.get(at).copied().unwrap_or(null);
            *slot = if has { id } else { null };
            at += usize::from(has);
        }
    }
}

/// Leaves out rows that did not pass.
fn keep(rows: &mut Vec<u32>, passed: &BooleanBuffer) {
    let mut kept = 0;
    let words = passed.bit_chunks();
    let words = words.iter().chain([words.remainder_bits()]);
    for (start, word) in (0..rows.len()).step_by(64).zip(words) {
        let len = rows.len().saturating_sub(start).min(64);
        if word.count_ones() as usize == len {
            rows.copy_within(start..start + len, kept);
            kept += len;
            continue;
        }
        let mut left = word;
        while left != 0 {
            let row = start + left.trailing_zeros() as usize;
            if let Some(&id) = rows.get(row)
                && let Some(slot) = rows.get_mut(kept)
            {
                *slot = id;
            }
            kept += 1;
            left &= left - 1;
        }
    }
    rows.truncate(kept);
}

pub(super) fn internal(error: arrow_schema::ArrowError) -> Error {
    Error::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_spread_and_kept(
            rows in prop::collection::vec((prop::bool::weighted(0.9), prop::bool::weighted(0.7)), 0..300),
            all_at in 0usize..300,
        ) {
            // A stretch that has all.
            let all = all_at..all_at + 130;
            let row = |(at, (valid, passed)): (usize, &(bool, bool))| {
                (*valid || all.contains(&at), *passed || all.contains(&at))
            };
            let rows: Vec<(bool, bool)> = rows.iter().enumerate().map(row).collect();
            let (valid, passed): (Vec<bool>, Vec<bool>) = rows.iter().copied().unzip();
            let ids: Vec<u32> = (0..).take(valid.iter().filter(|valid| **valid).count()).collect();
            let mut next = 0..;
            let expected: Vec<u32> = valid.iter().map(|valid| match valid {
                true => next.next().unwrap(),
                false => 999,
            }).collect();
            let mut found = Vec::new();
            // An offset that is no multiple of eight.
            let shifted = BooleanBuffer::from_iter([true; 3].into_iter().chain(valid.iter().copied()));
            spread(&ids, &shifted.slice(3, valid.len()), 999, &mut found);
            prop_assert_eq!(&found, &expected);
            keep(&mut found, &BooleanBuffer::from(passed.clone()));
            let kept = expected.iter().zip(&passed).filter(|(_, passed)| **passed);
            let kept: Vec<u32> = kept.map(|(id, _)| *id).collect();
            prop_assert_eq!(found, kept);
        }
    }
}
