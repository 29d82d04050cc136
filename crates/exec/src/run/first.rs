//! The first rows of an order: found by their sort keys, then read.

use super::{
    Flow,
    barred::{may_wait, reads_later_keys_last},
    fetch::{Chosen, Place, Shown},
    morsel::Morsel,
    query::{Columns, FILES_AT_ONCE, Runner, taken},
};
use crate::{
    error::Error,
    plan::{Plan, SortKey, physical::Selected},
    response::QueryStatistics,
    sort::{Candidate, Leaders, Order, Ties, TopPartial, promise::prepare},
};

/// Most rows of an answer that are found by their first key alone, to read other keys of no others.
const BY_ONE_KEY: usize = 4096;

/// An order, and what is shown of its first rows.
#[derive(Clone, Copy)]
struct Sorting<'q> {
    plan: &'q Plan,
    select: &'q [Selected],
    sort: &'q [SortKey],
    /// What is read of rows to compare them.
    slots: &'q [usize],
}

/// The first rows, and where they are.
struct Found<'q> {
    leaders: Leaders<'q>,
    places: Vec<Place>,
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
        let slots = plan.projected.as_slice();
        let sorting = Sorting {
            plan,
            select,
            sort,
            slots,
        };
        let leaders = Leaders::try_new(
            sort,
            plan.nulls,
            plan.wanted(),
            Ties::Cut,
            &self.context.budget,
        )?;
        let mut found = Found {
            leaders,
            places: Vec::new(),
        };
        // What is bound once and for all need not be bound again.
        let keep = segments.len() <= FILES_AT_ONCE;
        for segments in segments.chunks(FILES_AT_ONCE) {
            let morsels = self.morsels(plan, segments, statistics)?;
            let by_one = match keep {
                true => self.by_first_key(sorting, &morsels, statistics)?,
                false => None,
            };
            if let Some(columns) = by_one {
                return Ok(columns);
            }
            self.look(sorting, &morsels, &mut found, statistics)?;
            let places = morsels.iter().map(|morsel| Place::of(morsel, keep));
            found.places.extend(places);
        }
        let rows = self.context.times.reduce(|| found.leaders.finish());
        let rows = rows.get(plan.offset..).unwrap_or_default();
        let places = found.places.as_slice();
        self.fetch(plan, &shown(select), &Chosen { places, rows }, statistics)
    }

    /// Looks for the first rows among some more.
    fn look(
        &self,
        sorting: Sorting<'_>,
        morsels: &[Morsel],
        found: &mut Found<'_>,
        statistics: &mut QueryStatistics,
    ) -> Result<(), Error> {
        let (sort, plan, slots) = (sorting.sort, sorting.plan, sorting.slots);
        let (wanted, budget) = (plan.wanted(), &self.context.budget);
        let (leaders, before) = (&found.leaders, found.places.len());
        let bars = leaders.bars(0);
        // Another order than theirs only where no error can depend on it.
        let may_wait = |morsel: &Morsel| may_wait(morsel, &plan.filter, slots, &bars);
        let order = match morsels.iter().all(may_wait) {
            true => prepare(leaders, sort, morsels, wanted)?,
            false => (0..morsels.len()).collect(),
        };
        let of = (sort, plan.nulls);
        let partial = |idx| TopPartial::try_new(of, before + idx, wanted, budget, leaders);
        let all = (morsels, order.as_slice());
        self.scan_all((plan, slots), all, statistics, partial, |_, _, _| {
            Ok(Flow::Continue)
        })
    }

    /// Finds the first rows by their first key, and reads the others of these alone; none when too many
    /// rows are equal in it, or other keys are to be read of all rows.
    fn by_first_key(
        &self,
        sorting: Sorting<'_>,
        morsels: &[Morsel],
        statistics: &mut QueryStatistics,
    ) -> Result<Option<Columns>, Error> {
        let plan = sorting.plan;
        let is_bare = |key: &SortKey| key.operand.bare_slot().is_some();
        let slot = match sorting.sort {
            [first, _, ..] => first.operand.bare_slot(),
            _ => None,
        };
        let Some(slot) = slot else { return Ok(None) };
        let may_wait = |morsel| reads_later_keys_last(morsel, slot, sorting.slots);
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
            sort: sorting.sort.get(..1).unwrap_or_default(),
            slots: &[slot],
            ..sorting
        };
        let budget = &self.context.budget;
        let (wanted, sort) = (plan.wanted(), by_first.sort);
        let mut found = Found {
            leaders: Leaders::try_new(sort, plan.nulls, wanted, Ties::Keep, budget)?,
            places: Vec::new(),
        };
        aside.look(by_first, morsels, &mut found, &mut counted)?;
        if found.leaders.is_tied() {
            return Ok(None);
        }
        *statistics = counted;
        let row_count: usize = morsels.iter().map(|morsel| morsel.rows.len()).sum();
        self.context.progress.add_done(row_count as u64);
        let places = morsels.iter().map(|morsel| Place::of(morsel, true));
        let places: Vec<Place> = places.collect();
        let rows = found.leaders.finish();
        let (rows, places) = (rows.as_slice(), places.as_slice());
        self.chosen(sorting, Chosen { places, rows }, statistics)
            .map(Some)
    }

    /// Reads rows that all first ones are among, in the order of the first key.
    fn chosen(
        &self,
        sorting: Sorting<'_>,
        among: Chosen<'_>,
        statistics: &mut QueryStatistics,
    ) -> Result<Columns, Error> {
        let (plan, places) = (sorting.plan, among.places);
        let keys = sorting.sort.iter();
        let mut items: Vec<Shown<'_>> = keys.map(|key| (&key.operand, plan.nulls)).collect();
        let key_count = items.len();
        // A few rows too many cost less than reading pages twice.
        let at_once = among.rows.len() <= plan.wanted().saturating_mul(2);
        if at_once {
            items.extend(shown(sorting.select));
        }
        let (columns, _) = self.fetch(plan, &items, &among, statistics)?;
        let (keys, columns) = columns.split_at(key_count.min(columns.len()));
        let sorted = Order::try_new(sorting.sort)?.sorted(keys)?;
        let wanted = plan.offset.min(sorted.len())..plan.wanted().min(sorted.len());
        let positions = sorted.get(wanted).unwrap_or_default().to_vec();
        if at_once {
            let row_count = positions.len();
            return Ok((taken(columns, positions)?, row_count));
        }
        let row = |position: &u32| among.rows.get(*position as usize).cloned();
        let rows: Vec<Candidate> = positions.iter().filter_map(row).collect();
        let rows = rows.as_slice();
        let items = shown(sorting.select);
        self.fetch(plan, &items, &Chosen { places, rows }, statistics)
    }
}

fn shown(select: &[Selected]) -> Vec<Shown<'_>> {
    let items = select.iter();
    items.map(|item| (&item.operand, item.nulls)).collect()
}
