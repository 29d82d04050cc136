//! What was learned of the versions of files, by their locations.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use growler_base::limits;
use growler_catalog::objects::FileInfo;

/// Versions of files that were opened; bounded.
#[derive(Debug, Default)]
pub(super) struct Versions(Mutex<HashMap<String, FileInfo>>);

impl Versions {
    pub(super) fn learn(&self, file: &FileInfo) {
        let mut known = self.lock();
        if known.len() >= limits::FOOTER_CACHE_ENTRIES {
            known.clear();
        }
        known.insert(file.location.clone(), file.clone());
    }

    /// Returns a file of this length.
    pub(super) fn of(&self, location: &str, len_bytes: u64) -> Option<FileInfo> {
        let known = self.lock();
        let found = known.get(location);
        found.filter(|file| file.len_bytes == len_bytes).cloned()
    }

    /// Forgets a version that is there no more.
    pub(super) fn forget(&self, location: &str, etag: Option<&str>) {
        let mut known = self.lock();
        let is_it = |file: &FileInfo| file.etag.as_deref() == etag;
        if known.get(location).is_some_and(is_it) {
            known.remove(location);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, FileInfo>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
