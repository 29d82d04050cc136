//! Runs in temporary files: values sorted, and rows with the ranks of their values in the run.
//! ```text
//! values : numbers 8 bytes, decimals 16, text length u16 and bytes
//! rows   : a record: key u16, kind u8 (0 dense, 1 sparse), first u16, rows u32,
//!          positions u16 a row if sparse, ranks u32 a row
//! ```

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::chunk::{Record, RecordRows};
use super::distinct::Distinct;
use crate::Error;
use crate::dictionary::SortedValue;

/// Bytes gathered before they go to a file, or read at a time.
const BUFFER: usize = 64 << 10;

/// The runs of one subject.
#[derive(Debug)]
pub(super) struct Spill {
    folder: PathBuf,
    values: BufWriter<File>,
    values_len: u64,
    rows: BufWriter<File>,
    runs: Vec<Run>,
}

/// Where one run is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub values_from: u64,
    pub values_to: u64,
    pub value_count: u32,
    pub record_count: usize,
    pub row_count: u64,
}

impl Spill {
    pub fn new(folder: &Path) -> Result<Self, Error> {
        let file = || tempfile::tempfile_in(folder).map_err(|error| failed(folder, error));
        Ok(Self {
            folder: folder.to_owned(),
            values: BufWriter::with_capacity(BUFFER, file()?),
            values_len: 0,
            rows: BufWriter::with_capacity(BUFFER, file()?),
            runs: Vec::new(),
        })
    }

    /// Adds a run.
    pub fn push(&mut self, distinct: &mut Distinct, records: &[Record]) -> Result<(), Error> {
        self.try_push(distinct, records)
            .map_err(|error| failed(&self.folder, error))
    }

    fn try_push(&mut self, distinct: &mut Distinct, records: &[Record]) -> io::Result<()> {
        let order = distinct.sort();
        let from = self.values_len;
        for id in &order {
            if let Some(value) = distinct.value(*id) {
                self.values_len += write_value(value, &mut self.values)?;
            }
        }
        let ranks = ranks(&order);
        let mut bytes = Vec::new();
        for record in records {
            bytes.clear();
            encode(record, &ranks, &mut bytes);
            self.rows.write_all(&bytes)?;
        }
        self.runs.push(Run {
            values_from: from,
            values_to: self.values_len,
            value_count: distinct.len(),
            record_count: records.len(),
            row_count: records.iter().map(|record| record.len() as u64).sum(),
        });
        Ok(())
    }

    /// Ends writing and returns the runs with the two files.
    pub fn finish(self) -> Result<(Vec<Run>, File, RowsFile), Error> {
        let folder = self.folder;
        let end = |out: BufWriter<File>| {
            out.into_inner()
                .map_err(|error| failed(&folder, error.into_error()))
        };
        let (values, file) = (end(self.values)?, end(self.rows)?);
        Ok((self.runs, values, RowsFile { file, folder }))
    }

    pub fn runs(&self) -> usize {
        self.runs.len()
    }
}

/// The rows of all runs.
#[derive(Debug)]
pub(super) struct RowsFile {
    file: File,
    folder: PathBuf,
}

impl RowsFile {
    /// Calls `each` with the records of every run in order; `begin` is told of each run before.
    pub fn each(
        &mut self,
        runs: &[Run],
        mut begin: impl FnMut(usize) -> Result<(), Error>,
        mut each: impl FnMut(usize, &Record),
    ) -> Result<(), Error> {
        let failed = |error| failed(&self.folder, error);
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let mut input = BufReader::with_capacity(BUFFER, &self.file);
        let mut bytes = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            begin(at)?;
            for _ in 0..run.record_count {
                let record = decode(&mut input, &mut bytes).map_err(failed)?;
                each(at, &record);
            }
        }
        Ok(())
    }
}

/// Returns the rank of each id, given the ids in the order of ranks.
pub(super) fn ranks(order: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    for (rank, id) in (0..).zip(order) {
        if let Some(slot) = ranks.get_mut(*id as usize) {
            *slot = rank;
        }
    }
    ranks
}

/// Makes the error of a temporary file.
pub(super) fn failed(folder: &Path, source: io::Error) -> Error {
    Error::io("spill to a temporary", folder, source)
}

fn write_value(value: SortedValue<'_>, out: &mut impl Write) -> io::Result<u64> {
    match value {
        SortedValue::Number(number) => out.write_all(&number.to_le_bytes()).map(|()| 8),
        SortedValue::Wide(number) => out.write_all(&number.to_le_bytes()).map(|()| 16),
        SortedValue::Text(text) => {
            let len = u16::try_from(text.len()).map_err(io::Error::other)?;
            out.write_all(&len.to_le_bytes())?;
            out.write_all(text)?;
            Ok(2 + u64::from(len))
        }
    }
}

fn encode(record: &Record, ranks: &[u32], bytes: &mut Vec<u8>) {
    let (kind, first) = match &record.rows {
        RecordRows::Dense { first, .. } => (0, *first),
        RecordRows::Sparse { .. } | RecordRows::Counted { .. } => (1, 0),
    };
    bytes.extend_from_slice(&record.key.to_le_bytes());
    bytes.push(kind);
    bytes.extend_from_slice(&first.to_le_bytes());
    let len = u32::try_from(record.len()).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&len.to_le_bytes());
    if kind == 1 {
        record.each(|position, _| bytes.extend_from_slice(&position.to_le_bytes()));
    }
    record.each(|_, id| {
        let rank = ranks.get(id as usize).copied().unwrap_or(0);
        bytes.extend_from_slice(&rank.to_le_bytes());
    });
}

fn decode(input: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<Record> {
    let mut header = [0; 9];
    input.read_exact(&mut header)?;
    let [a, b, kind, c, d, e, f, g, h] = header;
    let len = u32::from_le_bytes([e, f, g, h]) as usize;
    let mut read = |len: usize| -> io::Result<Vec<u8>> {
        bytes.resize(len, 0);
        input.read_exact(bytes)?;
        Ok(std::mem::take(bytes))
    };
    let positions = match kind {
        0 => None,
        _ => Some(read(len * 2)?),
    };
    let ids = read(len * 4)?;
    let ids = ids.as_chunks().0.iter().copied().map(u32::from_le_bytes);
    let rows = match positions {
        None => RecordRows::Dense {
            first: u16::from_le_bytes([c, d]),
            ids: ids.collect(),
        },
        Some(positions) => RecordRows::Sparse {
            positions: {
                let positions = positions.as_chunks().0.iter().copied();
                positions.map(u16::from_le_bytes).collect()
            },
            ids: ids.collect(),
        },
    };
    Ok(Record {
        key: u16::from_le_bytes([a, b]),
        rows,
    })
}
