//! Parquet files made for a test.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int32Array, RecordBatch, StringArray};
use growler_exec::{Engine, View};
use growler_segment::FooterCache;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use tempfile::TempDir;

/// How a file is cut.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    /// Rows of a row group.
    pub row_group_rows: usize,
    /// Rows of a page.
    pub page_rows: usize,
    /// Whether columns have dictionaries.
    pub dictionary: bool,
}

impl Default for Cut {
    fn default() -> Self {
        Self {
            row_group_rows: 1 << 20,
            page_rows: 1 << 14,
            dictionary: true,
        }
    }
}

/// Writes one file.
pub fn write(path: &Path, batch: &RecordBatch, cut: Cut) {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(cut.row_group_rows))
        .set_data_page_row_count_limit(cut.page_rows)
        .set_write_batch_size(cut.page_rows)
        .set_dictionary_enabled(cut.dictionary)
        .set_statistics_enabled(EnabledStatistics::Page)
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// A folder of files, removed at the end of the test.
pub struct Files {
    folder: TempDir,
}

impl Files {
    /// Writes one file a batch.
    pub fn new(batches: &[RecordBatch], cut: Cut) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (idx, batch) in batches.iter().enumerate() {
            write(
                &folder.path().join(format!("part-{idx:03}.parquet")),
                batch,
                cut,
            );
        }
        Self { folder }
    }

    /// Returns the path of one of the files.
    pub fn path(&self, idx: usize) -> std::path::PathBuf {
        self.folder.path().join(format!("part-{idx:03}.parquet"))
    }

    /// Makes the files a table of an engine.
    pub fn register(&self, engine: &Engine, name: &str) {
        engine.register(self.view(name));
    }

    /// Opens the files as a table.
    pub fn view(&self, name: &str) -> View {
        let location = self.folder.path().to_str().unwrap();
        View::open(name, location, None, &FooterCache::default()).unwrap()
    }
}

/// Makes a batch of named columns.
pub fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// Makes an INT column.
pub fn ints(values: &[Option<i32>]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

/// Makes a STRING column.
pub fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// Makes a BOOLEAN column.
pub fn booleans(values: &[Option<bool>]) -> ArrayRef {
    Arc::new(BooleanArray::from(values.to_vec()))
}
