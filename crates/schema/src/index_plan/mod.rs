//! Which indexes a table wants, made of its config and its columns.
//!
//! [`plan`] what each column, key and remainder wants; [`bloom`] how a bloom filter is laid out;
//! [`remainder`] which paths of a remainder; [`json`] which paths inside documents, [`json_path`] how
//! these are spelled;
//! [`path`] a path as index configs spell it; [`hash`] what tells one plan from another.

pub mod bloom;
pub mod hash;
pub mod json;
pub mod json_path;
pub mod path;
pub mod plan;
pub mod remainder;

pub use bloom::BloomOptions;
pub use json::JsonPlan;
pub use plan::{ColumnIndexes, IndexKinds, IndexPlan, VariantIndexes};
pub use remainder::RemainderPlan;
