//! From a key to its value: names become ids once per dictionary, rows compare ids only.

use std::cell::Cell;

use crate::{Error, KeyPath, Metadata, Object};

/// What a key has in one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found<'v> {
    /// The value asked is not an object at all, so it has no keys.
    NotObject,
    /// The key, or an object on the way to it, is not there.
    Missing,
    /// The key is there and holds variant null.
    Null,
    /// Bytes that start with the value; others may follow. The value is not checked yet.
    Value(&'v [u8]),
}

impl<'v> Found<'v> {
    #[inline(always)]
    fn of(value: &'v [u8]) -> Self {
        if value.first() == Some(&0) {
            Self::Null
        } else {
            Self::Value(value)
        }
    }
}

/// A path whose names were looked up in one dictionary.
#[derive(Debug, Clone, Default)]
pub struct ResolvedPath {
    levels: Vec<Level>,
}

#[derive(Debug, Clone, Default)]
struct Level {
    /// Ids of all that is left of the path.
    literal: Ids,
    /// Ids of the first step; none at the last level, where it is the literal.
    step: Ids,
}

/// The ids of one name in a dictionary, which may repeat it.
#[derive(Debug, Clone, Default)]
struct Ids {
    first: Option<u32>,
    more: Vec<u32>,
    /// Position where an id was found last: rows of one shape have it there again.
    guess: Cell<usize>,
}

impl ResolvedPath {
    /// Looks the names of a path up.
    pub fn new(metadata: &Metadata<'_>, path: &KeyPath) -> Self {
        let mut resolved = Self::default();
        resolved.resolve(metadata, path);
        resolved
    }

    /// Looks the names of a path up again in another dictionary, reusing the memory.
    #[inline]
    pub(crate) fn resolve(&mut self, metadata: &Metadata<'_>, path: &KeyPath) {
        if self.levels.len() != path.len() {
            self.levels.resize_with(path.len(), Level::default);
        }
        for level in &mut self.levels {
            level.literal.clear();
            level.step.clear();
        }
        // Names that the path may stand for at its first level all start with the first step.
        if !metadata.may_have(path.step(0).as_bytes()) {
            return;
        }
        if let [level] = self.levels.as_mut_slice() {
            metadata.each_id_of(path.text().as_bytes(), |id| level.literal.push(id));
            return;
        }
        metadata.each_name_of(path.lens(), |id, name| self.take(path, id, name));
    }

    /// Takes an id for every part of the path that has its name.
    fn take(&mut self, path: &KeyPath, id: u32, name: &[u8]) {
        let last = path.len().saturating_sub(1);
        for (number, level) in self.levels.iter_mut().enumerate() {
            if name == path.rest(number).as_bytes() {
                level.literal.push(id);
            } else if number < last && name == path.step(number).as_bytes() {
                level.step.push(id);
            }
        }
    }

    /// Finds the key where it was found last, told by its name, so that this dictionary need not be
    /// searched. None if it is not there, or if a literal name might win.
    #[inline]
    pub(crate) fn find_again<'v>(
        &self,
        metadata: &Metadata<'_>,
        path: &KeyPath,
        value: &'v [u8],
    ) -> Option<Found<'v>> {
        let last = self.levels.len().checked_sub(1)?;
        if last > 0 && metadata.may_have_dots() {
            return None;
        }
        let mut value = value;
        for (number, level) in self.levels.iter().enumerate() {
            let ids = if number < last {
                &level.step
            } else {
                &level.literal
            };
            let object = Object::try_new(value).ok()?;
            let position = ids.guess.get();
            let id = object.id(u32::try_from(position).ok()?)?;
            let name = metadata.name_bytes(id).ok()?;
            if name != path.step(number).as_bytes() {
                return None;
            }
            value = object.value(position).ok()?;
        }
        Some(Found::of(value))
    }

    /// Tells whether no value with this dictionary can have the key.
    pub fn is_absent(&self) -> bool {
        for level in &self.levels {
            if !level.literal.is_empty() {
                return false;
            }
            if level.step.is_empty() {
                return true;
            }
        }
        true
    }

    /// Finds the key in a value. Only the tables of the objects on the way are read.
    ///
    /// # Errors
    /// `Corrupt` when an object on the way does not fit its bytes.
    #[inline]
    pub fn find<'v>(&self, value: &'v [u8]) -> Result<Found<'v>, Error> {
        let mut value = value;
        let mut not_object = Found::NotObject;
        for level in &self.levels {
            match value.first() {
                Some(header) if header & 3 == 2 => {}
                Some(_) => return Ok(not_object),
                None => return Err(Error::Truncated { part: "value" }),
            }
            not_object = Found::Missing;
            if level.literal.is_empty() && level.step.is_empty() {
                return Ok(Found::Missing);
            }
            let object = Object::try_new(value)?;
            if let Some(found) = level.literal.find_in(&object)? {
                return Ok(Found::of(found));
            }
            match level.step.find_in(&object)? {
                Some(found) => value = found,
                None => return Ok(Found::Missing),
            }
        }
        Ok(Found::Missing)
    }
}

/// Finds a resolved key in a value, as [`ResolvedPath::find`] does.
///
/// # Errors
/// `Corrupt` when an object on the way does not fit its bytes.
pub fn find<'v>(value: &'v [u8], path: &ResolvedPath) -> Result<Found<'v>, Error> {
    path.find(value)
}

impl Ids {
    fn push(&mut self, id: u32) {
        match self.first {
            None => self.first = Some(id),
            Some(_) => self.more.push(id),
        }
    }

    /// The guess stays: rows of another dictionary mostly have the same shape.
    fn clear(&mut self) {
        self.first = None;
        self.more.clear();
    }

    fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    #[inline(always)]
    fn find_in<'v>(&self, object: &Object<'v>) -> Result<Option<&'v [u8]>, Error> {
        let Some(first) = self.first else {
            return Ok(None);
        };
        let position = match object.position(first, self.guess.get()) {
            None if !self.more.is_empty() => self
                .more
                .iter()
                .find_map(|&id| object.position(id, self.guess.get())),
            position => position,
        };
        let Some(position) = position else {
            return Ok(None);
        };
        self.guess.set(position);
        object.value(position).map(Some)
    }
}
