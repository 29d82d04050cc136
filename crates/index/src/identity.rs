//! Which data a file of indexes was built over.

/// Identity of a Parquet file, as far as an index depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceIdentity {
    /// Length of the Parquet file.
    pub len_bytes: u64,
    /// Hash of its footer's bytes ([`hash`]).
    pub footer_hash: u64,
    /// Rows it holds.
    pub row_count: u32,
}

/// Returns the hash that identities and index files use: XXH3, 64 bits.
pub fn hash(bytes: &[u8]) -> u64 {
    twox_hash::XxHash3_64::oneshot(bytes)
}
