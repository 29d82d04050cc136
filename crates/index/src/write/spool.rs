//! Parts that wait in temporary files until what comes before them is written.

use std::io::{self, Seek, Write};

use tempfile::SpooledTempFile;

/// Copies a spooled part to the end of what was written, and returns its length.
///
/// # Errors
/// The part cannot be read, or `out` cannot be written.
pub(crate) fn append(part: &mut SpooledTempFile, out: &mut impl Write) -> io::Result<u64> {
    part.rewind()?;
    io::copy(part, out)
}
