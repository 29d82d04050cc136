//! A filter on a whole segment, answered by indexes alone.

use growler_index::RowSet;
use roaring::RoaringBitmap;

use super::{Answer, Lookups, answer::HELD};
use crate::{
    error::Error,
    filter::{Filter, Leaf},
    run::{Charge, Context},
};

/// Where a filter is true and where it is null in a segment.
struct Sets {
    trues: RowSet,
    nulls: RowSet,
    _held: Charge,
}

/// A filter on a whole segment.
struct WholeFilter<'l> {
    lookups: &'l Lookups,
    row_count: u32,
    context: &'l Context,
}

impl Lookups {
    /// Returns how many rows of a segment of `row_count` rows pass a filter that indexes answer, without
    /// those that are gone; none when one of them turns out to be damaged, or leaves rows to a scan.
    ///
    /// # Errors
    /// The query's limits.
    pub fn count(
        &self,
        filter: &Filter,
        row_count: u32,
        deleted: Option<&RoaringBitmap>,
        context: &Context,
    ) -> Result<Option<u64>, Error> {
        if let (Filter::Leaf(leaf), None) = (filter, deleted) {
            let counted = self.answer(leaf).and_then(Answer::count);
            if counted.is_some() {
                return Ok(counted);
            }
        }
        let whole = WholeFilter {
            lookups: self,
            row_count,
            context,
        };
        let sets = whole.sets(filter, false)?;
        Ok(sets.map(|sets| {
            let is_true = |row: &u32| sets.trues.contains(*row);
            let gone = deleted.map_or(0, |rows| rows.iter().filter(is_true).count());
            sets.trues.len().saturating_sub(gone as u64)
        }))
    }
}

impl WholeFilter<'_> {
    /// Returns the two sets of a filter. Nulls are left out when they do not matter.
    fn sets(&self, filter: &Filter, with_nulls: bool) -> Result<Option<Sets>, Error> {
        self.context.check()?;
        match filter {
            Filter::Constant(value) => self.constant(*value).map(Some),
            Filter::Leaf(leaf) => self.leaf(leaf, with_nulls),
            Filter::And(children) => self.and(children, with_nulls),
            Filter::Or(children) => self.or(children, with_nulls),
            Filter::Not(child) => {
                let Some(Sets { trues, nulls, .. }) = self.sets(child, true)? else {
                    return Ok(None);
                };
                let trues = trues.or(&nulls).complement(self.row_count);
                self.held(trues, nulls).map(Some)
            }
        }
    }

    fn held(&self, trues: RowSet, nulls: RowSet) -> Result<Sets, Error> {
        let mut held = self.context.budget.charge(HELD);
        held.set(trues.held_bytes().saturating_add(nulls.held_bytes()))?;
        Ok(Sets {
            trues,
            nulls,
            _held: held,
        })
    }

    fn constant(&self, value: Option<bool>) -> Result<Sets, Error> {
        let set = |all: bool| match all {
            true => RowSet::of_range(0..self.row_count),
            false => RowSet::new(),
        };
        self.held(set(value == Some(true)), set(value.is_none()))
    }

    fn leaf(&self, leaf: &Leaf, with_nulls: bool) -> Result<Option<Sets>, Error> {
        let Some(answer) = self.lookups.answer(leaf) else {
            return Ok(None);
        };
        let Some(trues) = answer.trues(self.context)? else {
            return Ok(None);
        };
        let nulls = match with_nulls {
            true => match answer.nulls(self.context)? {
                Some(nulls) => nulls.clone(),
                None => return Ok(None),
            },
            false => RowSet::new(),
        };
        self.held(trues.clone(), nulls).map(Some)
    }

    fn all(&self, children: &[Filter], with_nulls: bool) -> Result<Option<Vec<Sets>>, Error> {
        let sets = children.iter().map(|child| self.sets(child, with_nulls));
        // The first error or the first filter without sets ends it.
        sets.map(Result::transpose)
            .collect::<Option<Result<_, _>>>()
            .transpose()
    }

    /// Joins the sets of conjuncts, the smallest first.
    fn and(&self, children: &[Filter], with_nulls: bool) -> Result<Option<Sets>, Error> {
        let Some(mut sets) = self.all(children, with_nulls)? else {
            return Ok(None);
        };
        sets.sort_by_key(|child| child.trues.len());
        let mut sets = sets.into_iter();
        let Some(mut joined) = sets.next() else {
            return self.constant(Some(true)).map(Some);
        };
        for child in sets {
            let trues = joined.trues.and(&child.trues);
            let nulls = if joined.nulls.is_empty() && child.nulls.is_empty() {
                RowSet::new()
            } else {
                let possible = joined.trues.or(&joined.nulls);
                let possible = possible.and(&child.trues.or(&child.nulls));
                possible.without(&trues)
            };
            joined = self.held(trues, nulls)?;
        }
        Ok(Some(joined))
    }

    fn or(&self, children: &[Filter], with_nulls: bool) -> Result<Option<Sets>, Error> {
        let Some(sets) = self.all(children, with_nulls)? else {
            return Ok(None);
        };
        let mut joined = self.constant(Some(false))?;
        for child in sets {
            let trues = joined.trues.or(&child.trues);
            joined = self.held(trues, joined.nulls.or(&child.nulls))?;
        }
        let nulls = joined.nulls.without(&joined.trues);
        self.held(joined.trues, nulls).map(Some)
    }
}
