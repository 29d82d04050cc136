//! MIN, MAX, MINMAXRANGE, MINLONG, MAXLONG.

use super::number::NumberState;

/// Smallest and largest number; NaN is neither.
#[derive(Debug)]
pub(super) struct Extreme {
    min: f64,
    max: f64,
    seen: bool,
}

impl Default for Extreme {
    fn default() -> Self {
        Self {
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            seen: false,
        }
    }
}

impl NumberState for Extreme {
    fn int(&mut self, value: i64, count: u64) {
        // Rounding keeps the order, so the extreme of rounded values is the rounded extreme.
        self.float(value as f64, count);
    }

    fn float(&mut self, value: f64, _: u64) {
        // One zero: which of two that are equal came first must not show.
        let value = value + 0.0;
        self.seen = true;
        self.min = if value < self.min { value } else { self.min };
        self.max = if value > self.max { value } else { self.max };
    }

    fn merge(&mut self, other: Self) {
        self.seen |= other.seen;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

impl Extreme {
    pub(super) fn min(&self) -> Option<f64> {
        self.seen.then_some(self.min)
    }

    pub(super) fn max(&self) -> Option<f64> {
        self.seen.then_some(self.max)
    }

    /// Tells whether all numbers are the same.
    pub(super) fn is_one(&self) -> bool {
        self.min == self.max
    }

    pub(super) fn range(&self) -> Option<f64> {
        self.seen.then_some(self.max - self.min)
    }
}

/// Smallest and largest integer; fractions are cut off.
#[derive(Debug)]
pub(super) struct LongExtreme {
    min: i64,
    max: i64,
    seen: bool,
}

impl Default for LongExtreme {
    fn default() -> Self {
        Self {
            min: i64::MAX,
            max: i64::MIN,
            seen: false,
        }
    }
}

impl NumberState for LongExtreme {
    fn int(&mut self, value: i64, _: u64) {
        self.seen = true;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    fn float(&mut self, value: f64, count: u64) {
        // Saturates as Java's conversion does.
        self.int(value as i64, count);
    }

    fn merge(&mut self, other: Self) {
        self.seen |= other.seen;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

impl LongExtreme {
    pub(super) fn min(&self) -> Option<i64> {
        self.seen.then_some(self.min)
    }

    pub(super) fn max(&self) -> Option<i64> {
        self.seen.then_some(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_of_either_sign_are_one() {
        for values in [[-0.0, 0.0], [0.0, -0.0]] {
            let mut extreme = Extreme::default();
            values.iter().for_each(|value| extreme.float(*value, 1));
            let signs = [extreme.min(), extreme.max()].map(|of| of.map(f64::is_sign_negative));
            assert_eq!(signs, [Some(false); 2], "{values:?}");
        }
    }
}
