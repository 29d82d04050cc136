//! The indexes of a file: those beside it, or those of any table in a folder.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use growler_exec::reload::IndexStore;
use growler_exec::reload::store::identity;
use growler_index::{Entry, Kind, Reading, SegmentIndexes};
use growler_segment::Segment;
use serde_json::{Value, json};

use crate::inspect::map::{IndexMap, IndexesMap};
use crate::inspect::table::Table;
use crate::inspect::text::{counted, grouped, size};
use crate::style::Style;

/// Most indexes listed one by one.
const LISTED: usize = 60;

/// Finds the indexes of a file; one for each table that has some in the folder.
pub fn find(segment: &Segment, index_dir: Option<&Path>) -> Vec<IndexesMap> {
    let store = match index_dir {
        None => IndexStore::Beside,
        Some(folder) => IndexStore::Folder(folder.to_owned()),
    };
    let tables = store.tables(segment.path()).into_iter();
    let found = tables.filter_map(|table| {
        let path = store.files(&table, segment.path())?.index_path();
        open(segment, table, path)
    });
    found.collect()
}

fn open(segment: &Segment, table: String, path: PathBuf) -> Option<IndexesMap> {
    let mut map = IndexesMap {
        table,
        path,
        len_bytes: 0,
        refusal: None,
        indexes: Vec::new(),
    };
    match SegmentIndexes::open(&map.path, &identity(segment)) {
        Ok(None) => return None,
        Ok(Some(file)) => {
            map.len_bytes = file.file_len();
            // What is inside of documents, often a lot, comes behind.
            let is_inside = |entry: &&Entry| entry.subject.reading == Reading::Json;
            let (inside, values): (Vec<&Entry>, Vec<&Entry>) =
                file.entries().iter().partition(is_inside);
            map.indexes = values.into_iter().chain(inside).map(index).collect();
            let damaged = file.verify();
            map.refusal = damaged.first().map(ToString::to_string);
        }
        Err(error) => map.refusal = Some(error.to_string()),
    }
    Some(map)
}

fn index(entry: &Entry) -> IndexMap {
    IndexMap {
        subject: entry.subject.to_string(),
        kind: entry.kind.name(),
        data_type: entry.data_type.name(),
        len_bytes: entry.len_bytes,
        distinct_count: entry
            .distinct_count
            .filter(|_| entry.kind == Kind::Dictionary),
        null_count: entry.null_count.filter(|_| entry.kind == Kind::Nulls),
    }
}

/// Writes them as text.
///
/// # Errors
/// What writing gives.
pub fn write(
    map: &IndexesMap,
    file_bytes: u64,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let share = map.len_bytes as f64 * 100.0 / file_bytes.max(1) as f64;
    let count = counted(map.indexes.len(), "index", "indexes");
    let heading = format!("{count} of table {}: {}", map.table, map.path.display());
    writeln!(out, "{}", style.bold(heading))?;
    if let Some(refusal) = &map.refusal {
        writeln!(out, "  {}", style.red(refusal))?;
    }
    if map.indexes.is_empty() {
        return Ok(());
    }
    writeln!(out, "  {}, {share:.1} % of the file", size(map.len_bytes))?;
    let mut table = Table::new(&["COLUMN OR KEY", "TYPE", "INDEX", "VALUES", "NULLS", "BYTES"]);
    (3..=5).for_each(|column| table.right(column));
    for index in map.indexes.iter().take(LISTED) {
        let number =
            |count: Option<u32>| count.map_or_else(String::new, |count| grouped(count.into()));
        table.push(vec![
            index.subject.clone(),
            index.data_type.to_owned(),
            index.kind.to_owned(),
            number(index.distinct_count),
            number(index.null_count),
            size(index.len_bytes),
        ]);
    }
    table.write(style, out)?;
    match map.indexes.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}

/// Makes the JSON object of them.
pub fn of(map: &IndexesMap) -> Value {
    let indexes = map.indexes.iter().map(|index| {
        json!({
            "subject": index.subject,
            "index": index.kind,
            "dataType": index.data_type,
            "lengthBytes": index.len_bytes,
            "distinctCount": index.distinct_count,
            "nullCount": index.null_count,
        })
    });
    json!({
        "table": map.table,
        "path": map.path.display().to_string(),
        "lengthBytes": map.len_bytes,
        "refusal": map.refusal,
        "indexes": indexes.collect::<Vec<_>>(),
    })
}
