//! Units of work: the row groups whose statistics do not exclude a match.

use std::ops::Range;
use std::sync::Arc;

use growler_base::RowGroupIdx;
use growler_segment::NonObjectRoot;

use crate::{
    error::Error,
    plan::{BoundSegment, Plan},
    prune::{Extent, verdict::verdict},
    run::Context,
    table::View,
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
}

/// The work of a query.
#[derive(Debug, Default)]
pub struct Morsels {
    /// Row groups to read, in row order.
    pub morsels: Vec<Morsel>,
    /// Segments without any.
    pub pruned_segment_count: usize,
}

/// Binds all segments of a view and lists the row groups to read.
///
/// # Errors
/// [`Error::Execution`] when a file does not have a column in a form that can be read.
pub fn morsels(
    plan: &Plan,
    view: &View,
    root: NonObjectRoot,
    host_name: &str,
    context: &Context,
) -> Result<Morsels, Error> {
    let mut listed = Morsels::default();
    context.progress.add_total(view.row_count());
    for (segment_idx, segment) in view.segments().iter().enumerate() {
        context.check()?;
        let bound = Arc::new(BoundSegment::try_new(
            segment,
            &plan.slots,
            root,
            host_name,
        )?);
        let before = listed.morsels.len();
        for (row_group, rows) in segment.row_groups() {
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
            });
        }
        listed.pruned_segment_count += usize::from(listed.morsels.len() == before);
    }
    Ok(listed)
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
        let part_rows = morsel.rows.len().div_ceil(parts).max(PART_ROWS);
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
