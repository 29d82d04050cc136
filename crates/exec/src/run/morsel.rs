//! Units of work: the row groups whose statistics do not exclude a match.

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

/// One row group of one segment.
#[derive(Debug, Clone)]
pub struct Morsel {
    /// The segment.
    pub segment: Arc<BoundSegment>,
    /// Its position in the view.
    pub segment_idx: usize,
    /// The row group.
    pub row_group: RowGroupIdx,
    /// Rows in it.
    pub row_count: usize,
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
                row_count: rows.row_count,
                passes_all: known.trues == Extent::All,
            });
        }
        listed.pruned_segment_count += usize::from(listed.morsels.len() == before);
    }
    Ok(listed)
}
