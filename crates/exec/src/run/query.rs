//! One query from its plan to its answer.

use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_select::take::take;
use growler_base::Interrupt;
use growler_segment::NonObjectRoot;
use rayon::{
    ThreadPool,
    iter::{IntoParallelRefIterator, ParallelIterator},
};
use std::sync::Arc;

use super::{
    Context, Flow, Window,
    fetch::{Chosen, Place},
    fold_in_order,
    morsel::{Morsel, Morsels, cut, morsels},
    scan::{Collector, Counters, scan},
};
use crate::{
    aggregate::Assigned,
    error::Error,
    group::GroupPartial,
    lookup::{Asking, SkipIndexes},
    plan::{BoundSegment, Grouping, Plan, Shape, SortKey, physical::Selected},
    prune::Question,
    response::{QueryStatistics, ResultTable},
    select::{Pieces, SelectPartial},
    sort::{Order, Top, TopPartial},
    table::View,
};

/// Files that a query has bound at once: what it holds does not grow with the table, and where a few
/// of them may be enough the others stay closed.
const FILES_AT_ONCE: usize = 64;

/// What a query runs with.
#[derive(Debug, Clone, Copy)]
pub struct Runner<'q> {
    /// The table.
    pub view: &'q View,
    /// Where morsels run.
    pub pool: &'q ThreadPool,
    /// Limits.
    pub context: &'q Context,
    /// Most morsels under way.
    pub window: Window,
    /// Indexes that are not to be used.
    pub skip_indexes: &'q SkipIndexes,
    /// How rows whose VARIANT root is no object read.
    pub root: NonObjectRoot,
    /// What `$hostName` shows.
    pub host_name: &'q str,
    /// Most groups.
    pub group_limit: usize,
    /// Most rows DISTINCT looks at.
    pub distinct_rows: Option<u64>,
}

/// Rows and what was read for them.
#[derive(Debug)]
pub struct Answer {
    /// The rows.
    pub table: ResultTable,
    /// What was read.
    pub statistics: QueryStatistics,
}

/// Columns of the result, and how many rows they have.
pub(super) type Columns = (Vec<ArrayRef>, usize);

impl Runner<'_> {
    /// Runs a plan.
    ///
    /// # Errors
    /// [`Error::Execution`] when a value cannot be read or processed, and the query's limits.
    pub fn run(&self, plan: &Plan) -> Result<Answer, Error> {
        let times = &self.context.times;
        let mut answer = times.cpu(|| self.answer(plan))?;
        answer.statistics.thread_cpu_time_ns = times.cpu_ns();
        answer.statistics.broker_reduce_time_ms = times.reduce_ms();
        Ok(answer)
    }

    fn answer(&self, plan: &Plan) -> Result<Answer, Error> {
        let mut statistics = self.statistics();
        let (columns, row_count) = match &plan.shape {
            _ if plan.limit == 0 => (Vec::new(), 0),
            Shape::Group(grouping) => self.group(plan, grouping, &mut statistics)?,
            Shape::Select { select, sort } if sort.is_empty() => {
                self.select(plan, select, &mut statistics)?
            }
            Shape::Select { select, sort } => self.sort(plan, select, sort, &mut statistics)?,
        };
        let (names, types) = (plan.names.clone(), plan.types.clone());
        let columns = if plan.limit == 0 {
            empty(plan)
        } else {
            columns
        };
        let mut table = ResultTable::try_new(names, types, columns)?;
        table.row_count = row_count;
        Ok(Answer { table, statistics })
    }

    fn statistics(&self) -> QueryStatistics {
        let segment_count = self.view.segments().len() as u64;
        QueryStatistics {
            total_docs: self.view.row_count(),
            num_segments_queried: segment_count,
            ..QueryStatistics::default()
        }
    }

    /// Binds a segment to a plan and asks its indexes.
    ///
    /// # Errors
    /// [`Error::Execution`] when the file does not have a column in a form that can be read, and the
    /// query's limits.
    pub(super) fn bind(&self, plan: &Plan, idx: usize) -> Result<BoundSegment, Error> {
        let asking = Asking {
            slots: &plan.slots,
            filter: &plan.filter,
            skip: self.skip_indexes,
            context: self.context,
        };
        let bound = self.bind_unasked(plan, idx)?;
        bound.with_lookups(&asking, self.view.indexes(idx))
    }

    /// Binds a segment to a plan, to read rows that are known already.
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub(super) fn bind_unasked(&self, plan: &Plan, idx: usize) -> Result<BoundSegment, Error> {
        self.context.check()?;
        let segment = self.view.segments().get(idx);
        let segment = segment.ok_or_else(|| Error::Internal("no such segment".to_owned()))?;
        let opened = segment.opened()?;
        // Several are open at once. What is open anyway costs this query nothing.
        let mut open = None;
        if !segment.is_open() {
            let charge = open.insert(self.context.budget.charge("open files"));
            charge.set(opened.memory_bytes())?;
        }
        let bound = BoundSegment::try_new(&opened, &plan.slots, self.root, self.host_name)?;
        let bound = bound.with_open(open);
        Ok(bound.without_rows(self.view.deleted_rows(idx).cloned()))
    }

    /// Returns the segments that may have rows for a plan, as far as is known without opening them.
    pub(super) fn candidates(&self, plan: &Plan) -> Vec<usize> {
        let count = self.view.segments().len();
        let matching = self.view.pruner().and_then(|pruner| {
            let question = Question::of(&plan.filter, &plan.slots);
            match question.is_anything() {
                true => None,
                false => pruner.matching(&question),
            }
        });
        match matching {
            Some(matching) => {
                let matching = matching.iter().map(|idx| idx as usize);
                matching.filter(|idx| *idx < count).collect()
            }
            None => (0..count).collect(),
        }
    }

    /// Lists the candidates and counts the others as pruned.
    fn counted(&self, plan: &Plan, statistics: &mut QueryStatistics) -> Vec<usize> {
        let segments = self.candidates(plan);
        let all = statistics.num_segments_queried;
        add_pruned(statistics, all.saturating_sub(segments.len() as u64));
        segments
    }

    /// Binds segments to a plan: in parallel when there are indexes to ask.
    fn bind_all(
        &self,
        plan: &Plan,
        segments: &[usize],
    ) -> Result<Vec<(usize, Arc<BoundSegment>)>, Error> {
        let bind = |idx: usize| Ok((idx, Arc::new(self.bind(plan, idx)?)));
        let mut indexed = segments
            .iter()
            .filter(|idx| self.view.indexes(**idx).is_some());
        if indexed.nth(1).is_none() || self.pool.current_num_threads() < 2 {
            return segments.iter().copied().map(bind).collect();
        }
        let (times, interrupt) = (&self.context.times, &Interrupt::current());
        let bind = |idx: usize| Interrupt::within(interrupt.as_ref(), || times.cpu(|| bind(idx)));
        self.pool
            .install(|| segments.par_iter().copied().map(bind).collect())
    }

    /// Lists the morsels of segments and counts what was pruned.
    fn morsels(
        &self,
        plan: &Plan,
        segments: &[usize],
        statistics: &mut QueryStatistics,
    ) -> Result<Vec<Morsel>, Error> {
        let Morsels {
            morsels,
            processed_segment_count,
        } = morsels(plan, self.bind_all(plan, segments)?, self.context)?;
        statistics.num_segments_processed += processed_segment_count as u64;
        let pruned = segments.len().saturating_sub(processed_segment_count);
        add_pruned(statistics, pruned as u64);
        Ok(cut(morsels, self.pool.current_num_threads()))
    }

    /// Scans all morsels into partial results and folds them in row order, some files at a time.
    /// Returns where rows were looked for, by the numbers that `partial` was given.
    fn scan<C: Collector + Send>(
        &self,
        plan: &Plan,
        statistics: &mut QueryStatistics,
        partial: impl Fn(usize) -> Result<C, Error> + Sync,
        mut fold: impl FnMut(C, &Counters, &mut QueryStatistics) -> Result<Flow, Error>,
    ) -> Result<Vec<Place>, Error> {
        let segments = self.counted(plan, statistics);
        // What is bound once and for all need not be bound again.
        let keep = segments.len() <= FILES_AT_ONCE;
        let (mut places, mut flow) = (Vec::new(), Flow::Continue);
        for segments in segments.chunks(FILES_AT_ONCE) {
            let before = places.len();
            let partial = |idx| partial(before + idx);
            let morsels = self.scan_of(plan, segments, statistics, partial, |c, counters, s| {
                flow = fold(c, counters, s)?;
                Ok(flow)
            })?;
            places.extend(morsels.into_iter().map(|morsel| Place::of(morsel, keep)));
            if flow == Flow::Stop {
                break;
            }
        }
        Ok(places)
    }

    /// Scans the morsels of some segments.
    fn scan_of<C: Collector + Send>(
        &self,
        plan: &Plan,
        segments: &[usize],
        statistics: &mut QueryStatistics,
        partial: impl Fn(usize) -> Result<C, Error> + Sync,
        mut fold: impl FnMut(C, &Counters, &mut QueryStatistics) -> Result<Flow, Error>,
    ) -> Result<Vec<Morsel>, Error> {
        let morsels = self.morsels(plan, segments, statistics)?;
        let times = &self.context.times;
        let mut matched = Matched::default();
        let scan_one = |idx: usize| {
            let morsel: &Morsel = morsels
                .get(idx)
                .ok_or_else(|| Error::Internal("no such morsel".to_owned()))?;
            let mut partial = partial(idx)?;
            let counters = scan(
                morsel,
                &plan.filter,
                &plan.projected,
                self.context,
                &mut partial,
            )?;
            Ok((partial, counters, morsel.segment_idx))
        };
        let work = |idx: usize| times.cpu(|| scan_one(idx));
        fold_in_order(
            self.pool,
            morsels.len(),
            self.window,
            work,
            |(partial, counters, segment)| {
                matched.add(segment, &counters, statistics);
                let flow = times.reduce(|| fold(partial, &counters, statistics))?;
                if flow == Flow::Stop {
                    self.context.set_enough();
                }
                Ok(flow)
            },
        )?;
        Ok(morsels)
    }

    fn select(
        &self,
        plan: &Plan,
        select: &[Selected],
        statistics: &mut QueryStatistics,
    ) -> Result<Columns, Error> {
        let (wanted, budget) = (plan.wanted(), &self.context.budget);
        let mut rows = Pieces::new(budget);
        let partial = |_| Ok(SelectPartial::new(select, wanted, budget));
        // The first files may have enough rows: the others stay closed.
        for segments in self.counted(plan, statistics).chunks(FILES_AT_ONCE) {
            self.scan_of(plan, segments, statistics, partial, |partial, _, _| {
                rows.append(partial.pieces)?;
                Ok(if rows.row_count() >= wanted {
                    Flow::Stop
                } else {
                    Flow::Continue
                })
            })?;
            if rows.row_count() >= wanted {
                break;
            }
        }
        let times = &self.context.times;
        times.reduce(|| rows.finish(&plan.types, plan.offset, plan.limit))
    }

    fn sort(
        &self,
        plan: &Plan,
        select: &[Selected],
        sort: &[SortKey],
        statistics: &mut QueryStatistics,
    ) -> Result<Columns, Error> {
        let (wanted, budget) = (plan.wanted(), &self.context.budget);
        let mut top = Top::new(wanted, budget);
        let partial = |morsel| TopPartial::try_new(sort, plan.nulls, morsel, wanted, budget);
        let places = self.scan(plan, statistics, partial, |partial, _, _| {
            top.merge(partial.top)?;
            Ok(Flow::Continue)
        })?;
        let rows = self.context.times.reduce(|| top.finish());
        let rows = rows.get(plan.offset..).unwrap_or_default();
        self.fetch(
            plan,
            select,
            &Chosen {
                places: &places,
                rows,
            },
            statistics,
        )
    }

    fn group(
        &self,
        plan: &Plan,
        grouping: &Grouping,
        statistics: &mut QueryStatistics,
    ) -> Result<Columns, Error> {
        let all = self.fold_groups(plan, grouping, statistics)?;
        let limit = self.group_limit;
        // Pinot warns at nine tenths of the limit.
        let has_keys = !grouping.keys.is_empty();
        statistics.num_groups_warning_limit_reached =
            has_keys && !grouping.is_distinct && all.len() as u64 * 10 >= limit as u64 * 9;
        let times = &self.context.times;
        times.reduce(|| groups(plan, grouping, all, group_limit(grouping, limit)))
    }

    fn fold_groups<'p>(
        &self,
        plan: &Plan,
        grouping: &'p Grouping,
        statistics: &mut QueryStatistics,
    ) -> Result<GroupPartial<'p>, Error> {
        let budget = &self.context.budget;
        // The first distinct rows do when nothing chooses among them.
        let enough = plan.any_groups_do().then(|| plan.wanted());
        let mut all = GroupPartial::new(grouping, plan.nulls, budget, None);
        if plan.filter.is_true() && grouping.only_counts_rows() {
            statistics.num_docs_scanned = self.view.row_count();
            statistics.num_segments_processed = statistics.num_segments_queried;
            statistics.num_segments_matched = statistics.num_segments_queried;
            let row_count = usize::try_from(self.view.row_count()).unwrap_or(usize::MAX);
            all.fold_row_count(&Assigned {
                row_count,
                groups: None,
                group_count: 1,
            })?;
            return Ok(all);
        }
        let limit = group_limit(grouping, self.group_limit);
        let partial = |_| Ok(GroupPartial::new(grouping, plan.nulls, budget, enough));
        let mut looked_at = 0;
        self.scan(
            plan,
            statistics,
            partial,
            |partial, counters, statistics| {
                statistics.num_groups_limit_reached |= all.merge(partial, limit)?;
                looked_at += counters.looked_at;
                let beyond = |most: u64| grouping.is_distinct && looked_at >= most;
                if self.distinct_rows.is_some_and(beyond) {
                    statistics.max_rows_in_distinct_reached = true;
                    return Ok(Flow::Stop);
                }
                let is_enough = enough.is_some_and(|enough| all.len() >= enough);
                Ok(if is_enough {
                    Flow::Stop
                } else {
                    Flow::Continue
                })
            },
        )?;
        Ok(all)
    }
}

/// Turns groups into the rows of the answer.
fn groups(
    plan: &Plan,
    grouping: &Grouping,
    all: GroupPartial<'_>,
    limit: usize,
) -> Result<Columns, Error> {
    let (columns, group_count) = all.finish(limit)?;
    let (select, sort, row_count) = grouping.result.evaluate(columns, group_count, plan.nulls)?;
    let wanted = plan.offset.min(row_count)..plan.wanted().min(row_count);
    if grouping.result.sort.is_empty() {
        let columns = select
            .iter()
            .map(|column| column.slice(wanted.start, wanted.len()));
        return Ok((columns.collect(), wanted.len()));
    }
    let sorted = Order::try_new(&grouping.result.sort)?.sorted(&sort)?;
    let positions = sorted.get(wanted.clone()).unwrap_or_default().to_vec();
    Ok((taken(&select, positions)?, wanted.len()))
}

/// DISTINCT has no limit of groups but that of memory.
fn group_limit(grouping: &Grouping, limit: usize) -> usize {
    if grouping.is_distinct || grouping.keys.is_empty() {
        usize::MAX
    } else {
        limit
    }
}

/// Which segments had a row that passed; morsels come in the order of segments.
#[derive(Default)]
struct Matched {
    last: Option<usize>,
}

impl Matched {
    fn add(&mut self, segment: usize, counters: &Counters, statistics: &mut QueryStatistics) {
        statistics.num_docs_scanned += counters.docs_scanned;
        statistics.num_entries_scanned_in_filter += counters.entries_in_filter;
        statistics.num_entries_scanned_post_filter += counters.entries_post_filter;
        if counters.docs_scanned > 0 && self.last != Some(segment) {
            self.last = Some(segment);
            statistics.num_segments_matched += 1;
        }
    }
}

fn add_pruned(statistics: &mut QueryStatistics, segment_count: u64) {
    statistics.num_segments_pruned_by_server += segment_count;
    statistics.num_segments_pruned_by_value += segment_count;
}

fn empty(plan: &Plan) -> Vec<ArrayRef> {
    let types = plan.types.iter();
    types
        .map(|column_type| arrow_array::new_empty_array(&column_type.arrow_type()))
        .collect()
}

pub(super) fn taken(columns: &[ArrayRef], positions: Vec<u32>) -> Result<Vec<ArrayRef>, Error> {
    let positions = UInt32Array::from(positions);
    let take = |column: &ArrayRef| {
        take(column, &positions, None).map_err(|error| Error::Internal(error.to_string()))
    };
    columns.iter().map(take).collect()
}
