//! A fingerprint of a plan, the same in every process and release (FNV-1a, 64 bits).

/// Collects what is to be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanHash(u64);

const PRIME: u64 = 0x0000_0100_0000_01b3;

impl Default for PlanHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl PlanHash {
    /// Adds text; its end is part of it, so that `ab`, `c` differs from `a`, `bc`.
    pub fn text(&mut self, text: &str) {
        for byte in text.bytes() {
            self.byte(byte);
        }
        // No byte of UTF-8.
        self.byte(0xff);
    }

    /// Adds a number.
    pub fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|b| self.byte(b));
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
    }

    /// Returns the fingerprint.
    pub fn finish(self) -> u64 {
        self.0
    }
}
