//! Approximate quantiles: a histogram of logarithms, exact while there are few values.
//!
//! Every value falls into the bucket of its magnitude; the middle of a bucket is within 0.5 % of all
//! its values. Counts add up in any order, so no split of the rows changes an answer.

use std::collections::BTreeMap;

/// Most values kept as they are before buckets are made of them.
const FEW: usize = 1024;
/// Ratio of the ends of a bucket, for a relative error of 0.5 %.
const GAMMA: f64 = 1.005 / 0.995;

/// Approximate quantiles of doubles.
#[derive(Debug, Clone)]
pub struct QuantileSketch {
    state: State,
    min: f64,
    max: f64,
}

#[derive(Debug, Clone)]
enum State {
    Few(Vec<f64>),
    Buckets(Buckets),
}

/// Counts by sign and magnitude.
#[derive(Debug, Clone, Default)]
struct Buckets {
    negative_infinity: u64,
    /// By bucket of the absolute value.
    negative: BTreeMap<i32, u64>,
    zero: u64,
    positive: BTreeMap<i32, u64>,
    positive_infinity: u64,
    nan: u64,
}

impl Default for QuantileSketch {
    fn default() -> Self {
        Self {
            state: State::Few(Vec::new()),
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }
}

impl QuantileSketch {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.add_times(value, 1);
    }

    /// Adds a value so many times.
    pub fn add_times(&mut self, value: f64, count: u64) {
        if count == 0 {
            return;
        }
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        let times = usize::try_from(count).unwrap_or(usize::MAX);
        match &mut self.state {
            State::Buckets(buckets) => buckets.add(value, count),
            State::Few(values) if values.len().saturating_add(times) <= FEW => {
                values.extend(std::iter::repeat_n(value, times));
            }
            State::Few(values) => {
                let mut buckets = Buckets::default();
                values.iter().for_each(|&value| buckets.add(value, 1));
                buckets.add(value, count);
                self.state = State::Buckets(buckets);
            }
        }
    }

    /// Adds all values of another sketch.
    pub fn merge(&mut self, other: Self) {
        match other.state {
            State::Few(values) => values.into_iter().for_each(|value| self.add(value)),
            State::Buckets(theirs) => {
                self.min = self.min.min(other.min);
                self.max = self.max.max(other.max);
                match &mut self.state {
                    State::Buckets(ours) => ours.merge(&theirs),
                    State::Few(values) => {
                        let values = std::mem::take(values);
                        self.state = State::Buckets(theirs);
                        values.into_iter().for_each(|value| self.add(value));
                    }
                }
            }
        }
    }

    /// Returns the value at `percentile` (0 to 100) in ascending order; none without values.
    pub fn percentile(&self, percentile: f64) -> Option<f64> {
        match &self.state {
            State::Few(values) => {
                let mut values = values.clone();
                exact_percentile(&mut values, percentile)
            }
            State::Buckets(buckets) => {
                let rank = rank(buckets.count(), percentile);
                let value = buckets.at(rank);
                Some(if value.is_finite() {
                    value.clamp(self.min, self.max)
                } else {
                    value
                })
            }
        }
    }

    /// Returns the bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        match &self.state {
            State::Few(values) => values.capacity() * 8,
            State::Buckets(buckets) => (buckets.negative.len() + buckets.positive.len()) * 24,
        }
    }
}

/// Returns the value at `percentile` in ascending order, as Pinot counts; none without values. The
/// values come out reordered.
pub fn exact_percentile(values: &mut [f64], percentile: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let rank = rank(values.len() as u64, percentile) as usize;
    Some(
        *values
            .select_nth_unstable_by(rank.min(last), f64::total_cmp)
            .1,
    )
}

fn rank(count: u64, percentile: f64) -> u64 {
    let rank = (count as f64 * percentile / 100.0).max(0.0) as u64;
    rank.min(count.saturating_sub(1))
}

impl Buckets {
    fn add(&mut self, value: f64, count: u64) {
        if value.is_nan() {
            self.nan += count;
        } else if value == f64::INFINITY {
            self.positive_infinity += count;
        } else if value == f64::NEG_INFINITY {
            self.negative_infinity += count;
        } else if value == 0.0 {
            self.zero += count;
        } else {
            let side = if value > 0.0 {
                &mut self.positive
            } else {
                &mut self.negative
            };
            *side.entry(bucket(value.abs())).or_default() += count;
        }
    }

    fn merge(&mut self, other: &Self) {
        self.negative_infinity += other.negative_infinity;
        self.zero += other.zero;
        self.positive_infinity += other.positive_infinity;
        self.nan += other.nan;
        for (ours, theirs) in [
            (&mut self.negative, &other.negative),
            (&mut self.positive, &other.positive),
        ] {
            theirs
                .iter()
                .for_each(|(&bucket, &count)| *ours.entry(bucket).or_default() += count);
        }
    }

    fn count(&self) -> u64 {
        self.ascending().map(|(_, count)| count).sum()
    }

    fn at(&self, rank: u64) -> f64 {
        let mut before = 0;
        let found = self.ascending().find(|(_, count)| {
            before += count;
            before > rank
        });
        found.map_or(f64::NAN, |(value, _)| value)
    }

    fn ascending(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let negative = self
            .negative
            .iter()
            .rev()
            .map(|(&at, &count)| (-middle(at), count));
        let positive = self
            .positive
            .iter()
            .map(|(&at, &count)| (middle(at), count));
        std::iter::once((f64::NEG_INFINITY, self.negative_infinity))
            .chain(negative)
            .chain([(0.0, self.zero)])
            .chain(positive)
            .chain([
                (f64::INFINITY, self.positive_infinity),
                (f64::NAN, self.nan),
            ])
    }
}

fn bucket(magnitude: f64) -> i32 {
    // At most 75,000 either way.
    (magnitude.ln() / GAMMA.ln()).ceil() as i32
}

fn middle(bucket: i32) -> f64 {
    2.0 / (1.0 + GAMMA) * (f64::from(bucket) * GAMMA.ln()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(values: impl Iterator<Item = f64>) -> QuantileSketch {
        let mut sketch = QuantileSketch::default();
        values.for_each(|value| sketch.add(value));
        sketch
    }

    #[test]
    fn is_exact_for_few_and_close_for_many() {
        for count in [1, 100, 1024, 50_000] {
            for percentile in [0.0, 1.0, 25.0, 50.0, 95.0, 99.9, 100.0] {
                let values = || (0..count).map(|at| f64::from(at * 7 % count) - 20.0);
                let exact =
                    exact_percentile(&mut values().collect::<Vec<_>>(), percentile).unwrap();
                let found = sketch(values()).percentile(percentile).unwrap();
                let allowed = if count <= 1024 {
                    0.0
                } else {
                    exact.abs() * 0.00501
                };
                assert!(
                    (found - exact).abs() <= allowed,
                    "{count} {percentile}: {found} {exact}"
                );
            }
        }
        assert_eq!(QuantileSketch::default().percentile(50.0), None);
    }

    #[test]
    fn counts_ranks_as_pinot_does() {
        let mut values = [10.0, 20.0, 30.0, 40.0];
        for (percentile, expected) in [
            (0.0, 10.0),
            (24.0, 10.0),
            (25.0, 20.0),
            (50.0, 30.0),
            (100.0, 40.0),
        ] {
            assert_eq!(
                exact_percentile(&mut values, percentile),
                Some(expected),
                "{percentile}"
            );
        }
    }

    #[test]
    fn no_split_changes_an_answer() {
        let values = || {
            (0..5000)
                .map(|at| f64::from(at % 977) * 1.5 - 300.0)
                .chain([f64::NEG_INFINITY])
        };
        for cut in [1, 900, 1024, 1025, 4990] {
            let mut left = sketch(values().take(cut));
            left.merge(sketch(values().skip(cut)));
            for percentile in [0.0, 10.0, 50.0, 90.0] {
                assert_eq!(
                    left.percentile(percentile),
                    sketch(values()).percentile(percentile)
                );
            }
        }
    }
}
