//! How large a filter is, and what it ends with.

use growler_base::{Cursor, limits};
use growler_schema::index_plan::BloomOptions;

use super::BLOCK_BYTES;
use crate::Error;

/// Bits of the filter for each value where nothing is said: about four in a thousand absent ones are
/// not told.
const BITS_PER_VALUE: f64 = 12.0;
/// Most bits of a filter that are set where nothing is said.
const MOST_SET: f64 = 0.5;
/// Bits that a value sets.
const BITS_SET: f64 = 8.0;
/// What a filter ends with of which nothing was said.
const USUAL: [u8; 4] = *b"BLM1";
/// What a filter with options ends with.
const WITH_OPTIONS: [u8; 4] = *b"BLM2";

/// The layout of a filter, by its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout(pub BloomOptions);

impl Layout {
    /// Most bytes behind the blocks.
    pub const FOOTER_BYTES: usize = 16;

    /// Returns the blocks of a filter for so many distinct values.
    pub fn block_count(self, values: u32) -> usize {
        let bits_per_value = match self.0.false_positive_rate() {
            None => BITS_PER_VALUE,
            Some(rate) => -BITS_SET / (1.0 - rate.powf(1.0 / BITS_SET)).ln(),
        };
        let bytes =
            (f64::from(values) * bits_per_value / 8.0).min(limits::INDEX_BLOOM_LEN_BYTES as f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the limit"
        )]
        let blocks = (bytes as usize / BLOCK_BYTES).next_power_of_two();
        blocks.min(self.most_blocks())
    }

    /// Returns the most blocks, a power of two.
    fn most_blocks(self) -> usize {
        let most = match usize::try_from(self.0.most_bytes) {
            Ok(0) | Err(_) => limits::INDEX_BLOOM_LEN_BYTES,
            Ok(most) => most.min(limits::INDEX_BLOOM_LEN_BYTES),
        };
        let blocks = (most / BLOCK_BYTES).max(1);
        1 << blocks.ilog2()
    }

    /// Returns the share of bits that may be set: so many that a value finds all of its own by chance
    /// as often as it may.
    pub fn most_set(self) -> f64 {
        let rate = self.0.false_positive_rate();
        rate.map_or(MOST_SET, |rate| rate.powf(1.0 / BITS_SET))
    }

    /// Appends what comes behind the blocks.
    pub fn append_footer(self, block_count: u32, bytes: &mut Vec<u8>) {
        if self.0.is_usual() {
            bytes.extend(block_count.to_le_bytes());
            bytes.extend(USUAL);
            return;
        }
        for number in [self.0.false_positives, self.0.most_bytes, block_count] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(WITH_OPTIONS);
    }

    /// Splits a filter into its blocks, how many these are, and its layout.
    pub fn split(bytes: &[u8]) -> Result<(&[u8], u32, Self), Error> {
        let short = || Error::damaged("bloom filter has not the length it says");
        let (rest, magic) = bytes.split_last_chunk::<4>().ok_or_else(short)?;
        let footer_len = match *magic {
            USUAL => 4,
            WITH_OPTIONS => 12,
            _ => return Err(Error::damaged("not a bloom filter of this version")),
        };
        let at = rest.len().checked_sub(footer_len).ok_or_else(short)?;
        let (blocks, footer) = rest.split_at_checked(at).ok_or_else(short)?;
        let mut footer = Cursor::new(footer);
        let mut number = || {
            let bytes = footer.take_array().map_err(|_| short())?;
            Ok::<_, Error>(u32::from_le_bytes(bytes))
        };
        let options = match *magic {
            WITH_OPTIONS => BloomOptions {
                false_positives: number()?,
                most_bytes: number()?,
            },
            _ => BloomOptions::default(),
        };
        Ok((blocks, number()?, Self(options)))
    }
}
