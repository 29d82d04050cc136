//! Which columns of a table the indexes of a segment are of.
//!
//! An index knows its column by name. In a table a name may be dropped and given to another column,
//! so the identities that names had are kept beside the indexes: where one is another now, there is
//! no index.

use std::collections::BTreeMap;
use std::io::{self, Write};

use growler_base::FieldId;
use growler_index::SegmentIndexes;
use growler_index::write::{publish, sync_folder, temporary_file};
use growler_segment::Segment;

use super::store::StoredFiles;

/// Longest file that is read, in bytes.
const LEN_BYTES: u64 = 16 << 20;

type Names = BTreeMap<String, FieldId>;

/// Tells whether indexes are of the columns that a segment's table serves under their names.
pub(super) fn are_of(indexes: &SegmentIndexes, segment: &Segment, files: &StoredFiles) -> bool {
    let Some(table) = segment.table() else {
        return true;
    };
    let served = table.columns().served();
    let built = read(files).unwrap_or_default();
    let mut columns = indexes.entries().iter().map(|entry| &*entry.subject.column);
    // What nobody can name does no harm.
    columns.all(|column| {
        let now = served.get(column);
        now.is_none_or(|now| built.get(column) == Some(now))
    })
}

/// Records the identities that names have now; indexes of a name that was another column's are
/// removed first.
pub(super) fn settle(segment: &Segment, files: &StoredFiles) -> io::Result<()> {
    let Some(table) = segment.table() else {
        return Ok(());
    };
    let served = table.columns().served();
    let built = read(files);
    let mut names = built.clone().unwrap_or_default();
    names.extend(served.iter().map(|(name, id)| (name.clone(), *id)));
    if built.as_ref() == Some(&names) {
        return Ok(());
    }
    let is_same = |(name, id): (&String, &FieldId)| names.get(name) == Some(id);
    if !built.is_some_and(|built| built.iter().all(is_same)) {
        match std::fs::remove_file(files.index_path()) {
            Ok(()) => sync_folder(&files.folder)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let name = name(files);
    let mut file = temporary_file(&files.folder, &name)?;
    serde_json::to_writer(&mut file, &names)?;
    file.write_all(b"\n")?;
    publish(file, &files.folder, &name)
}

fn name(files: &StoredFiles) -> String {
    format!("{}.ids", files.index)
}

/// Reads what was recorded; nothing where nothing was, or it is damaged.
fn read(files: &StoredFiles) -> Option<Names> {
    let path = files.folder.join(name(files));
    let length = std::fs::metadata(&path).ok()?.len();
    let bytes = (length <= LEN_BYTES).then(|| std::fs::read(path).ok())??;
    serde_json::from_slice(&bytes).ok()
}
