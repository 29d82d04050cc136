//! A path inside of a key's value, into arrays as well: `[0].promo.code`.

use std::sync::Arc;

use crate::cache::MetadataCache;
use crate::value::BasicType;
use crate::{Error, List, Metadata, Object};

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum InsideStep {
    /// Into the field of an object; dots mean nothing.
    Name(Box<str>),
    /// Into the element of an array.
    At(u32),
}

/// What starts text that is not JSON of a value found, but the text of a key whose value is no object
/// and no array: strings may hold JSON in turn. No JSON text starts so.
pub const UNWALKED: char = '\u{1}';

/// Steps into objects and arrays; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InsidePath(Arc<[InsideStep]>);

impl InsidePath {
    /// Makes a path of steps; of none, it leads to the value itself.
    pub fn new(steps: impl IntoIterator<Item = InsideStep>) -> Self {
        Self(steps.into_iter().collect())
    }

    /// Returns the steps.
    pub fn steps(&self) -> &[InsideStep] {
        &self.0
    }
}

/// Follows one path in values, its names looked up once per distinct dictionary.
#[derive(Debug)]
pub(crate) struct InsideFinder {
    path: InsidePath,
    /// Ids of the name of each step.
    ids: MetadataCache<Vec<Vec<u32>>>,
}

impl InsideFinder {
    pub(crate) fn new(path: InsidePath) -> Self {
        Self {
            path,
            ids: MetadataCache::new(),
        }
    }

    /// Finds the value that the path leads to; other bytes may follow it.
    ///
    /// # Errors
    /// `Corrupt` when the dictionary is malformed, or an object or array on the way does not fit its
    /// bytes.
    pub(crate) fn find<'v>(
        &mut self,
        metadata: &[u8],
        value: &'v [u8],
    ) -> Result<Option<&'v [u8]>, Error> {
        let steps = self.path.steps();
        let ids = self.ids.get_or_make(metadata, |metadata, ids| {
            ids.clear();
            ids.extend(steps.iter().map(|step| step.ids(metadata)));
            Ok(())
        })?;
        let mut found = value;
        for (step, ids) in steps.iter().zip(ids) {
            match step.follow(ids, found)? {
                Some(next) => found = next,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }
}

/// Finds the value that steps lead to; names are sought in the dictionary.
///
/// # Errors
/// As [`InsideFinder::find`].
pub(crate) fn find_inside<'v>(
    metadata: &Metadata<'_>,
    steps: &[InsideStep],
    value: &'v [u8],
) -> Result<Option<&'v [u8]>, Error> {
    let mut found = value;
    for step in steps {
        match step.follow(&step.ids(metadata), found)? {
            Some(next) => found = next,
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

impl InsideStep {
    fn ids(&self, metadata: &Metadata<'_>) -> Vec<u32> {
        match self {
            Self::Name(name) => metadata.ids_of(name).collect(),
            Self::At(_) => Vec::new(),
        }
    }

    fn follow<'v>(&self, ids: &[u32], value: &'v [u8]) -> Result<Option<&'v [u8]>, Error> {
        match (self, BasicType::of(value)) {
            (Self::Name(_), Some(BasicType::Object)) => Object::try_new(value)?.find(ids),
            (Self::At(at), Some(BasicType::Array)) => {
                let list = List::try_new(value)?;
                (*at < list.len()).then(|| list.get(*at)).transpose()
            }
            _ => Ok(None),
        }
    }
}
