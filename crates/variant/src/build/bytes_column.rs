//! A binary column that grows, and says so when it is full.

use arrow_array::BinaryArray;
use arrow_array::builder::BinaryBuilder;

use crate::Error;

/// Bytes row by row; offsets of 32 bits bound the sum of their lengths.
#[derive(Debug, Default)]
pub(crate) struct BytesColumn {
    builder: BinaryBuilder,
    len_bytes: usize,
}

impl BytesColumn {
    pub(crate) fn push(&mut self, bytes: Option<&[u8]>) -> Result<(), Error> {
        let Some(bytes) = bytes else {
            self.builder.append_null();
            return Ok(());
        };
        let len_bytes = self.len_bytes.saturating_add(bytes.len());
        let limit_bytes = i32::MAX.unsigned_abs();
        if u32::try_from(len_bytes).map_or(true, |len| len > limit_bytes) {
            let limit_bytes = crate::bytes::index(limit_bytes);
            return Err(Error::ColumnLength { limit_bytes });
        }
        self.builder.append_value(bytes);
        self.len_bytes = len_bytes;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> BinaryArray {
        self.builder.finish()
    }
}
