//! Values to hashes.

use growler_schema::{DataType, Value};

use crate::{identity::hash, range::code};

/// Returns the hash of a value with a code.
#[inline]
pub(super) fn of_code(code: u64) -> u64 {
    hash(&code.to_le_bytes())
}

/// Returns the hash of a BIG_DECIMAL's unscaled value.
#[inline]
pub(super) fn of_unscaled(unscaled: i128) -> u64 {
    hash(&unscaled.to_le_bytes())
}

/// Returns the hash of text or bytes.
#[inline]
pub(super) fn of_bytes(bytes: &[u8]) -> u64 {
    hash(bytes)
}

/// Returns the hash of a value among those of a type; none when it is of another type.
pub(super) fn of_value(value: &Value, data_type: DataType) -> Option<u64> {
    match (data_type, value) {
        (DataType::BigDecimal { scale }, Value::BigDecimal(unscaled, of)) if *of == scale => {
            Some(of_unscaled(*unscaled))
        }
        (DataType::Bytes, Value::Bytes(bytes)) => Some(of_bytes(bytes)),
        (text, Value::String(value)) if text.is_text() => Some(of_bytes(value.as_bytes())),
        _ => code::of_value(value, data_type).map(of_code),
    }
}
