//! How a bloom filter is laid out.

use crate::table_config::IndexConfigs;
use crate::validate::settings::{count, flag, fraction};

/// Parts that a share of false answers is counted in.
const PARTS: f64 = 1e9;

/// How often a bloom filter may be wrong, and how large it may be. Where a config says nothing, it is
/// up to the builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct BloomOptions {
    /// Absent values in a thousand millions that may pass for present ones; 0 where nothing is said.
    pub false_positives: u32,
    /// Most bytes, which bound a filter more than the values that pass in vain; 0 where nothing is said.
    pub most_bytes: u32,
}

impl BloomOptions {
    /// Reads `fpp` and `maxSizeInBytes` off the configs of a column or key.
    pub fn of(configs: &IndexConfigs) -> Self {
        let setting = |name| configs.get("bloom").and_then(|bloom| bloom.get(name));
        let parts = setting("fpp").and_then(fraction).map_or(0, parts_of);
        let bytes = setting("maxSizeInBytes").and_then(count).unwrap_or(0);
        Self {
            false_positives: parts,
            most_bytes: u32::try_from(bytes.max(0)).unwrap_or(u32::MAX),
        }
    }

    /// Tells whether a config says nothing.
    pub fn is_usual(self) -> bool {
        self == Self::default()
    }

    /// Returns the share of absent values that may pass for present ones.
    pub fn false_positive_rate(self) -> Option<f64> {
        (self.false_positives > 0).then(|| f64::from(self.false_positives) / PARTS)
    }
}

/// Tells whether a config asks for a filter in the heap, where none is: files are mapped.
pub(super) fn is_on_heap(configs: &IndexConfigs) -> bool {
    let setting = configs
        .get("bloom")
        .and_then(|bloom| bloom.get("loadOnHeap"));
    setting.and_then(flag) == Some(true)
}

fn parts_of(rate: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and the number of parts"
    )]
    let parts = (rate * PARTS).clamp(1.0, PARTS - 1.0) as u32;
    parts
}
