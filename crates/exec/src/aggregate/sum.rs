//! SUM, AVG, SUMLONG, SUMINT.

use super::{exact_sum::ExactSum, number::NumberState};
use crate::error::Error;

/// Count and exact sum of numbers of one type.
#[derive(Debug, Default)]
pub(super) struct Sum {
    count: u64,
    /// Integers, or the low 64 bits of unscaled decimals.
    low: i128,
    /// What is left of unscaled decimals, in units of 2^64.
    high: i128,
    scale: i8,
    floats: ExactSum,
}

impl NumberState for Sum {
    const HEAP: bool = true;

    fn int(&mut self, value: i64, count: u64) {
        self.count += count;
        self.low += i128::from(value) * i128::from(count);
    }

    fn float(&mut self, value: f64, count: u64) {
        self.count += count;
        self.floats.add_times(value, count);
    }

    fn decimal(&mut self, unscaled: i128, scale: i8, count: u64) {
        self.count += count;
        self.scale = scale;
        // Counts of rows have far fewer than the 63 bits that are left of either half.
        self.low += (unscaled & i128::from(u64::MAX)) * i128::from(count);
        self.high += (unscaled >> 64) * i128::from(count);
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.low += other.low;
        self.high += other.high;
        self.scale = self.scale.max(other.scale);
        self.floats.merge(&other.floats);
    }

    fn heap_bytes(&self) -> usize {
        self.floats.heap_bytes()
    }
}

impl Sum {
    /// Returns the sum; none without values.
    pub(super) fn sum(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total())
    }

    /// Returns the mean; none without values.
    pub(super) fn mean(&self) -> Option<f64> {
        // Counts of rows are far below 2^53.
        (self.count > 0).then(|| self.total() / self.count as f64)
    }

    /// Returns the sum of integers; none without values.
    pub(super) fn long(&self) -> Result<Option<i64>, Error> {
        let whole = if self.floats.heap_bytes() > 0 || self.scale != 0 {
            // Fractions are cut off once, at the end.
            self.total().trunc() as i128
        } else {
            self.low.saturating_add(self.high.saturating_mul(1 << 64))
        };
        let sum = i64::try_from(whole)
            .map_err(|_| Error::Execution(format!("sum exceeds LONG: sum={whole}")))?;
        Ok((self.count > 0).then_some(sum))
    }

    fn total(&self) -> f64 {
        let carried = self.high + (self.low >> 64);
        let low = self.low & i128::from(u64::MAX);
        let integers = match carried
            .checked_mul(1 << 64)
            .and_then(|high| high.checked_add(low))
        {
            Some(whole) => super::number::decimal_to_f64(whole, self.scale),
            None => (carried as f64 * 2f64.powi(64)) / 10f64.powi(i32::from(self.scale)),
        };
        integers + self.floats.round()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_decimals_do_not_overflow() -> Result<(), Error> {
        let mut longs = Sum::default();
        (0..4).for_each(|_| longs.int(i64::MAX, 1));
        assert_eq!(longs.sum(), Some(4.0 * i64::MAX as f64));
        assert!(longs.long().is_err());
        longs.int(-i64::MAX, 3);
        assert_eq!(longs.long()?, Some(i64::MAX));
        let mut decimals = Sum::default();
        let largest = 10i128.pow(38) - 1;
        (0..3).for_each(|_| decimals.decimal(largest, 10, 1));
        decimals.decimal(-largest, 10, 3);
        decimals.decimal(-12_500_000_000, 10, 1);
        assert_eq!(
            (decimals.sum(), decimals.mean()),
            (Some(-1.25), Some(-1.25 / 7.0))
        );
        assert_eq!(Sum::default().sum(), None);
        Ok(())
    }
}
