//! Values of a source as ids into a dictionary, without making the values of rows.
//!
//! ```text
//! dictionary page -> one batch of a reader of the same leaf -> values of the source's type
//! data pages      -> levels -> validity;  ids, as they are stored
//! ```
//! `hybrid` the encoding of levels and ids (Parquet, Encodings.md, "Run Length Encoding / Bit-Packing
//! Hybrid"); `page` both of one data page; `block` rows of one; `dictionary` the values; `reader` batches of rows.
//!
//! A predicate is a set of ids (`id_set`): `test` tells it from packed ids to `bits`, in wide registers
//! where there are (`vector`), and `spread` makes bits of rows of those of values.
//!
//! Only sources qualify that one leaf answers: a primitive column, or a key with a typed column whose
//! residuals hold nothing of it. A predicate may also ask two: the typed column, and the residual
//! beside it. Values are converted by the very code that converts rows, so a row
//! reads the same either way.

mod bits;
mod block;
mod dictionary;
mod hybrid;
mod id_set;
mod page;
pub(crate) mod reader;
mod spread;
mod test;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use bits::Bits;
pub use block::Block;
pub use id_set::IdSet;
pub use reader::{EncodedReader, EncodedStop};
