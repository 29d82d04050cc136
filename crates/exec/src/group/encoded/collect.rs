//! Batches of one window, folded as ids as far as they are stored so.

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
    let Some(shape) = Shape::of(groups.grouping()) else {
        return Ok(Front::default());
    };
    let Some(mut window) = Window::open(groups, &shape, rows)? else {
        return Ok(Front::default());
    };
    let front = window.read(groups, rows)?;
    let Window { args, cells, .. } = window;
    cells.fold(&shape, &args, groups)?;
    rows.context.progress.add_by_ids(front.passed);
    Ok(front)
}

/// The slots of a window, and what was counted of its rows.
struct Window {
    keys: Vec<Column>,
    args: Vec<Column>,
    cells: Cells,
    /// Ids a row of one slot.
    scratch: Vec<u32>,
    /// Cell of each row.
    cell_of: Vec<u32>,
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
        let column = |operand: &Operand| column(groups, operand, rows);
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
            scratch: Vec::new(),
            cell_of: Vec::new(),
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
        if self.skip(rows.window.start).is_err() {
            return Ok(front);
        }
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
        }
        Ok(front)
    }

    fn columns(&mut self) -> impl Iterator<Item = &mut Column> {
        self.keys.iter_mut().chain(&mut self.args)
    }

    fn skip(&mut self, rows: usize) -> Result<(), EncodedStop> {
        self.columns().try_for_each(|column| column.skip(rows))
    }

    /// Reads a batch, if some of its rows passed.
    fn batch(&mut self, len: usize, passed: &Mask) -> Result<(), EncodedStop> {
        match passed.is_empty() {
            true => self.skip(len),
            false => self.columns().try_for_each(|column| column.read(len)),
        }
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
            ([], args, Some(_)) => {
                for (idx, arg) in args.iter().enumerate() {
                    arg.rows(some, &mut self.scratch);
                    self.cells.add_ids(idx, &self.scratch, (0, 0));
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
                key.rows(None, &mut self.cell_of);
            }
            (keys, args, some) => {
                for (idx, key) in keys.iter().enumerate() {
                    if idx == 0 {
                        key.rows(some, &mut self.cell_of);
                    } else {
                        key.rows(some, &mut self.scratch);
                        self.cells.combine(idx, &mut self.cell_of, &self.scratch);
                    }
                }
                self.cells.add_rows(&self.cell_of);
                for (idx, arg) in args.iter().enumerate() {
                    arg.rows(some, &mut self.scratch);
                    let id_count = arg.id_count();
                    self.cells
                        .add_arg(idx, &self.cell_of, id_count, &mut self.scratch);
                }
                if !self.cells.has_new() {
                    return Ok(());
                }
            }
        }
        self.cells.number(&self.cell_of, &self.keys, groups)
    }
}

fn column(
    groups: &GroupPartial<'_>,
    operand: &Operand,
    rows: &WindowRows<'_>,
) -> Result<Option<Column>, Error> {
    let (segment, row_group) = (&rows.morsel.segment, rows.morsel.row_group);
    let source = operand.bare_slot().and_then(|slot| segment.source(slot));
    let Some(source) = source else {
        return Ok(None);
    };
    let reader = segment.segment().read_encoded(row_group, source)?;
    let column = |reader| Column::try_new(reader, operand, groups.nulls());
    reader.map(column).transpose()
}
