//! Inputs that are a variant and a path.
//!
//! ```text
//! path length (1) | path | metadata length (2) | metadata | value
//! ```

use std::borrow::Cow;

use crate::draw::Draw;

/// The parts of an input; lengths that go past its end are cut.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    /// A dotted key.
    pub path: Cow<'a, str>,
    /// A dictionary of names.
    pub metadata: &'a [u8],
    /// A value.
    pub value: &'a [u8],
}

impl<'a> Parts<'a> {
    /// Splits an input.
    pub fn split(input: &'a [u8]) -> Self {
        let mut draw = Draw::new(input);
        let path_len = usize::from(draw.byte());
        let path = String::from_utf8_lossy(draw.take(path_len));
        let metadata_len = draw.word();
        let metadata = draw.take(metadata_len);
        Self {
            path,
            metadata,
            value: draw.rest(),
        }
    }
}

/// Makes the input that splits into those parts.
pub fn join(path: &str, metadata: &[u8], value: &[u8]) -> Vec<u8> {
    let path_len = u8::try_from(path.len()).expect("a short path");
    let metadata_len = u16::try_from(metadata.len()).expect("a short dictionary");
    let parts = [
        &[path_len],
        path.as_bytes(),
        &metadata_len.to_le_bytes(),
        metadata,
        value,
    ];
    parts.concat()
}
