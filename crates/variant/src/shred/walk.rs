//! Which part of a batch holds the value of a key, found with bitmaps: a row is in one part only.

use arrow_array::{Array, ArrayRef, StructArray};
use growler_base::LeafIdx;

use super::arrays::{BytesArray, MetadataArray, TYPED_VALUE, child_group, residual};
use super::finder::LevelFinder;
use super::leaf::LeafArray;
use super::numbers::unset;
use super::plan::{Level, Remainder};
use super::rows::Rows;
use super::tally::Tally;
use super::{Group, KeyOutput, KeyPlan, LeafFacts, NonObjectRoot, Typed};
use crate::value::BasicType;
use crate::{Error, Found, Node};

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
    /// Residuals that hold something where the typed part is null.
    pub(super) held_untyped: &'f mut Vec<LeafIdx>,
    /// Whether some rows ended at a dotted name, and are not followed any further.
    pub(super) strayed: bool,
    pub(super) pieces: Vec<Piece<'a>>,
    /// Residuals that were not read and should have been, and the first row that needs one.
    pub(super) missing: Vec<LeafIdx>,
    pub(super) missing_row: usize,
}

impl<'a> Walk<'a, '_> {
    /// Splits the rows of a column.
    pub(super) fn run(mut self, column: &'a StructArray) -> Result<Vec<Piece<'a>>, Error> {
        self.follow(column)?;
        if self.missing.is_empty() {
            return Ok(self.pieces);
        }
        Err(Error::NeedsResidual {
            row: self.missing_row,
            residuals: self.missing.into(),
        })
    }

    fn follow(&mut self, column: &'a StructArray) -> Result<(), Error> {
        let mut rows = Rows::all(column.len()).and(column.nulls());
        let mut array = column;
        let plan = self.plan;
        for (depth, level) in plan.levels().iter().enumerate() {
            rows = self.level(depth, level, array, &rows)?;
            if !level.step_shredded {
                return Ok(());
            }
            let typed = child_group(array, TYPED_VALUE)?;
            let below = typed
                .map(|typed| child_group(typed, &level.step))
                .transpose()?;
            let Some(below) = below.flatten() else {
                return Ok(());
            };
            rows = rows.and(below.nulls());
            array = below;
        }
        if let Some(target) = plan.target() {
            self.target(target, array, &rows)?;
        }
        Ok(())
    }

    /// Notes that some rows depend on a residual that was not read, unless it is known to hold
    /// nothing. The walk goes on, to learn of all that are missing at once.
    fn miss(&mut self, group: &Group, rows: &Rows) -> bool {
        let held = group.value.filter(|leaf| !self.facts.is_all_null(*leaf));
        let (Some(row), Some(leaf)) = (rows.first(), held) else {
            return false;
        };
        if self.missing.is_empty() || row < self.missing_row {
            self.missing_row = row;
        }
        self.missing.push(leaf);
        true
    }

    /// Notes that a residual holds something where the typed part is null, or that not all rows were
    /// looked at.
    fn note_held(&mut self, level: &Level) {
        let noted = |leaf: &LeafIdx| self.held_untyped.contains(leaf);
        if let Some(leaf) = level.group.value.filter(|leaf| !noted(leaf)) {
            self.held_untyped.push(leaf);
        }
    }

    /// Sorts the rows of a group on the way; returns those to follow into its first step.
    fn level(
        &mut self,
        depth: usize,
        level: &'a Level,
        array: &'a StructArray,
        rows: &Rows,
    ) -> Result<Rows, Error> {
        if self.strayed {
            self.note_held(level);
        }
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
            return if !self.miss(&level.group, rows) && depth == 0 {
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
        if depth > 0 && !rows.is_empty() {
            self.note_held(level);
        }
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
            self.strayed |= !present.is_empty();
            rows = rows.minus(&present);
        }
        if !level.is_searched(self.facts) {
            return Ok(rows);
        }
        let Some(values) = value else {
            self.miss(&level.group, &rows);
            return Ok(rows);
        };
        let (part, held) = (level.remainder(), rows.and(values.nulls()));
        if part == Remainder::Literal {
            let found = self.literal(depth, values, &held)?;
            self.strayed |= !found.is_empty();
            return Ok(rows.minus(&found));
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
        let mut bits = unset(rows.len());
        let mut hits = Vec::new();
        let Some(finder) = self.finders.get_mut(depth).filter(|_| !rows.is_empty()) else {
            return Ok(Rows::none(rows.len()));
        };
        let mut lookup = finder.start(self.metadata, Remainder::Literal)?;
        rows.try_for_each(|row| {
            let found = lookup.find(row, values.value(row));
            match found {
                Ok(Found::Missing) => return Ok(()),
                Ok(Found::Null) => {}
                Ok(Found::Value(value)) => hits.push((row, value)),
                // What is shredded in such a row stays readable.
                Ok(Found::NotObject) => {
                    return self.tally.absorb(row, Err(refusal(values.value(row), row)));
                }
                Err(error) => return self.tally.absorb(row, Err(error)),
            }
            bits.set_bit(row, true);
            Ok(())
        })?;
        if !hits.is_empty() {
            self.pieces.push(Piece::Found {
                values,
                found: hits,
            });
        }
        Ok(Rows::from_bits(&mut bits))
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
        if value.is_none() {
            self.miss(group, &untyped);
        }
        let present = typed.or(&held);
        let typed = match (&group.typed, value) {
            (Some(Typed::Object(_)), Some(values)) => self.objects(typed, values)?,
            _ => refuse_both(&typed, value).map(|()| typed)?,
        };
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

    /// Drops the rows of typed objects whose residual is malformed; fails for one that is a value,
    /// and no object.
    fn objects(&mut self, typed: Rows, values: BytesArray<'a>) -> Result<Rows, Error> {
        let mut malformed = unset(typed.len());
        typed.and(values.nulls()).try_for_each(|row| {
            let value = values.value(row);
            if BasicType::of(value) == Some(BasicType::Object) {
                return Ok(());
            }
            malformed.set_bit(row, true);
            self.tally.absorb(row, Err(refusal(value, row)))
        })?;
        Ok(typed.minus(&Rows::from_bits(&mut malformed)))
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

/// Returns what is wrong with a residual beside a typed object that is no object: either its bytes
/// do not decode, or it is a value where only an object may be.
pub(super) fn refusal(value: &[u8], row: usize) -> Error {
    match Node::try_new(value) {
        Ok(_) => Error::Contradiction { row },
        Err(malformed) => malformed,
    }
}

/// Fails for a row whose root is no object, unless such rows read as null. Typed columns widen
/// integers, so that their width is not told: the message is that of every layout.
pub(super) fn refuse_root(
    roots: NonObjectRoot,
    row: Option<usize>,
    found: &'static str,
) -> Result<(), Error> {
    let found = match found {
        "int8" | "int16" | "int32" | "int64" => "int",
        other => other,
    };
    match (row, roots) {
        (Some(row), NonObjectRoot::Fail) => Err(Error::NonObjectRoot { row, found }),
        _ => Ok(()),
    }
}
