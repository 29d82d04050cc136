//! Values of a source as ids into a dictionary, without making the values of rows.
//!
//! ```text
//! dictionary page -> one batch of a reader of the same leaf -> values of the source's type
//! data pages      -> levels -> validity;  ids, as they are stored
//! ```
//! `hybrid` the encoding of levels and ids (Parquet, Encodings.md, "Run Length Encoding / Bit-Packing
//! Hybrid"); `page` both of one data page; `block` rows of one; `dictionary` the values; `reader` batches of rows.
//!
//! Only sources qualify that one leaf answers: a primitive column, or a key with a typed column whose
//! residuals hold nothing of it. Values are converted by the very code that converts rows, so a row
//! reads the same either way.

mod block;
mod dictionary;
mod hybrid;
mod page;
pub(crate) mod reader;

pub use block::Block;
pub use reader::{EncodedReader, EncodedStop};
