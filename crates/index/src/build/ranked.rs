//! Rows with the ranks of their values, from memory or from runs.

use std::path::PathBuf;

use arrow_array::UInt32Array;

use super::chunk::{Record, RecordRows};
use super::merge::RankMaps;
use super::spill::{RowsFile, Run, failed};
use crate::Error;
use crate::row_set::CHUNK_ROWS;

/// A rank that no value has.
const NONE: u32 = u32::MAX;

/// The rows of a subject, record by record in their order.
#[derive(Debug)]
pub(super) struct Ranked {
    pub rank_count: u32,
    pub rows: RankedRows,
}

/// Where the rows are.
#[derive(Debug)]
pub(super) enum RankedRows {
    Memory {
        records: Vec<Record>,
        /// Ids in the order of ranks.
        order: Vec<u32>,
        /// The rank of each id.
        ranks: Vec<u32>,
    },
    Runs {
        runs: Vec<Run>,
        rows: RowsFile,
        maps: RankMaps,
        folder: PathBuf,
    },
}

impl Ranked {
    /// Calls `each` with every record and the ranks of its ids.
    pub fn each(&mut self, mut each: impl FnMut(&Record, &[u32])) -> Result<(), Error> {
        match &mut self.rows {
            RankedRows::Memory { records, ranks, .. } => {
                for record in &*records {
                    each(record, ranks);
                }
                Ok(())
            }
            RankedRows::Runs {
                runs,
                rows,
                maps,
                folder,
            } => {
                let ranks = std::cell::RefCell::new(Vec::new());
                let begin = |run: usize| {
                    // The ranks of one run at a time are held; drop the old ones first.
                    ranks.take();
                    let loaded = maps.load(run).map_err(|error| failed(folder, error))?;
                    ranks.replace(loaded);
                    Ok(())
                };
                rows.each(runs, begin, |_, record| each(record, &ranks.borrow()))
            }
        }
    }

    /// Returns records and order of ids, when every record was counted into its ids.
    pub fn counted(&self) -> Option<(&[Record], &[u32])> {
        let RankedRows::Memory { records, order, .. } = &self.rows else {
            return None;
        };
        let is_counted = |record: &Record| matches!(record.rows, RecordRows::Counted { .. });
        records
            .iter()
            .all(is_counted)
            .then_some((records.as_slice(), order.as_slice()))
    }

    /// Calls `each` with the ranks of all rows in order, a chunk or a part of it at a time.
    pub fn each_row(
        &mut self,
        row_count: u32,
        mut each: impl FnMut(&UInt32Array) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut chunk = RowRanks {
            key: 0,
            ranks: vec![NONE; CHUNK_ROWS as usize],
            row_count,
        };
        let mut done = Ok(());
        self.each(|record, ranks| {
            while chunk.key < u32::from(record.key) && done.is_ok() {
                done = chunk.end(&mut each);
            }
            record.each(|position, id| {
                let slot = chunk.ranks.get_mut(usize::from(position));
                if let (Some(slot), Some(rank)) = (slot, ranks.get(id as usize)) {
                    *slot = *rank;
                }
            });
        })?;
        done?;
        while u64::from(chunk.key) * u64::from(CHUNK_ROWS) < row_count.into() {
            chunk.end(&mut each)?;
        }
        Ok(())
    }
}

struct RowRanks {
    key: u32,
    ranks: Vec<u32>,
    row_count: u32,
}

impl RowRanks {
    fn end(
        &mut self,
        each: &mut impl FnMut(&UInt32Array) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let from = u64::from(self.key) * u64::from(CHUNK_ROWS);
        let len = u64::from(self.row_count).saturating_sub(from);
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let ranks = self.ranks.iter().take(len);
        let array: UInt32Array = ranks.map(|rank| (*rank != NONE).then_some(*rank)).collect();
        self.ranks.fill(NONE);
        self.key += 1;
        each(&array)
    }
}
