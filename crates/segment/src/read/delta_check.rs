//! Checks the lengths that DELTA encodings of byte arrays begin with.
//!
//! The `parquet` crate makes room for as many lengths as the encoded stream claims before it reads
//! the first one; that many cannot be had, and running out of memory ends the process. So a page
//! whose stream claims more values than its header is refused here (Encodings.md, "Delta encoding",
//! "Delta-length byte array", "Delta Strings").

use growler_base::{Cursor, OutOfBytes, limits};
use parquet::basic::Encoding;
use parquet::column::page::Page;

/// Levels of a leaf: how deep it can be defined and repeated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Levels {
    pub(crate) definition: i16,
    pub(crate) repetition: i16,
}

/// Refuses a page whose streams of lengths claim too many values.
///
/// # Errors
/// What is wrong with the page.
pub(crate) fn check_page(page: &Page, levels: Levels) -> Result<(), &'static str> {
    let streams = match page.encoding() {
        Encoding::DELTA_BYTE_ARRAY => 2,
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        _ => return Ok(()),
    };
    let most = u64::from(page.num_values());
    if most > limits::PAGE_VALUES {
        return Err("page has too many values");
    }
    let mut values = values(page, levels).map_err(|_| "levels do not fit their page")?;
    for _ in 0..streams {
        let claimed = skip_stream(&mut values).map_err(|_| "lengths end early")?;
        if claimed > most {
            return Err("more lengths than values");
        }
    }
    Ok(())
}

/// Returns what follows the levels of a data page.
fn values(page: &Page, levels: Levels) -> Result<Cursor<'_>, OutOfBytes> {
    let mut bytes = Cursor::new(page.buffer());
    match page {
        Page::DataPage {
            num_values,
            def_level_encoding,
            rep_level_encoding,
            ..
        } => {
            for (level, encoding) in [
                (levels.repetition, *rep_level_encoding),
                (levels.definition, *def_level_encoding),
            ] {
                skip_levels(&mut bytes, level, encoding, *num_values)?;
            }
        }
        Page::DataPageV2 {
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => {
            let len = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
            bytes.take(len)?;
        }
        Page::DictionaryPage { .. } => {}
    }
    Ok(bytes)
}

fn skip_levels(
    bytes: &mut Cursor<'_>,
    most: i16,
    encoding: Encoding,
    num_values: u32,
) -> Result<(), OutOfBytes> {
    if most <= 0 {
        return Ok(());
    }
    let len = match encoding {
        Encoding::RLE => u64::from(bytes.uint(4)?),
        // The old encoding, packed without a length.
        _ => {
            let bits = u64::from(16 - most.leading_zeros());
            (bits * u64::from(num_values)).div_ceil(8)
        }
    };
    bytes.take(len).map(|_| ())
}

/// Skips a DELTA_BINARY_PACKED stream; returns how many values it claims.
fn skip_stream(bytes: &mut Cursor<'_>) -> Result<u64, OutOfBytes> {
    let block_len = varint(bytes)?;
    let parts = varint(bytes)?;
    let claimed = varint(bytes)?;
    varint(bytes)?;
    let Some(part_len) = block_len.checked_div(parts) else {
        return Ok(claimed);
    };
    let mut left = claimed.saturating_sub(1);
    while left > 0 && part_len > 0 {
        varint(bytes)?;
        let mut len: u64 = 0;
        for width in bytes.take(parts)? {
            // Widths after the last value may be anything, and have no bits.
            if left > 0 {
                len = len.saturating_add(u64::from(*width).saturating_mul(part_len) / 8);
            }
            left = left.saturating_sub(part_len);
        }
        bytes.take(len)?;
    }
    Ok(claimed)
}

fn varint(bytes: &mut Cursor<'_>) -> Result<u64, OutOfBytes> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.u8()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    const FLAT: Levels = Levels {
        definition: 0,
        repetition: 0,
    };

    fn page(bytes: &[u8], num_values: u32, encoding: Encoding) -> Page {
        Page::DataPage {
            buf: Bytes::copy_from_slice(bytes),
            num_values,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }

    /// A stream of `claimed` equal values; claims below 128.
    fn stream(claimed: u8) -> Vec<u8> {
        let mut bytes = vec![0x80, 0x01, 4, claimed, 0];
        if claimed > 1 {
            bytes.extend([0, 0, 0, 0, 0]);
        }
        bytes
    }

    #[test]
    fn refuses_more_lengths_than_values() {
        let joined = |first: u8, second: u8| [stream(first), stream(second)].concat();
        let huge = [
            0x80, 0x01, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0,
        ];
        let (one, two) = (
            Encoding::DELTA_LENGTH_BYTE_ARRAY,
            Encoding::DELTA_BYTE_ARRAY,
        );
        let check = |bytes: &[u8], values, encoding, expected: Result<(), &str>| {
            let page = page(bytes, values, encoding);
            assert_eq!(check_page(&page, FLAT), expected, "{bytes:?}");
        };
        check(&joined(100, 100), 100, two, Ok(()));
        check(&joined(1, 1), 1, two, Ok(()));
        check(&joined(2, 3), 2, two, Err("more lengths than values"));
        check(&stream(2), 2, two, Err("lengths end early"));
        check(&stream(2), 2, one, Ok(()));
        check(&stream(3), 2, one, Err("more lengths than values"));
        check(&huge, 2, one, Err("lengths end early"));
        check(&[], 2, Encoding::PLAIN, Ok(()));
        check(&stream(1), u32::MAX, one, Err("page has too many values"));
    }

    #[test]
    fn finds_the_values_behind_levels() {
        let levels = Levels {
            definition: 1,
            repetition: 0,
        };
        let bytes = [vec![2, 0, 0, 0, 6, 1], stream(3)].concat();
        let check = |values| {
            let page = page(&bytes, values, Encoding::DELTA_LENGTH_BYTE_ARRAY);
            check_page(&page, levels)
        };
        assert_eq!(check(3), Ok(()));
        assert_eq!(check(2), Err("more lengths than values"));
    }
}
