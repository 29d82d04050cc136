//! Files that are left closed, since what a table keeps about them rules them out.

use roaring::RoaringBitmap;

use crate::prune::Question;

/// Knows which files of a view may have a row that a question asks for, without opening them.
///
/// One-sided: a file is only left out when no row of it can satisfy the question.
pub trait FilePruner: std::fmt::Debug + Send + Sync {
    /// Returns the positions in the view of the files that may match; none when that is not known.
    fn matching(&self, question: &Question) -> Option<RoaringBitmap>;
}
