//! PERCENTILE, PERCENTILETDIGEST, PERCENTILEEST.

use super::{
    number::NumberState,
    quantile_sketch::{QuantileSketch, exact_percentile},
};

/// All values.
#[derive(Debug, Default)]
pub(super) struct AllValues(Vec<f64>);

impl NumberState for AllValues {
    const HEAP: bool = true;

    fn int(&mut self, value: i64, count: u64) {
        self.float(value as f64, count);
    }

    fn float(&mut self, value: f64, count: u64) {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.0.extend(std::iter::repeat_n(value, count));
    }

    fn merge(&mut self, other: Self) {
        if self.0.is_empty() {
            self.0 = other.0;
        } else {
            self.0.extend(other.0);
        }
    }

    fn heap_bytes(&self) -> usize {
        self.0.capacity() * 8
    }
}

impl AllValues {
    pub(super) fn percentile(&self, percentile: f64) -> Option<f64> {
        exact_percentile(&mut self.0.clone(), percentile)
    }
}

impl NumberState for QuantileSketch {
    const HEAP: bool = true;

    fn int(&mut self, value: i64, count: u64) {
        self.add_times(value as f64, count);
    }

    fn float(&mut self, value: f64, count: u64) {
        self.add_times(value, count);
    }

    fn merge(&mut self, other: Self) {
        Self::merge(self, other);
    }

    fn heap_bytes(&self) -> usize {
        Self::heap_bytes(self)
    }
}
