//! VARPOP, VARSAMP, STDDEVPOP, STDDEVSAMP.

use super::{
    double_double::{divide, multiply, subtract, two_product},
    exact_sum::ExactSum,
    extreme::Extreme,
    number::NumberState,
};

/// Exact sums of values and of their squares.
#[derive(Debug, Default)]
pub(super) struct Moments {
    count: u64,
    sum: ExactSum,
    squares: ExactSum,
    values: Extreme,
}

impl NumberState for Moments {
    const HEAP: bool = true;

    fn int(&mut self, value: i64, count: u64) {
        self.float(value as f64, count);
    }

    fn float(&mut self, value: f64, count: u64) {
        self.count += count;
        self.sum.add_times(value, count);
        self.values.float(value, count);
        let (square, rest) = two_product(value, value);
        self.squares.add_times(square, count);
        self.squares.add_times(rest, count);
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sum.merge(&other.sum);
        self.squares.merge(&other.squares);
        self.values.merge(other.values);
    }

    fn heap_bytes(&self) -> usize {
        self.sum.heap_bytes() + self.squares.heap_bytes()
    }
}

impl Moments {
    /// Returns the variance, over `count - 1` for a sample; none without values.
    pub(super) fn variance(&self, sample: bool) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let divisor = |count: f64| if sample { count - 1.0 } else { count };
        // Counts of rows are far below 2^53.
        let count = self.count as f64;
        let sum = self.sum.round_twice();
        if self.values.is_one() && sum.0.is_finite() {
            // Rounding would leave a trace of what cancels.
            return Some(0.0 / divisor(count));
        }
        let squares = self.squares.round_twice();
        let spread = subtract(squares, divide(multiply(sum, sum), count)).0;
        let spread = if spread < 0.0 { 0.0 } else { spread };
        Some(spread / divisor(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_not_cancel() {
        let variance = |values: &[f64], sample| {
            let mut moments = Moments::default();
            values.iter().for_each(|&value| moments.float(value, 1));
            moments.variance(sample)
        };
        assert_eq!(variance(&[1.0, 2.0], false), Some(0.25));
        assert_eq!(variance(&[1e9, 1e9 + 1.0, 1e9 + 2.0], true), Some(1.0));
        assert_eq!(variance(&[1e15 + 0.5, 1e15 + 1.5], false), Some(0.25));
        assert_eq!(variance(&[0.1, 0.1, 0.1], false), Some(0.0));
        assert_eq!(variance(&[], false), None);
        assert!(variance(&[1.0, f64::NAN], false).is_some_and(f64::is_nan));
        assert!(variance(&[1.0], true).is_some_and(f64::is_nan));
    }
}
