//! Where a segment's indexes hold what a slot reads.

use growler_index::{Kind, Reading, SegmentIndexes, ValueIndex};
use growler_schema::DataType;
use growler_segment::{KeyOutput, Source};

use super::SkipIndexes;
use crate::plan::{Slot, slots::What};

/// How the file keeps what a slot reads: it decides which index answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A plain column.
    Column,
    /// A key with a typed leaf.
    Typed,
    /// A key without one.
    Untyped {
        /// Whether residuals alone can hold it.
        unshredded: bool,
    },
}

/// A column or key as an index knows it.
#[derive(Debug)]
pub struct Place {
    column: String,
    path: Option<String>,
    reading: Reading,
    data_type: DataType,
    origin: Origin,
    skipped: Vec<Kind>,
}

/// What a segment's indexes know of a place.
#[derive(Debug, Clone, Copy)]
pub enum Found<'i> {
    /// Its values.
    Values(ValueIndex<'i>),
    /// That every row is null.
    Nowhere,
}

impl Place {
    /// Returns the place of a slot; none when no index can hold it.
    ///
    /// An index is built over what [`growler_segment::Segment::read`] gives for the same source, so
    /// only the column, the path and the form in which it is read matter.
    pub fn of(slot: &Slot, source: &Source, skip: &SkipIndexes) -> Option<Self> {
        let (column, path, reading) = match &slot.what {
            What::Column(field) if !field.column_type.multi_value => {
                (&field.name, None, Reading::Values)
            }
            _ if slot.inside.is_some() => return None,
            What::Key(field, path, KeyOutput::Typed(_)) => {
                (&field.name, Some(path.text()), Reading::Values)
            }
            What::Key(field, path, KeyOutput::Number) => {
                (&field.name, Some(path.text()), Reading::Numbers)
            }
            What::Column(_)
            | What::Key(..)
            | What::Document(_)
            | What::RowId
            | What::SegmentName
            | What::HostName => return None,
        };
        let origin = match path {
            None => Origin::Column,
            Some(_) if source.is_typed_key() => Origin::Typed,
            Some(_) => Origin::Untyped {
                unshredded: source.is_unshredded_key(),
            },
        };
        let place = Self {
            column: column.clone(),
            path: path.map(str::to_owned),
            reading,
            data_type: slot.column_type.data_type,
            origin,
            skipped: Vec::new(),
        };
        let skipped = Kind::ALL.into_iter();
        let skipped = skipped
            .filter(|kind| place.is_skipped(*kind, skip))
            .collect();
        Some(Self { skipped, ..place })
    }

    /// Returns how the file keeps the values.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Looks the place up; none when nothing is known of it.
    ///
    /// Values of another type than the slot's are not its values.
    pub fn find<'i>(&self, indexes: &'i SegmentIndexes) -> Option<Found<'i>> {
        let path = self.path.as_deref();
        if let Some(values) = indexes.subject(&self.column, path, self.reading) {
            return (values.data_type() == self.data_type).then_some(Found::Values(values));
        }
        self.is_nowhere(indexes).then_some(Found::Nowhere)
    }

    /// Tells whether a kind of index may be used.
    pub fn allows(&self, kind: Kind) -> bool {
        !self.skipped.contains(&kind)
    }

    /// Tells whether the index of all unshredded keys proves that no row has this one.
    ///
    /// It has every key of the segment, whatever the key reads as; and of a key that reads as text it
    /// has the reading as numbers, too, where there are numbers.
    fn is_nowhere(&self, indexes: &SegmentIndexes) -> bool {
        let unshredded = self.origin == Origin::Untyped { unshredded: true };
        let remainder = indexes.remainder(&self.column);
        if !unshredded
            || !self.allows(Kind::Dictionary)
            || !remainder.is_some_and(|remainder| remainder.complete)
        {
            return false;
        }
        let path = self.path.as_deref();
        let values = indexes.subject(&self.column, path, Reading::Values);
        values.is_none_or(|values| values.data_type().is_text())
    }

    fn is_skipped(&self, kind: Kind, skip: &SkipIndexes) -> bool {
        let name = match (kind, self.origin) {
            (Kind::Others, _) => return false,
            (Kind::Nulls, _) => "null",
            (_, Origin::Untyped { .. }) => "json",
            (kind, Origin::Column | Origin::Typed) => kind.name(),
        };
        // Pinot names the column of a key so.
        let child = self
            .path
            .as_ref()
            .map(|path| format!("{}${path}", self.column));
        let names = [Some(&self.column), child.as_ref()];
        names
            .into_iter()
            .flatten()
            .any(|column| skip.skips(column, name))
    }
}
