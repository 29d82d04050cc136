//! Which queries are picked.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::ShadowShare;

const MILLION: u64 = 1_000_000;

/// Picks a share of what passes, evenly spaced.
#[derive(Debug)]
pub struct Picker {
    share: ShadowShare,
    passed: AtomicU64,
}

impl Picker {
    /// Makes a picker.
    pub fn new(share: ShadowShare) -> Self {
        Self {
            share,
            passed: AtomicU64::new(0),
        }
    }

    /// Tells whether the next one is picked.
    pub fn pick(&self) -> bool {
        let share = u64::from(self.share.millionths());
        if share == 0 {
            return false;
        }
        // The steps of a stair that rises by the share with each one that passes.
        let before = self.passed.fetch_add(share, Ordering::Relaxed) % MILLION;
        before + share >= MILLION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_picked_evenly() {
        for (fraction, expected) in [(0.0, 0), (0.001, 1), (0.25, 250), (0.5, 500), (1.0, 1000)] {
            let picker = Picker::new(ShadowShare::try_new(fraction).unwrap());
            let picked = (0..1000).filter(|_| picker.pick()).count();
            assert_eq!(picked, expected, "{fraction}");
        }
        let half = Picker::new(ShadowShare::try_new(0.5).unwrap());
        let picks: Vec<bool> = (0..4).map(|_| half.pick()).collect();
        assert_eq!(picks, [false, true, false, true]);
    }
}
