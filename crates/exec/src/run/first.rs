//! The first rows of an order: found by their sort keys, then read.

use super::{
    Flow,
    barred::{may_wait, reads_later_keys_last},
    fetch::{Chosen, Shown},
    morsel::Morsel,
    query::{Columns, Runner, taken},
};
use crate::{
    error::Error,
    plan::{Plan, SortKey, physical::Selected},
    response::QueryStatistics,
    sort::{Candidate, Leaders, Order, Ties, TopPartial, promise::prepare},
};

/// Most rows of an answer that are found by their first key alone, to read other keys of no others.
const BY_ONE_KEY: usize = 4096;

/// An order, and the rows that are in it.
#[derive(Clone, Copy)]
struct Sorting<'q> {
    plan: &'q Plan,
    select: &'q [Selected],
    sort: &'q [SortKey],
    morsels: &'q [Morsel],
}

impl Runner<'_> {
    /// Finds and reads the first rows.
    pub(super) fn sort(
        &self,
        plan: &Plan,
        select: &[Selected],
        sort: &[SortKey],
        statistics: &mut QueryStatistics,
    ) -> Result<Columns, Error> {
        let segments = self.counted(plan, statistics);
        let morsels = &*self.morsels(plan, &segments, statistics)?;
        let sorting = Sorting {
            plan,
            select,
            sort,
            morsels,
        };
        if let Some(columns) = self.by_first_key(sorting, statistics)? {
            return Ok(columns);
        }
        let rows = self.leaders(sorting, Ties::Cut, &plan.projected, statistics)?;
        let rows = self.context.times.reduce(|| rows.finish());
        let rows = rows.get(plan.offset..).unwrap_or_default();
        self.fetch(&shown(select), &Chosen { morsels, rows }, statistics)
    }

    /// Looks for the first rows among all of them.
    fn leaders<'q>(
        &self,
        sorting: Sorting<'q>,
        ties: Ties,
        slots: &[usize],
        statistics: &mut QueryStatistics,
    ) -> Result<Leaders<'q>, Error> {
        let (sort, plan, morsels) = (sorting.sort, sorting.plan, sorting.morsels);
        let (wanted, budget) = (plan.wanted(), &self.context.budget);
        let leaders = Leaders::try_new(sort, plan.nulls, wanted, ties, budget)?;
        let bars = leaders.bars(0);
        // Another order than theirs only where no error can depend on it.
        let may_wait = |morsel: &Morsel| may_wait(morsel, &plan.filter, slots, &bars);
        let order = match morsels.iter().all(may_wait) {
            true => prepare(&leaders, sort, morsels, wanted)?,
            false => (0..morsels.len()).collect(),
        };
        let of = (sort, plan.nulls);
        let partial = |morsel| TopPartial::try_new(of, morsel, wanted, budget, &leaders);
        let all = (morsels, order.as_slice());
        self.scan_all((plan, slots), all, statistics, partial, |_, _, _| {
            Ok(Flow::Continue)
        })?;
        Ok(leaders)
    }

    /// Finds the first rows by their first key, and reads the others of these alone; none when too many
    /// rows are equal in it, or other keys are to be read of all rows.
    fn by_first_key(
        &self,
        sorting: Sorting<'_>,
        statistics: &mut QueryStatistics,
    ) -> Result<Option<Columns>, Error> {
        let (plan, morsels) = (sorting.plan, sorting.morsels);
        let is_bare = |key: &SortKey| key.operand.bare_slot().is_some();
        let [first, _, ..] = sorting.sort else {
            return Ok(None);
        };
        let Some(slot) = first.operand.bare_slot() else {
            return Ok(None);
        };
        let may_wait = |morsel| reads_later_keys_last(morsel, slot, &plan.projected);
        if plan.wanted() > BY_ONE_KEY
            || !sorting.sort.iter().all(is_bare)
            || !morsels.iter().all(may_wait)
        {
            return Ok(None);
        }
        // Nobody is to see this when it turns out to be of no use.
        let (context, mut counted) = (self.context.aside(), statistics.clone());
        let aside = Runner {
            context: &context,
            ..*self
        };
        let by_first = Sorting {
            sort: std::slice::from_ref(first),
            ..sorting
        };
        let leaders = aside.leaders(by_first, Ties::Keep, &[slot], &mut counted)?;
        if leaders.is_tied() {
            return Ok(None);
        }
        *statistics = counted;
        let row_count: usize = morsels.iter().map(|morsel| morsel.rows.len()).sum();
        self.context.progress.add_done(row_count as u64);
        self.chosen(sorting, &leaders.finish(), statistics)
            .map(Some)
    }

    /// Reads rows that all first ones are among, in the order of the first key.
    fn chosen(
        &self,
        sorting: Sorting<'_>,
        rows: &[Candidate],
        statistics: &mut QueryStatistics,
    ) -> Result<Columns, Error> {
        let (plan, morsels) = (sorting.plan, sorting.morsels);
        let keys = sorting.sort.iter();
        let mut items: Vec<Shown<'_>> = keys.map(|key| (&key.operand, plan.nulls)).collect();
        let key_count = items.len();
        // A few rows too many cost less than reading pages twice.
        let at_once = rows.len() <= plan.wanted().saturating_mul(2);
        if at_once {
            items.extend(shown(sorting.select));
        }
        let (columns, _) = self.fetch(&items, &Chosen { morsels, rows }, statistics)?;
        let (keys, columns) = columns.split_at(key_count.min(columns.len()));
        let sorted = Order::try_new(sorting.sort)?.sorted(keys)?;
        let wanted = plan.offset.min(sorted.len())..plan.wanted().min(sorted.len());
        let positions = sorted.get(wanted).unwrap_or_default().to_vec();
        if at_once {
            let row_count = positions.len();
            return Ok((taken(columns, positions)?, row_count));
        }
        let row = |position: &u32| rows.get(*position as usize).cloned();
        let rows: Vec<Candidate> = positions.iter().filter_map(row).collect();
        let rows = rows.as_slice();
        self.fetch(
            &shown(sorting.select),
            &Chosen { morsels, rows },
            statistics,
        )
    }
}

fn shown(select: &[Selected]) -> Vec<Shown<'_>> {
    let items = select.iter();
    items.map(|item| (&item.operand, item.nulls)).collect()
}
