//! The same loops, compiled for wide registers too, and what of them is used in many places.

/// Defines a function that runs `$loops` compiled for the widest registers the machine has.
///
/// `$loops` must be `#[inline(always)]`, as must be what it calls: only then it is compiled anew.
/// What that gains shows in `benches` (`kernels`, `ranges`, `postings`); that the answers are the same, by the tests
/// of each use.
macro_rules! on_wide_registers {
    (
        $(#[$doc:meta])*
        pub(crate) fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $returned:ty)? = $loops:ident
    ) => {
        $(#[$doc])*
        pub(crate) fn $name($($arg: $type),*) $(-> $returned)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
                fn in_512_bits($($arg: $type),*) $(-> $returned)? {
                    $loops($($arg),*)
                }
                #[target_feature(enable = "avx2,popcnt")]
                fn in_256_bits($($arg: $type),*) $(-> $returned)? {
                    $loops($($arg),*)
                }
                if $crate::wide::has_512_bits() {
                    // SAFETY: the machine has what the function was compiled for.
                    return unsafe { in_512_bits($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                    // SAFETY: the machine has what the function was compiled for.
                    return unsafe { in_256_bits($($arg),*) };
                }
            }
            $loops($($arg),*)
        }
    };
}

pub(crate) use on_wide_registers;

/// Tells whether the machine has AVX-512 as far as it is used here, and BMI2 (fast where AVX-512
/// is; some older machines have it in microcode).
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_512_bits() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

on_wide_registers! {
    /// Returns how many bits are set.
    pub(crate) fn count_ones(words: &[u64]) -> u64 = count_each
}

#[inline(always)]
fn count_each(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_registers_count_the_same() {
        let words: Vec<u64> = (0..1024_u64)
            .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        for len in [0, 1, 7, 8, 9, 1000, 1024] {
            assert_eq!(
                count_ones(&words[..len]),
                count_each(&words[..len]),
                "len={len}"
            );
        }
    }
}
