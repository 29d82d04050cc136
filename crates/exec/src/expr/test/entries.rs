//! Verdicts on dictionaries, kept from batch to batch.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;

/// How many dictionaries are remembered: about one for each thread that scans.
const KEPT: usize = 8;

/// Which entries of the dictionaries seen last pass a test.
///
/// The batches of a column chunk share one dictionary; it is tested once, not once a batch.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries(Arc<Mutex<Vec<(ArrayRef, BooleanBuffer)>>>);

impl Entries {
    /// Returns what is known of a dictionary.
    pub fn get(&self, dictionary: &ArrayRef) -> Option<BooleanBuffer> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The dictionary is held, so its address cannot be another's.
        let found = kept.iter().find(|(have, _)| Arc::ptr_eq(have, dictionary));
        found.map(|(_, passes)| passes.clone())
    }

    /// Remembers a dictionary, and forgets the oldest.
    pub fn put(&self, dictionary: &ArrayRef, passes: &BooleanBuffer) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((Arc::clone(dictionary), passes.clone()));
    }
}
