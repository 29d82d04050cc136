//! A checked cursor over bytes whose lengths and offsets may lie.

/// The bytes ended before what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of bytes: wanted={wanted} left={left} offset={offset}")]
pub struct OutOfBytes {
    /// Bytes asked for.
    pub wanted: u64,
    /// Bytes that were left.
    pub left: usize,
    /// Offset of the cursor.
    pub offset: usize,
}

/// Reads little-endian values from a slice; every read is checked, none panics.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Returns how many bytes were read.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the bytes that are left.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.offset..).unwrap_or_default()
    }

    /// Takes the next `len` bytes.
    ///
    /// # Errors
    /// [`OutOfBytes`] when fewer are left; the cursor does not move then.
    pub fn take(&mut self, len: u64) -> Result<&'a [u8], OutOfBytes> {
        let rest = self.rest();
        match usize::try_from(len).ok().and_then(|len| rest.get(..len)) {
            Some(taken) => {
                self.offset += taken.len();
                Ok(taken)
            }
            None => Err(OutOfBytes {
                wanted: len,
                left: rest.len(),
                offset: self.offset,
            }),
        }
    }

    /// Takes the next `N` bytes as an array.
    ///
    /// # Errors
    /// [`OutOfBytes`] when fewer are left.
    pub fn take_array<const N: usize>(&mut self) -> Result<[u8; N], OutOfBytes> {
        let taken = self.take(N as u64)?;
        let mut array = [0; N];
        array.copy_from_slice(taken);
        Ok(array)
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// [`OutOfBytes`] at the end.
    pub fn u8(&mut self) -> Result<u8, OutOfBytes> {
        self.take_array().map(|[byte]| byte)
    }

    /// Reads an unsigned little-endian integer of `width` bytes, 1 to 4.
    ///
    /// # Errors
    /// [`OutOfBytes`] when fewer than `width` bytes are left.
    pub fn uint(&mut self, width: usize) -> Result<u32, OutOfBytes> {
        let taken = self.take(width as u64)?;
        Ok(taken
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_little_endian_of_every_width() -> Result<(), OutOfBytes> {
        for (width, expected) in [(1, 0x01), (2, 0x0201), (3, 0x03_0201), (4, 0x0403_0201)] {
            assert_eq!(
                Cursor::new(&[1, 2, 3, 4]).uint(width)?,
                expected,
                "width={width}"
            );
        }
        Ok(())
    }

    #[test]
    fn refuses_to_read_past_the_end_and_stays_where_it_was() {
        let mut cursor = Cursor::new(&[1, 2, 3]);
        assert_eq!(cursor.u8(), Ok(1));
        let refused = OutOfBytes {
            wanted: u64::MAX,
            left: 2,
            offset: 1,
        };
        assert_eq!(cursor.take(u64::MAX), Err(refused));
        assert_eq!(cursor.rest(), [2, 3]);
        assert_eq!(cursor.take(2), Ok(&[2, 3][..]));
        assert!(cursor.u8().is_err());
    }
}
