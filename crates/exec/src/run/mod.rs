//! How a query runs: its limits, and its morsels in parallel with an ordered fold.
//!
//! Rooms: [`budget`] memory a query may hold; [`context`] deadline, cancellation and everything a
//! worker checks per batch; [`progress`] what an observer may watch; [`ordered`] morsels on the
//! compute pool, their partial results folded in row order.

pub mod budget;
pub mod context;
pub mod ordered;
pub mod progress;

pub use budget::{Charge, MemoryBudget};
pub use context::{CancelFlag, Context};
pub use ordered::{Flow, Window, fold_in_order};
pub use progress::Progress;
