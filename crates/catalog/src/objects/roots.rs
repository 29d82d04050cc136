//! Folders that local files may be in.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders that local files may be in, links resolved.
#[derive(Debug, Clone)]
pub(super) struct Roots {
    folders: Arc<[PathBuf]>,
}

impl Roots {
    /// Makes the roots of folders. One that is not there has no files either.
    pub(super) fn new(folders: &[PathBuf]) -> Self {
        let resolved = folders.iter().filter_map(|root| root.canonicalize().ok());
        Self {
            folders: resolved.collect(),
        }
    }

    /// Refuses a path that is outside of all of them, wherever links lead.
    pub(super) fn check(&self, path: &str) -> io::Result<()> {
        let resolved = Path::new(path).canonicalize()?;
        match self.folders.iter().any(|root| resolved.starts_with(root)) {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "file is outside of the folders that are allowed",
            )),
        }
    }
}
