//! What a build may use.

use std::path::PathBuf;

use growler_base::limits;
use growler_schema::index_plan::BloomOptions;

/// What the build of one subject may use.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Memory, in bytes; beyond it, what was gathered goes to a temporary file. At least 1 MiB is used.
    pub memory_bytes: usize,
    /// Most distinct values of the dictionary; rows of further ones are [`crate::Kind::Others`].
    pub distinct_count: u32,
    /// Longest text or bytes of the dictionary; rows of longer ones are [`crate::Kind::Others`].
    pub value_len_bytes: usize,
    /// Folder of temporary files; the system's when none.
    pub spill_folder: Option<PathBuf>,
    /// How a bloom filter is laid out.
    pub bloom: BloomOptions,
}

impl Budget {
    /// Returns a budget of so many bytes of memory, and nothing else bounded but by `base::limits`.
    pub fn of_bytes(memory_bytes: usize) -> Self {
        Self {
            memory_bytes,
            distinct_count: u32::MAX - 2,
            value_len_bytes: limits::INDEX_VALUE_LEN_BYTES,
            spill_folder: None,
            bloom: BloomOptions::default(),
        }
    }

    /// Bounds the number of distinct values.
    #[must_use]
    pub fn with_distinct_count(mut self, distinct_count: u32) -> Self {
        self.distinct_count = distinct_count;
        self
    }

    /// Says how a bloom filter is laid out.
    #[must_use]
    pub fn with_bloom(mut self, bloom: BloomOptions) -> Self {
        self.bloom = bloom;
        self
    }

    /// Sets the folder of temporary files.
    #[must_use]
    pub fn with_spill_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.spill_folder = Some(folder.into());
        self
    }
}
