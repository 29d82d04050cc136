//! What an index is about, and which indexes there are of it.

use std::fmt;
use std::sync::Arc;

/// The values an index was built over: those that one slot of a query reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subject {
    /// Column, by its name in the table.
    pub column: Arc<str>,
    /// Key of a VARIANT column, as its path is written; none for a plain column.
    pub path: Option<Arc<str>>,
    /// How values are read.
    pub reading: Reading,
}

/// How the values of a column or key are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reading {
    /// As values of its own type.
    Values,
    /// As DOUBLE, where the type is text: the values that are numbers.
    Numbers,
    /// As JSON text, at a path inside the JSON of a column or of a VARIANT column's document; a row
    /// has as many values as the path leads to. The path is spelled `$.a[*]['b.c'][0]`.
    Json,
}

/// One kind of index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Rows without a value.
    Nulls,
    /// Distinct values, sorted.
    Dictionary,
    /// Rows of each distinct value.
    Inverted,
    /// Rows by intervals of values, in slices of bits.
    Range,
    /// A filter that proves that a value is nowhere.
    Bloom,
    /// Rows that have a value which the dictionary does not hold.
    Others,
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Kinds(u8);

impl Subject {
    /// Makes the subject of a plain column's values.
    pub fn column(column: impl Into<Arc<str>>) -> Self {
        Self {
            column: column.into(),
            path: None,
            reading: Reading::Values,
        }
    }

    /// Makes the subject of a key's values.
    pub fn key(column: impl Into<Arc<str>>, path: impl Into<Arc<str>>, reading: Reading) -> Self {
        Self {
            column: column.into(),
            path: Some(path.into()),
            reading,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.column)?;
        if self.reading == Reading::Json {
            return match self.path.as_deref() {
                None | Some("") => f.write_str(" in JSON"),
                Some(path) => write!(f, " {path}"),
            };
        }
        if let Some(path) = &self.path {
            write!(f, "['{path}']")?;
        }
        match self.reading {
            Reading::Values => Ok(()),
            Reading::Numbers => f.write_str(" as numbers"),
            Reading::Json => Ok(()),
        }
    }
}

impl Kind {
    /// Every kind, in the order in which a file holds them.
    pub const ALL: [Self; 6] = [
        Self::Nulls,
        Self::Dictionary,
        Self::Inverted,
        Self::Range,
        Self::Bloom,
        Self::Others,
    ];

    /// Returns the code in files.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Nulls => 1,
            Self::Dictionary => 2,
            Self::Inverted => 3,
            Self::Range => 4,
            Self::Bloom => 5,
            Self::Others => 6,
        }
    }

    /// Returns the kind of a code; nothing for one of a later version.
    pub(crate) fn of_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Returns the name, as in logs and listings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nulls => "nulls",
            Self::Dictionary => "dictionary",
            Self::Inverted => "inverted",
            Self::Range => "range",
            Self::Bloom => "bloom",
            Self::Others => "others",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Kinds {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Returns this set with one more kind.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    /// Tells whether a kind is in the set.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// Tells whether no kind is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the kinds, in the order of [`Kind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL
            .into_iter()
            .filter(move |kind| self.contains(*kind))
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, Self::with)
    }
}
