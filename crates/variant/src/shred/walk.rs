//! Which part of a batch holds the value of a key, found with bitmaps: a row is in one part only.

use arrow_array::{Array, ArrayRef, StructArray};

use super::arrays::{BytesArray, MetadataArray, TYPED_VALUE, child_group, contradiction, residual};
use super::finder::LevelFinder;
use super::leaf::LeafArray;
use super::plan::{Level, Remainder};
use super::rows::Rows;
use super::tally::Tally;
use super::{Group, KeyOutput, KeyPlan, LeafFacts, NonObjectRoot, Typed};
use crate::value::BasicType;
use crate::{Error, Found};

/// Rows whose value is in one place.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// In a typed leaf.
    Leaf {
        /// The leaf.
        array: &'a ArrayRef,
        /// Its values.
        leaf: LeafArray<'a>,
        /// Rows where it is not null.
        rows: Rows,
    },
    /// In the typed object or list of a group.
    Rebuilt {
        /// The group.
        group: &'a Group,
        /// Its array.
        array: &'a StructArray,
        /// Rows where the typed part is not null.
        rows: Rows,
    },
    /// The whole of a residual.
    Whole {
        /// The residuals.
        values: BytesArray<'a>,
        /// Rows where it is not null.
        rows: Rows,
    },
    /// Somewhere in the residual of a group on the way.
    Within {
        /// Depth of that group.
        depth: usize,
        /// What to look for.
        part: Remainder,
        /// The residuals.
        values: BytesArray<'a>,
        /// Rows where it is not null.
        rows: Rows,
        /// What it means if it is no object.
        not_object: NotObject,
    },
    /// Found already.
    Found {
        /// The residuals.
        values: BytesArray<'a>,
        /// Rows, each with its value.
        found: Vec<(usize, &'a [u8])>,
    },
}

/// What it means if a residual that should have the key is no object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotObject {
    /// The key is missing.
    Missing,
    /// The root is no object.
    Root,
    /// The typed part is an object, so the file contradicts itself.
    Contradiction,
}

/// What a walk needs to know.
#[derive(Debug)]
pub(super) struct Walk<'a, 'f> {
    pub(super) plan: &'a KeyPlan,
    pub(super) facts: &'a LeafFacts,
    pub(super) output: KeyOutput,
    pub(super) roots: NonObjectRoot,
    pub(super) metadata: Option<MetadataArray<'a>>,
    pub(super) finders: &'f mut [LevelFinder],
    pub(super) tally: &'f mut Tally,
    pub(super) pieces: Vec<Piece<'a>>,
}

impl<'a> Walk<'a, '_> {
    /// Splits the rows of a column.
    pub(super) fn run(mut self, column: &'a StructArray) -> Result<Vec<Piece<'a>>, Error> {
        let mut rows = Rows::all(column.len()).and(column.nulls());
        let mut array = column;
        let plan = self.plan;
        for (depth, level) in plan.levels().iter().enumerate() {
            rows = self.level(depth, level, array, &rows)?;
            if !level.step_shredded {
                return Ok(self.pieces);
            }
            let typed = child_group(array, TYPED_VALUE)?;
            let below = typed
                .map(|typed| child_group(typed, &level.step))
                .transpose()?;
            let Some(below) = below.flatten() else {
                return Ok(self.pieces);
            };
            rows = rows.and(below.nulls());
            array = below;
        }
        if let Some(target) = plan.target() {
            self.target(target, array, &rows)?;
        }
        Ok(self.pieces)
    }

    /// Sorts the rows of a group on the way; returns those to follow into its first step.
    fn level(
        &mut self,
        depth: usize,
        level: &'a Level,
        array: &'a StructArray,
        rows: &Rows,
    ) -> Result<Rows, Error> {
        // Read for another key perhaps, and then without the names that this one needs.
        let value = residual(array)?.filter(|_| self.metadata.is_some());
        let typed = typed_rows(&level.group, array, rows);
        self.untyped(depth, level, value, &rows.minus(&typed))?;
        match &level.group.typed {
            Some(Typed::Object(_)) => self.object(depth, level, array, value, typed),
            Some(Typed::Scalar { .. } | Typed::List(_)) => {
                refuse_both(&typed, value)?;
                let found = level
                    .group
                    .scalar()
                    .map_or("array", |(_, scalar)| scalar.name());
                if depth == 0 {
                    refuse_root(self.roots, typed.first(), found)?;
                }
                Ok(Rows::none(array.len()))
            }
            None => Ok(typed),
        }
    }

    /// Rows whose typed part is null: the residual has all there is.
    fn untyped(
        &mut self,
        depth: usize,
        level: &'a Level,
        value: Option<BytesArray<'a>>,
        rows: &Rows,
    ) -> Result<(), Error> {
        let Some(first) = rows.first() else {
            return Ok(());
        };
        if !level.is_followed(depth, self.facts) {
            return Ok(());
        }
        let Some(values) = value else {
            if self.facts.may_hold(level.group.value) {
                return Err(Error::NeedsResidual { row: first });
            }
            return if depth == 0 {
                refuse_root(self.roots, Some(first), "null")
            } else {
                Ok(())
            };
        };
        let mut not_object = NotObject::Missing;
        if depth == 0 {
            not_object = NotObject::Root;
            refuse_root(self.roots, rows.and_null(values.nulls()).first(), "null")?;
        }
        let rows = rows.and(values.nulls());
        self.push(Piece::Within {
            depth,
            part: Remainder::Full,
            values,
            rows,
            not_object,
        });
        Ok(())
    }

    /// Rows whose typed part is an object: shredded names first, then what the residual can have.
    fn object(
        &mut self,
        depth: usize,
        level: &'a Level,
        array: &'a StructArray,
        value: Option<BytesArray<'a>>,
        typed: Rows,
    ) -> Result<Rows, Error> {
        let mut rows = typed;
        if let (Some(literal), Some(fields)) = (&level.literal, child_group(array, TYPED_VALUE)?)
            && let Some(field) = child_group(fields, &level.rest)?
        {
            let present = self.target(literal, field, &rows.and(field.nulls()))?;
            rows = rows.minus(&present);
        }
        if !level.is_searched(self.facts) {
            return Ok(rows);
        }
        let Some(values) = value else {
            return match rows.first() {
                Some(row) if self.facts.may_hold(level.group.value) => {
                    Err(Error::NeedsResidual { row })
                }
                _ => Ok(rows),
            };
        };
        let (part, held) = (level.remainder(), rows.and(values.nulls()));
        if part == Remainder::Literal {
            return self
                .literal(depth, values, &held)
                .map(|found| rows.minus(&found));
        }
        let not_object = NotObject::Contradiction;
        self.push(Piece::Within {
            depth,
            part,
            values,
            rows: held,
            not_object,
        });
        Ok(rows)
    }

    /// Looks for the literal name in residuals at once, since rows that lack it go on.
    fn literal(
        &mut self,
        depth: usize,
        values: BytesArray<'a>,
        rows: &Rows,
    ) -> Result<Rows, Error> {
        let mut bits = super::numbers::unset(rows.len());
        let mut hits = Vec::new();
        let Some(finder) = self.finders.get_mut(depth).filter(|_| !rows.is_empty()) else {
            return Ok(Rows::none(rows.len()));
        };
        let mut lookup = finder.start(self.metadata, Remainder::Literal)?;
        rows.try_for_each(|row| {
            let found = lookup.find(row, values.value(row));
            let settled = match found {
                Ok(Found::Missing) => return Ok(()),
                Ok(Found::NotObject) => Err(contradiction(values.value(row), row)),
                Ok(Found::Null) => Ok(()),
                Ok(Found::Value(value)) => {
                    hits.push((row, value));
                    Ok(())
                }
                Err(error) => Err(error),
            };
            bits.set_bit(row, true);
            self.tally.absorb(settled)
        })?;
        if !hits.is_empty() {
            self.pieces.push(Piece::Found {
                values,
                found: hits,
            });
        }
        Ok(Rows::all(rows.len()).and(Some(&arrow_buffer::NullBuffer::new(bits.finish()))))
    }

    /// Sorts the rows of the key's own group; returns those that have the key at all.
    fn target(
        &mut self,
        group: &'a Group,
        array: &'a StructArray,
        rows: &Rows,
    ) -> Result<Rows, Error> {
        let value = residual(array)?;
        let typed = typed_rows(group, array, rows);
        let untyped = rows.minus(&typed);
        let held = value.map_or(Rows::none(rows.len()), |values| untyped.and(values.nulls()));
        if let (Some(row), None) = (untyped.first(), value)
            && self.facts.may_hold(group.value)
        {
            return Err(Error::NeedsResidual { row });
        }
        match &group.typed {
            Some(Typed::Object(_)) => refuse_scalar_residual(&typed, value)?,
            _ => refuse_both(&typed, value)?,
        }
        let present = typed.or(&held);
        if let Some(values) = value {
            self.push(Piece::Whole { values, rows: held });
        }
        match (&group.typed, array.column_by_name(TYPED_VALUE)) {
            (Some(Typed::Scalar { scalar, .. }), Some(leaf)) => {
                let values = LeafArray::try_new(leaf, *scalar)?;
                self.push(Piece::Leaf {
                    array: leaf,
                    leaf: values,
                    rows: typed,
                });
            }
            (Some(_), Some(_)) if self.output.shows_containers() => {
                self.push(Piece::Rebuilt {
                    group,
                    array,
                    rows: typed,
                });
            }
            _ => {}
        }
        Ok(present)
    }

    fn push(&mut self, piece: Piece<'a>) {
        let (Piece::Leaf { rows, .. }
        | Piece::Rebuilt { rows, .. }
        | Piece::Whole { rows, .. }
        | Piece::Within { rows, .. }) = &piece
        else {
            return;
        };
        if !rows.is_empty() {
            self.pieces.push(piece);
        }
    }
}

/// Returns the rows whose typed part is present.
fn typed_rows(group: &Group, array: &StructArray, rows: &Rows) -> Rows {
    match array
        .column_by_name(TYPED_VALUE)
        .filter(|_| group.typed.is_some())
    {
        Some(typed) => rows.and(typed.nulls()),
        None => Rows::none(rows.len()),
    }
}

/// Fails if a scalar or list has a residual beside it.
fn refuse_both(typed: &Rows, value: Option<BytesArray<'_>>) -> Result<(), Error> {
    match value.and_then(|values| typed.and(values.nulls()).first()) {
        Some(row) => Err(Error::Contradiction { row }),
        None => Ok(()),
    }
}

/// Fails if an object has a residual beside it that is none.
fn refuse_scalar_residual(typed: &Rows, value: Option<BytesArray<'_>>) -> Result<(), Error> {
    let Some(values) = value else { return Ok(()) };
    typed
        .and(values.nulls())
        .try_for_each(|row| match BasicType::of(values.value(row)) {
            Some(BasicType::Object) | None => Ok(()),
            // What does not decode is absent; the typed object beside it still reads.
            Some(_) => match contradiction(values.value(row), row) {
                error if error.is_row_malformed() => Ok(()),
                error => Err(error),
            },
        })
}

/// Fails for a row whose root is no object, unless such rows read as null.
pub(super) fn refuse_root(
    roots: NonObjectRoot,
    row: Option<usize>,
    found: &'static str,
) -> Result<(), Error> {
    match (row, roots) {
        (Some(row), NonObjectRoot::Fail) => Err(Error::NonObjectRoot { row, found }),
        _ => Ok(()),
    }
}
