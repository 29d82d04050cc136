//! Murmur3, 32 bits, x86 variant, seed 0: appendix "32-bit Hash Requirements".

/// Hashes bytes.
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    let (words, tail) = bytes.as_chunks::<4>();
    let mut state = 0_u32;
    for word in words {
        state ^= mix(u32::from_le_bytes(*word));
        state = state
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    let rest = tail
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u32::from(*byte));
    if !tail.is_empty() {
        state ^= mix(rest);
    }
    // The length counts modulo 2^32.
    let len = bytes.len() & 0xffff_ffff;
    state ^= u32::try_from(len).unwrap_or(0);
    state ^= state >> 16;
    state = state.wrapping_mul(0x85eb_ca6b);
    state ^= state >> 13;
    state = state.wrapping_mul(0xc2b2_ae35);
    state ^ state >> 16
}

fn mix(word: u32) -> u32 {
    word.wrapping_mul(0xcc9e_2d51)
        .rotate_left(15)
        .wrapping_mul(0x1b87_3593)
}
