//! Shredded VARIANT columns: where a file keeps the parts of a value, and how they are read.
//!
//! A variant group holds `metadata`, an optional residual `value` and an optional `typed_value`
//! (VariantShredding.md). [`layout`] says which leaves one file has; [`plan`] compiles the path of
//! a key against a layout; [`key`] reads a key as an array; [`document`] puts whole documents back
//! together as JSON text. [`arrays`] finds the parts of a pruned group by name, [`leaf`] views a
//! typed leaf as values, and [`sink`] collects what was found.

pub mod layout;
pub mod facts;
pub mod output;

pub use layout::{Group, KeyKind, Layout, ScalarType, ShreddedField, ShreddedKey, Typed};
pub use facts::LeafFacts;
pub use output::{KeyColumn, KeyOutput, NonObjectRoot};
