//! A posting, read in place.

use growler_base::{Cursor, OutOfBytes};

use super::{BITS_LEN, OFFSETS_FROM, PLAIN, WITH_RUNS};
use crate::row_set::{ARRAY_ROWS, Bits, Container, Run, Union};
use crate::{Error, RowSet};

/// One set of rows, read in place.
#[derive(Debug, Clone, Copy)]
pub struct Posting<'a> {
    /// A bit a container: is it runs?
    runs: &'a [u8],
    /// Key and rows less one of each container.
    headers: &'a [[u8; 4]],
    /// The containers.
    data: &'a [u8],
}

impl<'a> Posting<'a> {
    /// Checks the header of portable bytes: as many containers as it says, of ascending keys.
    ///
    /// # Errors
    /// Corrupt.
    pub fn try_new(bytes: &'a [u8]) -> Result<Self, Error> {
        let posting = Self::parse(bytes).map_err(|cut| Error::damaged(cut.to_string()))?;
        let posting = posting.ok_or_else(|| Error::damaged("posting has another cookie"))?;
        let mut keys = posting.headers.iter().map(|header| fields(*header).0);
        if !keys.by_ref().is_sorted_by(|a, b| a < b) {
            return Err(Error::damaged("posting has unsorted containers"));
        }
        Ok(posting)
    }

    fn parse(bytes: &'a [u8]) -> Result<Option<Self>, OutOfBytes> {
        let mut cursor = Cursor::new(bytes);
        let [a, b, c, d] = cursor.take_array()?;
        let (with_runs, count) = if u32::from_le_bytes([a, b, c, d]) == PLAIN {
            (false, u32::from_le_bytes(cursor.take_array()?))
        } else if u16::from_le_bytes([a, b]) == WITH_RUNS {
            (true, u32::from(u16::from_le_bytes([c, d])) + 1)
        } else {
            return Ok(None);
        };
        let runs = match with_runs {
            true => cursor.take(u64::from(count).div_ceil(8))?,
            false => &[],
        };
        let (headers, _) = cursor.take(u64::from(count) * 4)?.as_chunks();
        if !with_runs || headers.len() >= OFFSETS_FROM {
            // Containers follow one another, so where each begins is known without these.
            cursor.take(u64::from(count) * 4)?;
        }
        Ok(Some(Self {
            runs,
            headers,
            data: cursor.rest(),
        }))
    }

    /// Checks that no chunk lies past a segment of so many rows.
    ///
    /// # Errors
    /// Corrupt.
    pub(crate) fn check_chunks(&self, row_count: u32) -> Result<(), Error> {
        let last = self.headers.last().map(|header| fields(*header).0);
        match last {
            Some(key) if u32::from(key) << 16 >= row_count => {
                Err(Error::damaged("posting has a chunk past the last one"))
            }
            _ => Ok(()),
        }
    }

    /// Returns how many rows are in, without decoding them.
    pub fn len(&self) -> u64 {
        let rows = self.headers.iter().map(|header| fields(*header).1);
        rows.map(u64::from).sum()
    }

    /// Tells whether no row is in.
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    /// Returns the rows.
    ///
    /// # Errors
    /// Corrupt.
    pub fn to_row_set(&self) -> Result<RowSet, Error> {
        let mut set = RowSet::new();
        set.chunks.reserve(self.headers.len());
        self.each(|key, rows| set.push_chunk(key, Some(rows)))?;
        Ok(set)
    }

    /// Adds the rows to a union.
    pub(crate) fn add_to(&self, union: &mut Union) -> Result<(), Error> {
        self.each(|key, rows| union.add(key, &rows))
    }

    fn each(&self, mut each: impl FnMut(u16, Container)) -> Result<(), Error> {
        let mut data = self.data;
        for (at, header) in self.headers.iter().enumerate() {
            let (key, row_count) = fields(*header);
            let is_runs = self
                .runs
                .get(at / 8)
                .is_some_and(|bits| bits >> (at % 8) & 1 != 0);
            let container = if is_runs {
                runs(&mut data, row_count)
            } else if row_count as usize <= ARRAY_ROWS {
                array(&mut data, row_count)
            } else {
                bits(&mut data, row_count)
            };
            let container = container.ok_or_else(|| {
                Error::damaged(format!("posting has a broken container: key={key}"))
            })?;
            each(key, container);
        }
        Ok(())
    }
}

fn fields([a, b, c, d]: [u8; 4]) -> (u16, u32) {
    (
        u16::from_le_bytes([a, b]),
        u32::from(u16::from_le_bytes([c, d])) + 1,
    )
}

fn take<'a>(data: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = data.split_at_checked(len)?;
    *data = rest;
    Some(taken)
}

fn array(data: &mut &[u8], row_count: u32) -> Option<Container> {
    let (positions, _) = take(data, row_count as usize * 2)?.as_chunks();
    let array: Vec<u16> = positions.iter().map(|at| u16::from_le_bytes(*at)).collect();
    let ascends = array
        .iter()
        .zip(array.get(1..).unwrap_or_default())
        .fold(true, |ascends, (a, b)| ascends & (a < b));
    ascends.then_some(Container::Array(array))
}

fn bits(data: &mut &[u8], row_count: u32) -> Option<Container> {
    let (words, _) = take(data, BITS_LEN)?.as_chunks();
    let mut bits = Bits::empty();
    for (word, bytes) in bits.words.iter_mut().zip(words) {
        *word = u64::from_le_bytes(*bytes);
    }
    (bits.len() == row_count).then_some(Container::Bits(bits))
}

fn runs(data: &mut &[u8], row_count: u32) -> Option<Container> {
    let count = u16::from_le_bytes(*take(data, 2)?.first_chunk()?);
    let (pairs, _) = take(data, usize::from(count) * 4)?.as_chunks();
    let mut runs: Vec<Run> = Vec::with_capacity(pairs.len());
    for &[a, b, c, d] in pairs {
        let first = u16::from_le_bytes([a, b]);
        let last = first.checked_add(u16::from_le_bytes([c, d]))?;
        let apart = runs
            .last()
            .is_none_or(|before| before.last < first && before.last + 1 < first);
        if !apart {
            return None;
        }
        runs.push(Run { first, last });
    }
    let rows: u32 = runs.iter().map(|run| run.len()).sum();
    (rows == row_count).then_some(Container::Runs(runs))
}
