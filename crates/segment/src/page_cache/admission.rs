//! Which pages are worth keeping: those that come again, and more often than what they push out.

/// Places that are remembered; a power of two.
const PLACES: usize = 1 << 16;
/// Readings are counted up to here.
pub(super) const MOST_READINGS: u8 = 15;
/// Readings after which a page is kept, room provided.
pub(super) const READINGS: u8 = 2;

/// Counts the readings of pages that are not kept, by their hashes. Two of one place forget each
/// other, which costs an admission, never an answer.
#[derive(Debug, Default)]
pub(super) struct Seen {
    places: Vec<(u64, u8)>,
}

impl Seen {
    /// Counts a reading; returns how many there were.
    pub(super) fn count(&mut self, hash: u64) -> u8 {
        if self.places.is_empty() {
            self.places.resize(PLACES, (0, 0));
        }
        let mask = PLACES.saturating_sub(1) as u64;
        let place = usize::try_from(hash & mask).unwrap_or(0);
        let Some((seen, readings)) = self.places.get_mut(place) else {
            return 0;
        };
        if *seen != hash {
            (*seen, *readings) = (hash, 0);
        }
        *readings = readings.saturating_add(1).min(MOST_READINGS);
        *readings
    }

    /// Makes what was read long ago count less.
    pub(super) fn age(&mut self) {
        for (_, readings) in &mut self.places {
            *readings /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_counted_and_clashes_forget() {
        let mut seen = Seen::default();
        assert_eq!([0, 0, 7, 7].map(|hash| seen.count(hash)), [1, 2, 1, 2]);
        // Another page of the same place.
        let other = 7 + PLACES as u64;
        assert_eq!([other, 7, 7, 7].map(|hash| seen.count(hash)), [1, 1, 2, 3]);
        seen.age();
        assert_eq!(seen.count(7), 2);
        (0..100).for_each(|_| assert!(seen.count(7) <= MOST_READINGS));
    }
}
