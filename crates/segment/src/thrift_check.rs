//! A walk over a footer's or a page header's Thrift bytes before they are parsed.
//!
//! The parser allocates what a list says it holds, and recurses into the schema as deep as it says
//! it is. Bytes whose counts and nesting pass this walk cannot make it allocate more than a small
//! multiple of their own length, nor run out of stack.
//! ```text
//! FileMetaData { 1 version, 2 list<SchemaElement>, 3 num_rows, 4 list<RowGroup>, 5.. }
//! SchemaElement { .., 5 num_children, .. }          Thrift compact protocol throughout
//! PageHeader { 1 type, 2 uncompressed_page_size, 3 compressed_page_size, .. }
//! ```

use growler_base::limits;

const SCHEMA: i16 = 2;
const NUM_CHILDREN: i16 = 5;
/// Fields of a page header.
const PAGE_TYPE: i16 = 1;
const UNCOMPRESSED_PAGE_SIZE: i16 = 2;
const COMPRESSED_PAGE_SIZE: i16 = 3;
/// Structs in structs; a sound footer has six levels.
const STRUCT_DEPTH: usize = 32;

type Checked<T> = Result<T, &'static str>;

/// Checks that every count of a footer fits the bytes behind it and that the schema is no deeper
/// than [`limits::SCHEMA_DEPTH`].
pub(crate) fn check_footer(footer: &[u8]) -> Checked<()> {
    let mut walk = Walk { rest: footer };
    let mut id = 0;
    while let Some((field, kind)) = walk.field(id)? {
        id = field;
        if field == SCHEMA && kind == Kind::List {
            walk.schema()?;
        } else {
            walk.value(kind, 0)?;
        }
    }
    Ok(())
}

/// What a page header says of its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageHead {
    header_len_bytes: usize,
    compressed_len_bytes: i64,
    page_type: i64,
}

/// What a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// Values, or the dictionary of them.
    Values,
    /// Something that readers pass over.
    Other,
}

impl PageHead {
    /// Returns how long the page is in the file, header included; none when that is impossible.
    pub(crate) fn page_len_bytes(self) -> Option<u64> {
        let compressed = u64::from(u32::try_from(self.compressed_len_bytes).ok()?);
        compressed.checked_add(self.header_len_bytes as u64)
    }

    /// Tells what the page is.
    pub(crate) fn kind(self) -> PageKind {
        match self.page_type {
            0 | 2 | 3 => PageKind::Values,
            _ => PageKind::Other,
        }
    }
}

/// Checks the counts and the nesting of a page header at the start of some bytes.
///
/// The parser skips fields it does not know as often as their counts say, bytes or not.
pub(crate) fn check_page_header(bytes: &[u8]) -> Checked<PageHead> {
    let window = bytes.len().min(limits::PAGE_HEADER_LEN_BYTES);
    let mut walk = Walk {
        rest: bytes.get(..window).unwrap_or(bytes),
    };
    let (mut page_type, mut len, mut compressed_len_bytes) = (-1, 0, 0);
    walk.structure(0, |field, value| match field {
        PAGE_TYPE => page_type = value,
        UNCOMPRESSED_PAGE_SIZE => len = value,
        COMPRESSED_PAGE_SIZE => compressed_len_bytes = value,
        _ => {}
    })?;
    // The parser makes room for a page before it inflates it.
    match usize::try_from(len) {
        Ok(len) if len <= limits::PAGE_LEN_BYTES => Ok(PageHead {
            header_len_bytes: window.saturating_sub(walk.rest.len()),
            compressed_len_bytes,
            page_type,
        }),
        _ => Err("page is too long"),
    }
}

struct Walk<'a> {
    rest: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Byte,
    Integer,
    Double,
    Binary,
    List,
    Map,
    Struct,
}

impl Kind {
    fn of(code: u8) -> Checked<Self> {
        Ok(match code {
            1 | 2 => Self::Bool,
            3 => Self::Byte,
            4..=6 => Self::Integer,
            7 => Self::Double,
            8 => Self::Binary,
            9 | 10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            _ => return Err("unknown thrift type"),
        })
    }
}

impl Walk<'_> {
    fn byte(&mut self) -> Checked<u8> {
        let (first, rest) = self.rest.split_first().ok_or("bytes end early")?;
        self.rest = rest;
        Ok(*first)
    }

    fn skip(&mut self, len: u64) -> Checked<()> {
        let len = usize::try_from(len).ok();
        self.rest = len
            .and_then(|len| self.rest.get(len..))
            .ok_or("bytes end early")?;
        Ok(())
    }

    fn varint(&mut self) -> Checked<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("endless integer")
    }

    fn integer(&mut self) -> Checked<i64> {
        let zigzag = self.varint()?;
        Ok((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    /// Reads a field header; none at the end of the struct.
    fn field(&mut self, last: i16) -> Checked<Option<(i16, Kind)>> {
        let header = self.byte()?;
        if header & 0x0F == 0 {
            return Ok(None);
        }
        let id = match header >> 4 {
            0 => i16::try_from(self.integer()?).map_err(|_| "impossible field id")?,
            delta => last.wrapping_add(i16::from(delta)),
        };
        Ok(Some((id, Kind::of(header & 0x0F)?)))
    }

    fn list(&mut self) -> Checked<(u64, Option<Kind>)> {
        let header = self.byte()?;
        let len = match header >> 4 {
            15 => self.varint()?,
            short => u64::from(short),
        };
        if len > self.rest.len() as u64 {
            return Err("list is longer than the bytes");
        }
        // Some writers give empty lists the element type 0.
        let kind = if len == 0 {
            None
        } else {
            Some(Kind::of(header & 0x0F)?)
        };
        Ok((len, kind))
    }

    fn value(&mut self, kind: Kind, depth: usize) -> Checked<()> {
        if depth > STRUCT_DEPTH {
            return Err("structs are nested too deep");
        }
        match kind {
            // A bool's value is in the field header.
            Kind::Bool => Ok(()),
            Kind::Byte => self.skip(1),
            Kind::Integer => self.varint().map(|_| ()),
            Kind::Double => self.skip(8),
            Kind::Binary => {
                let len = self.varint()?;
                self.skip(len)
            }
            Kind::List => {
                let (len, kind) = self.list()?;
                kind.map_or(Ok(()), |kind| {
                    (0..len).try_for_each(|_| self.element(kind, depth))
                })
            }
            Kind::Map => self.map(depth),
            Kind::Struct => self.structure(depth, |_, _| ()),
        }
    }

    /// Skips an element of a list or map. No footer and no page header has one of bools, and the
    /// parser takes those for elements without bytes: it would go on somewhere else than this walk.
    fn element(&mut self, kind: Kind, depth: usize) -> Checked<()> {
        match kind {
            Kind::Bool => Err("list or map of bools"),
            other => self.value(other, depth + 1),
        }
    }

    fn map(&mut self, depth: usize) -> Checked<()> {
        let len = self.varint()?;
        if len == 0 {
            return Ok(());
        }
        if len > self.rest.len() as u64 {
            return Err("map is longer than the bytes");
        }
        let kinds = self.byte()?;
        let (key, value) = (Kind::of(kinds >> 4)?, Kind::of(kinds & 0x0F)?);
        (0..len).try_for_each(|_| {
            self.element(key, depth)?;
            self.element(value, depth)
        })
    }

    fn structure(&mut self, depth: usize, mut on_integer: impl FnMut(i16, i64)) -> Checked<()> {
        let mut id = 0;
        while let Some((field, kind)) = self.field(id)? {
            id = field;
            if kind == Kind::Integer {
                on_integer(field, self.integer()?);
            } else {
                self.value(kind, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Walks the schema's elements, which lie in depth-first order.
    fn schema(&mut self) -> Checked<()> {
        let (len, kind) = self.list()?;
        let mut open: Vec<u64> = Vec::new();
        for _ in 0..len {
            if kind != Some(Kind::Struct) {
                return Err("schema is no list of structs");
            }
            let mut children = 0;
            self.structure(0, |id, value| {
                if id == NUM_CHILDREN {
                    children = value;
                }
            })?;
            let children = u64::try_from(children).map_err(|_| "schema has a negative count")?;
            if children > len {
                return Err("schema has a group of more fields than there are");
            }
            if let Some(parent) = open.last_mut() {
                *parent = parent.saturating_sub(1);
            }
            if children > 0 {
                open.push(children);
            }
            while open.last() == Some(&0) {
                open.pop();
            }
            if open.len() > limits::SCHEMA_DEPTH {
                return Err("schema is nested too deep");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(children: u8) -> Vec<u8> {
        match children {
            0 => vec![0x15, 0x02, 0x00],
            // Field 5, i32, zigzag.
            n => vec![0x55, n * 2, 0x00],
        }
    }

    fn footer(elements: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = vec![0x29, 0xFC];
        let len = u16::try_from(elements.len()).unwrap();
        bytes.extend([
            u8::try_from(len & 0x7F).unwrap() | 0x80,
            u8::try_from(len >> 7).unwrap(),
        ]);
        bytes.extend(elements.concat());
        bytes.push(0);
        bytes
    }

    #[test]
    fn a_page_header_tells_kind_and_length() {
        // Fields 1 to 3: type, 200 bytes, 100 bytes in the file.
        let header = |kind: u8| {
            [
                0x15,
                kind * 2,
                0x15,
                0x90,
                0x03,
                0x15,
                0xC8,
                0x01,
                0x00,
                0x77,
            ]
        };
        for (kind, expected) in [
            (0, PageKind::Values),
            (1, PageKind::Other),
            (2, PageKind::Values),
            (3, PageKind::Values),
            (4, PageKind::Other),
        ] {
            let head = check_page_header(&header(kind)).unwrap();
            assert_eq!((head.page_len_bytes(), head.kind()), (Some(109), expected));
        }
        // A length of -1 in the file.
        let head = check_page_header(&[0x15, 0x00, 0x15, 0x02, 0x15, 0x01, 0x00]).unwrap();
        assert_eq!(head.page_len_bytes(), None);
    }

    #[test]
    fn refuses_deep_schemas_and_lists_longer_than_the_bytes() {
        let flat = footer(&[element(2), element(0), element(0)]);
        assert_eq!(check_footer(&flat), Ok(()));
        let chain = |depth: usize| {
            let mut elements = vec![element(1); depth];
            elements.push(element(0));
            footer(&elements)
        };
        assert_eq!(check_footer(&chain(limits::SCHEMA_DEPTH)), Ok(()));
        assert!(check_footer(&chain(limits::SCHEMA_DEPTH + 1)).is_err());
        // Field 9 of a page header, a list of 2^31 - 1 bools, and one of three.
        assert!(check_page_header(&[0x99, 0xF1, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0x00]).is_err());
        assert!(check_page_header(&[0x99, 0x31, 0x01, 0x01, 0x02, 0x00]).is_err());
        let head = check_page_header(&[0x15, 0x00, 0x00, 0xFF]).unwrap();
        assert_eq!(
            (head.page_len_bytes(), head.kind()),
            (Some(3), PageKind::Values)
        );
        // Field 2, a page of 2^31 - 1 bytes, and one of -1.
        assert!(check_page_header(&[0x25, 0xFE, 0xFF, 0xFF, 0xFF, 0x0F, 0x00]).is_err());
        assert!(check_page_header(&[0x25, 0x01, 0x00]).is_err());
        // Field 4, a list of 2^31 - 1 structs.
        assert!(check_footer(&[0x49, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0x00]).is_err());
        assert!(check_footer(&[0x4C; 1000]).is_err());
        for cut in 0..flat.len() {
            assert!(check_footer(&flat[..cut]).is_err(), "cut={cut}");
        }
    }
}
