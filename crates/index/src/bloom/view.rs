//! Reading a filter in place.

use growler_base::limits;
use growler_schema::index_plan::BloomOptions;
use growler_schema::{DataType, Value};

use super::{BLOCK_BYTES, Layout, block, key};
use crate::Error;

/// The filter of one subject, read in place.
#[derive(Debug, Clone, Copy)]
pub struct BloomView<'a> {
    data_type: DataType,
    layout: Layout,
    blocks: &'a [[u8; BLOCK_BYTES]],
    block_count: u32,
}

impl<'a> BloomView<'a> {
    /// Checks that bytes are a filter.
    ///
    /// # Errors
    /// Corrupt.
    pub fn try_new(bytes: &'a [u8], data_type: DataType) -> Result<Self, Error> {
        let wrong = || Error::damaged("bloom filter has not the length it says");
        let (blocks, block_count, layout) = Layout::split(bytes)?;
        if blocks.len() > limits::INDEX_BLOOM_LEN_BYTES {
            return Err(wrong());
        }
        match blocks.as_chunks() {
            (blocks, []) if u32::try_from(blocks.len()) == Ok(block_count) && block_count > 0 => {
                Ok(Self {
                    data_type,
                    layout,
                    blocks,
                    block_count,
                })
            }
            _ => Err(wrong()),
        }
    }

    /// Returns the options that the filter was built with.
    pub fn options(&self) -> BloomOptions {
        self.layout.0
    }

    /// Tells whether a value may be there; false is a proof that it is not.
    ///
    /// A value of another type than the filter's may be there.
    pub fn may_contain(&self, value: &Value) -> bool {
        let Some(hash) = key::of_value(value, self.data_type) else {
            return true;
        };
        let block = self.blocks.get(block::place(hash, self.block_count));
        block.is_none_or(|block| block::contains(block, hash))
    }
}
