//! The selected items of chosen rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use growler_base::{RowGroupIdx, RowRanges};

use super::{
    Flow, fold_in_order,
    morsel::Morsel,
    query::{Columns, Runner, taken},
};
use crate::{
    error::Error,
    plan::{BoundSegment, Plan, operand::add_slots, physical::Selected},
    response::QueryStatistics,
    select::Pieces,
    sort::Candidate,
};

/// Rows to show, in the order to show them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen<'q> {
    /// Where rows are.
    pub(super) places: &'q [Place],
    /// The rows.
    pub(super) rows: &'q [Candidate],
}

/// A row group that rows were looked for in.
#[derive(Debug)]
pub(super) struct Place {
    segment_idx: usize,
    row_group: RowGroupIdx,
    /// Its segment; none where it is bound again if rows of it are chosen.
    bound: Option<Arc<BoundSegment>>,
}

impl Place {
    pub(super) fn of(morsel: Morsel, keep: bool) -> Self {
        Self {
            segment_idx: morsel.segment_idx,
            row_group: morsel.row_group,
            bound: keep.then_some(morsel.segment),
        }
    }
}

/// Rows of one morsel, ascending, each with its place in the answer.
#[derive(Debug)]
struct Part<'q> {
    place: &'q Place,
    rows: Vec<(u32, usize)>,
}

impl Chosen<'_> {
    fn parts(&self) -> Result<Vec<Part<'_>>, Error> {
        let mut by_morsel: BTreeMap<usize, Vec<(u32, usize)>> = BTreeMap::new();
        for (place, row) in self.rows.iter().enumerate() {
            by_morsel
                .entry(row.morsel)
                .or_default()
                .push((row.row, place));
        }
        let part = |(morsel, mut rows): (usize, Vec<(u32, usize)>)| {
            rows.sort_unstable();
            let place = self.places.get(morsel);
            let place = place.ok_or_else(|| Error::Internal("no such morsel".to_owned()))?;
            Ok(Part { place, rows })
        };
        by_morsel.into_iter().map(part).collect()
    }
}

impl Runner<'_> {
    /// Reads the selected items of chosen rows, and only of these.
    pub(super) fn fetch(
        &self,
        plan: &Plan,
        select: &[Selected],
        chosen: &Chosen<'_>,
        statistics: &mut QueryStatistics,
    ) -> Result<Columns, Error> {
        let mut slots = Vec::new();
        add_slots(
            &mut slots,
            select.iter().flat_map(|item| item.operand.slots()),
        );
        let row_count = chosen.rows.len();
        statistics.num_entries_scanned_post_filter += row_count as u64 * slots.len() as u64;
        let parts = chosen.parts()?;
        let work = |idx: usize| match parts.get(idx) {
            Some(part) => self
                .context
                .times
                .cpu(|| self.read(plan, part, select, &slots)),
            None => Err(Error::Internal("no such part".to_owned())),
        };
        let mut pieces = Pieces::new(&self.context.budget);
        fold_in_order(self.pool, parts.len(), self.window, work, |part| {
            pieces.append(part)?;
            Ok(Flow::Continue)
        })?;
        let (columns, row_count) = pieces.finish(&plan.types, 0, row_count)?;
        let places = parts
            .iter()
            .flat_map(|part| part.rows.iter().map(|(_, place)| *place));
        let mut positions = vec![0u32; row_count];
        for (position, place) in places.enumerate() {
            if let Some(slot) = positions.get_mut(place) {
                *slot = u32::try_from(position).unwrap_or(u32::MAX);
            }
        }
        Ok((taken(&columns, positions)?, row_count))
    }

    fn read(
        &self,
        plan: &Plan,
        part: &Part<'_>,
        select: &[Selected],
        slots: &[usize],
    ) -> Result<Pieces, Error> {
        let Place {
            segment_idx,
            row_group,
            bound,
        } = part.place;
        let segment = match bound {
            Some(bound) => Arc::clone(bound),
            None => Arc::new(self.bind_unasked(plan, *segment_idx)?),
        };
        let rows = part.rows.iter().map(|(row, _)| *row as usize);
        let ranges: RowRanges = rows.map(|row| row..row + 1).collect();
        let mut pieces = Pieces::new(&self.context.budget);
        for read in segment.read(*row_group, slots, &ranges, self.context.batch_rows)? {
            self.context.check()?;
            let batch = read?.batch;
            let columns = select
                .iter()
                .map(|item| item.operand.evaluate(&batch, item.nulls));
            pieces.push(&columns.collect::<Result<Vec<_>, _>>()?, batch.row_count)?;
        }
        Ok(pieces)
    }
}
