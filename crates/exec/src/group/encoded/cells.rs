//! Groups and counts of the rows of one row group.

use super::{
    column::Column,
    histogram::Histogram,
    shape::{Input, Shape},
};
use crate::{error::Error, group::GroupPartial};

/// Most cells of a histogram over more than one slot, so that it stays in a near cache.
const CELLS: usize = 1 << 16;
/// Cells up to which new ones are looked for among all rather than row by row.
const FEW: usize = 1 << 12;
/// Rows from which on an id of one slot is worth a look.
const ROWS_AN_ID: usize = 4;
/// The group of a cell that no row had so far.
const NONE: u32 = u32::MAX;

/// A cell for every combination of the ids of the keys.
pub(super) struct Cells {
    /// How many ids each key has.
    key_lens: Vec<usize>,
    /// The group of each cell.
    groups: Vec<u32>,
    /// Rows of each cell.
    rows: Histogram,
    /// Rows of each cell and id of an argument, for each argument.
    args: Vec<Histogram>,
}

impl Cells {
    /// Makes cells for keys and arguments of so many ids; none when those are too many to count the
    /// combinations of, for so many rows.
    pub fn try_new(keys: &[Column], args: &[Column], row_count: usize) -> Option<Self> {
        let key_lens: Vec<usize> = keys.iter().map(Column::id_count).collect();
        let product = |len: usize, more: &usize| len.checked_mul(*more);
        let cell_count = key_lens.iter().try_fold(1, product)?;
        // Beside many rows a dictionary is short; a long one would be looked at for little.
        let most_alone = FEW.max(row_count / ROWS_AN_ID);
        let most = match keys {
            [_] => most_alone,
            _ => CELLS,
        };
        let arg_lens = args.iter().map(|arg| {
            let len = arg.id_count();
            match keys.is_empty() {
                true => (len <= most_alone).then_some(len),
                false => product(cell_count, &len).filter(|len| *len <= CELLS),
            }
        });
        let arg_lens: Vec<usize> = arg_lens.collect::<Option<_>>()?;
        (cell_count <= most).then(|| Self {
            key_lens,
            groups: vec![NONE; cell_count],
            rows: Histogram::new(cell_count),
            args: arg_lens.into_iter().map(Histogram::new).collect(),
        })
    }

    /// Returns the bytes held.
    pub fn size_bytes(&self) -> usize {
        let args: usize = self.args.iter().map(Histogram::size_bytes).sum();
        self.groups.capacity() * size_of::<u32>() + self.rows.size_bytes() + args
    }

    /// Turns the ids of the next key into cells, given those of the keys before.
    pub fn combine(&self, key: usize, cells: &mut [u32], ids: &[u32]) {
        let len = self.key_lens.get(key).copied().unwrap_or(1);
        scaled(cells, len, ids);
    }

    /// Counts rows by their cells.
    pub fn add_rows(&mut self, cells: &[u32]) {
        self.rows.add(cells);
    }

    /// Counts rows of one cell.
    pub fn add_times(&mut self, cell: u32, rows: usize) {
        self.rows.add_times(cell as usize, rows);
    }

    /// Counts rows by their cells and the ids of an argument, which are replaced.
    pub fn add_arg(&mut self, arg: usize, cells: &[u32], id_count: usize, ids: &mut [u32]) {
        let width = u32::try_from(id_count).unwrap_or(u32::MAX);
        for (id, cell) in ids.iter_mut().zip(cells) {
            *id = cell.wrapping_mul(width).wrapping_add(*id);
        }
        if let Some(histogram) = self.args.get_mut(arg) {
            histogram.add(ids);
        }
    }

    /// Counts rows by the ids of an argument alone, and so many that have none.
    pub fn add_ids(&mut self, arg: usize, ids: &[u32], null: (u32, usize)) {
        if let Some(histogram) = self.args.get_mut(arg) {
            histogram.add(ids);
            histogram.add_times(null.0 as usize, null.1);
        }
    }

    /// Tells whether some cell may have rows but no group yet.
    pub fn has_new(&mut self) -> bool {
        if self.groups.len() > FEW {
            return true;
        }
        let counts = self.rows.counts().iter();
        let new = |new: bool, (count, group): (&u32, &u32)| new | (*count != 0 && *group == NONE);
        counts.zip(&self.groups).fold(false, new)
    }

    /// Numbers the groups of cells that no row had before, in the order of rows.
    pub fn number(
        &mut self,
        cells: &[u32],
        keys: &[Column],
        into: &mut GroupPartial<'_>,
    ) -> Result<(), Error> {
        let mut new = Vec::new();
        for &cell in cells {
            if let Some(group) = self.groups.get_mut(cell as usize)
                && *group == NONE
            {
                // Another number than none; the true one comes below.
                *group = 0;
                new.push(cell);
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        let mut left = new.clone();
        let mut values = Vec::with_capacity(keys.len());
        for (key, len) in keys.iter().zip(&self.key_lens).rev() {
            let len = u32::try_from(*len).unwrap_or(u32::MAX).max(1);
            values.push(key.values(left.iter().map(|cell| cell % len).collect())?);
            left.iter_mut().for_each(|cell| *cell /= len);
        }
        values.reverse();
        let numbers = into.number(&values, new.len())?;
        for (cell, number) in new.iter().zip(numbers) {
            if let Some(group) = self.groups.get_mut(*cell as usize) {
                *group = *number;
            }
        }
        Ok(())
    }

    /// Folds all that was counted into the states of the aggregates.
    pub fn fold(
        mut self,
        shape: &Shape,
        args: &[Column],
        into: &mut GroupPartial<'_>,
    ) -> Result<(), Error> {
        for (arg, (column, mut histogram)) in
            args.iter().zip(std::mem::take(&mut self.args)).enumerate()
        {
            let counted = counted(histogram.counts(), column.id_count(), &self.groups);
            let (ids, groups, counts) = counted;
            let values = column.values(ids)?;
            for aggregate in shape.inputs_of(Input::Arg(arg)) {
                let groups = shape.is_grouped().then_some(groups.as_slice());
                into.fold_repeated(aggregate, std::slice::from_ref(&values), groups, &counts)?;
            }
        }
        let (_, groups, counts) = counted(self.rows.counts(), 1, &self.groups);
        for aggregate in shape.inputs_of(Input::Rows) {
            let groups = shape.is_grouped().then_some(groups.as_slice());
            into.fold_repeated(aggregate, &[], groups, &counts)?;
        }
        into.measure()
    }
}

/// Lists the ids that rows have, with the group of their cell and how many rows these are.
fn counted(counts: &[u32], id_count: usize, groups: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u64>) {
    let (mut ids, mut of, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for (cell, &group) in counts.chunks(id_count.max(1)).zip(groups) {
        for (id, &count) in (0..).zip(cell) {
            if count != 0 {
                ids.push(id);
                of.push(group);
                rows.push(u64::from(count));
            }
        }
    }
    (ids, of, rows)
}

fn scaled(cells: &mut [u32], len: usize, ids: &[u32]) {
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    for (cell, id) in cells.iter_mut().zip(ids) {
        *cell = cell.wrapping_mul(len).wrapping_add(*id);
    }
}
