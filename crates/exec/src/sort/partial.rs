//! The first rows of one morsel, on their way to those of all.

use arrow_array::{ArrayRef, BooleanArray};
use arrow_select::filter::filter;

use super::{Bars, Candidate, Leaders, Order, Top};
use crate::{
    error::Error,
    plan::{SortKey, operand::Nulls},
    run::{
        MemoryBudget,
        scan::{Collector, Matched, Wanted},
    },
};

/// Rows that may be among the first, of one morsel.
pub struct TopPartial<'q, 'p> {
    sort: &'p [SortKey],
    nulls: Nulls,
    order: Order,
    morsel: usize,
    top: Top,
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
        budget: &MemoryBudget,
        leaders: &'q Leaders<'p>,
    ) -> Result<Self, Error> {
        let order = Order::try_new(sort)?;
        let top = Top::new(limit, leaders.ties(), budget);
        Ok(Self {
            sort,
            nulls,
            order,
            morsel,
            top,
            leaders,
        })
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
        for (key, &row) in rows.iter().zip(&positions) {
            if !self.top.excludes(key.as_ref()) {
                let candidate = Candidate {
                    key: key.as_ref().into(),
                    morsel: self.morsel,
                    row,
                };
                self.top.push(candidate)?;
            }
        }
        self.top.last();
        self.leaders.add(self.top.take())?;
        Ok(batch.row_count)
    }

    fn wanted(&self) -> Wanted {
        if self.leaders.is_tied() {
            return Wanted::Nothing;
        }
        // Until there is a bar, a few rows to make one of.
        let bars = self.leaders.bars(self.morsel);
        match bars.slot.is_some() && bars.of_rows.is_none() {
            true => Wanted::More,
            false => Wanted::All,
        }
    }

    fn bars(&self) -> Bars {
        self.leaders.bars(self.morsel)
    }
}
