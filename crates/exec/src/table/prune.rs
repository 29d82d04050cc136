//! Files that are left closed, since what a table keeps about them rules them out.

use roaring::RoaringBitmap;

use crate::filter::Filter;
use crate::plan::Slot;

/// Knows which files of a view may have a row that passes a filter, without opening them.
///
/// One-sided: a file is only left out when no row of it can make the filter true.
pub trait FilePruner: std::fmt::Debug + Send + Sync {
    /// Returns the positions in the view of the files that may match; none when that is not known.
    /// `slots` are those that the filter reads.
    fn matching(&self, filter: &Filter, slots: &[Slot]) -> Option<RoaringBitmap>;
}
