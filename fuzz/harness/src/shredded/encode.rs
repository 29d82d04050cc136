//! Variant bytes drawn from the input: mostly valid, so that what follows is reached.

use super::NAMES;
use crate::draw::Draw;

/// Deepest nesting of a residual.
const DEPTH: usize = 3;

/// Draws a dictionary: the names in their order mostly, or another order, or any bytes, or none.
pub(super) fn metadata(draw: &mut Draw<'_>) -> Option<Vec<u8>> {
    let mut names = NAMES;
    match draw.byte() {
        0..160 => {}
        choice @ 160..208 => names.rotate_left(usize::from(choice) % NAMES.len()),
        208..224 => names.reverse(),
        224..240 => names[1] = names[0],
        240..250 => {
            let len = draw.below(40);
            return Some(draw.take(len).to_vec());
        }
        _ => return None,
    }
    let mut bytes = vec![0x01, length(names.len()), 0];
    let mut end = 0;
    for name in names {
        end += name.len();
        bytes.push(length(end));
    }
    bytes.extend(names.concat().bytes());
    Some(bytes)
}

/// Draws a value; an object where it must be one to make sense.
pub(super) fn value(draw: &mut Draw<'_>, beside_object: bool) -> Vec<u8> {
    let mut bytes = match (beside_object, draw.byte()) {
        (true, 0..240) | (false, 0..128) => object(draw, 0),
        (_, 250..) => {
            let len = draw.below(24);
            draw.take(len).to_vec()
        }
        _ => any(draw, 0),
    };
    if draw.byte() >= 240 && !bytes.is_empty() {
        let at = draw.below(bytes.len());
        bytes[at] ^= draw.byte();
    }
    bytes
}

fn any(draw: &mut Draw<'_>, depth: usize) -> Vec<u8> {
    match draw.below(16) {
        0 if depth < DEPTH => object(draw, depth),
        1 if depth < DEPTH => list(draw, depth),
        0..=3 => vec![1 << 2 | b"\0\x04\x08\0"[draw.below(4)]],
        4 => vec![0],
        5 => [&[6 << 2][..], &draw.array::<8>()].concat(),
        6 => [&[7 << 2][..], &draw.array::<8>()].concat(),
        7 => [&[5 << 2][..], &draw.array::<4>()].concat(),
        8 => [&[8 << 2, draw.byte() % 12][..], &draw.array::<4>()].concat(),
        9 => [&[10 << 2, draw.byte() % 39][..], &draw.array::<16>()].concat(),
        10 => [&[11 << 2][..], &draw.array::<4>()].concat(),
        11 => [&[(12 + draw.byte() % 2) << 2][..], &draw.array::<8>()].concat(),
        12 => [&[14 << 2][..], &draw.array::<4>()].concat(),
        13 => {
            let len = draw.below(20);
            let bytes = draw.take(len);
            [&[15 << 2, length(bytes.len()), 0, 0, 0][..], bytes].concat()
        }
        _ => {
            let len = draw.below(24);
            let text = String::from_utf8_lossy(draw.take(len)).into_owned();
            let text = text.get(..text.len().min(60)).unwrap_or_default();
            [&[1 | length(text.len()) << 2][..], text.as_bytes()].concat()
        }
    }
}

/// Draws an object of some of the names, in the order of their ids.
fn object(draw: &mut Draw<'_>, depth: usize) -> Vec<u8> {
    let set = draw.byte();
    let ids: Vec<u8> = (0..8).filter(|bit| set >> bit & 1 == 1).collect();
    let values: Vec<Vec<u8>> = ids.iter().map(|_| any(draw, depth + 1)).collect();
    let head = [&[2 | 1 << 2, length(ids.len())][..], &ids].concat();
    container(head, &values)
}

fn list(draw: &mut Draw<'_>, depth: usize) -> Vec<u8> {
    let len = draw.below(4);
    let values: Vec<Vec<u8>> = (0..len).map(|_| any(draw, depth + 1)).collect();
    container(vec![3 | 1 << 2, length(len)], &values)
}

/// Appends two-byte offsets and the values.
fn container(mut bytes: Vec<u8>, values: &[Vec<u8>]) -> Vec<u8> {
    let mut end = 0_u16;
    bytes.extend(end.to_le_bytes());
    for value in values {
        end += u16::try_from(value.len()).expect("few short values");
        bytes.extend(end.to_le_bytes());
    }
    bytes.extend(values.concat());
    bytes
}

fn length(len: usize) -> u8 {
    u8::try_from(len).expect("a short part")
}
