//! Which of a stream's ids are in a set, without an id of a row being written down.
//!
//! A run is answered as a run. Packed ids are unpacked 64 at a time, tested, and give a word.

use growler_base::OutOfBytes;

use super::bits::{Bits, WORD, lowest};
use super::hybrid::{GROUP, Hybrid, Packed, Part, load, mask, unpack_each, unpack_group};
use super::id_set::{IdSet, Rule};
#[cfg(target_arch = "x86_64")]
use super::vector;

/// Ids of a word.
type Ids<T> = [T; WORD];

/// Appends a bit for each of the next `count` ids: whether it is in the set. Returns the greatest id
/// that was seen.
///
/// # Errors
/// There are not so many.
pub(super) fn test(
    ids: &mut Hybrid,
    count: usize,
    set: &IdSet,
    passed: &mut Bits,
) -> Result<u32, OutOfBytes> {
    let (mut left, mut greatest) = (count, 0);
    while left > 0 {
        let taken = match ids.next_part(left)? {
            Part::Same { value, count } => {
                greatest = greatest.max(value);
                passed.push_n(count, set.contains(value));
                count
            }
            Part::Packed(packed) => {
                greatest = greatest.max(test_packed(packed, set, passed));
                packed.count
            }
        };
        left = left.saturating_sub(taken);
    }
    Ok(greatest)
}

/// As [`test`], of packed ids.
fn test_packed(packed: Packed<'_>, set: &IdSet, passed: &mut Bits) -> u32 {
    let lead = packed
        .from
        .next_multiple_of(GROUP)
        .saturating_sub(packed.from);
    let lead = lead.min(packed.count);
    let greatest = test_lead(packed, lead, set, passed);
    let from = packed.from.saturating_add(lead);
    let groups = Groups {
        bytes: packed
            .bytes
            .get((from / GROUP).saturating_mul(packed.width as usize)..)
            .unwrap_or_default(),
        width: packed.width,
        count: packed.count.saturating_sub(lead),
    };
    greatest.max(groups.test(set, passed))
}

/// As [`test`], of ids to the end of a group that was begun.
fn test_lead(packed: Packed<'_>, count: usize, set: &IdSet, passed: &mut Bits) -> u32 {
    let mut ids = [0; GROUP];
    let ids = ids.get_mut(..count).unwrap_or_default();
    unpack_each(packed.bytes, packed.width, packed.from, ids);
    for id in &*ids {
        passed.push_n(1, set.contains(*id));
    }
    ids.iter().copied().max().unwrap_or(0)
}

/// Packed ids from the first of a group on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Groups<'p> {
    /// Groups, and what comes behind them.
    pub bytes: &'p [u8],
    pub width: u32,
    pub count: usize,
}

impl Groups<'_> {
    fn test(&self, set: &IdSet, passed: &mut Bits) -> u32 {
        if self.width < 2 {
            return self.test_bits(set, passed);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(greatest) = vector::test(self, set, passed) {
            return greatest;
        }
        self.test_portably(set, passed)
    }

    /// As [`test`], with what every machine has.
    pub(super) fn test_portably(&self, set: &IdSet, passed: &mut Bits) -> u32 {
        let rule = set.rule(mask(self.width));
        match self.width {
            ..=8 => u32::from(self.test_each(rule, set.is_negated(), passed, unpack_bytes)),
            9..=16 => u32::from(self.test_each(rule, set.is_negated(), passed, unpack_shorts)),
            _ => self.test_each(rule, set.is_negated(), passed, unpack_words),
        }
    }

    /// Ids of at most a bit are their own words.
    fn test_bits(&self, set: &IdSet, passed: &mut Bits) -> u32 {
        let (zeros, ones) = (set.contains(0), set.contains(1));
        let (mut at, mut left, mut any) = (0_usize, self.count, 0);
        while left > 0 {
            let count = left.min(WORD);
            let word = match self.width {
                0 => 0,
                _ => load(self.bytes, at) & lowest(count),
            };
            any |= word;
            let hits = if ones { word } else { 0 } | if zeros { !word } else { 0 };
            passed.push(hits, count);
            at = at.saturating_add(WORD / 8);
            left = left.saturating_sub(count);
        }
        u32::from(any != 0)
    }

    #[inline(always)]
    fn test_each<T: Id>(
        &self,
        rule: Rule<'_>,
        negated: bool,
        passed: &mut Bits,
        unpack: impl Fn(&[u8], u32, &mut Ids<T>),
    ) -> T {
        let flip = if negated { u64::MAX } else { 0 };
        let (mut ids, mut greatest) = ([T::default(); WORD], T::default());
        let (mut at, mut left) = (0_usize, self.count);
        while left > 0 {
            let count = left.min(WORD);
            unpack(
                self.bytes.get(at..).unwrap_or_default(),
                self.width,
                &mut ids,
            );
            // What comes behind the last is no id.
            ids.iter_mut().skip(count).for_each(|id| *id = T::default());
            greatest = ids.iter().fold(greatest, |most, id| most.max(*id));
            passed.push(hits(&ids, rule) ^ flip, count);
            at = at.saturating_add((self.width as usize).saturating_mul(WORD / 8));
            left = left.saturating_sub(count);
        }
        greatest
    }
}

/// An unpacked id.
trait Id: Copy + Default + Ord {
    fn new(id: u32) -> Self;
    /// How far an id lies behind another, around the end.
    fn behind(self, first: Self) -> Self;
    fn wide(self) -> u32;
}

macro_rules! id {
    ($type:ty) => {
        impl Id for $type {
            fn new(id: u32) -> Self {
                Self::try_from(id).unwrap_or(Self::MAX)
            }
            #[inline(always)]
            fn behind(self, first: Self) -> Self {
                self.wrapping_sub(first)
            }
            #[inline(always)]
            fn wide(self) -> u32 {
                u32::from(self)
            }
        }
    };
}
id!(u8);
id!(u16);
id!(u32);

/// Returns a bit for each id: whether the rule names it.
#[inline(always)]
fn hits<T: Id>(ids: &Ids<T>, rule: Rule<'_>) -> u64 {
    match rule {
        Rule::Nothing => 0,
        Rule::Range(first, last) => {
            let (first, span) = (T::new(first), T::new(last.saturating_sub(first)));
            let mut each = [0; WORD];
            for (hit, id) in each.iter_mut().zip(ids) {
                *hit = u8::from(id.behind(first) <= span);
            }
            gathered(&each)
        }
        Rule::Table(_) => {
            let named = |id: &T| u64::from(rule.names(id.wide()));
            ids.iter().rev().fold(0, |word, id| word << 1 | named(id))
        }
    }
}

/// Gathers bytes that are zero or one into bits.
#[inline(always)]
fn gathered(each: &[u8; WORD]) -> u64 {
    let (eights, _) = each.as_chunks::<8>();
    let bits = |eight: &[u8; 8]| {
        // Bit 0 of byte `n` is added in at bit 56 + n, and no sum carries.
        u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    eights
        .iter()
        .rev()
        .fold(0, |word, eight| word << 8 | bits(eight))
}

#[inline(always)]
fn unpack_bytes(bytes: &[u8], width: u32, ids: &mut Ids<u8>) {
    let (groups, _) = ids.as_chunks_mut::<GROUP>();
    for (idx, group) in groups.iter_mut().enumerate() {
        let word = load(bytes, idx.saturating_mul(width as usize));
        // Halves move apart, then their halves, then theirs.
        let word = apart(word, 4 * width, 32);
        let word = apart(word, 2 * width, 16);
        *group = apart(word, width, 8).to_le_bytes();
    }
}

#[inline(always)]
fn unpack_shorts(bytes: &[u8], width: u32, ids: &mut Ids<u16>) {
    let (halves, _) = ids.as_chunks_mut::<{ GROUP / 2 }>();
    for (idx, half) in halves.iter_mut().enumerate() {
        // Every other one begins in the middle of a byte where the width is odd.
        let bit = idx.saturating_mul(4 * width as usize);
        let word = load(bytes, bit / 8) >> (bit % 8);
        let word = apart(apart(word, 2 * width, 32), width, 16);
        let word = word.to_le_bytes();
        let (shorts, _) = word.as_chunks::<2>();
        for (slot, short) in half.iter_mut().zip(shorts) {
            *slot = u16::from_le_bytes(*short);
        }
    }
}

/// Moves the upper `bits` bits of each two times `bits` bits up, so that they begin at bit `to`. The
/// two were at multiples of two times `to`.
#[inline(always)]
fn apart(word: u64, bits: u32, to: u32) -> u64 {
    let mut lower = lowest(bits as usize);
    let mut lane = to.saturating_mul(2);
    while lane < u64::BITS {
        lower |= lower << lane;
        lane = lane.saturating_mul(2);
    }
    // Halves of 4 x 16 bits and the like are where they belong.
    let upper = word.checked_shr(bits).unwrap_or(0) & lower;
    word & lower | upper << to
}

#[inline(always)]
fn unpack_words(bytes: &[u8], width: u32, ids: &mut Ids<u32>) {
    let (groups, _) = ids.as_chunks_mut::<GROUP>();
    for (idx, group) in groups.iter_mut().enumerate() {
        let from = idx.saturating_mul(width as usize);
        unpack_group(bytes.get(from..).unwrap_or_default(), width, group);
    }
}

#[cfg(test)]
mod tests {
    use arrow_buffer::BooleanBuffer;
    use bytes::Bytes;

    use super::*;

    /// Sets of every form over so many ids.
    fn sets(len: usize) -> Vec<IdSet> {
        let rules: [&dyn Fn(usize) -> bool; 7] = [
            &|_| false,
            &|_| true,
            &|id| id == len / 2,
            &|id| id != len / 2,
            &|id| id >= len / 3 && id <= len / 3 * 2,
            &|id| id % 3 == 1 || id + 1 == len,
            &|id| id.wrapping_mul(0x9e37_79b9) & 64 == 0,
        ];
        let set = |rule| IdSet::new(&BooleanBuffer::collect_bool(len, rule));
        rules.into_iter().map(set).collect()
    }

    fn packed(numbers: &[u32], width: u32) -> Vec<u8> {
        let mut bytes = vec![0; (numbers.len() * width as usize).div_ceil(8)];
        for (idx, number) in numbers.iter().enumerate() {
            for bit in 0..width as usize {
                let at = idx * width as usize + bit;
                bytes[at / 8] |= u8::try_from(number >> bit & 1).unwrap() << (at % 8);
            }
        }
        bytes
    }

    type Test = fn(&Groups<'_>, &IdSet, &mut Bits) -> u32;

    #[test]
    fn packed_ids_of_every_width_are_those_of_the_set() {
        let tests: [Test; 2] = [
            |groups, set, passed| groups.test(set, passed),
            |groups, set, passed| groups.test_portably(set, passed),
        ];
        for width in 1..=20 {
            let len = 1_usize << width.min(16);
            for id_count in [len, len / 2 + 1] {
                let id = |at: u32| at.wrapping_mul(0x9e37_79b9) % u32::try_from(id_count).unwrap();
                let numbers: Vec<u32> = (0..300).map(id).collect();
                let bytes = packed(&numbers, width);
                for (set, count) in sets(id_count)
                    .iter()
                    .zip([300, 8, 64, 65, 127, 32, 1].iter().cycle())
                {
                    let ids = &numbers[..*count];
                    let expected: Vec<bool> = ids.iter().map(|id| set.contains(*id)).collect();
                    for test in &tests[..if width < 2 { 1 } else { 2 }] {
                        let groups = Groups {
                            bytes: &bytes,
                            width,
                            count: *count,
                        };
                        let mut found = Bits::default();
                        found.push_n(5, false);
                        let greatest = test(&groups, set, &mut found);
                        assert_eq!(Some(&greatest), ids.iter().max(), "width={width} {set:?}");
                        let found = BooleanBuffer::from(found).slice(5, *count);
                        assert_eq!(found, expected.clone().into(), "width={width} {set:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn runs_and_packed_ids_are_those_that_are_unpacked() {
        for width in [1, 2, 5, 8, 9, 13, 17] {
            let most = mask(width).min(9000);
            let mut bytes = Vec::new();
            for round in 0..20_u32 {
                let id = |at: u32| (at * 7919 + round) % (most + 1);
                if round % 3 == 0 {
                    bytes.push(u8::try_from((round + 1) << 1).unwrap());
                    bytes.extend(&id(1).to_le_bytes()[..width.div_ceil(8) as usize]);
                } else {
                    bytes.push(u8::try_from((round + 1) << 1 | 1).unwrap());
                    let ids: Vec<u32> = (0..(round + 1) * 8).map(id).collect();
                    bytes.extend(packed(&ids, width));
                }
            }
            let bytes = Bytes::from(bytes);
            for set in sets(most as usize + 1) {
                for step in [1, 7, 64, 100, 900] {
                    let ids = || Hybrid::try_new(bytes.clone(), width).unwrap();
                    let (mut tested, mut unpacked) = (ids(), ids());
                    while unpacked.clone().skip(step).is_ok() {
                        let (mut expected, mut found) = (Vec::new(), Bits::default());
                        unpacked.take(step, &mut expected).unwrap();
                        let greatest = test(&mut tested, step, &set, &mut found).unwrap();
                        assert_eq!(Some(&greatest), expected.iter().max());
                        let expected: Vec<bool> =
                            expected.iter().map(|id| set.contains(*id)).collect();
                        assert_eq!(BooleanBuffer::from(found), expected.into());
                    }
                    assert!(test(&mut tested, step, &set, &mut Bits::default()).is_err());
                }
            }
        }
    }
}
