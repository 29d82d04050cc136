//! The rows of a window that pass the filter and may still be among the first of an order.

use growler_segment::Source;

use super::morsel::Morsel;
use crate::{
    error::Error,
    filter::{Filter, FilterScan, Leaf, Mask, Predicate, Want},
    sort::Bars,
};

/// When bars are heeded in a row group.
///
/// What is left unread because of a bar depends on what other workers have found by then. So a read
/// that may fail for what values are must not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heed {
    Never,
    /// After the filter: it may fail, or indexes answer it.
    After,
    /// Before the filter.
    First,
}

/// Filters windows of one morsel.
#[derive(Debug)]
pub(super) struct Barred<'q> {
    filter: Option<&'q Filter>,
    heed: Heed,
    /// Whether most rows of the last window passed the bar, so that reading it ahead does not pay.
    is_loose: bool,
    /// Values that were read for bars.
    pub(super) entries_scanned: u64,
}

impl<'q> Barred<'q> {
    /// Prepares the windows of a morsel, of which `slots` are read in the end.
    pub(super) fn new(morsel: &Morsel, filter: &'q Filter, slots: &[usize], bars: &Bars) -> Self {
        let filter = (!morsel.passes_all).then_some(filter);
        Self {
            filter,
            heed: heed(morsel, filter, slots, bars),
            is_loose: false,
            entries_scanned: 0,
        }
    }

    /// Returns the rows that pass.
    ///
    /// # Errors
    /// Those of evaluating the filter and the bars.
    pub(super) fn passed(
        &mut self,
        scan: &mut FilterScan<'_>,
        asked: Mask,
        bars: &Bars,
    ) -> Result<Mask, Error> {
        match self.heed {
            Heed::Never => self.filtered(scan, asked),
            Heed::After => {
                let passed = self.filtered(scan, asked)?;
                self.hopeful(scan, passed, bars)
            }
            Heed::First => {
                let passed = self.hopeful(scan, asked, bars)?;
                self.filtered(scan, passed)
            }
        }
    }

    fn filtered(&self, scan: &mut FilterScan<'_>, asked: Mask) -> Result<Mask, Error> {
        match self.filter {
            None => Ok(asked),
            Some(filter) => Ok(scan.evaluate(filter, &asked, Want::Trues)?.trues),
        }
    }

    fn hopeful(
        &mut self,
        scan: &mut FilterScan<'_>,
        asked: Mask,
        bars: &Bars,
    ) -> Result<Mask, Error> {
        let mut passed = asked;
        if let Some(bar) = &bars.proven {
            passed = scan.open_rows(bar.of(bars.morsel), &passed);
        }
        let Some(bar) = &bars.of_rows else {
            return Ok(passed);
        };
        let bar = bar.of(bars.morsel);
        passed = scan.open_rows(bar, &passed);
        if std::mem::take(&mut self.is_loose) || is_dear(scan, bars) {
            return Ok(passed);
        }
        let (asked, entries) = (passed.count(), scan.entries_scanned);
        passed = scan.evaluate(bar, &passed, Want::Trues)?.trues;
        self.entries_scanned += scan.entries_scanned - entries;
        scan.entries_scanned = entries;
        self.is_loose = passed.count() > asked / 2;
        Ok(passed)
    }
}

/// Tells whether reading the first key once to compare it, and again for rows that pass, costs more
/// than reading other keys of all rows.
fn is_dear(scan: &FilterScan<'_>, bars: &Bars) -> bool {
    let source = bars.slot.and_then(|slot| scan.segment.source(slot));
    source.is_some_and(Source::is_unshredded_key)
}

fn heed(morsel: &Morsel, filter: Option<&Filter>, slots: &[usize], bars: &Bars) -> Heed {
    let Some(first) = bars.slot else {
        return Heed::Never;
    };
    let (segment, row_group) = (&morsel.segment, morsel.row_group);
    let later: Vec<usize> = slots
        .iter()
        .copied()
        .filter(|slot| *slot != first)
        .collect();
    if !segment.reads_as_it_is(row_group, &later) {
        return Heed::Never;
    }
    let Some(filter) = filter else {
        return Heed::First;
    };
    match morsel.segment.lookups().covers(filter) || !never_fails(morsel, filter, first) {
        true => Heed::After,
        false => Heed::First,
    }
}

/// Tells whether it makes no difference of which rows keys other than the first are read.
pub(super) fn reads_later_keys_last(morsel: &Morsel, first: usize, slots: &[usize]) -> bool {
    let later = slots.iter().copied().filter(|slot| *slot != first);
    let later: Vec<usize> = later.collect();
    morsel.segment.reads_as_it_is(morsel.row_group, &later)
}

/// Tells whether a filter evaluates for whatever rows a row group has.
fn never_fails(morsel: &Morsel, filter: &Filter, first: usize) -> bool {
    let mut never = true;
    filter.visit(&mut |leaf: &Leaf| {
        never &= match &leaf.predicate {
            Predicate::Test { operand, .. } | Predicate::IsNull { operand, .. } => {
                let slot = operand.bare_slot();
                slot.is_some_and(|slot| {
                    slot == first || morsel.segment.reads_as_it_is(morsel.row_group, &[slot])
                })
            }
            Predicate::Boolean(_) => false,
        };
    });
    never
}

/// Tells whether every read of a morsel depends on nothing but whether it is read at all.
pub(super) fn may_wait(morsel: &Morsel, filter: &Filter, slots: &[usize], bars: &Bars) -> bool {
    let filter = (!morsel.passes_all).then_some(filter);
    heed(morsel, filter, slots, bars) == Heed::First
}
