//! Writing variants: JSON text and Arrow arrays to metadata and value bytes.
//!
//! ```text
//! JSON text ---+
//! Arrow row ---+--> Encoder (value bytes) + NameTable (metadata) --ColumnBuilder--> StructArray
//! ```
//!
//! Objects list their fields by the bytes of their names and every width is the smallest that fits;
//! the sorted flag of a dictionary is set only when its names are. [`mod@crate::shred::split`] goes on
//! from there to typed columns.

pub(crate) mod container;
pub mod names;
pub mod scalar;

pub mod encoder;

pub mod json;
mod number;

pub mod arrow;

pub(crate) mod bytes_column;
pub mod column;

pub use arrow::NullFields;
pub use column::{ColumnBuilder, Dictionary};
pub use encoder::Encoder;
pub use names::NameTable;
