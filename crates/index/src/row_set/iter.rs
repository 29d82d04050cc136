//! Rows in order.

use super::container::Container;
use super::set::{Chunk, RowSet};

/// The rows of a set, ascending.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    chunks: std::slice::Iter<'a, Chunk>,
    key: u16,
    inner: Positions<'a>,
}

#[derive(Debug, Clone)]
enum Positions<'a> {
    Array(std::slice::Iter<'a, u16>),
    Bits {
        words: std::slice::Iter<'a, u64>,
        base: u32,
        left: u64,
    },
    Runs {
        runs: std::slice::Iter<'a, super::Run>,
        left: std::ops::Range<u32>,
    },
}

impl RowSet {
    /// Returns the rows, ascending.
    pub fn iter(&self) -> Rows<'_> {
        Rows {
            chunks: self.chunks.iter(),
            key: 0,
            inner: Positions::Array([].iter()),
        }
    }
}

impl<'a> IntoIterator for &'a RowSet {
    type Item = u32;
    type IntoIter = Rows<'a>;

    fn into_iter(self) -> Rows<'a> {
        self.iter()
    }
}

impl FromIterator<u32> for RowSet {
    /// Collects rows in any order, some of them more than once.
    fn from_iter<I: IntoIterator<Item = u32>>(rows: I) -> Self {
        let mut union = super::Union::default();
        rows.into_iter().for_each(|row| union.add_row(row));
        union.finish()
    }
}

impl Iterator for Rows<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(position) = self.inner.next() {
                return Some(u32::from(self.key) << 16 | position);
            }
            let chunk = self.chunks.next()?;
            self.key = chunk.key;
            self.inner = Positions::of(&chunk.rows);
        }
    }
}

impl<'a> Positions<'a> {
    fn of(rows: &'a Container) -> Self {
        match rows {
            Container::Array(array) => Self::Array(array.iter()),
            Container::Bits(bits) => {
                let mut words = bits.words.iter();
                let left = words.next().copied().unwrap_or(0);
                Self::Bits {
                    words,
                    base: 0,
                    left,
                }
            }
            Container::Runs(runs) => Self::Runs {
                runs: runs.iter(),
                left: 0..0,
            },
        }
    }

    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Array(array) => array.next().map(|&position| position.into()),
            Self::Bits { words, base, left } => {
                while *left == 0 {
                    *left = *words.next()?;
                    *base += 64;
                }
                let position = *base + left.trailing_zeros();
                *left &= *left - 1;
                Some(position)
            }
            Self::Runs { runs, left } => {
                if left.start >= left.end {
                    let run = runs.next()?;
                    *left = run.first.into()..u32::from(run.last) + 1;
                }
                left.next()
            }
        }
    }
}
