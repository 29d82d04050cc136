//! Which metadata file of a folder is the table's.
//!
//! File-system tables name it in `version-hint.text`; writers that keep a catalog leave only numbered
//! files behind. A hint may be late: a version that follows it without a gap wins.

use std::sync::Arc;

use crate::Error;
use crate::files::Files;

const HINT: &str = "version-hint.text";
/// Longest hint that is read, in bytes.
const HINT_LEN: u64 = 4096;
const SUFFIX: &str = ".metadata.json";

/// Metadata files that may be the newest one; more than one only if they have the same number.
pub(crate) fn newest(files: &dyn Files, folder: &str) -> Result<Vec<String>, Error> {
    let mut versions: Vec<Version> = files
        .list(folder)?
        .into_iter()
        .filter_map(Version::parse)
        .collect();
    versions.sort_by(|a, b| (a.number, &a.name).cmp(&(b.number, &b.name)));
    if versions.is_empty() {
        return Err(Error::NotATable {
            path: Arc::from(folder),
            cause: "folder has no metadata file".into(),
        });
    }
    let hint = files.read(&format!("{folder}/{HINT}"), 0..HINT_LEN).ok();
    let hint = hint.and_then(|hint| String::from_utf8(hint.to_vec()).ok());
    let number = hint
        .and_then(|hint| hinted(hint.trim(), &versions))
        .or_else(|| versions.last().map(|version| version.number));
    let of_number = versions.into_iter().filter(|v| Some(v.number) == number);
    Ok(of_number.map(|version| version.name).collect())
}

/// The number that a hint leads to; none when it leads nowhere.
fn hinted(hint: &str, versions: &[Version]) -> Option<u64> {
    let has = |number: u64| versions.iter().any(|version| version.number == number);
    let Ok(mut number) = hint.parse::<u64>() else {
        let named = |v: &&Version| v.name == hint || v.name.strip_suffix(SUFFIX) == Some(hint);
        return versions.iter().find(named).map(|version| version.number);
    };
    if !has(number) {
        return None;
    }
    while let Some(next) = number.checked_add(1).filter(|next| has(*next)) {
        number = next;
    }
    Some(number)
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    number: u64,
    name: String,
}

impl Version {
    /// Parses a name: `v3.metadata.json`, `00003-UUID.metadata.json`, with `.gz` in the middle or at
    /// the end; a name without a number is older than all others.
    fn parse(name: String) -> Option<Self> {
        let stem = name.strip_suffix(".gz").unwrap_or(&name);
        let stem = stem.strip_suffix(SUFFIX)?;
        let stem = stem.strip_suffix(".gz").unwrap_or(stem);
        let digits = match stem.strip_prefix('v') {
            Some(digits) => digits,
            None => stem.split_once('-').map_or(stem, |(digits, _)| digits),
        };
        let number = digits.parse().unwrap_or(0);
        Some(Self { number, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers() {
        let cases = [
            ("v3.metadata.json", Some(3)),
            ("v12.gz.metadata.json", Some(12)),
            ("v12.metadata.json.gz", Some(12)),
            ("00007-0c4a3a2b-0000.metadata.json", Some(7)),
            ("00007-0c4a3a2b-0000.gz.metadata.json", Some(7)),
            ("99999999999999999999-x.metadata.json", Some(0)),
            ("abc.metadata.json", Some(0)),
            ("snap-1.avro", None),
            ("version-hint.text", None),
        ];
        for (name, expected) in cases {
            let found = Version::parse(name.to_owned()).map(|version| version.number);
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn hints_lead_to_a_version_or_nowhere() {
        let names = ["v1", "v2", "v3", "v7"].map(|stem| format!("{stem}{SUFFIX}"));
        let versions: Vec<Version> = names.into_iter().filter_map(Version::parse).collect();
        let cases = [
            ("1", Some(3)),
            ("3", Some(3)),
            ("7", Some(7)),
            ("5", None),
            ("v2.metadata.json", Some(2)),
            ("v2", Some(2)),
            ("x", None),
            ("", None),
        ];
        for (hint, expected) in cases {
            assert_eq!(hinted(hint, &versions), expected, "{hint}");
        }
    }
}
