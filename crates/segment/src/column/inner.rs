//! One field of structs in place of the column that it is in.
//!
//! Where a struct is null, so is every field of it; where a file has the struct and lacks the field,
//! rows have what the table says of that.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array, new_null_array};
use arrow_buffer::NullBuffer;
use growler_schema::ColumnType;

use super::{Refused, Target, plain};
use crate::schema::{Shape, ShapeField};
use crate::table::fill::Filled;
use crate::table::{Fill, Node, NodeKind};

/// Checks that the field converts to a type, if the file has it.
pub(crate) fn check(shape: &Shape, node: &Node, target: ColumnType) -> Result<(), String> {
    match (shape, &node.kind) {
        (Shape::Struct(fields), NodeKind::Within(inner)) => match position(fields, inner) {
            Some(at) => check(&at.1.shape, inner, target),
            None => Ok(()),
        },
        (Shape::Leaf(source), NodeKind::Leaf(_)) if !target.multi_value => {
            match plain::converts(source, target.data_type) {
                true => Ok(()),
                false => Err(format!(
                    "type {source} of a nested field does not convert: to={}",
                    target.name()
                )),
            }
        }
        _ => Err(format!(
            "nested field has another type than in the table: name={}",
            node.name
        )),
    }
}

/// Converts an array of the column to one of the field.
pub(super) fn convert(
    shape: &Shape,
    array: &ArrayRef,
    target: ColumnType,
    within: Target<'_>,
) -> Result<ArrayRef, Refused> {
    let (mut shape, mut array, mut node) = (shape, array, within.node);
    let mut nulls: Option<NullBuffer> = None;
    while let (Shape::Struct(fields), NodeKind::Within(inner)) = (shape, &node.kind) {
        let other = || Refused::Internal(format!("struct read as {}", array.data_type()));
        let structs = array.as_struct_opt().ok_or_else(other)?;
        nulls = NullBuffer::union(nulls.as_ref(), structs.nulls());
        node = inner;
        let Some((at, field)) = position(fields, inner) else {
            let filled = filled(Target { node, ..within }, target, structs.len())?;
            return masked(&filled, nulls);
        };
        array = structs.columns().get(at).ok_or_else(other)?;
        shape = &field.shape;
    }
    let (Shape::Leaf(source), NodeKind::Leaf(_)) = (shape, &node.kind) else {
        return Err(Refused::Internal("field is bound as another".to_owned()));
    };
    masked(&plain::convert(source, array, target.data_type)?, nulls)
}

/// Finds a field by its identity, or in a struct that carries none by its mapped names.
fn position<'f>(fields: &'f [ShapeField], node: &Node) -> Option<(usize, &'f ShapeField)> {
    let has_ids = fields.iter().any(|field| field.id.is_some());
    let mut fields = fields.iter().enumerate();
    fields.find(|(_, field)| match has_ids {
        true => field.id == Some(node.id),
        false => node.names.iter().any(|name| **name == *field.name),
    })
}

fn filled(missing: Target<'_>, target: ColumnType, rows: usize) -> Result<ArrayRef, Refused> {
    let Target { node, file } = missing;
    if node.required && *file.fill(node) == Fill::Null {
        let (name, id) = (&node.name, node.id);
        return Err(Refused::Value(format!(
            "required field is missing and has no default: name={name} fieldId={id}"
        )));
    }
    let value = match node.kind {
        NodeKind::Leaf(_) => Filled::of(node, file, target)?,
        _ => None,
    };
    match value {
        Some(value) => value.rows(rows),
        None => Ok(new_null_array(&target.arrow_type(), rows)),
    }
}

fn masked(array: &ArrayRef, nulls: Option<NullBuffer>) -> Result<ArrayRef, Refused> {
    let Some(nulls) = nulls else {
        return Ok(Arc::clone(array));
    };
    let data = array.to_data();
    let nulls = NullBuffer::union(data.nulls(), Some(&nulls));
    let data = data.into_builder().nulls(nulls).build();
    let data = data.map_err(|error| Refused::Internal(error.to_string()))?;
    Ok(make_array(data))
}
