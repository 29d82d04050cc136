//! Batches to a file.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::errors::Result;

use super::annotate::parquet_schema;
use super::options::WriteOptions;

/// Writes one Parquet file.
pub struct Writer<W: Write + Send> {
    inner: ArrowWriter<W>,
}

impl<W: Write + Send> Writer<W> {
    /// Starts a file of that schema.
    ///
    /// # Errors
    /// The `parquet` crate's: a type that Parquet does not have, or a sink that fails.
    pub fn try_new(sink: W, schema: &SchemaRef, options: &WriteOptions) -> Result<Self> {
        // Arrow's own copy of the schema would make readers see extension types and views.
        let settings = ArrowWriterOptions::new()
            .with_properties(options.properties())
            .with_skip_arrow_metadata(true)
            .with_parquet_schema(parquet_schema(schema)?);
        let inner = ArrowWriter::try_new_with_options(sink, schema.clone(), settings)?;
        Ok(Self { inner })
    }

    /// Appends rows.
    ///
    /// # Errors
    /// The `parquet` crate's.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.inner.write(batch)
    }

    /// Ends the row group, even if it is not full.
    ///
    /// # Errors
    /// The `parquet` crate's.
    pub fn end_row_group(&mut self) -> Result<()> {
        self.inner.flush()
    }

    /// Writes the footer.
    ///
    /// # Errors
    /// The `parquet` crate's.
    pub fn close(self) -> Result<()> {
        self.inner.close().map(drop)
    }
}
