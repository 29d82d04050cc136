//! Keeps a defect of the Parquet reader from taking the process down.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::errors::ParquetError;

/// Runs a step of the `parquet` crate's decoder.
///
/// The crate answers most damaged files with an error, but some with a failed assertion or a slice
/// out of range (flipping bits of the sample files shows both). What it worked on is dropped
/// after either, so unwinding leaves nothing half done behind.
pub(crate) fn guarded<T>(
    step: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    let panicked = |_| {
        Err(ParquetError::General(
            "decoder gave up on damaged data".to_owned(),
        ))
    };
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(panicked)
}
