//! Bounds to ranks.

use std::ops::{Bound, Range};

/// Returns the ranks within two bounds, given the first rank that is not below a value (or, with
/// `true`, not below or equal). None when `first` has none.
pub(super) fn ranks<T: Copy>(
    len: u32,
    lower: Bound<T>,
    upper: Bound<T>,
    first: impl Fn(T, bool) -> Option<u32>,
) -> Option<Range<u32>> {
    let start = match lower {
        Bound::Unbounded => 0,
        Bound::Included(value) => first(value, false)?,
        Bound::Excluded(value) => first(value, true)?,
    };
    let end = match upper {
        Bound::Unbounded => len,
        Bound::Included(value) => first(value, true)?,
        Bound::Excluded(value) => first(value, false)?,
    };
    Some(start..end.max(start))
}
