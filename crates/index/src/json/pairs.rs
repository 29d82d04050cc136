//! Which row has which value of a path, in row order.

use super::spill::Spill;
use crate::Error;

/// A value's id, and a row.
pub(super) type Pair = (u32, u32);
/// Bytes of a pair.
pub(super) const PAIR_BYTES: usize = 8;

/// The pairs of one path: the last ones in memory, those before in the spill.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    held: Vec<Pair>,
    /// Where earlier pairs are: first byte and how many.
    spilled: Vec<(u64, u32)>,
}

impl Pairs {
    pub fn push(&mut self, pair: Pair) {
        self.held.push(pair);
    }

    /// Returns the memory that pairs take, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.held.capacity() * PAIR_BYTES
    }

    /// Moves the pairs in memory to the spill.
    ///
    /// # Errors
    /// Unavailable.
    pub fn spill(&mut self, spill: &mut Spill) -> Result<(), Error> {
        for part in self.held.chunks(u32::MAX as usize) {
            self.spilled.push(spill.push(part)?);
        }
        self.held = Vec::new();
        Ok(())
    }

    /// Forgets all pairs.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Calls `see` with all pairs, in row order.
    ///
    /// # Errors
    /// Unavailable.
    pub fn each(
        &self,
        spill: Option<&mut Spill>,
        see: &mut impl FnMut(&[Pair]),
    ) -> Result<(), Error> {
        if let Some(spill) = spill {
            for (from, count) in &self.spilled {
                spill.each(*from, *count, see)?;
            }
        }
        see(&self.held);
        Ok(())
    }
}
