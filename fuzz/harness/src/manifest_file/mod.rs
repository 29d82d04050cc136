//! Manifest lists, manifests and deletion vectors: planned over, or an error that blames them.
//!
//! ```text
//! input = way (1), rest
//! way   : 0 a whole file, read as a list and as a manifest
//!         1 spec (1), count (1), values of a manifest  | under the schemas of [`table`]
//!         2 count (1), values of a manifest list       |
//!         3 cardinality (1), bitmaps of a deletion vector, made a blob with a right checksum
//!         4 cardinality (1), a blob
//! ```
//!
//! [`table`] the table that they are put in; [`plan`] what must hold of its plans; [`vector`] deletion
//! vectors.

mod plan;
mod table;
mod vector;

use std::sync::Arc;

use growler_catalog::manifest::{Entry, Manifest};

use crate::draw::Draw;
use crate::table_metadata::blames_bytes;

pub use table::{LIST_SCHEMA, MANIFEST_SCHEMA};

const PATH: &str = "/lake/t/metadata/m.avro";

pub(crate) fn check(input: &[u8]) {
    let mut draw = Draw::new(input);
    match draw.below(5) {
        0 => {
            let file = draw.rest();
            whole(file);
            plan::check(&table::of_manifest(file, 0));
        }
        1 => {
            let (spec, count) = (draw.below(2), draw.byte());
            let manifest = table::container(MANIFEST_SCHEMA, count, draw.rest());
            plan::check(&table::of_manifest(&manifest, spec));
        }
        2 => {
            let count = draw.byte();
            let list = table::container(LIST_SCHEMA, count, draw.rest());
            plan::check(&table::of_list(&list));
        }
        3 => {
            let cardinality = draw.byte();
            vector::check_bitmaps(draw.rest(), cardinality.into());
        }
        _ => {
            let cardinality = draw.byte();
            vector::check_blob(draw.rest(), cardinality.into());
        }
    }
}

/// A file by itself, read twice.
fn whole(file: &[u8]) {
    let list = Manifest::parse_list(file, PATH);
    match &list {
        Ok(list) => assert_eq!(Some(list), Manifest::parse_list(file, PATH).ok().as_ref()),
        Err(error) => blames_bytes(error, PATH),
    }
    let Ok(manifest) = Manifest::embedded(file, PATH) else {
        return;
    };
    let path: Arc<str> = PATH.into();
    let read = || {
        let mut entries = Vec::new();
        let read = Entry::each_of(
            file,
            &path,
            &manifest,
            |_| None,
            |entry| {
                entries.push(entry);
                Ok(())
            },
        );
        (entries, read)
    };
    let (entries, result) = read();
    match result {
        Ok(()) => assert_eq!(format!("{entries:?}"), format!("{:?}", read().0)),
        Err(error) => blames_bytes(&error, PATH),
    }
}
