//! Three-valued logic on sets of rows.

use super::Mask;

/// For which rows a predicate is true, and for which it is null; for all others it is false.
#[derive(Debug, Clone)]
pub struct Truth {
    /// Rows where it is true.
    pub trues: Mask,
    /// Rows where it is null; disjoint from `trues`.
    pub nulls: Mask,
}

impl Truth {
    /// Makes a predicate that is false everywhere.
    pub fn never(len: usize) -> Self {
        Self {
            trues: Mask::none(len),
            nulls: Mask::none(len),
        }
    }

    /// Makes a predicate that is true for some rows and false for all others.
    pub fn of(trues: Mask) -> Self {
        let nulls = Mask::none(trues.len());
        Self { trues, nulls }
    }

    /// Returns rows where it is not false.
    pub fn possible(&self) -> Mask {
        self.trues.or(&self.nulls)
    }

    /// Returns the negation within the rows it was asked for.
    #[must_use]
    pub fn not(&self, asked: &Mask) -> Self {
        let trues = asked.without(&self.possible());
        Self {
            trues,
            nulls: self.nulls.clone(),
        }
    }

    /// Returns the part within some rows.
    #[must_use]
    pub fn within(&self, rows: &Mask) -> Self {
        Self {
            trues: self.trues.and(rows),
            nulls: self.nulls.and(rows),
        }
    }
}
