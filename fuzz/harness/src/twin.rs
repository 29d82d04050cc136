//! `parquet-variant`, given only what it survives.
//!
//! It panics on dates that are far away, takes exponential time for offsets that overlap, and runs
//! out of stack on deep nesting; only what its own check accepts may be looked into.

use std::panic::catch_unwind;

use parquet_variant::{Variant, VariantMetadata};

use crate::plain::extent;

/// Reads a variant with the twin's full check; `None` when it refuses it or should not see it.
pub fn variant<'a>(metadata: &'a [u8], value: &'a [u8]) -> Option<Variant<'a, 'a>> {
    let (_, depth) = extent(value)?;
    if depth > 64 {
        return None;
    }
    let read = catch_unwind(|| Variant::try_new(metadata, value).ok());
    read.ok().flatten()
}

/// Reads the names of a dictionary; `None` when the twin refuses it, or panics because a name ends
/// inside a character, which its check lets pass.
pub fn names(metadata: &[u8]) -> Option<Vec<Option<&[u8]>>> {
    let read = catch_unwind(|| {
        let dictionary = VariantMetadata::try_new(metadata).ok()?;
        Some(
            dictionary
                .iter()
                .map(|name| Some(name.as_bytes()))
                .collect(),
        )
    });
    read.ok().flatten()
}

/// Finds a key as [`crate::plain::Plain::find`] does.
pub fn find<'m, 'v>(variant: &Variant<'m, 'v>, path: &str) -> Option<Variant<'m, 'v>> {
    let Variant::Object(object) = variant else {
        return None;
    };
    if let Some(found) = object.get(path) {
        return Some(found);
    }
    let (step, rest) = path.split_once('.')?;
    find(&object.get(step)?, rest)
}
