//! `skipIndexes`: indexes that a query does not want used.

use std::collections::{BTreeMap, BTreeSet};

/// Stands for every column, and for every kind of index.
const ANY: &str = "*";

/// Kinds of indexes not to use, by column, as `column=inverted,range&column2=json` says. A column or a
/// kind may be `*`; `*` alone skips them all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkipIndexes {
    kinds: BTreeMap<String, BTreeSet<String>>,
}

impl SkipIndexes {
    /// Parses the option; none when it is malformed.
    pub fn parse(text: &str) -> Option<Self> {
        let mut skipped = Self::default();
        if text.trim() == ANY {
            return Some(Self::all());
        }
        for entry in text.split('&').filter(|entry| !entry.trim().is_empty()) {
            let (column, kinds) = entry.split_once('=')?;
            let kinds = kinds
                .split(',')
                .map(|kind| kind.trim().to_ascii_lowercase());
            skipped
                .kinds
                .entry(column.trim().to_owned())
                .or_default()
                .extend(kinds.filter(|kind| !kind.is_empty()));
        }
        Some(skipped)
    }

    /// Skips every index of every column: the plain scan.
    pub fn all() -> Self {
        let any = BTreeSet::from([ANY.to_owned()]);
        Self {
            kinds: BTreeMap::from([(ANY.to_owned(), any)]),
        }
    }

    /// Tells whether no index is skipped.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Tells whether an index of a column is skipped. `kind` is in lower case: `inverted`, `range`,
    /// `dictionary`, `bloom`, `json` for the unshredded keys of a VARIANT column, `null` for the rows
    /// without a value.
    pub fn skips(&self, column: &str, kind: &str) -> bool {
        [column, ANY].iter().any(|column| {
            let kinds = self.kinds.get(*column);
            kinds.is_some_and(|kinds| kinds.contains(kind) || kinds.contains(ANY))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_skipped_by_column() {
        let cases = [
            ("a=Inverted, range&b=json", "a", "inverted", true),
            ("a=Inverted, range&b=json", "a", "range", true),
            ("a=Inverted, range&b=json", "a", "json", false),
            ("a=Inverted, range&b=json", "b", "json", true),
            ("a=Inverted, range&b=json", "c", "json", false),
            ("*=bloom", "a", "bloom", true),
            ("*=bloom", "a", "range", false),
            ("a=*", "a", "range", true),
            ("a=*", "b", "range", false),
            ("*", "a", "null", true),
            ("a=inverted&a=range", "a", "inverted", true),
            ("", "a", "inverted", false),
        ];
        for (text, column, kind, expected) in cases {
            let skipped = SkipIndexes::parse(text).unwrap();
            assert_eq!(
                skipped.skips(column, kind),
                expected,
                "{text} {column}={kind}"
            );
        }
        assert_eq!(SkipIndexes::parse("inverted"), None);
    }
}
