//! Numbers that only a seed and a row decide, so that any part of a table can be made alone.

/// A stream of numbers (splitmix64).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts the stream of one row.
    pub fn of_row(seed: u64, row: u64) -> Self {
        let mut start = Self(seed ^ row.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self(start.next_u64())
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below a bound, which is not 0. Its slight bias towards small numbers is the
    /// same in every run.
    pub fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.next_u64()) * u128::from(bound);
        u64::try_from(wide >> 64).unwrap_or_default()
    }

    /// Returns a number of 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true that often.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// Picks one of some, which are not none.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap_or_default()]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_row_has_its_own_stream_again_and_again() {
        let stream = |row| {
            let mut random = Random::of_row(7, row);
            [random.next_u64(), random.next_u64(), random.below(10)]
        };
        assert_eq!(stream(3), stream(3));
        assert_ne!(stream(3), stream(4));
    }

    #[test]
    fn bounds_hold() {
        let mut random = Random::of_row(1, 1);
        let mut seen = [0_u32; 7];
        for _ in 0..7000 {
            seen[usize::try_from(random.below(7)).unwrap_or(7)] += 1;
            assert!((0.0..1.0).contains(&random.unit()));
        }
        assert!(
            seen.iter().all(|count| (800..1200).contains(count)),
            "{seen:?}"
        );
    }
}
