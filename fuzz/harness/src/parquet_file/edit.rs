//! What an input does to a sample: a few edits, each of one part.

use super::sample::Sample;
use super::thrift;
use crate::draw::Draw;

/// Most edits of one input.
const EDITS: usize = 12;

/// Numbers at which readers stumble.
const NUMBERS: [i64; 16] = [
    0,
    1,
    -1,
    2,
    3,
    127,
    128,
    255,
    65_536,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    1 << 31,
    1 << 48,
    i64::MAX,
    i64::MIN,
];

/// Applies edits until none is left.
pub(super) fn edit(sample: &Sample, draw: &mut Draw<'_>) -> Vec<u8> {
    let mut edited = sample.clone();
    let mut cut = usize::MAX;
    for _ in 0..EDITS {
        if draw.is_empty() {
            break;
        }
        match draw.below(8) {
            0 => footer_integer(&mut edited, draw),
            1 => page_integer(&mut edited, draw),
            2 => bytes(&mut edited.footer, draw),
            3 => page_bytes(&mut edited, draw),
            4 => bytes(&mut edited.body, draw),
            5 => flip(&mut edited.footer, draw),
            6 => flip(&mut edited.body, draw),
            _ => cut = draw.word(),
        }
    }
    let mut file = edited.file();
    file.truncate(cut);
    file
}

fn number(draw: &mut Draw<'_>, before: i64) -> i64 {
    match draw.below(4) {
        0 => NUMBERS[draw.below(NUMBERS.len())],
        1 => before.wrapping_add(i64::from(draw.byte().cast_signed())),
        2 => i64::from(draw.byte()),
        _ => draw.long().cast_signed(),
    }
}

fn footer_integer(sample: &mut Sample, draw: &mut Draw<'_>) {
    let integers = thrift::integers(&sample.footer);
    if integers.is_empty() {
        return;
    }
    let range = integers[draw.below(integers.len())].clone();
    let number = number(draw, thrift::value(&sample.footer[range.clone()]));
    sample.footer.splice(range, thrift::varint(number, 1));
}

/// Changes a number of a page header; one that takes more bytes overwrites what follows.
fn page_integer(sample: &mut Sample, draw: &mut Draw<'_>) {
    let Some(&page) = sample.pages.get(draw.below(sample.pages.len().max(1))) else {
        return;
    };
    let integers = thrift::integers(&sample.body[page..]);
    if integers.is_empty() {
        return;
    }
    let range = integers[draw.below(integers.len())].clone();
    let (start, end) = (page + range.start, page + range.end);
    let number = number(draw, thrift::value(&sample.body[start..end]));
    overwrite(
        &mut sample.body,
        start,
        &thrift::varint(number, end - start),
    );
}

fn bytes(part: &mut [u8], draw: &mut Draw<'_>) {
    let (at, len) = (draw.below(part.len()), draw.below(8) + 1);
    overwrite(part, at, draw.take(len));
}

/// Changes bytes near the start of a page: its header, its levels, its first values.
fn page_bytes(sample: &mut Sample, draw: &mut Draw<'_>) {
    let Some(&page) = sample.pages.get(draw.below(sample.pages.len().max(1))) else {
        return;
    };
    let (at, len) = (page + draw.below(256), draw.below(8) + 1);
    overwrite(&mut sample.body, at, draw.take(len));
}

fn flip(part: &mut [u8], draw: &mut Draw<'_>) {
    let at = draw.below(part.len());
    part[at] ^= 1 << draw.below(8);
}

fn overwrite(part: &mut [u8], at: usize, bytes: &[u8]) {
    let into = part.get_mut(at..).unwrap_or_default();
    into.iter_mut()
        .zip(bytes)
        .for_each(|(into, byte)| *into = *byte);
}
