//! Shredded VARIANT columns: where a file keeps the parts of a value, and how they are read.
//!
//! A variant group holds `metadata`, an optional residual `value` and an optional `typed_value`
//! (VariantShredding.md). [`layout`] says which leaves one file has and [`facts`] what is known of
//! them in a row group; [`plan`] compiles the path of a key against a layout; [`key`] reads a key
//! as an array; [`document`] puts whole documents back together as JSON text; [`discover`]
//! finds the keys that are there. The way there:
//! [`shape`] says how a column is to be shredded, [`infer`] makes one up, [`mod@split`]
//! does so.
//!
//! ```text
//! Layout + KeyPath -> KeyPlan --LeafFacts--> leaves to read -> pruned StructArray
//! StructArray --walk--> pieces (leaf | rebuilt | residual) --collect--> sink -> array
//!                       one leaf of the right type ---------hand_on---------> array
//! ```

//!
//! # Conflicts
//!
//! A file can say two things of one value. Keys, documents and nested values judge it by one rule,
//! as far as they read the bytes that show it:
//!
//! - A residual beside a typed scalar or list contradicts it by being there, whatever its bytes are:
//!   the read fails with the row.
//! - Beside a typed object a residual has to be an object. One that decodes as anything else, variant
//!   null too, contradicts: the read fails with the row. One that does not decode is malformed: the
//!   document is null, a key that it could hold is absent, the row is counted.
//! - A name that is shredded is read from the shredded side alone, also in rows where that side is
//!   missing; the same name in the residual beside it is never seen.
//! - Where the typed part is null, the residual is the value, also if it is an object that should
//!   have been shredded.
//!
//! A key that is shredded all the way reads no residual beside the objects that it passes through, so
//! it gives the typed value of rows whose document fails or is malformed for such a residual.

pub mod layout;

pub mod facts;
pub mod output;
pub mod plan;

mod arrays;
mod rows;
mod tally;
mod text_array;

mod leaf;

mod finder;
mod walk;

mod numbers;
mod sink;
mod texts;

mod collect;
mod hand_on;
mod rebuild;

pub mod discover;
pub mod document;
pub mod key;

pub mod infer;
pub mod shape;
pub mod split;
mod typed_column;

pub use discover::{DiscoveredPath, PathDiscovery, ValueClass, ValueClasses};
pub use document::{DocumentReader, ValueWriter, Written};
pub use facts::LeafFacts;
pub use infer::{InferOptions, Inference};
pub use key::KeyReader;
pub use layout::{Group, KeyKind, Layout, ScalarType, ShreddedField, ShreddedKey, Typed};
pub use output::{KeyColumn, KeyOutput, NonObjectRoot};
pub use plan::KeyPlan;
pub use shape::{Shape, ShapeField, TypedShape};
pub use split::split;
