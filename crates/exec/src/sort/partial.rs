//! The first rows of one morsel, on their way to those of all.

use arrow_array::{ArrayRef, BooleanArray};
use arrow_row::Rows;
use arrow_select::filter::filter;

use super::{Bars, Candidate, Leaders, Order, Ties};
use crate::{
    error::Error,
    plan::{SortKey, operand::Nulls},
    run::scan::{Collector, Matched, Wanted},
};

/// Rows that may be among the first, of one morsel.
pub struct TopPartial<'q, 'p> {
    sort: &'p [SortKey],
    nulls: Nulls,
    order: Order,
    morsel: usize,
    limit: usize,
    leaders: &'q Leaders<'p>,
}

impl<'q, 'p> TopPartial<'q, 'p> {
    /// Starts without rows.
    ///
    /// # Errors
    /// [`Error::Validation`] when a key is of a type that has no order.
    pub fn try_new(
        (sort, nulls): (&'p [SortKey], Nulls),
        morsel: usize,
        limit: usize,
        leaders: &'q Leaders<'p>,
    ) -> Result<Self, Error> {
        let order = Order::try_new(sort)?;
        Ok(Self {
            sort,
            nulls,
            order,
            morsel,
            limit,
            leaders,
        })
    }

    /// Returns which rows are the first of some, and those equal to the last if they are kept.
    fn first(&self, rows: &Rows) -> Vec<usize> {
        let mut all: Vec<usize> = (0..rows.num_rows()).collect();
        let Some(last) = self.limit.checked_sub(1).filter(|last| *last < all.len()) else {
            return all;
        };
        let by_key = |a: &usize, b: &usize| rows.row(*a).cmp(&rows.row(*b)).then(a.cmp(b));
        let (_, last, others) = all.select_nth_unstable_by(last, by_key);
        let is_tied =
            |at: &&usize| self.leaders.ties() == Ties::Keep && rows.row(**at) == rows.row(*last);
        let tied: Vec<usize> = others.iter().filter(is_tied).copied().collect();
        all.truncate(self.limit);
        all.extend(tied);
        all
    }

    /// Leaves rows out that the first key alone puts behind.
    fn hopeful(
        &self,
        matched: &Matched,
        keys: Vec<ArrayRef>,
        positions: Vec<u32>,
    ) -> Result<(Vec<ArrayRef>, Vec<u32>), Error> {
        let bars = self.leaders.bars(self.morsel);
        let Some(bar) = bars.of_rows.or(bars.proven) else {
            return Ok((keys, positions));
        };
        let passed = bar.of(self.morsel).evaluate(&matched.batch)?.trues;
        if passed.is_all() {
            return Ok((keys, positions));
        }
        let predicate = BooleanArray::new(passed.bits().clone(), None);
        let kept = keys.iter().map(|key| filter(key, &predicate));
        let kept = kept.collect::<Result<_, _>>();
        let kept = kept.map_err(|error| Error::Internal(error.to_string()))?;
        let indices = passed.bits().set_indices();
        let positions = indices.filter_map(|at| positions.get(at).copied());
        Ok((kept, positions.collect()))
    }
}

impl Collector for TopPartial<'_, '_> {
    fn collect(&mut self, matched: &Matched) -> Result<usize, Error> {
        let batch = &matched.batch;
        let keys = self
            .sort
            .iter()
            .map(|key| key.operand.evaluate(batch, self.nulls));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let (keys, positions) = self.hopeful(matched, keys, matched.positions())?;
        if positions.is_empty() {
            return Ok(batch.row_count);
        }
        let rows = self.order.rows(&keys)?;
        let candidate = |at: usize| {
            let (key, morsel) = (rows.row(at).as_ref().into(), self.morsel);
            let row = positions.get(at).copied()?;
            Some(Candidate { key, morsel, row })
        };
        let first = self.first(&rows);
        self.leaders
            .add(first.into_iter().filter_map(candidate).collect())?;
        Ok(batch.row_count)
    }

    fn wanted(&self) -> Wanted {
        match self.leaders.is_tied() {
            true => Wanted::Nothing,
            false => Wanted::All,
        }
    }

    fn bars(&self) -> Bars {
        self.leaders.bars(self.morsel)
    }
}
