//! How a file that is written is cut, encoded and compressed.

use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

/// Settings of a writer; the default suits files of some size.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// Most rows of a row group.
    pub row_group_rows: usize,
    /// Most rows of a page.
    pub page_rows: usize,
    /// About how long a page gets, in bytes.
    pub page_len_bytes: usize,
    /// Whether columns have dictionaries.
    pub dictionary: bool,
    /// Longest dictionary of a column, in bytes; a longer one falls back to plain pages.
    pub dictionary_len_bytes: usize,
    /// Compression of pages.
    pub codec: Compression,
    /// Version of the data pages: 1.0 or 2.0.
    pub page_version: WriterVersion,
    /// Whether minima, maxima and null counts are kept: not, of row groups, of pages as well.
    pub statistics: EnabledStatistics,
    /// Whether the places of pages are kept; needed for statistics of pages.
    pub page_index: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            row_group_rows: 1 << 20,
            page_rows: 20_000,
            page_len_bytes: 1 << 20,
            dictionary: true,
            dictionary_len_bytes: 1 << 20,
            codec: Compression::SNAPPY,
            page_version: WriterVersion::PARQUET_1_0,
            statistics: EnabledStatistics::Page,
            page_index: true,
        }
    }
}

impl WriteOptions {
    /// Returns the settings as the `parquet` crate has them.
    pub(super) fn properties(&self) -> WriterProperties {
        let statistics = match (self.page_index, self.statistics) {
            (false, EnabledStatistics::Page) => EnabledStatistics::Chunk,
            (_, statistics) => statistics,
        };
        WriterProperties::builder()
            .set_max_row_group_row_count(Some(self.row_group_rows.max(1)))
            .set_data_page_row_count_limit(self.page_rows.max(1))
            // The limits of a page are looked at once a batch.
            .set_write_batch_size(self.page_rows.clamp(1, 1024))
            .set_data_page_size_limit(self.page_len_bytes)
            .set_dictionary_enabled(self.dictionary)
            .set_dictionary_page_size_limit(self.dictionary_len_bytes)
            .set_compression(self.codec)
            .set_writer_version(self.page_version)
            .set_statistics_enabled(statistics)
            .set_offset_index_disabled(!self.page_index)
            .build()
    }
}
