//! Where the integers of a struct in Thrift's compact protocol lie, to change them one by one.

use std::ops::Range;

const STRUCT: u8 = 12;
/// Deepest nesting that is followed.
const DEPTH: usize = 12;

/// Finds the varints of integer fields and list elements in the struct at the start; none when
/// there is no whole struct.
pub(super) fn integers(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut walk = Walk {
        bytes,
        at: 0,
        found: Vec::new(),
    };
    walk.value(STRUCT, 0)
        .map(|()| walk.found)
        .unwrap_or_default()
}

/// Returns what a varint stands for.
pub(super) fn value(varint: &[u8]) -> i64 {
    let groups = varint.iter().rev();
    let raw = groups.fold(0_u64, |value, byte| value << 7 | u64::from(byte & 0x7f));
    (raw >> 1).cast_signed() ^ -(raw & 1).cast_signed()
}

/// Writes a varint, of that length if it fits: more bytes than needed are allowed.
pub(super) fn varint(value: i64, len: usize) -> Vec<u8> {
    let mut raw = ((value << 1) ^ (value >> 63)).cast_unsigned();
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(raw & 0x7f).expect("seven bits");
        raw >>= 7;
        let is_last = raw == 0 && bytes.len() + 1 >= len;
        bytes.push(if is_last { low } else { low | 0x80 });
        if is_last {
            return bytes;
        }
    }
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    found: Vec<Range<usize>>,
}

impl Walk<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn varint(&mut self) -> Option<usize> {
        let start = self.at;
        while self.byte()? & 0x80 != 0 {}
        let groups = self.bytes.get(start..self.at)?.iter().rev();
        let value = groups.fold(0_u64, |value, byte| value << 7 | u64::from(byte & 0x7f));
        usize::try_from(value).ok()
    }

    fn skip(&mut self, len: usize) -> Option<()> {
        self.at = self.at.checked_add(len)?;
        (self.at <= self.bytes.len()).then_some(())
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 => Some(()),
            3 => self.skip(1),
            4..=6 => {
                let start = self.at;
                self.varint()?;
                self.found.push(start..self.at);
                Some(())
            }
            7 => self.skip(8),
            8 => {
                let len = self.varint()?;
                self.skip(len)
            }
            9 | 10 => {
                let header = self.byte()?;
                let len = match header >> 4 {
                    15 => self.varint()?,
                    short => usize::from(short),
                };
                (0..len).try_for_each(|_| self.element(header & 15, depth))
            }
            STRUCT => self.structure(depth + 1),
            _ => None,
        }
    }

    fn element(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 => self.skip(1),
            kind => self.value(kind, depth),
        }
    }

    fn structure(&mut self, depth: usize) -> Option<()> {
        if depth > DEPTH {
            return None;
        }
        loop {
            let header = self.byte()?;
            if header & 15 == 0 {
                return Some(());
            }
            if header >> 4 == 0 {
                self.varint()?;
            }
            self.value(header & 15, depth)?;
        }
    }
}
