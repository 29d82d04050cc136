//! Values to blobs, within a budget.

mod budget;
mod value_builder;

pub use budget::Budget;
pub use value_builder::{Built, ValueBuilder};
