//! Bytes as text of two digits each.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[expect(clippy::ref_option, reason = "serde hands the member over so")]
pub(crate) fn serialize<S: Serializer>(
    bytes: &Option<Box<[u8]>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    bytes.as_deref().map(write).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<[u8]>>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    let read = |text: String| read(&text).ok_or_else(|| D::Error::custom("bytes are no digits"));
    Ok(text.map(read).transpose()?.map(Into::into))
}

/// Returns the digits of bytes.
pub(crate) fn write(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    text
}

/// Reads bytes from their digits.
pub(crate) fn read(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? << 4 | digit(*low)?).ok();
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}
