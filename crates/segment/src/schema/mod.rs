//! What a file's Parquet schema means.
//!
//! [`leaf_type`] primitive columns; [`group`] structs, lists, maps and variants by annotation and
//! shape; [`layout`] the leaves of a variant; [`shape`] a whole column, as the reader returns it;
//! [`infer`] the fields a table inferred from the file has; [`columns`] columns by id and name.

pub(crate) mod columns;
pub(crate) mod group;
pub(crate) mod infer;
pub(crate) mod layout;
pub(crate) mod leaf_type;
pub(crate) mod shape;

pub(crate) use columns::{Column, Columns};
pub(crate) use shape::{Shape, ShapeField};

/// Why a column's type cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The type is sound, but not one that is read.
    Unsupported(String),
    /// The type breaks the format.
    Malformed(String),
}
