//! What the reload of one segment did.

use growler_index::{Kind, Reading, SegmentIndexes};

/// The reload of one segment, done.
#[derive(Debug, Clone, Default)]
pub struct Reloaded {
    /// The indexes that the segment has now; none when none are wanted.
    pub indexes: Option<SegmentIndexes>,
    /// Whether anything changed on disk, the metadata included.
    pub changed: bool,
    /// What was built.
    pub built: Vec<BuiltIndex>,
    /// Indexes that were there and stayed.
    pub kept: usize,
    /// Indexes that were there and are wanted no more.
    pub removed: usize,
    /// What the segment's metadata was brought up to, such as `column.qty.dataType` and `LONG`.
    pub reconciled: Vec<(String, String)>,
}

/// One index that was built.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltIndex {
    /// Column.
    pub column: String,
    /// Key of a VARIANT column.
    pub key: Option<String>,
    /// How values were read.
    pub reading: Reading,
    /// Whether the key has no typed column in the file, so that it is an index on the remainder.
    pub remainder: bool,
    /// Its kind.
    pub kind: Kind,
    /// Bytes it takes.
    pub bytes: u64,
    /// Distinct values of the column or key, where a dictionary was built.
    pub distinct_count: Option<u32>,
    /// Seconds that reading and building took, for this index's share of its column or key.
    pub seconds: f64,
}
