//! Choices drawn from the bytes of an input; when they are used up, every choice is the first one.

/// The bytes left to draw from.
#[derive(Debug)]
pub(crate) struct Draw<'a> {
    rest: &'a [u8],
}

impl<'a> Draw<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *first
    }

    pub(crate) fn word(&mut self) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()]))
    }

    pub(crate) fn long(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    /// Draws a number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let drawn = if end > 256 {
            self.word()
        } else {
            usize::from(self.byte())
        };
        drawn % end
    }

    /// Takes that many bytes, or all that are left.
    pub(crate) fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// Takes all that is left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        self.take(self.rest.len())
    }
}
