//! The names of a dictionary as JSON writes them, prepared once for many rows.

use std::cmp::Ordering;

use crate::cache::MetadataCache;
use crate::text::write_json_string;
use crate::{Error, Metadata, Object};

/// Names by id, for the text form: read as they come, or prepared.
pub(crate) trait Names {
    /// Appends `"name":`.
    fn write_key(&self, id: u32, out: &mut Vec<u8>) -> Result<(), Error>;
    /// Compares two names by their bytes.
    fn order(&self, a: u32, b: u32) -> Result<Ordering, Error>;
}

impl Names for Metadata<'_> {
    fn write_key(&self, id: u32, out: &mut Vec<u8>) -> Result<(), Error> {
        write_json_string(self.name(id)?.as_bytes(), out);
        out.push(b':');
        Ok(())
    }

    fn order(&self, a: u32, b: u32) -> Result<Ordering, Error> {
        Ok(self.name_bytes(a)?.cmp(self.name_bytes(b)?))
    }
}

/// The prepared names of one dictionary.
#[derive(Debug, Default)]
pub(crate) struct PreparedNames {
    /// `"name":` of every id, back to back.
    keys: Vec<u8>,
    /// End of each key in `keys`.
    ends: Vec<usize>,
    /// Place of each name among all in byte order; equal names share one.
    ranks: Vec<u32>,
}

impl PreparedNames {
    fn prepare(&mut self, metadata: &Metadata<'_>) -> Result<(), Error> {
        self.keys.clear();
        self.ends.clear();
        self.ranks.clear();
        let mut names = Vec::new();
        for id in 0..metadata.len() {
            names.push((metadata.name(id)?.as_bytes(), id));
            metadata.write_key(id, &mut self.keys)?;
            self.ends.push(self.keys.len());
        }
        self.ranks.resize(names.len(), 0);
        names.sort_unstable();
        let (mut rank, mut previous): (u32, Option<&[u8]>) = (0, None);
        for (name, id) in names {
            if previous.is_some_and(|previous| previous != name) {
                rank = rank.saturating_add(1);
            }
            previous = Some(name);
            if let Some(slot) = self.ranks.get_mut(crate::bytes::index(id)) {
                *slot = rank;
            }
        }
        Ok(())
    }

    fn rank(&self, id: u32) -> Result<u32, Error> {
        let names = u32::try_from(self.ranks.len()).unwrap_or(u32::MAX);
        let rank = self.ranks.get(crate::bytes::index(id)).copied();
        rank.ok_or_else(|| Error::FieldId { id, names })
    }
}

impl Names for PreparedNames {
    #[inline]
    fn write_key(&self, id: u32, out: &mut Vec<u8>) -> Result<(), Error> {
        let position = crate::bytes::index(id);
        let start = position
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied();
        let end = self.ends.get(position).copied().unwrap_or(0);
        let names = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        let key = self
            .keys
            .get(start.unwrap_or(0)..end)
            .filter(|key| !key.is_empty());
        out.extend_from_slice(key.ok_or_else(|| Error::FieldId { id, names })?);
        Ok(())
    }

    #[inline]
    fn order(&self, a: u32, b: u32) -> Result<Ordering, Error> {
        Ok(self.rank(a)?.cmp(&self.rank(b)?))
    }
}

/// A dictionary for the text form of one or more values.
#[derive(Debug, Clone, Copy)]
pub struct Dictionary<'d>(pub(crate) Form<'d>);

#[derive(Debug, Clone, Copy)]
pub(crate) enum Form<'d> {
    Plain(Metadata<'d>),
    Prepared(&'d PreparedNames),
}

impl<'d> From<Metadata<'d>> for Dictionary<'d> {
    fn from(metadata: Metadata<'d>) -> Self {
        Self(Form::Plain(metadata))
    }
}

/// Prepares the names of dictionaries that come again.
#[derive(Debug, Default)]
pub struct DictionaryCache {
    seen: MetadataCache<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    times: u8,
    /// Whether the names were prepared; not tried again when one of them is malformed.
    names: Option<PreparedNames>,
}

/// Rows with the same dictionary before its names are prepared: once costs more than it saves.
const PREPARE_AT: u8 = 3;

impl DictionaryCache {
    /// Makes an empty cache.
    pub fn new() -> Self {
        Self {
            seen: MetadataCache::new(),
        }
    }

    /// Returns the dictionary of a row.
    ///
    /// # Errors
    /// `Corrupt` when the dictionary is malformed; a single malformed name shows only when used.
    pub fn get<'d>(&'d mut self, metadata: &'d [u8]) -> Result<Dictionary<'d>, Error> {
        let parsed = Metadata::try_new(metadata)?;
        let seen = self.seen.get_or_make(metadata, |_, seen| {
            seen.times = 0;
            seen.names = None;
            Ok(())
        })?;
        if seen.times < PREPARE_AT {
            seen.times = seen.times.saturating_add(1);
            if seen.times == PREPARE_AT {
                let mut names = PreparedNames::default();
                seen.names = names.prepare(&parsed).is_ok().then_some(names);
            }
        }
        Ok(match &seen.names {
            Some(names) => Dictionary(Form::Prepared(names)),
            None => parsed.into(),
        })
    }
}

/// Brings the fields of an object into the order of their names.
///
/// Returns `None` when they are in order already, else their positions.
///
/// # Errors
/// `Corrupt` when an id has no name, or a name is there twice.
pub(crate) fn field_order(
    names: &impl Names,
    object: &Object<'_>,
) -> Result<Option<Vec<u32>>, Error> {
    let Some(mut previous) = object.id(0) else {
        return Ok(None);
    };
    // A single field is compared with itself, to check that it has a name.
    names.order(previous, previous)?;
    let mut is_ordered = true;
    for position in 1..object.len() {
        let id = object.id(position).unwrap_or(u32::MAX);
        match names.order(previous, id)? {
            Ordering::Less => {}
            Ordering::Equal => return Err(Error::DuplicateName { id }),
            Ordering::Greater => is_ordered = false,
        }
        previous = id;
    }
    if is_ordered {
        Ok(None)
    } else {
        sorted_positions(names, object).map(Some)
    }
}

fn sorted_positions(names: &impl Names, object: &Object<'_>) -> Result<Vec<u32>, Error> {
    let id_at = |position| object.id(position).unwrap_or(u32::MAX);
    // All ids were compared once without an error, so none can occur here.
    let order = |a: u32, b: u32| names.order(id_at(a), id_at(b)).unwrap_or(Ordering::Equal);
    let mut positions: Vec<u32> = (0..object.len()).collect();
    positions.sort_unstable_by(|&a, &b| order(a, b));
    for pair in positions.windows(2) {
        if let [a, b] = *pair
            && order(a, b) == Ordering::Equal
        {
            return Err(Error::DuplicateName { id: id_at(b) });
        }
    }
    Ok(positions)
}
