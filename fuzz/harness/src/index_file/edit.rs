//! What an input does to a sample: a few edits, most of them where numbers are.

use super::layout::{HEADER, Layout};
use crate::draw::Draw;

/// Most edits of one input.
const EDITS: usize = 12;

/// Numbers at which readers stumble.
const NUMBERS: [u64; 12] = [
    0,
    1,
    2,
    64,
    127,
    255,
    65_535,
    65_536,
    1 << 31,
    u32::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// Applies edits until none is left.
pub(super) fn edit(file: &[u8], layout: &Layout, draw: &mut Draw<'_>) -> Vec<u8> {
    let mut edited = file.to_vec();
    for _ in 0..EDITS {
        if draw.is_empty() {
            break;
        }
        let at = place(&edited, layout, draw);
        match draw.below(4) {
            0 => flip(&mut edited, at, draw),
            1 => overwrite(&mut edited, at, &number(draw)),
            2 => {
                let len = draw.below(8) + 1;
                overwrite(&mut edited, at, draw.take(len));
            }
            _ => match draw.below(4) {
                0 => edited.truncate(at),
                1 => edited.push(draw.byte()),
                _ => flip(&mut edited, at, draw),
            },
        }
    }
    edited
}

/// Chooses a place: the header, the directory, or an index, most often its start or end.
fn place(file: &[u8], layout: &Layout, draw: &mut Draw<'_>) -> usize {
    let part = match draw.below(4) {
        0 => 0..HEADER,
        1 => layout.directory.clone(),
        _ => {
            let blob = layout.blobs.get(draw.below(layout.blobs.len().max(1)));
            blob.map_or(0..file.len(), |blob| blob.bytes.clone())
        }
    };
    let offset = draw.below(part.len().clamp(1, 65_535));
    match draw.below(3) {
        0 => part.start + offset,
        1 => part.start + offset % 64,
        _ => part.end.saturating_sub(1 + offset % 64),
    }
}

fn number(draw: &mut Draw<'_>) -> Vec<u8> {
    let number = match draw.below(2) {
        0 => NUMBERS[draw.below(NUMBERS.len())],
        _ => draw.long(),
    };
    let len = [1, 2, 4, 8][draw.below(4)];
    number.to_le_bytes()[..len].to_vec()
}

fn flip(file: &mut [u8], at: usize, draw: &mut Draw<'_>) {
    let bit = draw.below(8);
    if let Some(byte) = file.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

fn overwrite(file: &mut [u8], at: usize, bytes: &[u8]) {
    let into = file.get_mut(at..).unwrap_or_default();
    into.iter_mut()
        .zip(bytes)
        .for_each(|(into, byte)| *into = *byte);
}
