//! Shredded columns as our own writer would not leave them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, ListArray, StructArray};
use arrow_schema::{DataType as ArrowType, Field, FieldRef};

use crate::document::Row;

/// Puts bytes that are no value into the residual of the root, where nulls stand for them.
pub fn damaged(props: &StructArray, rows: &[Row]) -> StructArray {
    let (fields, mut columns, nulls) = props.clone().into_parts();
    let position = fields.find("value").unwrap().0;
    let values = columns[position].as_binary::<i32>();
    let damaged = rows.iter().enumerate().map(|(row, of)| match of {
        Row::Malformed(bytes) => Some(*bytes),
        _ => values.is_valid(row).then(|| values.value(row)),
    });
    columns[position] = Arc::new(damaged.collect::<BinaryArray>());
    StructArray::new(fields, columns, nulls)
}

/// Leaves out the residual of each group with a typed part where it has no value, as a writer may.
pub fn without_idle_values(group: &StructArray) -> StructArray {
    let mut parts: Vec<(FieldRef, ArrayRef)> = Vec::new();
    let has_typed = group.column_by_name("typed_value").is_some();
    for (field, column) in group.fields().iter().zip(group.columns()) {
        match field.name().as_str() {
            "value" if has_typed && column.null_count() == column.len() => {}
            "typed_value" => {
                let typed = typed(column);
                let data_type = typed.data_type().clone();
                let field = field.as_ref().clone().with_data_type(data_type);
                parts.push((Arc::new(field), typed));
            }
            _ => parts.push((Arc::clone(field), Arc::clone(column))),
        }
    }
    let (fields, columns): (Vec<FieldRef>, Vec<ArrayRef>) = parts.into_iter().unzip();
    StructArray::new(fields.into(), columns, group.nulls().cloned())
}

fn typed(column: &ArrayRef) -> ArrayRef {
    let renewed = |field: &Field, array: &StructArray| {
        Arc::new(field.clone().with_data_type(array.data_type().clone()))
    };
    match column.data_type() {
        ArrowType::Struct(fields) => {
            let object = column.as_struct();
            let groups = object.columns().iter();
            let groups: Vec<_> = groups
                .map(|group| without_idle_values(group.as_struct()))
                .collect();
            let pairs = fields.iter().zip(&groups);
            let fields: Vec<FieldRef> = pairs.map(|(field, group)| renewed(field, group)).collect();
            let groups = groups.into_iter().map(|group| Arc::new(group) as ArrayRef);
            let nulls = object.nulls().cloned();
            Arc::new(StructArray::new(fields.into(), groups.collect(), nulls))
        }
        ArrowType::List(element) => {
            let list = column.as_list::<i32>();
            let elements = without_idle_values(list.values().as_struct());
            let element = renewed(element, &elements);
            let offsets = list.offsets().clone();
            let nulls = list.nulls().cloned();
            Arc::new(ListArray::new(element, offsets, Arc::new(elements), nulls))
        }
        _ => Arc::clone(column),
    }
}
