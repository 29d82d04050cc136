//! The first rows of an order that all workers of a query have found so far.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{
    Candidate, Order, Ties, Top,
    bar::{BarKey, Bars},
};
use crate::{
    error::Error,
    expr::convert::value::value_at,
    plan::{SortKey, operand::Nulls},
    run::MemoryBudget,
};

/// The first rows found so far, and what further ones need.
///
/// Rows with equal keys come in row order, so the rows left in the end do not depend on which worker
/// was first.
#[derive(Debug)]
pub struct Leaders<'p> {
    key: Option<BarKey<'p>>,
    order: Order,
    limit: usize,
    ties: Ties,
    shared: Mutex<Shared>,
}

#[derive(Debug)]
struct Shared {
    top: Top,
    bars: Bars,
    /// Rows at which the bar is worth another look.
    look_at: usize,
    /// Whether more rows were equal than are kept: workers have left rows out since.
    is_tied: bool,
}

/// Rows equal to the last of the first ones that are kept for another key to choose among them.
const MOST_TIES: usize = 1024;

impl<'p> Leaders<'p> {
    /// Starts without rows.
    ///
    /// # Errors
    /// [`Error::Validation`] when a key is of a type that has no order.
    pub fn try_new(
        sort: &'p [SortKey],
        nulls: Nulls,
        limit: usize,
        ties: Ties,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        // What is computed may fail: then it is computed for every row.
        let is_bare = |key: &SortKey| key.operand.bare_slot().is_some();
        let key = sort.first().filter(|_| sort.iter().all(is_bare));
        let bars = Bars {
            slot: key.and_then(|key| key.operand.bare_slot()),
            ..Bars::default()
        };
        let top = Top::new(limit, ties, budget);
        Ok(Self {
            key: key.map(|key| BarKey {
                key,
                nulls,
                has_more: sort.len() > 1 || ties == Ties::Keep,
            }),
            order: Order::try_new(sort)?,
            limit,
            ties,
            shared: Mutex::new(Shared {
                top,
                bars,
                look_at: limit,
                is_tied: false,
            }),
        })
    }

    /// Returns the key that bars are of, if there can be any.
    pub fn key(&self) -> Option<&BarKey<'p>> {
        self.key.as_ref()
    }

    /// Returns what becomes of rows that are equal.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// Returns what further rows of a morsel need.
    pub fn bars(&self, morsel: usize) -> Bars {
        Bars {
            morsel,
            ..self.shared().bars.clone()
        }
    }

    /// Takes in what statistics prove, unless they have proven something before.
    pub fn set_proven(&self, bar: super::Bar) {
        let mut shared = self.shared();
        shared.bars.proven.get_or_insert_with(|| Arc::new(bar));
    }

    /// Adds rows.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for them.
    pub fn add(&self, candidates: Vec<Candidate>) -> Result<(), Error> {
        if candidates.is_empty() {
            return Ok(());
        }
        let mut shared = self.shared();
        candidates
            .into_iter()
            .try_for_each(|candidate| shared.top.push(candidate))?;
        let Some(key) = &self.key else { return Ok(()) };
        if shared.top.held() < shared.look_at {
            return Ok(());
        }
        let Some(last) = shared.top.last() else {
            return Ok(());
        };
        let value = self.order.first_value(&last.key)?;
        let data_type = key.key.operand.column_type().data_type;
        let bar = key.bar(value_at(&value, 0, data_type).as_ref(), Some(last.morsel));
        shared.bars.of_rows = bar.map(Arc::new);
        // Every row that is added may lower the bar, but the look takes as long as there are rows.
        shared.look_at = shared.top.held().saturating_add(1 + self.limit / 8);
        Ok(())
    }

    /// Tells whether more rows are equal than can be kept for another key.
    pub fn is_tied(&self) -> bool {
        let most = self.limit.saturating_mul(2).saturating_add(MOST_TIES);
        let mut shared = self.shared();
        // For good, as whoever is told so looks no further.
        shared.is_tied |= self.ties == Ties::Keep && shared.top.held() > most;
        shared.is_tied
    }

    /// Returns the first rows in order, and those equal to the last if they are kept.
    pub fn finish(self) -> Vec<Candidate> {
        let shared = self.shared.into_inner();
        shared.unwrap_or_else(PoisonError::into_inner).top.finish()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_told_of_ties_is_never_told_otherwise() -> Result<(), Error> {
        let budget = MemoryBudget::new(1 << 20);
        let leaders = Leaders::try_new(&[], Nulls::Keep, 1, Ties::Keep, &budget)?;
        let candidate = |key: u8, row| Candidate {
            key: Box::from([key].as_slice()),
            morsel: 0,
            row,
        };
        leaders.add((0..2000).map(|row| candidate(5, row)).collect())?;
        assert!(leaders.is_tied());
        leaders.add((2000..2010).map(|row| candidate(3, row)).collect())?;
        leaders.shared().top.last();
        assert!(leaders.is_tied());
        Ok(())
    }
}
