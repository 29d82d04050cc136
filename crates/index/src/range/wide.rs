//! The same loops, compiled for wide registers too.

/// Defines a function that runs `$loops` compiled for the widest registers the machine has.
///
/// `$loops` must be `#[inline(always)]`, as must be what it calls: only then it is compiled anew.
/// What that gains is measured by `benches/range.rs`; that the answers are the same, by the tests
/// of each use.
macro_rules! on_wide_registers {
    (
        $(#[$doc:meta])*
        pub(super) fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $returned:ty)? = $loops:ident
    ) => {
        $(#[$doc])*
        pub(super) fn $name($($arg: $type),*) $(-> $returned)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
                fn in_512_bits($($arg: $type),*) $(-> $returned)? {
                    $loops($($arg),*)
                }
                #[target_feature(enable = "avx2")]
                fn in_256_bits($($arg: $type),*) $(-> $returned)? {
                    $loops($($arg),*)
                }
                if $crate::range::wide::has_512_bits() {
                    // SAFETY: the machine has what the function was compiled for.
                    return unsafe { in_512_bits($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has what the function was compiled for.
                    return unsafe { in_256_bits($($arg),*) };
                }
            }
            $loops($($arg),*)
        }
    };
}

pub(super) use on_wide_registers;

/// Tells whether the machine has AVX-512 as far as it is used here, and BMI2 (fast where AVX-512
/// is; some older machines have it in microcode).
#[cfg(target_arch = "x86_64")]
pub(super) fn has_512_bits() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}
