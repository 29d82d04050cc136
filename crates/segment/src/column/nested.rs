//! Structs, maps and lists of more than primitives, as JSON text.
//!
//! Fields stand in the byte order of their names, so that the text does not depend on the order in
//! which a file has them; entries of a map and elements of a list stay in theirs. A null field shows
//! as `null`. Keys of a map that are no text show as their plain text.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, ListArray, MapArray, StringArray, StringViewArray, StructArray,
};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use growler_base::limits;
use growler_variant::shred::{ValueWriter, Written};
use growler_variant::text::write_json_string;

use super::Refused;
use super::cells::Cells;
use crate::schema::Shape;

/// Returns the JSON text of every row, and how many rows hold variant bytes that do not decode:
/// such a value shows as `null`.
pub(super) fn json(shape: &Shape, array: &ArrayRef) -> Result<(ArrayRef, u64), Refused> {
    let mut writer = Writer::try_new(shape, array)?;
    let mut text = Text {
        out: Vec::new(),
        malformed_rows: 0,
    };
    let mut ends: Vec<i32> = Vec::with_capacity(array.len().saturating_add(1));
    ends.push(0);
    let mut present = BooleanBufferBuilder::new(array.len());
    let mut malformed_rows: u64 = 0;
    for row in 0..array.len() {
        let start = text.out.len();
        let found = match writer.is_null(row) {
            true => false,
            false => writer
                .write(row, &mut text)
                .map_err(|refused| refused.in_row(row))?,
        };
        if text.out.len().saturating_sub(start) > limits::DOCUMENT_LEN_BYTES {
            return Err(too_long());
        }
        ends.push(i32::try_from(text.out.len()).map_err(|_| too_long())?);
        present.append(found);
        malformed_rows = malformed_rows.saturating_add(u64::from(text.malformed_rows > 0));
        text.malformed_rows = 0;
    }
    let texts = StringArray::try_new(
        OffsetBuffer::new(ScalarBuffer::from(ends)),
        Buffer::from_vec(text.out),
        Some(NullBuffer::new(present.finish())),
    );
    let texts = texts.map_err(|error| Refused::Internal(error.to_string()))?;
    Ok((Arc::new(StringViewArray::from(&texts)), malformed_rows))
}

fn too_long() -> Refused {
    Refused::Limit("JSON text of a nested column is too long".to_owned())
}

/// Text so far.
struct Text {
    out: Vec<u8>,
    malformed_rows: u64,
}

/// Writes the values of one array.
enum Writer<'a> {
    Leaf(Cells),
    Struct {
        array: &'a StructArray,
        fields: Vec<(Vec<u8>, Writer<'a>)>,
    },
    List {
        array: &'a ListArray,
        element: Box<Writer<'a>>,
    },
    Map {
        array: &'a MapArray,
        key: Box<Writer<'a>>,
        value: Box<Writer<'a>>,
    },
    Variant {
        array: &'a StructArray,
        values: ValueWriter<'a>,
    },
}

impl<'a> Writer<'a> {
    fn try_new(shape: &'a Shape, array: &'a ArrayRef) -> Result<Self, Refused> {
        let other = || Refused::Internal(format!("nested column read as {}", array.data_type()));
        Ok(match shape {
            Shape::Leaf(source) => Self::Leaf(Cells::try_new(source, array)?),
            Shape::Struct(fields) => {
                let array = array.as_struct_opt().ok_or_else(other)?;
                if fields.len() != array.num_columns() {
                    return Err(other());
                }
                Self::Struct {
                    array,
                    fields: struct_fields(fields, array)?,
                }
            }
            Shape::List(element) => {
                let array = array.as_list_opt::<i32>().ok_or_else(other)?;
                let element = Self::try_new(element, array.values())?;
                Self::List {
                    array,
                    element: Box::new(element),
                }
            }
            Shape::Map(key, value) => {
                let array = array.as_map_opt().ok_or_else(other)?;
                let key = Self::try_new(key, array.keys())?;
                let value = Self::try_new(value, array.values())?;
                Self::Map {
                    array,
                    key: Box::new(key),
                    value: Box::new(value),
                }
            }
            Shape::Variant(layout) => {
                let array = array.as_struct_opt().ok_or_else(other)?;
                let values = ValueWriter::try_new(layout, array).map_err(Refused::Variant)?;
                Self::Variant { array, values }
            }
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Leaf(cells) => cells.is_null(row),
            Self::Struct { array, .. } | Self::Variant { array, .. } => array.is_null(row),
            Self::List { array, .. } => array.is_null(row),
            Self::Map { array, .. } => array.is_null(row),
        }
    }

    /// Appends a value that is not null; returns false, with nothing appended, for a variant whose
    /// bytes do not decode.
    fn write(&mut self, row: usize, text: &mut Text) -> Result<bool, Refused> {
        match self {
            Self::Leaf(cells) => cells.write_json(row, &mut text.out),
            Self::Struct { fields, .. } => {
                text.out.push(b'{');
                for (position, (name, field)) in fields.iter_mut().enumerate() {
                    if position > 0 {
                        text.out.push(b',');
                    }
                    text.out.extend_from_slice(name);
                    field.write_or_null(row, text)?;
                }
                text.out.push(b'}');
            }
            Self::List { array, element } => {
                text.out.push(b'[');
                for (position, row) in range(array.value_offsets(), row).enumerate() {
                    if position > 0 {
                        text.out.push(b',');
                    }
                    element.write_or_null(row, text)?;
                }
                text.out.push(b']');
            }
            Self::Map { array, key, value } => {
                text.out.push(b'{');
                for (position, row) in range(array.value_offsets(), row).enumerate() {
                    if position > 0 {
                        text.out.push(b',');
                    }
                    key.write_key(row, text)?;
                    text.out.push(b':');
                    value.write_or_null(row, text)?;
                }
                text.out.push(b'}');
            }
            Self::Variant { values, .. } => {
                return match values.write(row, &mut text.out).map_err(Refused::Variant)? {
                    Written::Value => Ok(true),
                    Written::Null => Ok(false),
                    Written::Malformed => {
                        text.malformed_rows = text.malformed_rows.saturating_add(1);
                        Ok(false)
                    }
                };
            }
        }
        Ok(true)
    }

    fn write_or_null(&mut self, row: usize, text: &mut Text) -> Result<(), Refused> {
        if self.is_null(row) || !self.write(row, text)? {
            text.out.extend_from_slice(b"null");
        }
        Ok(())
    }

    /// Appends a map's key, which JSON wants quoted whatever it is.
    fn write_key(&mut self, row: usize, text: &mut Text) -> Result<(), Refused> {
        let start = text.out.len();
        self.write_or_null(row, text)?;
        if text.out.get(start) != Some(&b'"') {
            let bare = text.out.split_off(start);
            write_json_string(&bare, &mut text.out);
        }
        Ok(())
    }
}

/// Returns the fields by name, each name ready to be written.
fn struct_fields<'a>(
    fields: &'a [(Box<str>, Shape)],
    array: &'a StructArray,
) -> Result<Vec<(Vec<u8>, Writer<'a>)>, Refused> {
    let mut named: Vec<_> = fields.iter().zip(array.columns()).collect();
    named.sort_by_key(|((name, _), _)| name.as_bytes());
    let writers = named.into_iter().map(|((name, shape), column)| {
        let mut quoted = Vec::new();
        write_json_string(name.as_bytes(), &mut quoted);
        quoted.push(b':');
        Ok((quoted, Writer::try_new(shape, column)?))
    });
    writers.collect()
}

fn range(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    let at = |row: usize| {
        offsets
            .get(row)
            .and_then(|offset| usize::try_from(*offset).ok())
    };
    at(row).unwrap_or(0)..at(row.saturating_add(1)).unwrap_or(0)
}
