//! Which numbers pass: an inclusive range, or a set.

use std::hash::Hash;

use arrow_buffer::BooleanBuffer;
use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// From how many members on a set is hashed instead of searched one by one.
const HASHED_LEN: usize = 9;

/// Numbers that pass.
#[derive(Debug, Clone)]
pub(super) enum Domain<T: Element> {
    /// From the first to the second, both inclusive.
    Range(T, T),
    /// The one number.
    One(T),
    /// Any of a few numbers.
    Few(Vec<T>),
    /// Any of many numbers.
    Many(HashSet<T::Key, RandomState>),
}

/// A number that can be a member of a set.
pub(super) trait Element: Copy + PartialOrd {
    /// What is hashed: equal for equal numbers.
    type Key: Hash + Eq + std::fmt::Debug + Clone;

    /// Returns what is hashed.
    fn key(self) -> Self::Key;
}

macro_rules! element {
    ($($number:ty),*) => {$(
        impl Element for $number {
            type Key = Self;

            fn key(self) -> Self {
                self
            }
        }
    )*};
}

element!(i32, i64, i128);

impl Element for f64 {
    type Key = u64;

    fn key(self) -> u64 {
        // Both zeros are equal; NaN is in no set that is compared.
        if self == 0.0 { 0 } else { self.to_bits() }
    }
}

impl<T: Element> Domain<T> {
    /// Makes the domain of the members; none when there are no members.
    pub fn of(mut members: Vec<T>) -> Option<Self> {
        members.retain(|member| member.partial_cmp(member).is_some());
        Some(match members.as_slice() {
            [] => return None,
            [one] => Self::One(*one),
            few if few.len() < HASHED_LEN => Self::Few(members),
            many => Self::Many(many.iter().map(|member| member.key()).collect()),
        })
    }

    /// Tells whether one number passes.
    pub fn contains(&self, value: T) -> bool {
        match self {
            Self::Range(low, high) => value >= *low && value <= *high,
            Self::One(one) => value == *one,
            Self::Few(few) => few.contains(&value),
            Self::Many(many) => many.contains(&value.key()),
        }
    }

    /// Tells whether a number between two bounds could pass.
    pub fn may_contain(&self, min: T, max: T) -> bool {
        match self {
            Self::Range(low, high) => max >= *low && min <= *high,
            Self::One(one) => min <= *one && *one <= max,
            Self::Few(few) => few.iter().any(|member| min <= *member && *member <= max),
            Self::Many(_) => true,
        }
    }

    /// Tells for each value whether it passes. The values are widened by `widen`.
    pub fn evaluate<N: Copy>(&self, values: &[N], widen: impl Fn(N) -> T) -> BooleanBuffer {
        match self {
            Self::Range(low, high) => scan(values, |value| {
                let value = widen(value);
                value >= *low && value <= *high
            }),
            Self::One(one) => scan(values, |value| widen(value) == *one),
            Self::Few(few) => scan(values, |value| {
                let value = widen(value);
                few.iter()
                    .fold(false, |found, member| found | (value == *member))
            }),
            Self::Many(many) => scan(values, |value| many.contains(&widen(value).key())),
        }
    }
}

fn scan<N: Copy>(values: &[N], passes: impl Fn(N) -> bool) -> BooleanBuffer {
    BooleanBuffer::collect_bool(values.len(), |row| passes(values[row]))
}
