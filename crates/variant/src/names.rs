//! The names of a dictionary as JSON writes them, prepared once for many rows.

use std::cmp::Ordering;

use crate::cache::MetadataCache;
use crate::text::write_json_string;
use crate::{Error, Metadata, Object};

/// Names by id, for the text form: read as they come, or prepared.
pub(crate) trait Names {
    /// What compares as a name does by its bytes.
    type Rank<'n>: Ord + Copy
    where
        Self: 'n;

    /// Appends `"name":`.
    fn write_key(&self, id: u32, out: &mut Vec<u8>) -> Result<(), Error>;
    /// Returns the place of a name among others.
    fn rank(&self, id: u32) -> Result<Self::Rank<'_>, Error>;
}

/// Names that are read as they come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainNames<'m> {
    metadata: Metadata<'m>,
    /// Whether all names are known to be printable ASCII that JSON takes as it is.
    is_ascii: bool,
}

impl<'m> From<Metadata<'m>> for PlainNames<'m> {
    #[inline]
    fn from(metadata: Metadata<'m>) -> Self {
        Self {
            metadata,
            is_ascii: metadata.is_short_json_ascii(),
        }
    }
}

impl Names for PlainNames<'_> {
    /// The first byte tells most names apart, without a call.
    type Rank<'n>
        = (Option<u8>, &'n [u8])
    where
        Self: 'n;

    #[inline]
    fn write_key(&self, id: u32, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.is_ascii {
            let name = self.metadata.name_bytes(id)?;
            out.reserve(name.len().saturating_add(3));
            out.push(b'"');
            out.extend_from_slice(name);
            out.extend_from_slice(b"\":");
            return Ok(());
        }
        write_json_string(self.metadata.name(id)?.as_bytes(), out);
        out.push(b':');
        Ok(())
    }

    #[inline]
    fn rank(&self, id: u32) -> Result<Self::Rank<'_>, Error> {
        let name = self.metadata.name_bytes(id)?;
        Ok((name.first().copied(), name))
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
    fn prepare(&mut self, metadata: Metadata<'_>) -> Result<(), Error> {
        let plain = PlainNames::from(metadata);
        self.keys.clear();
        self.ends.clear();
        self.ranks.clear();
        let mut names = Vec::new();
        for id in 0..metadata.len() {
            names.push((metadata.name(id)?.as_bytes(), id));
            plain.write_key(id, &mut self.keys)?;
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
}

impl Names for PreparedNames {
    type Rank<'n> = u32;

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
    fn rank(&self, id: u32) -> Result<u32, Error> {
        let names = u32::try_from(self.ranks.len()).unwrap_or(u32::MAX);
        let rank = self.ranks.get(crate::bytes::index(id)).copied();
        rank.ok_or_else(|| Error::FieldId { id, names })
    }
}

/// A dictionary for the text form of one or more values.
#[derive(Debug, Clone, Copy)]
pub struct Dictionary<'d>(pub(crate) Form<'d>);

#[derive(Debug, Clone, Copy)]
pub(crate) enum Form<'d> {
    Plain(PlainNames<'d>),
    Prepared(&'d PreparedNames),
}

impl<'d> From<Metadata<'d>> for Dictionary<'d> {
    fn from(metadata: Metadata<'d>) -> Self {
        Self(Form::Plain(metadata.into()))
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
                seen.names = names.prepare(parsed).is_ok().then_some(names);
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
    let Some(first) = object.id(0) else {
        return Ok(None);
    };
    let mut previous = names.rank(first)?;
    let mut is_ordered = true;
    for position in 1..object.len() {
        let id = object.id(position).unwrap_or(u32::MAX);
        let rank = names.rank(id)?;
        match previous.cmp(&rank) {
            Ordering::Less => {}
            Ordering::Equal => return Err(Error::DuplicateName { id }),
            Ordering::Greater => is_ordered = false,
        }
        previous = rank;
    }
    if is_ordered {
        Ok(None)
    } else {
        sorted_positions(names, object).map(Some)
    }
}

fn sorted_positions(names: &impl Names, object: &Object<'_>) -> Result<Vec<u32>, Error> {
    let id_at = |position| object.id(position).unwrap_or(u32::MAX);
    let ranked: Result<Vec<_>, Error> = (0..object.len())
        .map(|position| Ok((names.rank(id_at(position))?, position)))
        .collect();
    let mut ranked = ranked?;
    ranked.sort_unstable();
    for pair in ranked.windows(2) {
        if let [(a, _), (b, position)] = pair
            && a == b
        {
            let id = id_at(*position);
            return Err(Error::DuplicateName { id });
        }
    }
    Ok(ranked.into_iter().map(|(_, position)| position).collect())
}
