//! The conditions of a `JSON_MATCH` filter, joined.

use super::condition::Condition;

/// Most conditions of a filter: which of them hold fits a word.
pub(crate) const MAX_CONDITIONS: usize = 64;

/// A filter: conditions, each with its number, and how they are joined.
#[derive(Debug, Clone)]
pub(crate) struct Formula {
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// How they are joined.
    pub root: Joined,
    /// Whether it matches the documents that it does not hold for: `IS NULL`.
    pub is_missing: bool,
}

/// Conditions joined. It holds for more conditions whenever it holds for some.
#[derive(Debug, Clone)]
pub(crate) enum Joined {
    /// The condition of this number.
    Condition(usize),
    /// All of some.
    And(Vec<Joined>),
    /// Any of some.
    Or(Vec<Joined>),
}

impl Joined {
    /// Tells whether it holds where just these conditions do, one a bit.
    pub fn holds(&self, conditions: u64) -> bool {
        match self {
            Self::Condition(number) => conditions >> number & 1 == 1,
            Self::And(parts) => parts.iter().all(|part| part.holds(conditions)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(conditions)),
        }
    }

    /// Returns the conditions in it, one a bit.
    pub fn members(&self) -> u64 {
        match self {
            Self::Condition(number) => 1 << number,
            Self::And(parts) | Self::Or(parts) => {
                parts.iter().fold(0, |all, part| all | part.members())
            }
        }
    }
}
