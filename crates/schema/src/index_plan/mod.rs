//! Which indexes a table wants, made of its config and its columns.
//!
//! [`bloom`] how a bloom filter is laid out; [`plan`] what each column, key and remainder wants; [`remainder`] which paths of a remainder;
//! [`path`] a path as index configs spell it; [`hash`] what tells one plan from another.

pub mod bloom;
pub mod hash;
pub mod path;
pub mod plan;
pub mod remainder;

pub use bloom::BloomOptions;
pub use plan::{ColumnIndexes, IndexKinds, IndexPlan, VariantIndexes};
pub use remainder::RemainderPlan;
