//! Whole values as JSON text.

use growler_base::limits::{DOCUMENT_LEN_BYTES, VARIANT_NODES};

use crate::{Error, Metadata};

/// What is left for the text form of one document.
#[derive(Debug, Clone)]
pub struct Budget {
    nodes: usize,
    len_bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            nodes: VARIANT_NODES,
            len_bytes: DOCUMENT_LEN_BYTES,
        }
    }
}

/// Appends the JSON text of a value, with keys in byte order.
///
/// # Errors
/// `Corrupt` for malformed bytes, `Unsupported` for an unknown primitive type, `LimitExceeded` when
/// the value is too deep, too long, or its overlapping offsets describe too much.
pub fn write_json(
    metadata: &Metadata<'_>,
    value: &[u8],
    out: &mut Vec<u8>,
    budget: &mut Budget,
) -> Result<(), Error> {
    let _ = (metadata, value, out, budget);
    Err(Error::Truncated { part: "value" })
}
