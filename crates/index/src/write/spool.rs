//! Parts that wait in memory or temporary files until what comes before them is written.

use std::io::{self, Seek, Write};

use tempfile::{SpooledData, SpooledTempFile};

/// Copies a spooled part to the end of what was written, and returns its length.
///
/// # Errors
/// The part cannot be read, or `out` cannot be written.
pub(crate) fn append(part: SpooledTempFile, out: &mut impl Write) -> io::Result<u64> {
    match part.into_inner() {
        SpooledData::InMemory(bytes) => {
            let bytes = bytes.into_inner();
            out.write_all(&bytes)?;
            Ok(bytes.len() as u64)
        }
        SpooledData::OnDisk(mut file) => {
            file.rewind()?;
            io::copy(&mut file, out)
        }
    }
}
