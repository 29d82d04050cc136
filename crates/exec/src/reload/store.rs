//! Where the indexes of segments lie.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use growler_index::identity::hash;
use growler_index::{SegmentIndexes, SourceIdentity};
use growler_segment::Segment;

use super::ids;

use crate::table::View;

/// Folder of indexes beside the Parquet files; its name keeps it out of the files of a table.
pub const BESIDE: &str = "_growler";
/// Age at which an unfinished file is of nobody any more.
const LEFT_AFTER: Duration = Duration::from_secs(60 * 60);

/// Where the indexes of a table's segments are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IndexStore {
    /// In a folder [`BESIDE`] in the folder of each Parquet file, below it a folder for each table:
    /// tables over the same files do not meet. Files in object stores have none.
    Beside,
    /// In a folder of its own, below it a folder for each table and in that one for each segment.
    Folder(PathBuf),
    /// Nowhere: there are no indexes.
    #[default]
    None,
}

/// The files of one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFiles {
    /// Folder of both.
    pub folder: PathBuf,
    /// Name of the file of indexes.
    pub index: String,
    /// Name of the file of metadata.
    pub metadata: String,
}

impl StoredFiles {
    /// Returns the path of the file of indexes.
    pub fn index_path(&self) -> PathBuf {
        self.folder.join(&self.index)
    }

    /// Returns the path of the file of metadata.
    pub fn metadata_path(&self) -> PathBuf {
        self.folder.join(&self.metadata)
    }
}

impl IndexStore {
    /// Returns the files of a segment of a table; none where nothing is kept.
    pub fn files(&self, table: &str, segment: &Path) -> Option<StoredFiles> {
        let name = segment.file_name()?;
        match self {
            Self::None => None,
            Self::Beside => {
                // Names that are no text may clash; the identity in the file tells them apart.
                let with = |ending: &str| format!("{}{ending}", name.to_string_lossy());
                Some(StoredFiles {
                    folder: self.beside_or_root(segment)?.join(table),
                    index: with(".gix"),
                    metadata: with(".json"),
                })
            }
            Self::Folder(_) => {
                // Files of one name in several folders are told apart by where they lie.
                let full = match is_remote(segment) {
                    true => segment.to_owned(),
                    false => std::path::absolute(segment).unwrap_or_else(|_| segment.to_owned()),
                };
                let place = hash(full.as_os_str().as_encoded_bytes());
                let mut folder = name.to_owned();
                folder.push(format!("-{:08x}", place >> 32));
                Some(StoredFiles {
                    folder: self.beside_or_root(segment)?.join(table).join(folder),
                    index: "index.gix".to_owned(),
                    metadata: "segment.json".to_owned(),
                })
            }
        }
    }

    /// Lists the tables that may have indexes where those of a segment are, in order.
    pub fn tables(&self, segment: &Path) -> Vec<String> {
        let folder = self.beside_or_root(segment);
        let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
        let mut tables: Vec<String> = entries
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        tables.sort_unstable();
        tables
    }

    /// Returns the folder with a folder for each table.
    fn beside_or_root(&self, segment: &Path) -> Option<PathBuf> {
        match self {
            Self::None => None,
            // There is nothing beside an object that files are written to.
            Self::Beside if is_remote(segment) => None,
            Self::Beside => Some(segment.parent()?.join(BESIDE)),
            Self::Folder(root) => Some(root.clone()),
        }
    }
}

/// Tells whether a segment is an object of a store: its location is no path, wherever a process runs.
fn is_remote(segment: &Path) -> bool {
    segment.to_string_lossy().contains("://")
}

/// Removes what a process that was killed while it built has left of a file of indexes.
pub(super) fn sweep(files: &StoredFiles) {
    let prefixes = [&files.index, &files.metadata].map(|name| format!(".{name}."));
    for entry in fs::read_dir(&files.folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let begins = prefixes
            .iter()
            .any(|prefix| name.starts_with(prefix.as_str()));
        let is_left = begins && name.ends_with(".tmp");
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        // Another process may be at it.
        let is_old = modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LEFT_AFTER));
        if is_left && is_old {
            // One that cannot be removed only takes room.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes what a store has of a table's files that are gone; returns how many folders or files it
/// removed. Of folders of its own these are all that no segment of the view has; beside the Parquet
/// files, which other views of a table may have too, those of files that are not there.
pub fn sweep_gone(view: &View, store: &IndexStore) -> usize {
    let segments = view.segments().iter();
    let kept = segments.filter_map(|segment| store.files(view.name(), segment.path()));
    match store {
        IndexStore::None => 0,
        IndexStore::Folder(root) => {
            let kept: HashSet<PathBuf> = kept.map(|files| files.folder).collect();
            let gone = |path: &Path| {
                let is_ours = path.join("segment.json").exists() || path.join("index.gix").exists();
                is_ours && !kept.contains(path)
            };
            let removed = listed(&root.join(view.name())).filter(|path| gone(path));
            removed
                .filter(|path| fs::remove_dir_all(path).is_ok())
                .count()
        }
        IndexStore::Beside => {
            let folders: HashSet<PathBuf> = kept.map(|files| files.folder).collect();
            let files = folders.iter().flat_map(|folder| listed(folder));
            let removed = files.filter(|path| is_without_file(path));
            removed.filter(|path| fs::remove_file(path).is_ok()).count()
        }
    }
}

fn listed(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    // What cannot be listed only takes room.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Tells whether a file `DATA/_growler/TABLE/NAME.gix`, `.gix.ids` or `.json` is of a Parquet file that
/// is gone.
fn is_without_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let mut endings = [".gix", ".gix.ids", ".json"].iter();
    let parquet = name.and_then(|name| endings.find_map(|end| name.strip_suffix(end)));
    let parquet = path.ancestors().nth(3).zip(parquet);
    let parquet = parquet.map(|(data, name)| data.join(name));
    parquet.is_some_and(|parquet| matches!(parquet.try_exists(), Ok(false)))
}

/// Returns what tells the data of a segment from other data.
///
/// Of a closed file, what its table says of it is not enough: it is opened, for no longer than this.
/// One that cannot be opened is like no file: nothing was built of it.
pub fn identity(segment: &Segment) -> SourceIdentity {
    let Ok(segment) = segment.opened() else {
        return SourceIdentity {
            len_bytes: u64::MAX,
            footer_hash: u64::MAX,
            row_count: u32::MAX,
        };
    };
    SourceIdentity {
        len_bytes: segment.len_bytes(),
        footer_hash: hash(segment.footer_bytes()),
        row_count: u32::try_from(segment.row_count()).unwrap_or(u32::MAX),
    }
}

/// Opens the indexes of a segment of a table. One that cannot be used is as good as none: the reason
/// is logged, and queries scan.
pub fn load_indexes(segment: &Segment, table: &str, store: &IndexStore) -> Option<SegmentIndexes> {
    let files = store.files(table, segment.path())?;
    let path = files.index_path();
    // Most segments may have none: then the footer need not be hashed.
    if matches!(path.try_exists(), Ok(false)) {
        return None;
    }
    match SegmentIndexes::open(&path, &identity(segment)) {
        Ok(Some(indexes)) if !ids::are_of(&indexes, segment, &files) => {
            tracing::warn!(
                table,
                segment = %segment.id(),
                "indexes are not used, the segment is scanned: a name is another column's by now"
            );
            None
        }
        Ok(indexes) => indexes,
        Err(error) => {
            tracing::warn!(
                table,
                segment = %segment.id(),
                "indexes are not used, the segment is scanned: {error}"
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_files_that_are_gone_is_of_nobody() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let folder = root.path().join(BESIDE).join("t");
        fs::create_dir_all(&folder)?;
        fs::write(root.path().join("a.parquet"), "")?;
        for (name, is_gone) in [
            ("a.parquet.gix", false),
            ("a.parquet.gix.ids", false),
            ("a.parquet.json", false),
            ("b.parquet.gix", true),
            ("b.parquet.gix.ids", true),
            ("b.parquet.json", true),
            ("b.parquet", false),
        ] {
            assert_eq!(is_without_file(&folder.join(name)), is_gone, "{name}");
        }
        Ok(())
    }
}
