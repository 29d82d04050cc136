//! The map of a file: what `inspect` tells, before it is text or JSON.

use std::path::PathBuf;

/// A Parquet file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileMap {
    /// Where it lies.
    pub path: PathBuf,
    /// Bytes in it.
    pub len_bytes: u64,
    /// Program that wrote it, as the footer names it.
    pub writer: Option<String>,
    /// Rows in it.
    pub row_count: u64,
    /// Row groups, in order.
    pub row_groups: Vec<RowGroupMap>,
    /// Top-level columns, in order.
    pub columns: Vec<ColumnMap>,
    /// Files of indexes made for it.
    pub indexes: Vec<IndexesMap>,
}

/// A file of indexes.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexesMap {
    /// Table they were made for.
    pub table: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Bytes in it.
    pub len_bytes: u64,
    /// Why it, or some index of it, is not used.
    pub refusal: Option<String>,
    /// What it holds.
    pub indexes: Vec<IndexMap>,
}

/// An index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexMap {
    /// Column or key.
    pub subject: String,
    /// Its kind.
    pub kind: &'static str,
    /// Type of its values.
    pub data_type: &'static str,
    /// Bytes in it.
    pub len_bytes: u64,
    /// Distinct values of the column or key, where it has a dictionary.
    pub distinct_count: Option<u32>,
    /// Rows without a value.
    pub null_count: Option<u32>,
}

/// A row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowGroupMap {
    /// Rows in it.
    pub row_count: u64,
    /// Bytes of its pages, compressed.
    pub len_bytes: u64,
}

/// A top-level column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnMap {
    /// Its name.
    pub name: String,
    /// Field id, where the file has them.
    pub field_id: Option<i32>,
    /// Type in the file.
    pub source_type: String,
    /// Type in queries.
    pub column_type: String,
    /// Why it cannot be read, if so.
    pub refusal: Option<String>,
    /// Its leaf columns.
    pub leaves: Vec<LeafMap>,
    /// How its keys are kept, when it is a VARIANT.
    pub variant: Option<VariantMap>,
}

/// A leaf column over all row groups.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafMap {
    /// Names from the root, joined by dots.
    pub path: String,
    /// Compression, one name unless row groups differ.
    pub codecs: Vec<String>,
    /// Encodings of its pages.
    pub encodings: Vec<String>,
    /// Size.
    pub bytes: Bytes,
    /// Values and nulls, list elements counted one by one.
    pub value_count: u64,
    /// Nulls among them, where known.
    pub null_count: Option<u64>,
    /// Smallest and largest value, where the footer tells.
    pub bounds: Option<(String, String)>,
    /// Whether every row group has a page index for it.
    pub has_page_index: bool,
}

/// Size of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bytes {
    /// In the file.
    pub compressed: u64,
    /// Once decompressed.
    pub uncompressed: u64,
}

/// A VARIANT column.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantMap {
    /// Whether the group carries the VARIANT annotation.
    pub annotated: bool,
    /// What the root's typed part is.
    pub root: KeyKind,
    /// Size of the dictionary of names.
    pub metadata: Bytes,
    /// The root's residual, which has every key that is not shredded.
    pub residual: Option<Residual>,
    /// Shredded keys, parents before children.
    pub keys: Vec<KeyMap>,
}

/// A shredded key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyMap {
    /// Names from the root of the value.
    pub names: Vec<String>,
    /// What its typed part is.
    pub kind: KeyKind,
    /// Rows in which the typed part has a value, where known.
    pub typed_rows: Option<u64>,
    /// Size of the typed part: a scalar's leaf, all leaves of an array, nothing for an object.
    pub bytes: Bytes,
    /// Leaves of the typed part.
    pub leaf_count: usize,
    /// Values that did not fit the typed part.
    pub residual: Option<Residual>,
}

/// What a typed part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyKind {
    /// There is none.
    Untyped,
    /// A primitive column.
    Scalar {
        /// Type in the file.
        scalar: String,
        /// Type of the key in queries over this file.
        key_type: String,
    },
    /// An object with shredded keys.
    Object,
    /// An array.
    Array,
}

/// Bytes of values that are in no typed column.
#[derive(Debug, Clone, PartialEq)]
pub struct Residual {
    /// Rows in which there are some, where known.
    pub row_count: Option<u64>,
    /// Size.
    pub bytes: Bytes,
    /// Keys found in residual objects.
    pub keys: Vec<ResidualKey>,
    /// Rows that were looked at for them; fewer than the file has when it is large.
    pub sampled_rows: u64,
}

/// A key found in residual bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResidualKey {
    /// Names from the root of the value.
    pub names: Vec<String>,
    /// Rows among the sampled ones that have it.
    pub row_count: u64,
    /// Types its values have.
    pub types: Vec<String>,
}

impl std::ops::AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.compressed += other.compressed;
        self.uncompressed += other.uncompressed;
    }
}
