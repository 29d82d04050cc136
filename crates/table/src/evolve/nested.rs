//! Names of the fields inside of structs, lists and maps.

use std::collections::BTreeMap;

use growler_base::FieldId;
use growler_catalog::metadata::{NestedField, Type};

use super::NestedName;

/// Returns the names of all fields inside of a column.
pub(super) fn names(column: &NestedField) -> BTreeMap<FieldId, String> {
    let mut names = BTreeMap::new();
    each(&column.field_type, &mut |field| {
        names.insert(field.id, field.name.clone());
    });
    names
}

/// Makes the record of a column's inner names where none is kept yet.
pub(super) fn record(column: &NestedField) -> BTreeMap<FieldId, NestedName> {
    let first = |(id, name)| {
        let aliases = Vec::new();
        (id, NestedName { name, aliases })
    };
    names(column).into_iter().map(first).collect()
}

/// Returns the fields that have a name they never had, in the order of their ids.
pub(super) fn renamed(
    known: &BTreeMap<FieldId, NestedName>,
    column: &NestedField,
) -> Vec<(FieldId, String)> {
    let is_new = |(id, name): &(FieldId, String)| {
        known.get(id).is_some_and(|known| {
            known.name != *name && !known.aliases.iter().any(|alias| alias == name)
        })
    };
    names(column).into_iter().filter(is_new).collect()
}

/// Visits the fields of structs at any depth; the JSON they were parsed from bounds it.
fn each(field_type: &Type, visit: &mut impl FnMut(&NestedField)) {
    match field_type {
        Type::Struct(fields) => {
            for field in fields {
                visit(field);
                each(&field.field_type, visit);
            }
        }
        Type::List(list) => each(&list.element, visit),
        Type::Map(map) => {
            each(&map.key, visit);
            each(&map.value, visit);
        }
        Type::Primitive(_) | Type::Variant => {}
    }
}
