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
use arrow_schema::DataType as ArrowType;
use growler_base::limits;
use growler_schema::SourceType;
use growler_variant::shred::{ValueWriter, Written};
use growler_variant::text::write_json_string;

use super::cells::Cells;
use super::{Refused, narrow, plain};
use crate::schema::{Shape, ShapeField};
use crate::table::{Fill, Node, NodeKind, TableFile, fill};

/// Returns the JSON text of every row, and how many rows hold variant bytes that do not decode:
/// such a value shows as `null`.
///
/// With a target, documents have the fields of the table instead of those of the file: found by
/// identity, named and typed as in the table, and filled in where the file lacks them.
pub(super) fn json(
    shape: &Shape,
    array: &ArrayRef,
    target: Option<Target<'_>>,
) -> Result<(ArrayRef, u64), Refused> {
    let mut writer = Writer::try_new(shape, array, target)?;
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

/// What values of a table look like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'t> {
    pub(crate) file: &'t TableFile,
    pub(crate) node: &'t Node,
}

impl Target<'_> {
    /// Tells whether one field stands for the column.
    pub(crate) fn is_within(&self) -> bool {
        matches!(self.node.kind, NodeKind::Within(_))
    }
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
    /// The same text in every row.
    Filled(Vec<u8>),
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
    fn try_new(
        shape: &'a Shape,
        array: &'a ArrayRef,
        target: Option<Target<'a>>,
    ) -> Result<Self, Refused> {
        let other = || Refused::Internal(format!("nested column read as {}", array.data_type()));
        let kind = target.map(|target| &target.node.kind);
        let inner = |node: &'a Node| target.map(|target| Target { node, ..target });
        Ok(match shape {
            Shape::Leaf(source) => Self::Leaf(match kind {
                Some(NodeKind::Leaf(wanted)) => cells(source, wanted, array)?,
                None => Cells::try_new(source, array)?,
                Some(_) => return Err(other_type(shape, target)),
            }),
            Shape::Struct(fields) => {
                let array = array.as_struct_opt().ok_or_else(other)?;
                if fields.len() != array.num_columns() {
                    return Err(other());
                }
                let fields = match (kind, target) {
                    (Some(NodeKind::Struct(nodes)), Some(target)) => {
                        table_fields(fields, array, nodes, target)?
                    }
                    (None, _) => struct_fields(fields, array)?,
                    _ => return Err(other_type(shape, target)),
                };
                Self::Struct { array, fields }
            }
            Shape::List(element) => {
                let array = array.as_list_opt::<i32>().ok_or_else(other)?;
                let node = match kind {
                    Some(NodeKind::List(node)) => inner(node),
                    None => None,
                    Some(_) => return Err(other_type(shape, target)),
                };
                let element = Self::try_new(element, array.values(), node)?;
                Self::List {
                    array,
                    element: Box::new(element),
                }
            }
            Shape::Map(key, value) => {
                let array = array.as_map_opt().ok_or_else(other)?;
                let (key_node, value_node) = match kind {
                    Some(NodeKind::Map(key, value)) => (inner(key), inner(value)),
                    None => (None, None),
                    Some(_) => return Err(other_type(shape, target)),
                };
                let key = Self::try_new(key, array.keys(), key_node)?;
                let value = Self::try_new(value, array.values(), value_node)?;
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
            Self::Filled(_) => false,
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
            Self::Filled(json) => text.out.extend_from_slice(json),
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
    fields: &'a [ShapeField],
    array: &'a StructArray,
) -> Result<Vec<(Vec<u8>, Writer<'a>)>, Refused> {
    let mut named: Vec<_> = fields.iter().zip(array.columns()).collect();
    named.sort_by_key(|(field, _)| field.name.as_bytes());
    let writers = named.into_iter().map(|(field, column)| {
        Ok((
            quoted(&field.name),
            Writer::try_new(&field.shape, column, None)?,
        ))
    });
    writers.collect()
}

/// Returns the fields that a table has, by their names in it.
fn table_fields<'a>(
    fields: &'a [ShapeField],
    array: &'a StructArray,
    nodes: &'a [Node],
    target: Target<'a>,
) -> Result<Vec<(Vec<u8>, Writer<'a>)>, Refused> {
    // A struct that carries no identities in a file that does goes by mapped names, too.
    let has_ids = fields.iter().any(|field| field.id.is_some());
    let is_node = |field: &ShapeField, node: &Node| match has_ids {
        true => field.id == Some(node.id),
        false => node.names.iter().any(|name| **name == *field.name),
    };
    let mut named: Vec<&Node> = nodes.iter().collect();
    named.sort_by_key(|node| node.name.as_bytes());
    let writers = named.into_iter().map(|node| {
        let mut in_file = fields.iter().zip(array.columns());
        let found = in_file.find(|(field, _)| is_node(field, node));
        let inner = Target { node, ..target };
        let writer = match found.filter(|_| node.kind != NodeKind::Unknown) {
            Some((field, column)) => Writer::try_new(&field.shape, column, Some(inner))?,
            None => Writer::Filled(filled(inner)?),
        };
        Ok((quoted(&node.name), writer))
    });
    writers.collect()
}

fn filled(target: Target<'_>) -> Result<Vec<u8>, Refused> {
    let node = target.node;
    if node.required && node.kind != NodeKind::Unknown && *target.file.fill(node) == Fill::Null {
        let (name, id) = (&node.name, node.id);
        return Err(Refused::Value(format!(
            "required field is missing and has no default: name={name} fieldId={id}"
        )));
    }
    let mut json = Vec::new();
    fill::write(node, target.file, &mut json)?;
    Ok(json)
}

fn quoted(name: &str) -> Vec<u8> {
    let mut quoted = Vec::new();
    write_json_string(name.as_bytes(), &mut quoted);
    quoted.push(b':');
    quoted
}

/// Returns the values of a leaf as those of the table's type.
fn cells(source: &SourceType, wanted: &SourceType, array: &ArrayRef) -> Result<Cells, Refused> {
    if source == wanted || array.data_type() == &ArrowType::Null {
        // A leaf of the annotation "unknown" has no values, whatever they would be.
        return Cells::try_new(wanted, array);
    }
    let target = plain::own_type(wanted)?;
    if !plain::converts(source, target) && !narrow::narrows(source, target) {
        return Err(Refused::Value(format!(
            "type of a nested field does not convert: from={source} to={wanted}"
        )));
    }
    Cells::try_new(wanted, &plain::convert(source, array, target)?)
}

fn other_type(shape: &Shape, target: Option<Target<'_>>) -> Refused {
    let name = target.map_or("", |target| &target.node.name);
    Refused::Value(format!(
        "nested field has another type than in the table: name={name} type={}",
        shape.source_type()
    ))
}

fn range(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    let at = |row: usize| {
        offsets
            .get(row)
            .and_then(|offset| usize::try_from(*offset).ok())
    };
    at(row).unwrap_or(0)..at(row.saturating_add(1)).unwrap_or(0)
}
