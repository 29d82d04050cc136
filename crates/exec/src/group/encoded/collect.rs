//! Batches of one window, folded as ids as far as they are stored so.

use arrow_buffer::BooleanBuffer;
use growler_base::RowRanges;
use growler_segment::EncodedStop;

use super::{cells::Cells, column::Column, shape::Shape};
use crate::{
    error::Error,
    filter::Mask,
    group::GroupPartial,
    plan::Operand,
    run::{
        Charge,
        scan::{Collector, Front, Wanted, WindowRows},
    },
};

/// Folds the first rows of a window into groups; returns how many of its rows are done.
pub(in crate::group) fn collect(
    groups: &mut GroupPartial<'_>,
    rows: &WindowRows<'_>,
) -> Result<Front, Error> {
    // Where no row passes, nothing is read.
    if rows.passed.is_empty() {
        return Ok(Front::default());
    }
    let Some(shape) = Shape::of(groups.grouping()) else {
        return Ok(Front::default());
    };
    let Some(mut window) = Window::open(groups, &shape, rows)? else {
        return Ok(Front::default());
    };
    let front = window.read(groups, rows)?;
    let Window { args, cells, .. } = window;
    cells.fold(&shape, &args, groups)?;
    Ok(front)
}

/// The slots of a window, and what was counted of its rows.
struct Window {
    keys: Vec<Column>,
    args: Vec<Column>,
    cells: Cells,
    /// Whether only groups and values matter, not how many rows have them.
    ignores_repeats: bool,
    /// Cell of each row of a batch, with several keys.
    cell_of: Vec<u32>,
    /// Rows before the next batch to read: passed over at once, so that whole pages are.
    pending: usize,
    _held: Charge,
}

impl Window {
    /// Opens the slots of a window; none when one is not stored as ids, or there are too many of them.
    fn open(
        groups: &GroupPartial<'_>,
        shape: &Shape,
        rows: &WindowRows<'_>,
    ) -> Result<Option<Self>, Error> {
        if u32::try_from(rows.window.len()).is_err() {
            return Ok(None);
        }
        let grouping = groups.grouping();
        let operands = grouping.aggregates.iter().flat_map(|one| &one.args);
        let arg = |slot: &usize| {
            let mut operands = operands.clone();
            operands.find(|operand| operand.bare_slot() == Some(*slot))
        };
        let asked = batches(rows);
        let column = |operand: &Operand| column(groups, operand, rows, &asked);
        let keys = grouping.keys.iter().map(column);
        let Some(keys) = keys.collect::<Result<Option<Vec<_>>, _>>()? else {
            return Ok(None);
        };
        let args = shape.args.iter().filter_map(arg).map(column);
        let Some(args) = args.collect::<Result<Option<Vec<_>>, _>>()? else {
            return Ok(None);
        };
        let Some(cells) = Cells::try_new(&keys, &args, rows.passed.count()) else {
            return Ok(None);
        };
        let values: usize = keys.iter().chain(&args).map(Column::size_bytes).sum();
        let mut held = rows.context.budget.charge("dictionaries");
        if held.set(values.saturating_add(cells.size_bytes())).is_err() {
            // Rows take less room a batch at a time.
            return Ok(None);
        }
        Ok(Some(Self {
            keys,
            args,
            cells,
            ignores_repeats: shape.ignores_repeats,
            cell_of: Vec::new(),
            pending: rows.window.start,
            _held: held,
        }))
    }

    /// Reads batches until the rows end, or those that are stored as ids, or no more are wanted.
    fn read(
        &mut self,
        groups: &mut GroupPartial<'_>,
        rows: &WindowRows<'_>,
    ) -> Result<Front, Error> {
        let mut front = Front::default();
        while front.rows < rows.window.len() {
            rows.context.check()?;
            let left = rows.window.len().saturating_sub(front.rows);
            let len = rows.context.batch_rows.min(left);
            let passed = rows.passed.slice(front.rows, len);
            // Whatever stops here shows again, if it matters, where the rows are read as arrays.
            match self.batch(len, &passed) {
                Ok(()) => {}
                Err(_) => break,
            }
            self.count(groups, &passed)?;
            front.rows = front.rows.saturating_add(len);
            front.passed = front.passed.saturating_add(passed.count() as u64);
            if groups.wanted() == Wanted::Nothing || rows.context.is_enough() {
                break;
            }
            let (keys, args) = (&self.keys, &self.args);
            if self.ignores_repeats && self.cells.is_exhausted(keys, args, groups.nulls()) {
                front.rows = rows.window.len();
                front.passed = rows.passed.count() as u64;
            }
        }
        Ok(front)
    }

    fn columns(&mut self) -> impl Iterator<Item = &mut Column> {
        self.keys.iter_mut().chain(&mut self.args)
    }

    /// Reads a batch, if some of its rows passed.
    fn batch(&mut self, len: usize, passed: &Mask) -> Result<(), EncodedStop> {
        if passed.is_empty() {
            self.pending = self.pending.saturating_add(len);
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        self.columns().try_for_each(|column| {
            column.skip(pending)?;
            column.read(len)
        })
    }

    /// Counts the rows of a batch that passed.
    fn count(&mut self, groups: &mut GroupPartial<'_>, passed: &Mask) -> Result<(), Error> {
        if passed.is_empty() {
            return Ok(());
        }
        let some = (!passed.is_all()).then(|| passed.bits());
        match (self.keys.as_slice(), self.args.as_slice(), some) {
            ([], args, None) => {
                for (idx, arg) in args.iter().enumerate() {
                    let null = (arg.null_id(), arg.null_count());
                    self.cells.add_ids(idx, arg.ids(), null);
                }
                self.cells.add_times(0, passed.count());
                return Ok(());
            }
            ([key], [], None) => {
                self.cells.add_rows(key.ids());
                self.cells.add_times(key.null_id(), key.null_count());
                if !self.cells.has_new() {
                    return Ok(());
                }
                self.columns().for_each(|column| column.choose(None));
            }
            _ => {
                self.columns().for_each(|column| column.choose(some));
                self.count_chosen(passed);
                if !self.cells.has_new() {
                    return Ok(());
                }
            }
        }
        self.number(groups, some)
    }

    /// Counts the rows whose ids were chosen.
    fn count_chosen(&mut self, passed: &Mask) {
        let some = (!passed.is_all()).then(|| passed.bits());
        if self.keys.is_empty() {
            for (idx, arg) in self.args.iter().enumerate() {
                self.cells.add_ids(idx, arg.chosen(some), (0, 0));
            }
            return self.cells.add_times(0, passed.count());
        }
        if let [first, others @ ..] = self.keys.as_slice()
            && !others.is_empty()
        {
            self.cell_of.clear();
            self.cell_of.extend_from_slice(first.chosen(some));
            for (idx, key) in (1..).zip(others) {
                self.cells.combine(idx, &mut self.cell_of, key.chosen(some));
            }
        }
        let cells = match self.keys.as_slice() {
            [key] => key.chosen(some),
            _ => &self.cell_of,
        };
        self.cells.add_rows(cells);
        for (idx, arg) in self.args.iter().enumerate() {
            self.cells
                .add_arg(idx, cells, arg.id_count(), arg.chosen(some));
        }
    }

    /// Numbers the groups of the rows whose ids were chosen.
    fn number(
        &mut self,
        groups: &mut GroupPartial<'_>,
        some: Option<&BooleanBuffer>,
    ) -> Result<(), Error> {
        match self.keys.as_slice() {
            [] => Ok(()),
            [key] => self.cells.number(key.chosen(some), &self.keys, groups),
            _ => self.cells.number(&self.cell_of, &self.keys, groups),
        }
    }
}

/// Returns the rows of the batches that are read: those with a row that passed.
fn batches(rows: &WindowRows<'_>) -> RowRanges {
    let batch_rows = rows.context.batch_rows;
    let starts = (0..rows.window.len()).step_by(batch_rows.max(1));
    let batch = |start: usize| {
        let len = batch_rows.min(rows.window.len().saturating_sub(start));
        let first = rows.window.start.saturating_add(start);
        let is_read = rows.passed.bits().slice(start, len).set_indices().next();
        is_read.map(|_| first..first.saturating_add(len))
    };
    starts.filter_map(batch).collect()
}

fn column(
    groups: &GroupPartial<'_>,
    operand: &Operand,
    rows: &WindowRows<'_>,
    asked: &RowRanges,
) -> Result<Option<Column>, Error> {
    let (segment, row_group) = (&rows.morsel.segment, rows.morsel.row_group);
    let Some((slot, source)) = operand
        .bare_slot()
        .and_then(|slot| Some((slot, segment.source(slot)?)))
    else {
        return Ok(None);
    };
    // What cannot be read so is read as arrays, if it matters.
    let reader = segment
        .segment()
        .read_encoded_rows(row_group, source, asked);
    let reader = reader.unwrap_or(None);
    let statistics = segment.statistics(row_group, slot);
    let null_count = statistics.and_then(|statistics| statistics.null_count);
    let column = |reader| Column::try_new(reader, null_count, operand, groups.nulls());
    reader.map(column).transpose()
}
