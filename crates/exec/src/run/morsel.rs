//! Units of work: the row groups whose statistics do not exclude a match.

use std::ops::Range;
use std::sync::Arc;

use growler_base::RowGroupIdx;

use crate::{
    error::Error,
    lookup::Shortcut,
    plan::{BoundSegment, Plan},
    prune::{Extent, verdict::verdict},
    run::Context,
};

/// One row group of one segment, or a part of it.
#[derive(Debug, Clone)]
pub struct Morsel {
    /// The segment.
    pub segment: Arc<BoundSegment>,
    /// Its position in the view.
    pub segment_idx: usize,
    /// The row group.
    pub row_group: RowGroupIdx,
    /// Rows of the row group that are its own.
    pub rows: Range<usize>,
    /// Whether every row is known to pass the filter.
    pub passes_all: bool,
    /// The whole segment in place of the row group, when it is answered without its rows.
    pub whole: Option<Arc<WholeSegment>>,
}

/// A segment that is answered without its rows.
#[derive(Debug)]
pub struct WholeSegment {
    /// How.
    pub shortcut: Shortcut,
    /// What to read when that turns out not to be possible.
    pub parts: Vec<Morsel>,
}

/// The work of a query.
#[derive(Debug, Default)]
pub struct Morsels {
    /// Row groups to read, in row order.
    pub morsels: Vec<Morsel>,
    /// Segments with any.
    pub processed_segment_count: usize,
}

/// Lists the row groups to read of segments bound to a plan, which come with their positions in the
/// view and in its order.
///
/// # Errors
/// The query's limits.
pub fn morsels(
    plan: &Plan,
    segments: Vec<(usize, Arc<BoundSegment>)>,
    context: &Context,
) -> Result<Morsels, Error> {
    let mut listed = Morsels::default();
    for (segment_idx, bound) in segments {
        context.check()?;
        let before = listed.morsels.len();
        for (row_group, rows) in bound.segment().row_groups() {
            let known = verdict(&plan.filter, &bound, row_group);
            if rows.row_count == 0 || known.trues == Extent::None {
                context.progress.add_done(rows.row_count as u64);
                continue;
            }
            listed.morsels.push(Morsel {
                segment: Arc::clone(&bound),
                segment_idx,
                row_group,
                rows: 0..rows.row_count,
                passes_all: known.trues == Extent::All,
                whole: None,
            });
        }
        if listed.morsels.len() == before {
            continue;
        }
        listed.processed_segment_count += 1;
        if let Some(shortcut) = Shortcut::of(plan, &bound) {
            let parts = listed.morsels.split_off(before);
            let whole = WholeSegment { shortcut, parts };
            listed.morsels.push(whole.into_morsel(bound, segment_idx));
        }
    }
    Ok(listed)
}

impl WholeSegment {
    /// Makes the work of a segment whose rows need not be read; it has as many rows as its parts.
    fn into_morsel(self, segment: Arc<BoundSegment>, segment_idx: usize) -> Morsel {
        Morsel {
            segment,
            segment_idx,
            row_group: RowGroupIdx(0),
            rows: 0..self.parts.iter().map(|part| part.rows.len()).sum(),
            passes_all: false,
            whole: Some(Arc::new(self)),
        }
    }
}

/// Fewest rows of a part: a reader has to find its first page.
const PART_ROWS: usize = 1 << 16;

/// Cuts row groups into parts when they are too few to keep all threads busy.
pub fn cut(morsels: Vec<Morsel>, threads: usize) -> Vec<Morsel> {
    if threads < 2 || morsels.len() >= 2 * threads {
        return morsels;
    }
    let parts = (2 * threads).div_ceil(morsels.len().max(1));
    let parts_of = |morsel: Morsel| {
        let part_rows = match morsel.whole {
            Some(_) => morsel.rows.len().max(1),
            None => morsel.rows.len().div_ceil(parts).max(PART_ROWS),
        };
        let starts = morsel.rows.clone().step_by(part_rows);
        starts.map(move |start| {
            let rows = start..(start + part_rows).min(morsel.rows.end);
            Morsel {
                rows,
                ..morsel.clone()
            }
        })
    };
    morsels.into_iter().flat_map(parts_of).collect()
}
