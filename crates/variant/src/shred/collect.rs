//! Brings the values of a key together from the places where a batch holds them.

use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use growler_schema::{DataType, TimeUnit};

use super::arrays::{BytesArray, MetadataArray};
use super::finder::{LevelFinder, is_null};
use super::numbers::{Booleans, Numbers};
use super::plan::Remainder;
use super::rebuild::GroupView;
use super::rows::Rows;
use super::sink::{Part, Sink};
use super::tally::Tally;
use super::texts::{TextForm, Texts, Utf8Check};
use super::walk::{NotObject, Piece, refusal, refuse_root};
use super::{KeyColumn, KeyOutput, NonObjectRoot};
use crate::{Error, Found, InsidePath, Node};

/// The pieces of one batch.
#[derive(Debug)]
pub(super) struct Batch<'p, 'a> {
    pub(super) pieces: &'p [Piece<'a>],
    pub(super) metadata: Option<MetadataArray<'a>>,
    pub(super) roots: NonObjectRoot,
    pub(super) finders: &'p mut [LevelFinder],
    /// What of the key's value is asked for, if not all.
    pub(super) inside: Option<&'p InsidePath>,
    pub(super) len: usize,
}

impl<'a> Batch<'_, 'a> {
    /// Collects the pieces as what was asked for. `walked` counts the malformed rows so far.
    pub(super) fn collect(
        &mut self,
        output: KeyOutput,
        walked: &Tally,
    ) -> Result<KeyColumn, Error> {
        use DataType as T;
        if self.inside.is_some() {
            let is_json = output.is_json();
            return self.texts(
                if is_json {
                    TextForm::Json
                } else {
                    TextForm::Text
                },
                walked,
            );
        }
        let (len, data_type) = (self.len, output.data_type());
        let arrow = data_type.arrow_type();
        if let KeyOutput::Number = output {
            let sink =
                Numbers::<Float64Type, _>::new(len, arrow, |node: &Node<'_>| node.nearest_f64());
            return self.run(sink, walked);
        }
        if let KeyOutput::ExactNumber { scale } = output {
            let convert = move |node: &Node<'_>| node.nearest_decimal(scale);
            let sink = Numbers::<Decimal128Type, _>::new(len, arrow, convert);
            return self.run(sink, walked);
        }
        match data_type {
            T::Int => self.run(
                Numbers::<Int32Type, _>::new(len, arrow, |node: &Node<'_>| node.to_i32()),
                walked,
            ),
            T::Long => self.run(
                Numbers::<Int64Type, _>::new(len, arrow, |node: &Node<'_>| node.to_i64()),
                walked,
            ),
            T::Float => self.run(
                Numbers::<Float32Type, _>::new(len, arrow, |node: &Node<'_>| node.to_f32()),
                walked,
            ),
            T::Double => self.run(
                Numbers::<Float64Type, _>::new(len, arrow, |node: &Node<'_>| node.to_f64()),
                walked,
            ),
            T::BigDecimal { scale } => {
                let convert = move |node: &Node<'_>| node.to_decimal(scale);
                self.run(
                    Numbers::<Decimal128Type, _>::new(len, arrow, convert),
                    walked,
                )
            }
            T::Timestamp { unit } => {
                let convert = move |node: &Node<'_>| node.to_timestamp(unit.arrow_unit());
                match unit {
                    TimeUnit::Millis => {
                        let sink = Numbers::<TimestampMillisecondType, _>::new(len, arrow, convert);
                        self.run(sink, walked)
                    }
                    TimeUnit::Micros => {
                        let sink = Numbers::<TimestampMicrosecondType, _>::new(len, arrow, convert);
                        self.run(sink, walked)
                    }
                    TimeUnit::Nanos => {
                        let sink = Numbers::<TimestampNanosecondType, _>::new(len, arrow, convert);
                        self.run(sink, walked)
                    }
                }
            }
            T::Boolean => self.run(Booleans::new(len), walked),
            T::Bytes => self.texts(TextForm::Bytes, walked),
            T::String | T::Uuid => self.texts(TextForm::Text, walked),
            T::Json | T::Map | T::OpenStruct => self.texts(TextForm::Json, walked),
        }
    }

    /// Text is checked in one go; only if that fails, again row by row to learn which rows to drop.
    fn texts(&mut self, form: TextForm, walked: &Tally) -> Result<KeyColumn, Error> {
        let texts = |check| Texts::new(self.len, form, check).inside(self.inside.cloned());
        let (at_end, each_row) = (texts(Utf8Check::AtEnd), texts(Utf8Check::EachRow));
        match self.run(at_end, walked) {
            Err(Error::Arrow { .. }) => self.run(each_row, walked),
            done => done,
        }
    }

    fn run<S: Sink>(&mut self, mut sink: S, walked: &Tally) -> Result<KeyColumn, Error> {
        let mut tally = walked.clone();
        for piece in self.pieces {
            match piece {
                Piece::Leaf { leaf, rows, .. } => sink.leaf(leaf, rows, &mut tally)?,
                Piece::Rebuilt { group, array, rows } => {
                    let view = GroupView::try_new(group, array)?;
                    rows.try_for_each(|row| {
                        let written = sink.json(row, |out, dictionaries| {
                            let steps = self.inside.map_or(&[][..], InsidePath::steps);
                            let place = (row, steps);
                            let written = view.write(place, self.metadata, dictionaries, out)?;
                            if !written {
                                out.extend_from_slice(b"null");
                            }
                            Ok(())
                        });
                        tally.absorb(row, written)
                    })?;
                }
                Piece::Whole { values, rows } => {
                    self.whole(*values, rows, &mut sink, &mut tally)?
                }
                Piece::Within {
                    depth,
                    part,
                    values,
                    rows,
                    not_object,
                } => {
                    let place = Place {
                        depth: *depth,
                        part: *part,
                        not_object: *not_object,
                    };
                    self.within(place, *values, rows, &mut sink, &mut tally)?;
                }
                Piece::Found { values, found } => {
                    sink.source(values);
                    for &(row, found) in found {
                        tally.absorb(row, sink.part(&self.part(row, *values, found)))?;
                    }
                }
            }
        }
        Ok(KeyColumn {
            array: sink.finish()?,
            malformed_rows: tally.malformed_rows(),
        })
    }

    fn whole<S: Sink>(
        &self,
        values: BytesArray<'a>,
        rows: &Rows,
        sink: &mut S,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        sink.source(&values);
        rows.try_for_each(|row| {
            let found = values.value(row);
            if is_null(found) {
                return Ok(());
            }
            tally.absorb(row, sink.part(&self.part(row, values, found)))
        })
    }

    fn within<S: Sink>(
        &mut self,
        place: Place,
        values: BytesArray<'a>,
        rows: &Rows,
        sink: &mut S,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        let (metadata, roots) = (self.metadata, self.roots);
        let Some(finder) = self.finders.get_mut(place.depth) else {
            return Ok(());
        };
        let mut lookup = finder.start(metadata, place.part)?;
        sink.source(&values);
        rows.try_for_each(|row| {
            let value = values.value(row);
            let done = match lookup.find(row, value) {
                Ok(Found::Value(found)) => sink.part(&Part {
                    found,
                    values,
                    metadata,
                    row,
                }),
                Ok(Found::Missing | Found::Null) => return Ok(()),
                Ok(Found::NotObject) => match place.not_object {
                    NotObject::Missing => return Ok(()),
                    NotObject::Contradiction => Err(refusal(value, row)),
                    NotObject::Root => Node::try_new(value)
                        .and_then(|node| refuse_root(roots, Some(row), node.type_name())),
                },
                Err(error) => Err(error),
            };
            tally.absorb(row, done)
        })
    }

    fn part(&self, row: usize, values: BytesArray<'a>, found: &'a [u8]) -> Part<'a> {
        Part {
            found,
            values,
            metadata: self.metadata,
            row,
        }
    }
}

/// Where a piece looks, and what it means to find no object there.
#[derive(Debug, Clone, Copy)]
struct Place {
    depth: usize,
    part: Remainder,
    not_object: NotObject,
}
