//! The first schema that a table is served with, and the identities of declared columns.

use std::collections::BTreeSet;
use std::sync::Arc;

use growler_base::FieldId;
use growler_catalog::convert::to_table_schema;
use growler_catalog::metadata::{NameMapping, Schema};
use growler_schema::{TableSchema, infer};

use super::{ServedColumn, ServedSchema, SourceVersion, nested};

/// Makes the first served schema: all columns of the source, or those that a user declared.
pub fn onboard(
    name: &str,
    schema: &Schema,
    mapping: Option<&NameMapping>,
    declared: Option<&TableSchema>,
    source: SourceVersion,
) -> ServedSchema {
    let converted = to_table_schema(name, schema, mapping);
    for skipped in &converted.skipped {
        let (column, type_name) = (&skipped.name, &skipped.type_name);
        tracing::warn!(%column, %type_name, "column is of no known type and left out table={name}");
    }
    let fields = match declared {
        Some(declared) => infer::complete(declared, converted.schema.fields())
            .fields()
            .to_vec(),
        None => converted.schema.fields().to_vec(),
    };
    let mut served = ServedSchema {
        name: name.to_owned(),
        source: Some(source),
        columns: fields.into_iter().map(ServedColumn::of).collect(),
    };
    bind_by(&mut served, schema);
    describe(&mut served, schema, mapping);
    served
}

/// Finds the identities of columns that have none: by name in the schema that is followed, else in
/// the history, where a name must have belonged to one column only. Tells whether any was found.
pub fn bind(served: &mut ServedSchema, schema: &Schema, history: &[Arc<Schema>]) -> bool {
    let mut bound = bind_by(served, schema);
    let taken: BTreeSet<FieldId> = ids(served).collect();
    for column in &mut served.columns {
        if column.field.field_id.is_some() {
            continue;
        }
        let ids: BTreeSet<FieldId> = history
            .iter()
            .flat_map(|schema| &schema.fields)
            .filter(|field| column.is_called(&field.name) && !taken.contains(&field.id))
            .map(|field| field.id)
            .collect();
        if let (1, Some(only)) = (ids.len(), ids.first()) {
            column.field.field_id = Some(*only);
            bound = true;
        }
    }
    bound
}

fn bind_by(served: &mut ServedSchema, schema: &Schema) -> bool {
    let mut taken: BTreeSet<FieldId> = ids(served).collect();
    let mut bound = false;
    for column in &mut served.columns {
        if column.field.field_id.is_some() {
            continue;
        }
        let by_name = schema.column(&column.field.name);
        let by_alias = || {
            let mut called = schema.fields.iter().filter(|f| column.is_called(&f.name));
            called.next().filter(|_| called.next().is_none())
        };
        if let Some(found) = by_name.or_else(by_alias)
            && taken.insert(found.id)
        {
            column.field.field_id = Some(found.id);
            bound = true;
        }
    }
    bound
}

fn ids(served: &ServedSchema) -> impl Iterator<Item = FieldId> {
    served
        .columns
        .iter()
        .filter_map(|column| column.field.field_id)
}

/// Writes down what the source says of each column that it has: its type, initial default and the
/// names inside of it.
pub(super) fn describe(served: &mut ServedSchema, schema: &Schema, mapping: Option<&NameMapping>) {
    let converted = to_table_schema(&served.name, schema, mapping);
    for column in &mut served.columns {
        let Some(id) = column.field.field_id else {
            continue;
        };
        let Some(source) = schema.fields.iter().find(|field| field.id == id) else {
            continue;
        };
        column.source_type = Some(source.field_type.to_string());
        column.initial_default = converted.initial_defaults.get(&id).cloned();
        column.field.not_null &= source.required;
        for (id, name) in nested::record(source) {
            column.nested.entry(id).or_insert(name);
        }
    }
}
