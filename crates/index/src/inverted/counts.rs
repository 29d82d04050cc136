//! Where the rows of each rank begin, read in place.

use super::marks::Marks;
use crate::sequence::Sequence;

/// Where the rows of each rank begin among the rows of all, in one of the forms that they have.
#[derive(Debug, Clone, Copy)]
pub(super) enum Counts<'a> {
    /// Every rank has exactly one row.
    One { ranks: u32 },
    /// A number each.
    Sequence(Sequence<'a>),
    /// A bit each.
    Marks(Marks<'a>),
}

impl<'a> Counts<'a> {
    /// Takes the counts of so many ranks; nothing when the bytes do not hold them.
    pub fn try_new(bytes: &'a [u8], form: u64, ranks: u32) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::One { ranks });
        }
        match form {
            super::SEQUENCE => {
                let counts = Sequence::try_new(bytes)?;
                (counts.len() == u64::from(ranks) + 1).then_some(Self::Sequence(counts))
            }
            super::MARKS => Some(Self::Marks(Marks::try_new(bytes, ranks)?)),
            _ => None,
        }
    }

    /// Returns how many rows the ranks before one have; nothing for one past the last, or when that
    /// cannot be read.
    pub fn before(&self, rank: u32) -> Option<u64> {
        match self {
            Self::One { ranks } => (rank <= *ranks).then_some(rank.into()),
            Self::Sequence(counts) => counts.get(rank.into()),
            Self::Marks(marks) => marks.before(rank),
        }
    }

    /// Calls `each` with that number for `from..to`, which may be one past the ranks; nothing as
    /// [`Self::before`].
    pub fn each(&self, from: u32, to: u32, mut each: impl FnMut(u64)) -> Option<()> {
        match self {
            Self::One { ranks } => {
                let ranks = u64::from(*ranks);
                (u64::from(to) <= ranks + 1).then(|| (from..to).for_each(|rank| each(rank.into())))
            }
            Self::Sequence(counts) => counts.each(from.into(), to.into(), each),
            Self::Marks(marks) => marks.each(from, to, each),
        }
    }
}
