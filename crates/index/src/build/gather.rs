//! Ids of all rows of a subject.

use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::Array;
use growler_base::limits;
use growler_schema::DataType;

use super::Budget;
use super::chunk::{Chunk, Record};
use super::distinct::{Admission, Distinct};
use super::merge;
use super::ranked::{Ranked, RankedRows};
use super::spill::Spill;
use crate::dictionary::{DictionaryWriter, Form};
use crate::row_set::CHUNK_ROWS;
use crate::{Error, RowSetBuilder};

/// Least memory that is worked in.
const MEMORY_BYTES: usize = 1 << 20;

/// Takes the values of a subject in row order; within half of the memory, the other half is for
/// what comes after.
#[derive(Debug)]
pub(super) struct Gather {
    data_type: DataType,
    distinct: Distinct,
    chunk: Chunk,
    records: Vec<Record>,
    records_bytes: usize,
    spill: Option<Spill>,
    spilled_values: u32,
    spilled_bytes: usize,
    admission: Admission,
    memory_bytes: usize,
    folder: PathBuf,
    ids: Vec<u32>,
}

impl Gather {
    pub fn new(data_type: DataType, budget: &Budget) -> Self {
        let folder = budget.spill_folder.clone();
        Self {
            data_type,
            distinct: Distinct::new(data_type),
            chunk: Chunk::default(),
            records: Vec::new(),
            records_bytes: 0,
            spill: None,
            spilled_values: 0,
            spilled_bytes: 0,
            admission: Admission {
                distinct_count: budget.distinct_count.min(u32::MAX - 2),
                value_len_bytes: budget.value_len_bytes.min(limits::INDEX_VALUE_LEN_BYTES),
            },
            memory_bytes: budget.memory_bytes.max(MEMORY_BYTES),
            folder: folder.unwrap_or_else(std::env::temp_dir),
            ids: Vec::new(),
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds rows of one chunk, from `first_row` on; those left out go to `others`.
    pub fn push(
        &mut self,
        first_row: u32,
        values: &dyn Array,
        others: &mut RowSetBuilder,
    ) -> Result<(), Error> {
        let mut ids = std::mem::take(&mut self.ids);
        ids.clear();
        self.distinct.ids(values, self.admission(), &mut ids)?;
        let [a, b, c, d] = first_row.to_be_bytes();
        let (key, first) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        self.chunk.push(key, first, &ids, others);
        let end = u32::from(first) + u32::try_from(ids.len()).unwrap_or(0);
        self.ids = ids;
        if end == CHUNK_ROWS {
            self.end_chunk();
        }
        if self.held_bytes() > self.memory_bytes / 2 {
            self.end_run()?;
        }
        Ok(())
    }

    pub fn held_bytes(&self) -> usize {
        self.distinct.held_bytes() + self.records_bytes + self.chunk.held_bytes()
    }

    /// Values of earlier runs are not known any more, so counting them again holds the bound.
    fn admission(&self) -> Admission {
        let mut admission = self.admission;
        let left = admission.distinct_count.saturating_sub(self.spilled_values);
        let bytes = self.spilled_bytes + self.distinct.value_bytes();
        admission.distinct_count = match bytes < limits::INDEX_DICTIONARY_LEN_BYTES {
            true => left,
            false => self.distinct.len().min(left),
        };
        admission
    }

    fn end_chunk(&mut self) {
        if let Some(record) = self.chunk.end(self.distinct.len()) {
            self.records_bytes += record.held_bytes();
            self.records.push(record);
        }
    }

    fn end_run(&mut self) -> Result<(), Error> {
        self.end_chunk();
        self.chunk = Chunk::default();
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => self.spill.insert(Spill::new(&self.folder)?),
        };
        spill.push(&mut self.distinct, &self.records)?;
        self.spilled_values = self.spilled_values.saturating_add(self.distinct.len());
        self.spilled_bytes += self.distinct.value_bytes();
        self.distinct = Distinct::new(self.data_type);
        self.records = Vec::new();
        self.records_bytes = 0;
        Ok(())
    }

    /// Writes the dictionary and returns the rows with their ranks.
    pub fn finish(mut self, out: &mut impl Write) -> Result<Ranked, Error> {
        self.end_chunk();
        let mut dictionary = DictionaryWriter::new(self.data_type);
        if self.spill.is_some() {
            self.end_run()?;
        }
        let rows = match self.spill.take() {
            Some(spill) => self.merge(spill, &mut dictionary, out)?,
            None => {
                self.chunk = Chunk::default();
                let order = self.distinct.sort();
                for value in order.iter().filter_map(|id| self.distinct.value(*id)) {
                    dictionary
                        .push(value, out)
                        .map_err(|error| self.failed(error))?;
                }
                self.distinct = Distinct::new(self.data_type);
                Ranked::of_memory(std::mem::take(&mut self.records), &order)
            }
        };
        let rank_count = dictionary.len();
        dictionary.finish(out).map_err(|error| self.failed(error))?;
        Ok(Ranked { rank_count, rows })
    }

    fn merge(
        &self,
        spill: Spill,
        dictionary: &mut DictionaryWriter,
        out: &mut impl Write,
    ) -> Result<RankedRows, Error> {
        tracing::debug!(runs = spill.runs(), "values go through temporary files");
        let (runs, values, rows) = spill.finish()?;
        let room = (self.memory_bytes, self.folder.as_path());
        let form = Form::of(self.data_type);
        let maps = merge::merge(&values, &runs, form, room, dictionary, out)?;
        Ok(RankedRows::Runs {
            runs,
            rows,
            maps,
            folder: self.folder.clone(),
        })
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::io("write", &self.folder, source)
    }
}
