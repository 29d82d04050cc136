//! Metadata, residuals and typed columns, whatever they hold: keys and documents as the readers of
//! arrays have them, against the same rows put together one by one.
//!
//! [`shape`] a layout; [`cell`] rows of it, drawn from the input; [`encode`] values for their
//! residuals; [`expect`] what a row is; [`arrays`] the rows as a Parquet reader would return them;
//! [`check`] the comparison.

mod arrays;
mod cell;
mod check;
mod encode;
mod expect;
mod shape;

pub(crate) use check::check;

/// Names of fields. Some are others joined, which is what dotted keys are about.
const NAMES: [&str; 8] = ["a", "b", "c", "a.b", "b.c", "a.b.c", "", "é"];
