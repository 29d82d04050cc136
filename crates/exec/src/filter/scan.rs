//! The filter of a query on one window of a row group.

use std::ops::Range;

use growler_base::{RowGroupIdx, RowRanges};

use super::{Filter, Leaf, Mask, Predicate, Truth, mask::Scatter};
use crate::{
    error::Error,
    lookup::answer::WindowAnswer,
    plan::BoundSegment,
    prune::{
        Extent, Verdict,
        verdict::{leaf_verdict, of_statistics},
    },
    run::Context,
};

/// What of a predicate matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Where it is true; nulls may be left out.
    Trues,
    /// Where it is true and where it is null.
    Both,
}

/// Evaluates filters on one window of one row group.
pub struct FilterScan<'q> {
    /// The segment.
    pub segment: &'q BoundSegment,
    /// The row group.
    pub row_group: RowGroupIdx,
    /// Rows of the row group that are asked for.
    pub window: Range<usize>,
    /// Limits of the query.
    pub context: &'q Context,
    /// Values that predicates read so far.
    pub entries_scanned: u64,
}

impl FilterScan<'_> {
    /// Evaluates a filter for some rows of the window; other rows are in neither set.
    ///
    /// # Errors
    /// [`Error::Execution`] when a value cannot be read or processed, and the query's limits.
    pub fn evaluate(&mut self, filter: &Filter, asked: &Mask, want: Want) -> Result<Truth, Error> {
        if asked.is_empty() {
            return Ok(Truth::never(asked.len()));
        }
        match filter {
            Filter::Constant(value) => Ok(constant(*value, asked)),
            Filter::Leaf(leaf) => self.leaf(leaf, asked, want),
            Filter::And(children) => self.and(children, asked, want),
            Filter::Or(children) => self.or(children, asked, want),
            Filter::Not(child) => Ok(self.evaluate(child, asked, Want::Both)?.not(asked)),
        }
    }

    /// Leaves out rows for which statistics prove that a filter is not true.
    pub fn open_rows(&self, filter: &Filter, asked: &Mask) -> Mask {
        let never = || Mask::none(asked.len());
        match filter {
            _ if asked.is_empty() => asked.clone(),
            Filter::Constant(Some(true)) | Filter::Or(_) | Filter::Not(_) => asked.clone(),
            Filter::Constant(_) => never(),
            Filter::And(children) => children
                .iter()
                .fold(asked.clone(), |open, child| self.open_rows(child, &open)),
            Filter::Leaf(leaf) => {
                let known = leaf_verdict(leaf, self.segment, self.row_group);
                match self.pages(leaf, Want::Trues) {
                    _ if known.trues == Extent::None => never(),
                    Some(pages) => asked.and(&Mask::of_ranges(&pages, &self.window)),
                    None => asked.clone(),
                }
            }
        }
    }

    fn and(&mut self, children: &[Filter], asked: &Mask, want: Want) -> Result<Truth, Error> {
        // Pages that one conjunct rules out are not read for any other.
        let open = children.iter().filter(|_| want == Want::Trues);
        let open = open.fold(asked.clone(), |open, child| self.open_rows(child, &open));
        let (mut trues, mut possible) = (open, asked.clone());
        for child in self.cheapest_first(children) {
            let open = if want == Want::Trues {
                &trues
            } else {
                &possible
            };
            let truth = self.evaluate(child, open, want)?;
            trues = trues.and(&truth.trues);
            if want == Want::Both {
                possible = possible.and(&truth.possible());
            }
        }
        let nulls = match want {
            Want::Trues => Mask::none(asked.len()),
            Want::Both => possible.without(&trues),
        };
        Ok(Truth { trues, nulls })
    }

    fn or(&mut self, children: &[Filter], asked: &Mask, want: Want) -> Result<Truth, Error> {
        let mut joined = Truth::never(asked.len());
        for child in self.cheapest_first(children) {
            let truth = self.evaluate(child, &asked.without(&joined.trues), want)?;
            joined.trues = joined.trues.or(&truth.trues);
            joined.nulls = joined.nulls.or(&truth.nulls);
        }
        joined.nulls = joined.nulls.without(&joined.trues);
        Ok(joined)
    }

    /// Orders children: those that indexes answer in this segment come before those to scan.
    fn cheapest_first<'f>(&self, children: &'f [Filter]) -> Vec<&'f Filter> {
        let lookups = self.segment.lookups();
        let (mut ordered, scanned): (Vec<_>, Vec<_>) =
            children.iter().partition(|child| lookups.covers(child));
        ordered.extend(scanned);
        ordered
    }

    fn leaf(&mut self, leaf: &Leaf, asked: &Mask, want: Want) -> Result<Truth, Error> {
        let verdict = leaf_verdict(leaf, self.segment, self.row_group);
        match (verdict.trues, verdict.nulls) {
            (Extent::All, _) => return Ok(Truth::of(asked.clone())),
            (_, Extent::All) => return Ok(constant(None, asked)),
            (Extent::None, Extent::None) => return Ok(Truth::never(asked.len())),
            (Extent::None, _) if want == Want::Trues => return Ok(Truth::never(asked.len())),
            _ => {}
        }
        match self.looked_up(leaf, asked, want)? {
            None => self.scanned(leaf, asked, want),
            Some(answer) => {
                let mut truth = Truth {
                    trues: answer.trues.and(asked),
                    nulls: answer.nulls.and(asked),
                };
                let unknown = answer.unknown.map(|unknown| unknown.and(asked));
                if let Some(unknown) = unknown.filter(|unknown| !unknown.is_empty()) {
                    let scanned = self.scanned(leaf, &unknown, want)?;
                    truth.trues = truth.trues.or(&scanned.trues);
                    truth.nulls = truth.nulls.or(&scanned.nulls);
                }
                Ok(truth)
            }
        }
    }

    /// Returns what indexes answer in the window.
    fn looked_up(
        &self,
        leaf: &Leaf,
        asked: &Mask,
        want: Want,
    ) -> Result<Option<WindowAnswer>, Error> {
        let answer = self.segment.lookups().answer(leaf);
        let Some((answer, rows)) = answer.zip(self.window_rows(asked.len())) else {
            return Ok(None);
        };
        answer.within(rows, want == Want::Both, self.context)
    }

    /// Returns the rows of the window in the segment.
    fn window_rows(&self, len: usize) -> Option<Range<u32>> {
        let first_row = self.segment.segment().row_group(self.row_group).first_row;
        let start = first_row.index().checked_add(self.window.start)?;
        let start = u32::try_from(start).ok()?;
        Some(start..start.checked_add(u32::try_from(len).ok()?)?)
    }

    fn scanned(&mut self, leaf: &Leaf, asked: &Mask, want: Want) -> Result<Truth, Error> {
        let pages = self.pages(leaf, want);
        let rows = match &pages {
            Some(pages) => asked.and(&Mask::of_ranges(pages, &self.window)),
            None => asked.clone(),
        };
        if rows.is_empty() {
            return Ok(Truth::never(asked.len()));
        }
        let mut ranges = rows.ranges(&self.window);
        if let Some(pages) = &pages {
            ranges = ranges.intersect(pages);
        }
        if !matches!(leaf.predicate, Predicate::IsNull { .. }) {
            self.entries_scanned += rows.count() as u64 * leaf.slots.len().max(1) as u64;
        }
        Ok(self.told(leaf, &ranges, want)?.within(&rows))
    }

    /// Evaluates a predicate for rows in ranges, and maybe others: over a dictionary as far as it is
    /// there, else over values.
    fn told(&self, leaf: &Leaf, ranges: &RowRanges, want: Want) -> Result<Truth, Error> {
        let Some(told) = self.by_ids(leaf, ranges, want)? else {
            return self.read(leaf, ranges);
        };
        let rest = std::iter::once(told.end..self.window.end.max(told.end)).collect();
        let rest = ranges.intersect(&rest);
        if rest.is_empty() {
            return Ok(told.truth);
        }
        let read = self.read(leaf, &rest)?;
        Ok(Truth {
            trues: told.truth.trues.or(&read.trues),
            nulls: told.truth.nulls.or(&read.nulls),
        })
    }

    /// Returns the rows whose pages may matter; none when nothing is known.
    fn pages(&self, leaf: &Leaf, want: Want) -> Option<RowRanges> {
        let operand = match &leaf.predicate {
            Predicate::Test { operand, .. } | Predicate::IsNull { operand, .. } => operand,
            Predicate::Boolean(_) => return None,
        };
        let source = self.segment.source(operand.bare_slot()?)?;
        let matters = |verdict: Verdict| {
            verdict.trues != Extent::None || want == Want::Both && verdict.nulls != Extent::None
        };
        let keep = |statistics: &_| matters(of_statistics(&leaf.predicate, statistics));
        let ranges = self
            .segment
            .segment()
            .page_ranges(self.row_group, source, &keep);
        let row_count = self.segment.segment().row_group(self.row_group).row_count;
        (ranges.row_count() < row_count).then_some(ranges)
    }

    fn read(&self, leaf: &Leaf, ranges: &RowRanges) -> Result<Truth, Error> {
        let (mut trues, mut nulls) = (Scatter::new(&self.window), Scatter::new(&self.window));
        let mut has_nulls = false;
        let batch_rows = self.context.batch_rows;
        for read in self
            .segment
            .read(self.row_group, &leaf.slots, ranges, batch_rows)?
        {
            self.context.check()?;
            let read = read?;
            let truth = leaf.evaluate(&read.batch)?;
            trues.append(&read.rows, truth.trues.bits());
            if has_nulls || !truth.nulls.is_empty() {
                has_nulls = true;
                nulls.append(&read.rows, truth.nulls.bits());
            }
        }
        let trues = trues.finish();
        let nulls = if has_nulls {
            nulls.finish()
        } else {
            Mask::none(trues.len())
        };
        Ok(Truth { trues, nulls })
    }
}

fn constant(value: Option<bool>, asked: &Mask) -> Truth {
    match value {
        Some(true) => Truth::of(asked.clone()),
        Some(false) => Truth::never(asked.len()),
        None => Truth {
            trues: Mask::none(asked.len()),
            nulls: asked.clone(),
        },
    }
}
