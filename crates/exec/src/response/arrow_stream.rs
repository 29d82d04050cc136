//! The table as Arrow record batch and IPC stream.

use std::io::Write;
use std::sync::Arc;

use arrow::ipc::writer::StreamWriter;
use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};

use super::table::ResultTable;
use crate::error::Error;

/// Turns the table into one batch; columns are nullable and keep their arrays.
pub(super) fn record_batch(table: &ResultTable) -> Result<RecordBatch, Error> {
    let fields = table
        .names
        .iter()
        .zip(&table.columns)
        .map(|(name, column)| Field::new(name, column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(table.row_count));
    RecordBatch::try_new_with_options(schema, table.columns.clone(), &options)
        .map_err(|error| Error::Internal(format!("result table is no record batch: {error}")))
}

/// Writes the table as an IPC stream.
pub(super) fn write(table: &ResultTable, out: impl Write) -> Result<(), Error> {
    let batch = record_batch(table)?;
    let failed = |error| Error::Execution(format!("arrow stream cannot be written: {error}"));
    let mut writer = StreamWriter::try_new(out, batch.schema_ref()).map_err(failed)?;
    writer.write(&batch).map_err(failed)?;
    writer.finish().map_err(failed)
}
