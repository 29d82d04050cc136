//! The file: a header with the schema, then blocks of values.
//!
//! ```text
//! magic "Obj" 1       4 bytes
//! metadata            map of text to bytes: avro.schema, avro.codec and what the format adds
//! sync                16 bytes
//! blocks              count, length in bytes, values (compressed as a whole), sync
//! ```

use std::str::FromStr;

use apache_avro::Codec;
use growler_base::limits;
use serde_json::Value;

use super::{Shape, Values};
use crate::error::Fault;

const MAGIC: &[u8] = b"Obj\x01";
const SYNC_LEN: u64 = 16;

/// A container file; its blocks are inflated one at a time.
#[derive(Debug)]
pub(crate) struct Container<'a> {
    metadata: Vec<(&'a [u8], &'a [u8])>,
    shape: Shape,
    codec: Codec,
    sync: &'a [u8],
    blocks: &'a [u8],
}

impl<'a> Container<'a> {
    /// Reads the header.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, Fault> {
        let mut values = Values::new(bytes);
        if values.take(4)? != MAGIC {
            return Err(Fault::corrupt("not an avro file"));
        }
        let mut metadata = Vec::new();
        values.each_item(|values| {
            let (name, value) = (values.sized()?, values.sized()?);
            metadata.push((name, value));
            Ok(())
        })?;
        let sync = values.take(SYNC_LEN)?;
        let find = |wanted: &str| find(&metadata, wanted);
        let schema = find("avro.schema").ok_or_else(|| Fault::corrupt("avro schema is missing"))?;
        let schema: Value = serde_json::from_slice(schema)
            .map_err(|error| Fault::quoting(format!("avro schema is no JSON: {error}")))?;
        Ok(Self {
            shape: Shape::compile(&schema)?,
            codec: codec(find("avro.codec").unwrap_or(b"null"))?,
            sync,
            blocks: values.rest(),
            metadata,
        })
    }

    /// Returns what the header says under a name.
    pub(crate) fn header(&self, name: &str) -> Option<&'a [u8]> {
        find(&self.metadata, name)
    }

    /// Reads every value, in order.
    pub(crate) fn each(
        &self,
        mut read: impl FnMut(&mut Values<'_>, &Shape) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut blocks = Values::new(self.blocks);
        let mut inflated_len = 0_usize;
        while !blocks.rest().is_empty() {
            let count = blocks.long()?;
            let bytes = blocks.sized()?;
            if blocks.take(SYNC_LEN)? != self.sync {
                return Err(Fault::corrupt(
                    "avro block does not end in the file's marker",
                ));
            }
            let inflated = inflate(self.codec, bytes)?;
            let block = inflated.as_deref().unwrap_or(bytes);
            inflated_len = inflated_len.saturating_add(block.len());
            if inflated_len > limits::MANIFEST_INFLATED_LEN_BYTES {
                let limit = limits::MANIFEST_INFLATED_LEN_BYTES;
                return Err(Fault::Limit(format!(
                    "inflated values are too long limit={limit}"
                )));
            }
            let mut values = Values::new(block);
            for _ in 0..count {
                let left = values.rest().len();
                read(&mut values, &self.shape)?;
                if values.rest().len() == left {
                    return Err(Fault::corrupt("avro block counts more values than it has"));
                }
            }
        }
        Ok(())
    }
}

fn find<'a>(metadata: &[(&'a [u8], &'a [u8])], wanted: &str) -> Option<&'a [u8]> {
    let entry = metadata.iter().find(|(name, _)| *name == wanted.as_bytes());
    entry.map(|(_, value)| *value)
}

fn codec(name: &[u8]) -> Result<Codec, Fault> {
    let known = std::str::from_utf8(name)
        .ok()
        .and_then(|name| Codec::from_str(name).ok());
    known.ok_or_else(|| {
        let name = String::from_utf8_lossy(name);
        Fault::Unsupported(format!("avro codec is not supported codec={name}"))
    })
}

/// The bytes of a block; none when they are stored as they are.
fn inflate(codec: Codec, bytes: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
    if codec == Codec::Null {
        return Ok(None);
    }
    // One bound for the process; the first call sets it, later ones change nothing.
    apache_avro::util::max_allocation_bytes(limits::MANIFEST_BLOCK_LEN_BYTES);
    let mut block = bytes.to_vec();
    codec
        .decompress(&mut block)
        .map_err(|error| Fault::quoting(format!("avro block cannot be inflated: {error}")))?;
    Ok(Some(block))
}
