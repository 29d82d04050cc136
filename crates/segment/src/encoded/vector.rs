//! Ids in registers of 512 bits, 64 or 32 at a time; bits moved by `pdep`.
//!
//! ```text
//! bytes of 64 ids -> each lane of 8 bytes gets the bytes of its ids -> each byte (or two) the bits of its id
//! ```
//! That takes AVX-512 with VBMI. Machines that have it have a fast `pdep`, which others that have
//! BMI2 may not. (`pext`, its inverse, is used nowhere here.)

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmple_epu8_mask, _mm512_cmple_epu16_mask,
    _mm512_maskz_mov_epi8, _mm512_maskz_mov_epi16, _mm512_max_epu8, _mm512_max_epu16,
    _mm512_multishift_epi64_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_setzero_si512, _mm512_srli_epi16, _mm512_sub_epi8, _mm512_sub_epi16,
    _mm512_test_epi8_mask, _pdep_u64,
};

use super::bits::{Bits, WORD, lowest};
use super::hybrid::mask;
use super::id_set::{IdSet, Rule};
use super::spread::spread_by;
use super::test::Groups;

/// Bytes of a register.
const LEN: usize = 64;
/// Most bits of an id that is unpacked here.
const MOST_BITS: usize = 16;

/// Tells whether the machine has what the functions below are compiled for.
fn is_supported() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// Appends a bit for each id, and returns the greatest; none when that is not to be done here.
pub(super) fn test(groups: &Groups<'_>, set: &IdSet, passed: &mut Bits) -> Option<u32> {
    let shape = SHAPES.get(groups.width as usize)?;
    if !is_supported() {
        return None;
    }
    let rule = set.rule(mask(groups.width));
    let flip = if set.is_negated() { u64::MAX } else { 0 };
    Some(if groups.width <= 8 {
        // SAFETY: the machine has what the function was compiled for.
        unsafe { test_bytes(groups, shape, (rule, flip), passed) }
    } else {
        // SAFETY: the machine has what the function was compiled for.
        unsafe { test_shorts(groups, shape, (rule, flip), passed) }
    })
}

/// Appends bits of rows, as `spread` says; tells whether that was done.
pub(super) fn spread(valid: &Bits, values: &Bits, rows: &mut Bits) -> bool {
    if !is_supported() {
        return false;
    }
    // SAFETY: the machine has what the function was compiled for.
    unsafe { spread_by_pdep(valid, values, rows) };
    true
}

#[target_feature(enable = "bmi2,popcnt")]
fn spread_by_pdep(valid: &Bits, values: &Bits, rows: &mut Bits) {
    spread_by(valid, values, rows, |word, mask| _pdep_u64(word, mask));
}

/// Where the bits of ids of one width are.
struct Shape {
    /// Which bytes each lane gets.
    bytes: [u8; LEN],
    /// From which bit of its lane on each byte has its bits.
    bits: [u8; LEN],
}

static SHAPES: [Shape; MOST_BITS + 1] = shapes();

#[expect(clippy::indexing_slicing, reason = "checked when it is compiled")]
const fn shapes() -> [Shape; MOST_BITS + 1] {
    let mut shapes = [const {
        Shape {
            bytes: [0; LEN],
            bits: [0; LEN],
        }
    }; MOST_BITS + 1];
    let (mut width, mut bits) = (0, 0_u8);
    while width <= MOST_BITS {
        // Eight ids are in a lane, or four in the lower or upper part of theirs.
        let (ids, id_bytes) = if width <= 8 { (8, 1) } else { (4, 2) };
        let (mut at, mut lane) = (0, 0_u8);
        while lane < 8 {
            let first_bit = lane as u16 * ids as u16 * bits as u16;
            let mut byte = 0_u8;
            while byte < 8 {
                // Bytes of a register are at most 64, as are bits of a lane.
                shapes[width].bytes[at] = (first_bit / 8) as u8 + byte;
                shapes[width].bits[at] =
                    ((first_bit % 8) as u8 + byte / id_bytes * bits + byte % id_bytes * 8) % 64;
                at += 1;
                byte += 1;
            }
            lane += 1;
        }
        width += 1;
        bits += 1;
    }
    shapes
}

fn register(bytes: [u8; LEN]) -> __m512i {
    // SAFETY: both are 64 bytes, of which any are a value.
    unsafe { std::mem::transmute::<[u8; LEN], __m512i>(bytes) }
}

fn bytes(register: __m512i) -> [u8; LEN] {
    // SAFETY: both are 64 bytes, of which any are a value.
    unsafe { std::mem::transmute::<__m512i, [u8; LEN]>(register) }
}

/// Loads the next bytes; those past the end are zeros.
#[inline(always)]
fn load(rest: &[u8], at: usize) -> __m512i {
    let rest = rest.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(all) => register(*all),
        None => {
            let mut some = [0; LEN];
            some.iter_mut()
                .zip(rest)
                .for_each(|(slot, byte)| *slot = *byte);
            register(some)
        }
    }
}

/// How ids of at most eight bits are tested.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi2,popcnt")]
fn test_bytes(
    groups: &Groups<'_>,
    shape: &Shape,
    (rule, flip): (Rule<'_>, u64),
    passed: &mut Bits,
) -> u32 {
    let (from, shift) = (register(shape.bytes), register(shape.bits));
    let id_mask = _mm512_set1_epi8(byte(mask(groups.width)));
    let (first, last) = match rule {
        Rule::Range(first, last) => (first, last),
        Rule::Nothing | Rule::Table(_) => (0, 0),
    };
    let (first, span) = (
        _mm512_set1_epi8(byte(first)),
        _mm512_set1_epi8(byte(last.saturating_sub(first))),
    );
    let (table, bit) = (table(rule), register(bit_of_id()));
    let low_bits = _mm512_set1_epi8(7);
    let mut greatest = _mm512_setzero_si512();
    let (mut at, mut left) = (0_usize, groups.count);
    while left > 0 {
        let count = left.min(WORD);
        let lanes = _mm512_permutexvar_epi8(from, load(groups.bytes, at));
        let ids = _mm512_and_si512(_mm512_multishift_epi64_epi8(shift, lanes), id_mask);
        // What comes behind the last is no id.
        let ids = _mm512_maskz_mov_epi8(lowest(count), ids);
        greatest = _mm512_max_epu8(greatest, ids);
        let hits = match rule {
            Rule::Nothing => 0,
            Rule::Range(..) => _mm512_cmple_epu8_mask(_mm512_sub_epi8(ids, first), span),
            Rule::Table(_) => {
                // Bits 3 to 7 of an id say which byte of the table, bits 0 to 2 which bit of it.
                let byte = _mm512_and_si512(_mm512_srli_epi16::<3>(ids), _mm512_set1_epi8(31));
                let byte = _mm512_permutexvar_epi8(byte, table);
                let bit = _mm512_permutexvar_epi8(_mm512_and_si512(ids, low_bits), bit);
                _mm512_test_epi8_mask(byte, bit)
            }
        };
        passed.push(hits ^ flip, count);
        at = at.saturating_add((groups.width as usize).saturating_mul(WORD / 8));
        left = left.saturating_sub(count);
    }
    let most = bytes(greatest).iter().fold(0, |most: u8, id| most.max(*id));
    u32::from(most)
}

/// How ids of nine to sixteen bits are tested.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi2,popcnt")]
fn test_shorts(
    groups: &Groups<'_>,
    shape: &Shape,
    (rule, flip): (Rule<'_>, u64),
    passed: &mut Bits,
) -> u32 {
    let (from, shift) = (register(shape.bytes), register(shape.bits));
    let id_mask = _mm512_set1_epi16(short(mask(groups.width)));
    let (first, last) = match rule {
        Rule::Range(first, last) => (first, last),
        Rule::Nothing | Rule::Table(_) => (0, 0),
    };
    let (first, span) = (
        _mm512_set1_epi16(short(first)),
        _mm512_set1_epi16(short(last.saturating_sub(first))),
    );
    let mut greatest = _mm512_setzero_si512();
    let (mut at, mut left) = (0_usize, groups.count);
    while left > 0 {
        let count = left.min(WORD / 2);
        let lanes = _mm512_permutexvar_epi8(from, load(groups.bytes, at));
        let ids = _mm512_and_si512(_mm512_multishift_epi64_epi8(shift, lanes), id_mask);
        let within = u32::try_from(lowest(count)).unwrap_or(u32::MAX);
        let ids = _mm512_maskz_mov_epi16(within, ids);
        greatest = _mm512_max_epu16(greatest, ids);
        let hits = match rule {
            Rule::Nothing => 0,
            Rule::Range(..) => {
                u64::from(_mm512_cmple_epu16_mask(_mm512_sub_epi16(ids, first), span))
            }
            Rule::Table(_) => {
                let ids = shorts(ids);
                let named = |id: &u16| u64::from(rule.names(u32::from(*id)));
                ids.iter().rev().fold(0, |word, id| word << 1 | named(id))
            }
        };
        passed.push(hits ^ flip, count);
        at = at.saturating_add((groups.width as usize).saturating_mul(WORD / 16));
        left = left.saturating_sub(count);
    }
    let most = shorts(greatest)
        .iter()
        .fold(0, |most: u16, id| most.max(*id));
    u32::from(most)
}

fn byte(id: u32) -> i8 {
    u8::try_from(id).unwrap_or(u8::MAX).cast_signed()
}

fn short(id: u32) -> i16 {
    u16::try_from(id).unwrap_or(u16::MAX).cast_signed()
}

fn shorts(register: __m512i) -> [u16; LEN / 2] {
    // SAFETY: both are 64 bytes, of which any are a value.
    unsafe { std::mem::transmute::<__m512i, [u16; LEN / 2]>(register) }
}

/// Returns the bits of the first 256 ids of a table.
fn table(rule: Rule<'_>) -> __m512i {
    let mut table = [0; LEN];
    if let Rule::Table(words) = rule {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        table
            .iter_mut()
            .zip(bytes)
            .for_each(|(slot, byte)| *slot = byte);
    }
    register(table)
}

/// Returns a byte with one bit set for each of eight ids.
const fn bit_of_id() -> [u8; LEN] {
    let mut bits = [0; LEN];
    if let Some(eight) = bits.first_chunk_mut::<8>() {
        *eight = [1, 2, 4, 8, 16, 32, 64, 128];
    }
    bits
}
