//! How a VARIANT column keeps its keys in one file.

use std::path::Path;

use growler_base::LeafIdx;
use growler_variant::shred::layout::{Group, Layout, Typed};
use parquet::file::reader::FileReader;

use crate::inspect::leaf;
use crate::inspect::levels::{absent_rows, definition_level};
use crate::inspect::map::{Bytes, KeyKind, KeyMap, Residual, VariantMap};
use crate::inspect::residual::Sample;

/// A VARIANT column of an open file.
pub struct Variant<'a> {
    /// The file, opened.
    pub file: &'a dyn FileReader,
    /// Where it lies.
    pub path: &'a Path,
    /// Name of the column.
    pub column: &'a str,
    /// Leaves of the column.
    pub layout: &'a Layout,
    /// Rows of the file.
    pub row_count: u64,
}

impl Variant<'_> {
    /// Gathers the shredded keys, their fill and their residuals.
    pub fn describe(&self, annotated: bool) -> VariantMap {
        let root = &self.layout.root;
        let mut keys = Vec::new();
        self.push_keys(root, &mut Vec::new(), &mut keys);
        VariantMap {
            annotated,
            root: kind(root),
            metadata: self.bytes(self.layout.metadata),
            residual: self.residual(root, &[]),
            keys,
        }
    }

    fn push_keys(&self, group: &Group, names: &mut Vec<String>, keys: &mut Vec<KeyMap>) {
        let Some(Typed::Object(fields)) = &group.typed else {
            return;
        };
        for field in fields {
            names.push(field.name.clone());
            keys.push(self.key(&field.group, names));
            self.push_keys(&field.group, names, keys);
            names.pop();
        }
    }

    fn key(&self, group: &Group, names: &[String]) -> KeyMap {
        let mut leaves = Vec::new();
        match &group.typed {
            Some(Typed::Scalar { leaf, .. }) => leaves.push(*leaf),
            Some(Typed::List(element)) => element.push_leaves(&mut leaves),
            Some(Typed::Object(_)) | None => {}
        }
        let mut bytes = Bytes::default();
        leaves.iter().for_each(|leaf| bytes += self.bytes(*leaf));
        KeyMap {
            names: names.to_vec(),
            kind: kind(group),
            typed_rows: self.typed_rows(group, names),
            bytes,
            leaf_count: leaves.len(),
            residual: self.residual(group, names),
        }
    }

    fn typed_rows(&self, group: &Group, names: &[String]) -> Option<u64> {
        let mut leaves = Vec::new();
        let typed = Group {
            value: None,
            typed: group.typed.clone(),
        };
        typed.push_leaves(&mut leaves);
        let mut place = self.place(names);
        place.push("typed_value".to_owned());
        self.present_rows(*leaves.first()?, &place)
    }

    fn residual(&self, group: &Group, names: &[String]) -> Option<Residual> {
        let leaf = group.value?;
        let mut place = self.place(names);
        place.push("value".to_owned());
        let row_count = self.present_rows(leaf, &place);
        // Only objects have keys; what does not fit a scalar or an array rarely is one.
        let may_have_keys = matches!(group.typed, Some(Typed::Object(_)) | None);
        let sample = if may_have_keys && row_count != Some(0) {
            let below = place.get(1..).unwrap_or_default();
            Sample::take(
                self.path,
                names,
                self.layout.metadata.index(),
                leaf.index(),
                below,
            )
        } else {
            Sample::default()
        };
        let sampled_rows = sample.row_count();
        let keys = sample.into_keys();
        Some(Residual {
            row_count,
            bytes: self.bytes(leaf),
            keys,
            sampled_rows,
        })
    }

    /// Returns the schema path of the group of a key.
    fn place(&self, names: &[String]) -> Vec<String> {
        let mut place = vec![self.column.to_owned()];
        for name in names {
            place.extend(["typed_value".to_owned(), name.clone()]);
        }
        place
    }

    fn present_rows(&self, leaf: LeafIdx, place: &[String]) -> Option<u64> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        let level = definition_level(schema.root_schema(), place)?;
        let absent = absent_rows(self.file, leaf.index(), level).ok()?;
        Some(self.row_count.saturating_sub(absent))
    }

    fn bytes(&self, leaf: LeafIdx) -> Bytes {
        leaf::bytes(self.file.metadata(), leaf.index())
    }
}

fn kind(group: &Group) -> KeyKind {
    match &group.typed {
        None => KeyKind::Untyped,
        Some(Typed::Scalar { scalar, .. }) => KeyKind::Scalar {
            scalar: scalar.to_string(),
            key_type: scalar.key_type().name().to_owned(),
        },
        Some(Typed::Object(_)) => KeyKind::Object,
        Some(Typed::List(_)) => KeyKind::Array,
    }
}
