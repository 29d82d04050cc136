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

/// Reads a dictionary with the twin's full check.
pub fn dictionary(metadata: &[u8]) -> Option<VariantMetadata<'_>> {
    catch_unwind(|| VariantMetadata::try_new(metadata).ok()).ok().flatten()
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
