//! All files below a local folder.

use std::sync::Arc;

use super::files::FileInfo;
use crate::Error;

/// Lists the files; stops one beyond `most`. Links to folders are not followed.
pub(crate) fn list_below(root: &str, most: usize) -> Result<Vec<FileInfo>, Error> {
    let mut found = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(root)];
    let unreadable = |path: &std::path::Path, source| Error::Unreadable {
        path: Arc::from(path.to_string_lossy()),
        source,
    };
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))? {
            let entry = entry.map_err(|error| unreadable(&folder, error))?;
            let path = entry.path();
            let kind = entry
                .file_type()
                .map_err(|error| unreadable(&path, error))?;
            if kind.is_dir() {
                folders.push(path);
                continue;
            }
            let metadata = std::fs::metadata(&path).map_err(|error| unreadable(&path, error))?;
            let Some(location) = path.to_str().filter(|_| metadata.is_file()) else {
                continue;
            };
            found.push(FileInfo {
                location: location.to_owned(),
                len_bytes: metadata.len(),
                etag: None,
                modified: metadata.modified().ok(),
            });
            if found.len() > most {
                return Ok(found);
            }
        }
    }
    Ok(found)
}
