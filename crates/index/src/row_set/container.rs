//! Rows of one chunk.

use std::cmp::Ordering;

use super::runs;
use crate::wide::count_ones;

/// Rows of a chunk.
pub const CHUNK_ROWS: u32 = 1 << 16;
/// Words of a chunk's bitmap.
pub const CHUNK_WORDS: usize = 1024;
/// Most rows kept as an array; a bitmap is smaller beyond.
pub(crate) const ARRAY_ROWS: usize = 4096;

/// Rows of one chunk, never none.
#[derive(Debug, Clone)]
pub(crate) enum Container {
    /// Positions, ascending.
    Array(Vec<u16>),
    /// A bit for each position.
    Bits(Box<Bits>),
    /// Runs, ascending, with a gap between any two.
    Runs(Vec<Run>),
}

/// A bitmap of one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bits {
    pub words: [u64; CHUNK_WORDS],
}

/// Positions from `first` to `last`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub first: u16,
    pub last: u16,
}

impl Run {
    /// Every position of a chunk.
    pub const FULL: Self = Self {
        first: 0,
        last: u16::MAX,
    };

    /// Returns how many positions the run has.
    pub fn len(self) -> u32 {
        u32::from(self.last).saturating_sub(u32::from(self.first)) + 1
    }
}

impl Bits {
    /// Returns the empty bitmap.
    pub fn empty() -> Box<Self> {
        Box::new(Self {
            words: [0; CHUNK_WORDS],
        })
    }

    /// Adds a position.
    #[inline]
    pub fn insert(&mut self, position: u16) {
        if let Some(word) = self.words.get_mut(usize::from(position >> 6)) {
            *word |= 1 << (position & 63);
        }
    }

    /// Removes a position.
    #[inline]
    pub fn remove(&mut self, position: u16) {
        if let Some(word) = self.words.get_mut(usize::from(position >> 6)) {
            *word &= !(1 << (position & 63));
        }
    }

    /// Tells whether a position is in.
    #[inline]
    pub fn contains(&self, position: u16) -> bool {
        self.words
            .get(usize::from(position >> 6))
            .is_some_and(|word| word >> (position & 63) & 1 != 0)
    }

    /// Applies `change(word, bits of the run in it)` to every word that a run touches.
    fn each_word(&mut self, run: Run, change: impl Fn(&mut u64, u64)) {
        let (first, last) = (usize::from(run.first >> 6), usize::from(run.last >> 6));
        let head = u64::MAX << (run.first & 63);
        let tail = u64::MAX >> (63 - (run.last & 63));
        for (at, word) in self.words.iter_mut().enumerate().take(last + 1).skip(first) {
            let mut bits = u64::MAX;
            if at == first {
                bits &= head;
            }
            if at == last {
                bits &= tail;
            }
            change(word, bits);
        }
    }

    /// Adds a run.
    pub fn insert_run(&mut self, run: Run) {
        self.each_word(run, |word, bits| *word |= bits);
    }

    /// Removes a run.
    pub fn remove_run(&mut self, run: Run) {
        self.each_word(run, |word, bits| *word &= !bits);
    }

    /// Returns how many positions are in.
    pub fn len(&self) -> u32 {
        u32::try_from(count_ones(&self.words)).unwrap_or(CHUNK_ROWS)
    }

    /// Returns the positions, ascending.
    pub fn to_array(&self, len: usize) -> Vec<u16> {
        let mut array = Vec::with_capacity(len);
        for (word, base) in self.words.iter().zip((0_u16..).step_by(64)) {
            let mut left = *word;
            while left != 0 {
                // Below 64, so it fits.
                array.push(base | u16::try_from(left.trailing_zeros()).unwrap_or(0));
                left &= left - 1;
            }
        }
        array
    }
}

impl Container {
    /// Returns the rows of a bitmap in the smaller form; nothing when there are none.
    pub fn of_bits(bits: Box<Bits>) -> Option<Self> {
        let len = bits.len();
        match len {
            0 => None,
            CHUNK_ROWS => Some(Self::Runs(vec![Run::FULL])),
            _ if len as usize <= ARRAY_ROWS => Some(Self::Array(bits.to_array(len as usize))),
            _ => Some(Self::Bits(bits)),
        }
    }

    /// Returns the rows of an array in the smaller form; nothing when there are none.
    pub fn of_array(array: Vec<u16>) -> Option<Self> {
        if array.len() <= ARRAY_ROWS {
            return (!array.is_empty()).then_some(Self::Array(array));
        }
        let mut bits = Bits::empty();
        for position in array {
            bits.insert(position);
        }
        Self::of_bits(bits)
    }

    /// Returns the rows of runs; nothing when there are none.
    pub fn of_runs(runs: Vec<Run>) -> Option<Self> {
        // A run takes four bytes: beyond 2,048 a bitmap is smaller.
        if runs.len() > ARRAY_ROWS / 2 {
            return Self::of_bits(Self::Runs(runs).to_bits());
        }
        (!runs.is_empty()).then_some(Self::Runs(runs))
    }

    /// Returns how many rows are in.
    pub fn len(&self) -> u32 {
        match self {
            Self::Array(array) => u32::try_from(array.len()).unwrap_or(CHUNK_ROWS),
            Self::Bits(bits) => bits.len(),
            Self::Runs(runs) => runs.iter().map(|run| run.len()).sum(),
        }
    }

    /// Tells whether a position is in.
    pub fn contains(&self, position: u16) -> bool {
        match self {
            Self::Array(array) => array.binary_search(&position).is_ok(),
            Self::Bits(bits) => bits.contains(position),
            Self::Runs(runs) => runs
                .binary_search_by(|run| {
                    if run.last < position {
                        Ordering::Less
                    } else if run.first > position {
                        Ordering::Greater
                    } else {
                        Ordering::Equal
                    }
                })
                .is_ok(),
        }
    }

    /// Returns the rows as a bitmap.
    pub fn to_bits(&self) -> Box<Bits> {
        let mut bits = match self {
            Self::Bits(bits) => return bits.clone(),
            _ => Bits::empty(),
        };
        self.add_to(&mut bits);
        bits
    }

    /// Adds the rows to a bitmap.
    pub fn add_to(&self, bits: &mut Bits) {
        match self {
            Self::Array(array) => array.iter().for_each(|&position| bits.insert(position)),
            Self::Runs(runs) => runs.iter().for_each(|&run| bits.insert_run(run)),
            Self::Bits(other) => {
                for (word, other) in bits.words.iter_mut().zip(&other.words) {
                    *word |= other;
                }
            }
        }
    }

    /// Takes the rows out of a bitmap.
    pub fn remove_from(&self, bits: &mut Bits) {
        match self {
            Self::Array(array) => array.iter().for_each(|&position| bits.remove(position)),
            Self::Runs(runs) => runs.iter().for_each(|&run| bits.remove_run(run)),
            Self::Bits(other) => {
                for (word, other) in bits.words.iter_mut().zip(&other.words) {
                    *word &= !other;
                }
            }
        }
    }

    /// Returns the last row.
    pub fn last(&self) -> Option<u16> {
        match self {
            Self::Array(array) => array.last().copied(),
            Self::Runs(runs) => runs.last().map(|run| run.last),
            Self::Bits(bits) => {
                let (at, word) = bits
                    .words
                    .iter()
                    .enumerate()
                    .rev()
                    .find(|(_, word)| **word != 0)?;
                u16::try_from(at * 64 + 63 - word.leading_zeros() as usize).ok()
            }
        }
    }

    /// Tells whether every position of the chunk is in.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Runs(runs) if runs.first() == Some(&Run::FULL))
    }

    /// Returns how many rows lie in a run.
    pub fn len_within(&self, window: Run) -> u32 {
        if window == Run::FULL {
            return self.len();
        }
        match self {
            Self::Array(array) => {
                let from = array.partition_point(|position| *position < window.first);
                let to = array.partition_point(|position| *position <= window.last);
                u32::try_from(to - from).unwrap_or(CHUNK_ROWS)
            }
            Self::Bits(bits) => {
                let mut within = Bits::empty();
                within.insert_run(window);
                let pairs = within.words.iter().zip(&bits.words);
                pairs.map(|(a, b)| (a & b).count_ones()).sum()
            }
            Self::Runs(runs) => {
                let within = runs::and(runs, &[window]);
                within.iter().map(|run| run.len()).sum()
            }
        }
    }
}

impl PartialEq for Container {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Bits(a), Self::Bits(b)) => a == b,
            (Self::Runs(a), Self::Runs(b)) => a == b,
            (a, b) => a.len() == b.len() && a.to_bits() == b.to_bits(),
        }
    }
}
