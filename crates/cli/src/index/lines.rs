//! The indexes of all segments, summed up by what they are of.

use std::collections::{BTreeMap, HashMap};

use growler_exec::reload::{BuiltIndex, Reloaded};
use growler_exec::table::View;
use growler_index::{Kind, Reading, Subject};
use growler_segment::{KeyPath, Segment};

/// The indexes of one kind of a column or key, over all segments.
#[derive(Debug, Clone, Copy, Default)]
pub struct Line {
    /// Bytes they take.
    pub bytes: u64,
    /// Distinct values in the segment that has most; none without a dictionary.
    pub values: Option<u32>,
    /// Seconds their build took; none for those that were there.
    pub seconds: Option<f64>,
}

/// All indexes of a table.
#[derive(Debug, Default)]
pub struct Lines {
    /// Of columns, and of keys with a typed column.
    pub typed: BTreeMap<(Subject, Kind), Line>,
    /// Of all keys without one, and of all paths into documents, by what they are called.
    pub remainders: BTreeMap<(String, Kind), Line>,
    /// Of each key without one, all kinds together.
    pub keys: BTreeMap<Subject, Line>,
    /// Bytes of the files, directories included.
    pub file_bytes: u64,
}

impl Lines {
    /// Adds a segment.
    pub fn add(&mut self, view: &View, segment: &Segment, reloaded: &Reloaded) {
        let Some(indexes) = &reloaded.indexes else {
            return;
        };
        self.file_bytes += indexes.file_len();
        let seconds: HashMap<Key<'_>, f64> = reloaded
            .built
            .iter()
            .map(|built| (key_of_built(built), built.seconds))
            .collect();
        for entry in indexes.entries() {
            let line = Line {
                bytes: entry.len_bytes,
                values: entry
                    .distinct_count
                    .filter(|_| entry.kind == Kind::Dictionary),
                seconds: seconds.get(&key_of(&entry.subject, entry.kind)).copied(),
            };
            let (subject, kind) = (&entry.subject, entry.kind);
            if is_typed(view, segment, subject) {
                add(self.typed.entry((subject.clone(), kind)).or_default(), line);
            } else {
                let column = match subject.reading {
                    Reading::Json => format!("{}, inside of JSON", subject.column),
                    Reading::Values | Reading::Numbers => {
                        format!("{}, not shredded", subject.column)
                    }
                };
                add(self.remainders.entry((column, kind)).or_default(), line);
                add(self.keys.entry(subject.clone()).or_default(), line);
            }
        }
    }
}

fn add(sum: &mut Line, line: Line) {
    sum.bytes += line.bytes;
    sum.values = sum.values.max(line.values);
    sum.seconds = match (sum.seconds, line.seconds) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    };
}

/// What tells one index from the others of a file.
type Key<'a> = (&'a str, Option<&'a str>, Reading, Kind);

fn key_of(subject: &Subject, kind: Kind) -> Key<'_> {
    (
        &subject.column,
        subject.path.as_deref(),
        subject.reading,
        kind,
    )
}

fn key_of_built(built: &BuiltIndex) -> Key<'_> {
    (
        &built.column,
        built.key.as_deref(),
        built.reading,
        built.kind,
    )
}

/// Tells whether a subject has a column of its own in a segment.
fn is_typed(view: &View, segment: &Segment, subject: &Subject) -> bool {
    let (Some(path), Some(field)) = (&subject.path, view.schema().field(&subject.column)) else {
        return true;
    };
    let typed = KeyPath::parse(path)
        .ok()
        .and_then(|path| segment.key_type(field, &path).ok());
    typed.flatten().is_some()
}
