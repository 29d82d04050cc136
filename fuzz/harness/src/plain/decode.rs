//! Bytes to a tree.

use growler_base::limits::VARIANT_DEPTH;

use super::Plain;

/// Most nodes that are read; growler reads more, but answers are not compared then.
const NODES: usize = 20_000;
const DAY_MICROS: i64 = 86_400_000_000;

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The bytes are malformed.
    Malformed,
    /// There are too many nodes, or they are nested too deeply.
    TooMuch,
}

use Refused::{Malformed, TooMuch};

/// Splits a dictionary into its names; one whose offsets are wrong is `None`. `None` for the whole
/// when its tables do not fit, or the names do not begin with the first.
pub fn names(metadata: &[u8]) -> Option<Vec<Option<&[u8]>>> {
    let header = *metadata.first()?;
    if header & 15 != 1 {
        return None;
    }
    let width = usize::from(header >> 6) + 1;
    let number = |at: usize| little_endian(metadata.get(at..at.checked_add(width)?)?);
    let count = number(1)?;
    let offsets = 1 + width;
    let text = offsets.checked_add(count.checked_add(1)?.checked_mul(width)?)?;
    let end = number(offsets + count * width)?;
    let text = metadata.get(text..text.checked_add(end)?)?;
    if number(offsets)? != 0 {
        return None;
    }
    let name = |id: usize| {
        let at = offsets + id * width;
        text.get(number(at)?..number(at + width)?)
    };
    Some((0..count).map(name).collect())
}

/// Decodes a value in full.
///
/// # Errors
/// [`Refused`].
pub fn decode(metadata: &[u8], value: &[u8]) -> Result<Plain, Refused> {
    let names = names(metadata).ok_or(Malformed)?;
    let mut decoder = Decoder {
        names,
        nodes_left: NODES,
    };
    decoder.value(value, VARIANT_DEPTH)
}

/// Counts the nodes that can be reached from a value, malformed ones too, and how deep they are
/// nested. `None` past the bounds of what another decoder should be given.
pub fn extent(value: &[u8]) -> Option<(usize, usize)> {
    let mut nodes = 0;
    let depth = reach(value, 0, &mut nodes)?;
    Some((nodes, depth))
}

fn reach(value: &[u8], depth: usize, nodes: &mut usize) -> Option<usize> {
    *nodes += 1;
    if *nodes > NODES || depth > VARIANT_DEPTH {
        return None;
    }
    let mut deepest = depth;
    let Some(container) = Container::read(value) else {
        return Some(depth);
    };
    for offset in container.offsets {
        let child = container.values.get(offset..).unwrap_or_default();
        deepest = deepest.max(reach(child, depth + 1, nodes)?);
    }
    Some(deepest)
}

/// An object or array whose tables fit.
struct Container<'a> {
    /// Of an object only.
    ids: Vec<usize>,
    offsets: Vec<usize>,
    values: &'a [u8],
}

impl<'a> Container<'a> {
    fn read(value: &'a [u8]) -> Option<Self> {
        let header = usize::from(*value.first()?);
        let is_object = header & 3 == 2;
        if header & 2 == 0 {
            return None;
        }
        let offset_width = (header >> 2 & 3) + 1;
        let id_width = if is_object { (header >> 4 & 3) + 1 } else { 0 };
        let large = if is_object { 0x40 } else { 0x10 };
        let count_width = if header & large == 0 { 1 } else { 4 };
        let (count, rest) = value.get(1..)?.split_at_checked(count_width)?;
        let count = little_endian(count)?;
        let (ids, rest) = rest.split_at_checked(count.checked_mul(id_width)?)?;
        let offsets_len = count.checked_add(1)?.checked_mul(offset_width)?;
        let (offsets, rest) = rest.split_at_checked(offsets_len)?;
        let mut offsets: Vec<usize> = offsets
            .chunks(offset_width)
            .filter_map(little_endian)
            .collect();
        let values = rest.get(..offsets.pop()?)?;
        let ids = ids.chunks(id_width.max(1)).filter_map(little_endian);
        Some(Self {
            ids: ids.collect(),
            offsets,
            values,
        })
    }

    fn child(&self, offset: usize) -> Result<&'a [u8], Refused> {
        let child = self.values.get(offset..).unwrap_or_default();
        if child.is_empty() {
            Err(Malformed)
        } else {
            Ok(child)
        }
    }
}

struct Decoder<'m> {
    names: Vec<Option<&'m [u8]>>,
    nodes_left: usize,
}

impl Decoder<'_> {
    fn value(&mut self, value: &[u8], depth_left: usize) -> Result<Plain, Refused> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(TooMuch)?;
        let (header, rest) = value.split_first().ok_or(Malformed)?;
        match header & 3 {
            0 => primitive(header >> 2, rest).ok_or(Malformed),
            1 => rest
                .get(..usize::from(header >> 2))
                .and_then(text)
                .ok_or(Malformed),
            basic => {
                let container = Container::read(value).ok_or(Malformed)?;
                let depth_left = depth_left.checked_sub(1).ok_or(TooMuch)?;
                if basic == 3 {
                    self.list(&container, depth_left)
                } else {
                    self.object(&container, depth_left)
                }
            }
        }
    }

    fn list(&mut self, list: &Container<'_>, depth_left: usize) -> Result<Plain, Refused> {
        let elements = list.offsets.iter();
        let elements = elements.map(|&offset| self.value(list.child(offset)?, depth_left));
        elements.collect::<Result<_, _>>().map(Plain::List)
    }

    fn object(&mut self, object: &Container<'_>, depth_left: usize) -> Result<Plain, Refused> {
        let mut fields = Vec::new();
        for (&id, &offset) in object.ids.iter().zip(&object.offsets) {
            let name = self.names.get(id).copied().flatten().ok_or(Malformed)?;
            let name = std::str::from_utf8(name).map_err(|_| Malformed)?;
            let value = self.value(object.child(offset)?, depth_left)?;
            fields.push((name.to_owned(), value));
        }
        fields.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        if fields.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Malformed);
        }
        Ok(Plain::Object(fields))
    }
}

fn primitive(id: u8, rest: &[u8]) -> Option<Plain> {
    Some(match id {
        0 => Plain::Null,
        1 | 2 => Plain::Boolean(id == 1),
        3 => Plain::Integer(i8::from_le_bytes(*rest.first_chunk()?).into()),
        4 => Plain::Integer(i16::from_le_bytes(*rest.first_chunk()?).into()),
        5 => Plain::Integer(i32::from_le_bytes(*rest.first_chunk()?).into()),
        6 => Plain::Integer(i64::from_le_bytes(*rest.first_chunk()?)),
        7 => Plain::Double(f64::from_le_bytes(*rest.first_chunk()?)),
        8..=10 => return decimal(id, rest),
        11 => rest.first_chunk::<4>().map(|_| Plain::Quoted)?,
        12 | 13 | 18 | 19 => rest.first_chunk::<8>().map(|_| Plain::Quoted)?,
        14 => Plain::Float(f32::from_le_bytes(*rest.first_chunk()?)),
        15 => Plain::Bytes(sized(rest)?.to_vec()),
        16 => return text(sized(rest)?),
        17 => {
            let micros = i64::from_le_bytes(*rest.first_chunk()?);
            (0..DAY_MICROS).contains(&micros).then_some(Plain::Quoted)?
        }
        20 => rest.first_chunk::<16>().map(|_| Plain::Quoted)?,
        _ => return None,
    })
}

fn decimal(id: u8, rest: &[u8]) -> Option<Plain> {
    let (&scale, rest) = rest.split_first()?;
    let unscaled = match id {
        8 => i32::from_le_bytes(*rest.first_chunk()?).into(),
        9 => i64::from_le_bytes(*rest.first_chunk()?).into(),
        _ => i128::from_le_bytes(*rest.first_chunk()?),
    };
    (scale <= 38).then_some(Plain::Decimal { unscaled, scale })
}

fn sized(rest: &[u8]) -> Option<&[u8]> {
    let (len, rest) = rest.split_at_checked(4)?;
    rest.get(..little_endian(len)?)
}

fn text(bytes: &[u8]) -> Option<Plain> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(Plain::Text(text.to_owned()))
}

fn little_endian(bytes: &[u8]) -> Option<usize> {
    let value = bytes
        .iter()
        .rev()
        .fold(0, |value: u64, byte| value << 8 | u64::from(*byte));
    usize::try_from(value).ok()
}
