//! JSON paths (Goessner's, as Jayway reads them) over JSON text.
//!
//! Rooms, in reading order: [`path`] text to steps; [`parse_filter`] and [`filter`] `[?(..)]`;
//! [`stream`] a path of names and indices without building the document, over the bytes as [`scan`]
//! sees them; [`select`] any path over a
//! document; [`extract`] both behind one call; [`scalar`] the value found as a type; [`matching`]
//! `JSON_MATCH`.

pub(crate) mod extract;
mod filter;
pub(crate) mod matching;
mod parse_filter;
pub(crate) mod path;
pub(crate) mod scalar;
mod scan;
mod select;
mod stream;

pub(crate) use extract::{Extractor, Found};
