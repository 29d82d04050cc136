//! Rows with the ranks of their values, from memory or from runs.

use std::path::PathBuf;

use arrow_array::UInt32Array;

use super::chunk::{Record, RecordRows};
use super::merge::RankMaps;
use super::spill::{self, RowsFile, Run, failed};
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
    /// In memory, every record counted into ranks.
    Counted(Vec<Record>),
    /// In memory, as lists whose ids are ranks.
    Listed(Vec<Record>),
    /// In temporary files.
    Runs {
        runs: Vec<Run>,
        rows: RowsFile,
        maps: RankMaps,
        folder: PathBuf,
    },
}

impl Ranked {
    /// Makes ranked rows of those in memory.
    pub fn of_memory(records: Vec<Record>, order: &[u32]) -> RankedRows {
        let is_counted = |record: &Record| matches!(record.rows, RecordRows::Counted { .. });
        let is_ranked = order
            .iter()
            .copied()
            .eq(0..u32::try_from(order.len()).unwrap_or(0));
        let mut records = records;
        if records.iter().all(is_counted) {
            if !is_ranked {
                records.iter_mut().for_each(|record| record.reorder(order));
            }
            return RankedRows::Counted(records);
        }
        if is_ranked && records.iter().all(|record| !is_counted(record)) {
            return RankedRows::Listed(records);
        }
        let ranks = spill::ranks(order);
        let listed = records.into_iter().map(|record| record.rank(&ranks));
        RankedRows::Listed(listed.collect())
    }

    /// Calls `each` with every record and the ranks of its ids; none when they are ranks.
    pub fn each(&mut self, mut each: impl FnMut(&Record, Option<&[u32]>)) -> Result<(), Error> {
        match &mut self.rows {
            RankedRows::Counted(records) | RankedRows::Listed(records) => {
                records.iter().for_each(|record| each(record, None));
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
                rows.each(runs, begin, |_, record| {
                    each(record, Some(&ranks.borrow()));
                })
            }
        }
    }

    /// Returns how many rows have a value.
    pub fn row_count(&self) -> u64 {
        let len = |records: &[Record]| records.iter().map(|record| record.len() as u64).sum();
        match &self.rows {
            RankedRows::Counted(records) | RankedRows::Listed(records) => len(records),
            RankedRows::Runs { runs, .. } => runs.iter().map(|run| run.row_count).sum(),
        }
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
            record.each_rank(ranks, |position, rank| {
                if let Some(slot) = chunk.ranks.get_mut(usize::from(position)) {
                    *slot = rank;
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
