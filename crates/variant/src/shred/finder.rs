//! Looks a path up in residuals, its names resolved once per distinct dictionary.

use arrow_array::ArrayRef;
use std::sync::Arc;

use super::arrays::{BytesArray, METADATA, MetadataArray, dictionary_key};
use super::plan::{Level, Remainder};
use crate::cache::PathCache;
use crate::value::BasicType;
use crate::{Error, Found, KeyPath, Metadata, ResolvedPath};

/// Looks the paths of one level up; keeps what it resolved from batch to batch.
#[derive(Debug)]
pub(super) struct LevelFinder {
    full: PathFinder,
    remainder: RemainderFinder,
}

#[derive(Debug)]
enum RemainderFinder {
    /// Same as the full path, or never asked.
    Full,
    /// The literal name alone.
    Literal(PathFinder),
    /// The first step alone, and then what is left of the path after it.
    Step(PathFinder, PathFinder),
}

impl LevelFinder {
    /// Makes the finder of a level.
    pub(super) fn new(path: &KeyPath, depth: usize, level: &Level) -> Self {
        let suffix = |depth| path.suffix(depth).unwrap_or_else(|| KeyPath::literal(""));
        let remainder = match level.remainder() {
            Remainder::Literal => {
                RemainderFinder::Literal(PathFinder::new(KeyPath::literal(&level.rest)))
            }
            Remainder::Step => RemainderFinder::Step(
                PathFinder::new(KeyPath::literal(&level.step)),
                PathFinder::new(suffix(depth.saturating_add(1))),
            ),
            Remainder::Nothing | Remainder::Full => RemainderFinder::Full,
        };
        Self {
            full: PathFinder::new(suffix(depth)),
            remainder,
        }
    }

    /// Starts on the rows of a batch, to look for all of the rest of the path, or for what the
    /// shredded fields leave of it.
    pub(super) fn start<'m>(
        &mut self,
        metadata: Option<MetadataArray<'m>>,
        part: Remainder,
    ) -> Result<Lookup<'_, 'm>, Error> {
        Ok(match &mut self.remainder {
            RemainderFinder::Literal(literal) if part == Remainder::Literal => Lookup {
                first: literal.start(metadata)?,
                then: None,
            },
            RemainderFinder::Step(step, tail) if part == Remainder::Step => Lookup {
                first: step.start(metadata)?,
                then: Some(tail.start(metadata)?),
            },
            _ => Lookup {
                first: self.full.start(metadata)?,
                then: None,
            },
        })
    }
}

/// A look-up in the rows of one batch.
#[derive(Debug)]
pub(super) struct Lookup<'c, 'm> {
    first: Resolver<'c, 'm>,
    then: Option<Resolver<'c, 'm>>,
}

impl Lookup<'_, '_> {
    /// Looks the path up in the value of a row.
    #[inline(always)]
    pub(super) fn find<'v>(&mut self, row: usize, value: &'v [u8]) -> Result<Found<'v>, Error> {
        match self.then {
            None => self.first.find(row, value),
            Some(_) => self.find_twice(row, value),
        }
    }

    fn find_twice<'v>(&mut self, row: usize, value: &'v [u8]) -> Result<Found<'v>, Error> {
        match (self.first.find(row, value)?, &mut self.then) {
            (Found::Value(value), Some(then)) => Ok(match then.find(row, value)? {
                Found::NotObject => Found::Missing,
                found => found,
            }),
            // Stepping into null finds nothing, unlike finding null.
            (Found::Null, _) => Ok(Found::Missing),
            (found, _) => Ok(found),
        }
    }
}

/// Resolves one path.
#[derive(Debug)]
struct PathFinder {
    cache: PathCache,
    /// Resolved per entry of this Arrow dictionary, as far as rows asked for it.
    table: Vec<Option<ResolvedPath>>,
    table_of: Option<ArrayRef>,
}

impl PathFinder {
    fn new(path: KeyPath) -> Self {
        Self {
            cache: PathCache::new(path),
            table: Vec::new(),
            table_of: None,
        }
    }

    fn start<'m>(
        &mut self,
        metadata: Option<MetadataArray<'m>>,
    ) -> Result<Resolver<'_, 'm>, Error> {
        let Some(metadata) = metadata else {
            return Err(Error::Array {
                expected: METADATA,
                found: "nothing".into(),
            });
        };
        let MetadataArray::Dictionary {
            keys,
            nulls,
            values,
            array,
        } = metadata
        else {
            return Ok(Resolver::Rows(self.cache.rows(), metadata));
        };
        // The next batch of a row group comes with the same dictionary.
        if !self
            .table_of
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, array))
        {
            // A dictionary that is not smaller than the batch would be resolved row by row.
            if array.len() > keys.len() {
                return Ok(Resolver::Rows(self.cache.rows(), metadata));
            }
            self.table.clear();
            self.table.resize(array.len(), None);
            self.table_of = Some(Arc::clone(array));
        }
        let path = self.cache.path();
        Ok(Resolver::Table {
            table: &mut self.table,
            path,
            keys,
            nulls,
            values,
        })
    }
}

/// Resolves one path for the rows of one batch.
#[derive(Debug)]
enum Resolver<'c, 'm> {
    Rows(crate::cache::Rows<'c, 'm>, MetadataArray<'m>),
    Table {
        table: &'c mut Vec<Option<ResolvedPath>>,
        path: &'c KeyPath,
        keys: &'m [i32],
        nulls: Option<&'m arrow_buffer::NullBuffer>,
        values: BytesArray<'m>,
    },
}

const NO_METADATA: Error = Error::Truncated { part: METADATA };

impl Resolver<'_, '_> {
    #[inline(always)]
    fn find<'v>(&mut self, row: usize, value: &'v [u8]) -> Result<Found<'v>, Error> {
        match self {
            Self::Rows(rows, metadata) => rows.find(metadata.get(row)?, value),
            Self::Table {
                table,
                path,
                keys,
                nulls,
                values,
            } => {
                let Some(key) = dictionary_key(keys, *nulls, row) else {
                    return Err(NO_METADATA);
                };
                match table.get(key) {
                    Some(Some(resolved)) => resolved.find(value),
                    _ => resolve(table, path, values, key)?.find(value),
                }
            }
        }
    }
}

#[cold]
fn resolve<'t>(
    table: &'t mut [Option<ResolvedPath>],
    path: &KeyPath,
    values: &BytesArray<'_>,
    key: usize,
) -> Result<&'t ResolvedPath, Error> {
    let metadata = Metadata::try_new(values.get(key).ok_or(NO_METADATA)?)?;
    let slot = table.get_mut(key).ok_or(NO_METADATA)?;
    Ok(slot.insert(ResolvedPath::new(&metadata, path)))
}

/// Tells whether a value is variant null, which a key reads as null.
#[inline]
pub(super) fn is_null(value: &[u8]) -> bool {
    BasicType::of(value) == Some(BasicType::Null)
}
