//! Sums of floats that are exact, so that no order of adding changes them.
//!
//! A double is `mantissa x 2^exponent`. The sum is kept as integers of 128 bits, one for each 32
//! exponents; a mantissa is 53 bits and is shifted by at most 31, so 2^43 of them fit before an
//! integer could overflow. Numbers of like magnitude need one or two such integers.

/// Values that are no numbers, as they were met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Special {
    nan: bool,
    positive: bool,
    negative: bool,
}

/// An exact sum of doubles.
#[derive(Debug, Clone, Default)]
pub struct ExactSum {
    bins: Vec<i128>,
    /// Bin that `bins` starts with.
    first: usize,
    special: Special,
}

const BIN_BITS: u32 = 32;
const MANTISSA_BITS: u32 = 53;
/// Exponent of the lowest bit of the smallest double.
const LOWEST: i64 = -1074;

impl ExactSum {
    /// Adds a double.
    pub fn add(&mut self, value: f64) {
        self.add_times(value, 1);
    }

    /// Adds a double so many times; all times together are at most 2^43.
    pub fn add_times(&mut self, value: f64, count: u64) {
        if count == 0 {
            return;
        }
        let bits = value.to_bits();
        let mantissa = bits & ((1 << 52) - 1);
        let (mantissa, position) = match (bits >> 52) & 0x7ff {
            0 => (mantissa, 0),
            0x7ff => return self.add_special(value),
            exponent => (mantissa | 1 << 52, exponent - 1),
        };
        if mantissa == 0 {
            return;
        }
        let shifted =
            (i128::from(mantissa) << (position % u64::from(BIN_BITS))) * i128::from(count);
        // At most 2046 / 32.
        let bin = (position / u64::from(BIN_BITS)) as usize;
        *self.bin(bin) += if value < 0.0 { -shifted } else { shifted };
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        for (idx, &sum) in other.bins.iter().enumerate() {
            *self.bin(other.first + idx) += sum;
        }
        self.special.nan |= other.special.nan;
        self.special.positive |= other.special.positive;
        self.special.negative |= other.special.negative;
    }

    /// Returns the double nearest to the sum, ties to even.
    pub fn round(&self) -> f64 {
        let Special {
            nan,
            positive,
            negative,
        } = self.special;
        if nan || positive && negative {
            return f64::NAN;
        }
        if positive || negative {
            return if positive {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            };
        }
        match digits(self.bins.iter().copied()) {
            Ok(digits) => nearest(&digits, self.first),
            // The sum is negative: round its opposite.
            Err(_) => match digits(self.bins.iter().map(|bin| -bin)) {
                Ok(digits) => -nearest(&digits, self.first),
                Err(_) => 0.0,
            },
        }
    }

    /// Returns the sum as two doubles: the nearest one, and the one nearest to what is left.
    pub fn round_twice(&self) -> (f64, f64) {
        let high = self.round();
        if !high.is_finite() {
            return (high, 0.0);
        }
        let mut rest = self.clone();
        rest.add(-high);
        (high, rest.round())
    }

    /// Returns the bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.bins.capacity() * size_of::<i128>()
    }

    fn add_special(&mut self, value: f64) {
        self.special.nan |= value.is_nan();
        self.special.positive |= value == f64::INFINITY;
        self.special.negative |= value == f64::NEG_INFINITY;
    }

    fn bin(&mut self, bin: usize) -> &mut i128 {
        if self.bins.is_empty() {
            self.first = bin;
        }
        if bin < self.first {
            let missing = self.first - bin;
            self.bins.splice(..0, std::iter::repeat_n(0, missing));
            self.first = bin;
        }
        let idx = bin - self.first;
        if idx >= self.bins.len() {
            self.bins.reserve_exact(idx + 1 - self.bins.len());
            self.bins.resize(idx + 1, 0);
        }
        &mut self.bins[idx]
    }
}

/// The sum is negative.
struct Negative;

/// Returns the digits of a non-negative sum, lowest first, each of 32 bits.
fn digits(bins: impl Iterator<Item = i128>) -> Result<Vec<u32>, Negative> {
    let (mut digits, mut carry) = (Vec::new(), 0i128);
    for bin in bins {
        let sum = bin + carry;
        // Truncation is meant: the lowest 32 bits.
        digits.push(sum as u32);
        carry = sum >> BIN_BITS;
    }
    if carry < 0 {
        return Err(Negative);
    }
    while carry != 0 {
        digits.push(carry as u32);
        carry >>= BIN_BITS;
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    Ok(digits)
}

/// Returns the double nearest to an integer of 32-bit digits that starts at bin `first`.
fn nearest(digits: &[u32], first: usize) -> f64 {
    let Some(top) = digits.last() else { return 0.0 };
    let lowest = LOWEST + (first as i64) * i64::from(BIN_BITS);
    let bit_count = digits.len() as u32 * BIN_BITS - top.leading_zeros();
    let dropped = bit_count.saturating_sub(MANTISSA_BITS);
    let mut mantissa = bits_from(digits, dropped);
    if dropped > 0 {
        let half = bit(digits, dropped - 1);
        let beyond = (0..dropped - 1).any(|at| bit(digits, at));
        if half && (beyond || mantissa & 1 == 1) {
            mantissa += 1;
        }
    }
    // Exact: at most 2^53.
    scaled(mantissa as f64, lowest + i64::from(dropped))
}

fn bit(digits: &[u32], at: u32) -> bool {
    let digit = digits.get((at / BIN_BITS) as usize).copied().unwrap_or(0);
    digit >> (at % BIN_BITS) & 1 == 1
}

/// Returns the bits from `from` upwards; they are at most 53.
fn bits_from(digits: &[u32], from: u32) -> u64 {
    let start = (from / BIN_BITS) as usize;
    let window = digits.iter().skip(start).take(3).rev();
    let joined = window.fold(0u128, |joined, &digit| {
        joined << BIN_BITS | u128::from(digit)
    });
    (joined >> (from % BIN_BITS)) as u64
}

/// Returns `value x 2^exponent` for an integer `value`; rounds only to infinity.
fn scaled(value: f64, exponent: i64) -> f64 {
    let power = match exponent {
        ..LOWEST => return 0.0,
        LOWEST..-1022 => f64::from_bits(1 << (exponent - LOWEST)),
        -1022..=1023 => f64::from_bits(((exponent + 1023) as u64) << 52),
        1024.. => f64::INFINITY,
    };
    value * power
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(values: &[f64]) -> f64 {
        let mut sum = ExactSum::default();
        values.iter().for_each(|&value| sum.add(value));
        sum.round()
    }

    #[test]
    fn rounds_once_at_the_end() {
        let tiny = f64::from_bits(1);
        let cases: [(&[f64], f64); 12] = [
            (&[], 0.0),
            (&[0.1; 10], 1.0),
            (&[1e308, 1.0, -1e308], 1.0),
            (&[1e16, 1.0, 1.0], 1e16 + 2.0),
            (&[9007199254740992.0, 1.0], 9007199254740992.0),
            (&[9007199254740992.0, 1.0, tiny], 9007199254740994.0),
            (&[-9007199254740992.0, -1.0, -tiny], -9007199254740994.0),
            (&[tiny, tiny], 2.0 * tiny),
            (&[f64::MAX, f64::MAX], f64::INFINITY),
            (&[f64::MAX, f64::MAX, -f64::MAX], f64::MAX),
            (&[f64::INFINITY, 1.0], f64::INFINITY),
            (&[-2.5, 1.25], -1.25),
        ];
        for (values, expected) in cases {
            assert_eq!(sum(values), expected, "{values:?}");
        }
        assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
        assert!(sum(&[f64::NAN, 1.0]).is_nan());
    }

    proptest! {
        #[test]
        fn no_order_or_grouping_changes_the_sum(
            values in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL, 0..40),
            cut in 0usize..40,
        ) {
            let whole = sum(&values);
            let mut reversed = values.clone();
            reversed.reverse();
            prop_assert_eq!(whole.to_bits(), sum(&reversed).to_bits());
            let (left, right) = values.split_at(cut.min(values.len()));
            let mut parts = [ExactSum::default(), ExactSum::default()];
            left.iter().for_each(|&value| parts[0].add(value));
            right.iter().for_each(|&value| parts[1].add(value));
            let [mut one, two] = parts;
            one.merge(&two);
            prop_assert_eq!(whole.to_bits(), one.round().to_bits());
        }

        #[test]
        fn many_times_are_times_one_by_one(
            values in prop::collection::vec(
                (prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::INFINITE, 0u64..50),
                0..20,
            ),
        ) {
            let (mut once, mut times) = (ExactSum::default(), ExactSum::default());
            for &(value, count) in &values {
                (0..count).for_each(|_| once.add(value));
                times.add_times(value, count);
            }
            prop_assert_eq!(once.round().to_bits(), times.round().to_bits());
        }

        #[test]
        fn integers_add_as_integers(values in prop::collection::vec(-(1i64 << 53)..1 << 53, 0..20)) {
            let floats: Vec<f64> = values.iter().map(|&value| value as f64).collect();
            prop_assert_eq!(sum(&floats), values.iter().copied().map(i128::from).sum::<i128>() as f64);
        }
    }
}
