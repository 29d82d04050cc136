//! How a query runs: its limits, and its morsels in parallel with an ordered fold.
//!
//! Rooms: [`budget`] memory a query may hold; [`context`] deadline, cancellation and everything a
//! worker checks per batch; [`progress`] what an observer may watch; [`times`] where the time goes; [`ordered`] morsels on the
//! compute pool, their partial results folded in row order; [`pools`] the threads; [`morsel`] the units of work; [`scan`] one
//! of them; [`query`] all of them to an answer; `fetch` the rows of a sorted answer; `absent` keys
//! that no row has; `explain` the plan
//! instead of the answer.

mod absent;
pub mod budget;
pub mod context;
mod explain;
mod fetch;
pub mod morsel;
pub mod ordered;
pub mod pools;
pub mod progress;
pub mod query;
pub mod scan;
pub mod times;

pub use budget::{Charge, MemoryBudget};
pub use context::Context;
pub use growler_base::CancelFlag;
pub use ordered::{Flow, Window, fold_in_order};
pub use pools::Pools;
pub use progress::Progress;
pub use times::Times;
