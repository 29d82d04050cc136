//! Which columns of a table the indexes of a segment are of.
//!
//! An index knows its column by name. In a table a name may be dropped and given to another column,
//! or the fields of a column get other names, which documents show. So what values depended on is kept
//! beside the indexes, a hash for each name: where one is another now, there is no index.

use std::collections::BTreeMap;
use std::io::{self, Write};

use growler_index::SegmentIndexes;
use growler_index::identity::hash;
use growler_index::write::{publish, sync_folder, temporary_file};
use growler_segment::{Segment, TableFile};

use super::store::StoredFiles;

/// Longest file that is read, in bytes.
const LEN_BYTES: u64 = 16 << 20;

type Names = BTreeMap<String, String>;

/// Tells whether indexes are of the columns that a segment's table serves under their names.
pub(super) fn are_of(indexes: &SegmentIndexes, segment: &Segment, files: &StoredFiles) -> bool {
    let Some(table) = segment.table() else {
        return true;
    };
    let built = read(files).unwrap_or_default();
    let mut columns = indexes.entries().iter().map(|entry| &*entry.subject.column);
    // What nobody can name does no harm.
    columns.all(|column| {
        let now = shape(table, column);
        now.is_none_or(|now| built.get(column) == Some(&now))
    })
}

/// Tells whether indexes that were built of a segment are of the columns that the same file has under
/// their names in another view of its table.
pub fn same_columns(indexes: &SegmentIndexes, built_of: &Segment, now: &Segment) -> bool {
    let (built, now) = match (built_of.table(), now.table()) {
        (None, None) => return true,
        (Some(built), Some(now)) => (built.columns(), now.columns()),
        (None, Some(_)) | (Some(_), None) => return false,
    };
    let mut columns = indexes.entries().iter().map(|entry| &*entry.subject.column);
    columns.all(|column| {
        let shown = now.shape(column);
        shown.is_none() || shown == built.shape(column)
    })
}

/// Records what the values under each name depend on now; indexes of a name that has other ones are
/// removed first.
pub(super) fn settle(segment: &Segment, files: &StoredFiles) -> io::Result<()> {
    let Some(table) = segment.table() else {
        return Ok(());
    };
    let merged = |built: Option<&Names>| {
        let mut names = built.cloned().unwrap_or_default();
        names.extend(names_of(table));
        names
    };
    let built = read(files);
    if built.as_ref() == Some(&merged(built.as_ref())) {
        return Ok(());
    }
    std::fs::create_dir_all(&files.folder)?;
    let _alone = alone(files)?;
    let built = read(files);
    let names = merged(built.as_ref());
    let is_same = |(name, shape): (&String, &String)| names.get(name) == Some(shape);
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

/// Publishes indexes of a segment, unless the record says by now that names are other columns': a
/// reload under another schema of the table has come in between. None then, and nothing is done.
pub(super) fn while_settled<T>(
    segment: &Segment,
    files: &StoredFiles,
    publish: impl FnOnce() -> T,
) -> io::Result<Option<T>> {
    let Some(table) = segment.table() else {
        return Ok(Some(publish()));
    };
    let _alone = alone(files)?;
    let built = read(files).unwrap_or_default();
    let is_settled = names_of(table).all(|(name, shape)| built.get(&name) == Some(&shape));
    Ok(is_settled.then(publish))
}

/// Keeps others off the record and the indexes beside it, in this process and in others, for as long as
/// the result lives.
fn alone(files: &StoredFiles) -> io::Result<std::fs::File> {
    let folder = std::fs::File::open(&files.folder)?;
    folder.lock()?;
    Ok(folder)
}

fn names_of(table: &TableFile) -> impl Iterator<Item = (String, String)> {
    let served = table.columns().served().keys();
    served.filter_map(|name| Some((name.clone(), shape(table, name)?)))
}

/// Returns a hash of what the values of a column depend on; none for a name that is not served.
fn shape(table: &TableFile, column: &str) -> Option<String> {
    let shape = table.columns().shape(column)?;
    Some(format!("{:016x}", hash(shape.as_bytes())))
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
