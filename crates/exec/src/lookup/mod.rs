//! Filters and aggregates answered by the indexes of a segment instead of its values.
//!
//! An index is built over the values that a slot reads, and asked with the very test that a scan
//! would run, over its distinct values. It gives the pair of the one leaf contract, rows where a
//! predicate is *true* and rows where it is *null*, and may leave some rows to the scan (*unknown*):
//! so whatever is indexed, the answer is that of the scan.
//!
//! Rooms, in reading order: [`skip`] indexes a query does without; [`place`] where the values of a
//! slot are indexed; `choice` which index answers a test, and when the scan costs less; [`answer`]
//! one predicate on one segment; `document` predicates on what JSON has inside; [`lookups`] all of them; `whole` a filter on a whole segment;
//! [`shortcut`] aggregates from dictionaries and counts.
//!
//! A read that would fail - contradictory files, a root that is no object - fails while the index is
//! built, and then there is none. Where there is one, it answers, and like statistics it may spare a
//! query rows of other columns on which a scan would have failed.

pub mod answer;
mod choice;
mod document;
pub mod lookups;
pub mod place;
pub mod shortcut;
pub mod skip;
mod whole;

pub use answer::{Answer, Via};
pub use lookups::{Asking, Lookups};
pub use place::{Found, Origin, Place};
pub use shortcut::Shortcut;
pub use skip::SkipIndexes;
