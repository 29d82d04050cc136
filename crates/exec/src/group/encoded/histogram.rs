//! How many rows have each of some numbers.

/// Lanes of a small histogram: consecutive rows of one number would wait for each other.
const LANES: usize = 4;
/// Numbers up to which a histogram is small.
const SMALL: usize = 1 << 10;

/// Counts of the numbers below some bound.
#[derive(Debug)]
pub(super) struct Histogram {
    counts: Vec<u32>,
    /// Counts to be added, lane by lane; empty for many numbers.
    lanes: Vec<u32>,
}

impl Histogram {
    /// Starts with no rows. No more than `u32::MAX` of them may come.
    pub fn new(len: usize) -> Self {
        let lanes = if len <= SMALL { len * LANES } else { 0 };
        Self {
            counts: vec![0; len],
            lanes: vec![0; lanes],
        }
    }

    /// Counts a number of each row.
    pub fn add(&mut self, numbers: &[u32]) {
        let add = |counts: &mut [u32], number: u32| {
            if let Some(count) = counts.get_mut(number as usize) {
                *count += 1;
            }
        };
        if self.lanes.is_empty() {
            numbers
                .iter()
                .for_each(|number| add(&mut self.counts, *number));
            return;
        }
        let (rows, rest) = numbers.as_chunks::<LANES>();
        let (front, back) = self.lanes.split_at_mut(self.counts.len() * 2);
        let (first, second) = front.split_at_mut(self.counts.len());
        let (third, fourth) = back.split_at_mut(self.counts.len());
        for [a, b, c, d] in rows {
            add(first, *a);
            add(second, *b);
            add(third, *c);
            add(fourth, *d);
        }
        rest.iter()
            .for_each(|number| add(&mut self.counts, *number));
    }

    /// Counts a number of so many rows.
    pub fn add_times(&mut self, number: usize, rows: usize) {
        if let Some(count) = self.counts.get_mut(number) {
            *count = count.saturating_add(u32::try_from(rows).unwrap_or(u32::MAX));
        }
    }

    /// Returns how many rows have each number.
    pub fn counts(&mut self) -> &[u32] {
        let len = self.counts.len();
        for lane in self.lanes.chunks_exact_mut(len.max(1)) {
            for (count, more) in self.counts.iter_mut().zip(lane) {
                *count += std::mem::take(more);
            }
        }
        &self.counts
    }

    /// Returns the bytes held.
    pub fn size_bytes(&self) -> usize {
        (self.counts.capacity() + self.lanes.capacity()) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_small_and_large() {
        for len in [1u32, 3, 1024, 1025, 5000] {
            let numbers: Vec<u32> = (0..10_007).map(|row| row * 7 % len).collect();
            let mut histogram = Histogram::new(len as usize);
            let (some, others) = numbers.split_at(4_999);
            histogram.add(some);
            histogram.counts();
            histogram.add(others);
            histogram.add_times(0, 5);
            let mut expected = vec![0u32; len as usize];
            numbers
                .iter()
                .for_each(|&number| expected[number as usize] += 1);
            expected[0] += 5;
            assert_eq!(histogram.counts(), expected, "{len}");
        }
    }
}
