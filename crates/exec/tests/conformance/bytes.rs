//! Variants put together byte by byte, with what the tests of the codec do not need.

#[path = "../../../variant/tests/it/raw.rs"]
mod raw;

pub use raw::{int, list, metadata, object};

/// Makes a string, short if it fits.
pub fn string(text: &str) -> Vec<u8> {
    match text.len() {
        len @ 0..64 => [&[1 | (len as u8) << 2][..], text.as_bytes()].concat(),
        len => [&[16 << 2][..], &(len as u32).to_le_bytes(), text.as_bytes()].concat(),
    }
}

/// Makes a primitive of a type id from its payload.
pub fn primitive(id: u8, payload: &[u8]) -> Vec<u8> {
    [&[id << 2][..], payload].concat()
}

/// Makes a decimal of 4, 8 or 16 bytes.
pub fn decimal(width: usize, scale: u8, unscaled: i128) -> Vec<u8> {
    let id = match width {
        4 => 8,
        8 => 9,
        _ => 10,
    };
    primitive(
        id,
        &[&[scale][..], &unscaled.to_le_bytes()[..width]].concat(),
    )
}

/// Makes nested arrays of one element, a null in the innermost; ten bytes a level.
pub fn nest(depth: usize) -> Vec<u8> {
    let mut value = Vec::with_capacity(10 * depth + 1);
    for level in (0..depth).rev() {
        let inner = u32::try_from(10 * level + 1).unwrap().to_le_bytes();
        value.extend([0x0F, 1, 0, 0, 0, 0]);
        value.extend(inner);
    }
    value.push(0);
    value
}

/// Makes objects of the fields 0 and 1 that share one value, nested.
pub fn shared(depth: usize) -> Vec<u8> {
    let mut value = vec![0];
    for _ in 0..depth {
        let len = u16::try_from(value.len()).unwrap().to_le_bytes();
        // Two-byte offsets: both fields at 0, the end at the length of the one value.
        let head = [0x06, 2, 0, 1, 0, 0, 0, 0, len[0], len[1]];
        value = [&head[..], &value].concat();
    }
    value
}
