//! Columns that a table had once, as its metadata remembers them.

use std::collections::BTreeSet;

use growler_catalog::Plan;
use growler_catalog::convert::to_table_schema;
use growler_catalog::metadata::{NestedField, Schema, TableMetadata};
use growler_schema::{DataType, Field, TableSchema};

use super::Error;
use super::columns::columns;

/// Finds the columns of earlier schemas that the plan's has no more, and makes the plan read them too.
///
/// One whose name is another column's by now is called `name$id`, as a served tombstone is. VARIANT
/// columns are left out: their keys have a type only once somebody has looked into every file.
pub(super) fn with_dropped(
    metadata: &TableMetadata,
    plan: Plan,
    served: &TableSchema,
) -> Result<(Plan, Vec<Field>), Error> {
    let mapping = metadata.name_mapping()?;
    let mut taken: BTreeSet<String> = served.fields().iter().map(|f| f.name.clone()).collect();
    let mut schema = Schema::clone(&plan.schema);
    let mut dropped = Vec::new();
    for column in gone(metadata, &plan.schema) {
        // Files of today lack it, whatever it was once.
        let column = NestedField {
            required: false,
            ..column.clone()
        };
        let alone = Schema {
            fields: vec![column.clone()],
            ..Schema::clone(&plan.schema)
        };
        // What the engine has no type for, or a default that it does not read.
        if columns(metadata, &alone).is_err() {
            continue;
        }
        let converted = to_table_schema(&served.name, &alone, mapping.as_ref());
        let Some(mut field) = converted.schema.fields().first().cloned() else {
            continue;
        };
        if field.column_type.data_type == DataType::OpenStruct {
            continue;
        }
        if !taken.insert(field.name.clone()) {
            field.name = format!("{}${}", field.name, column.id);
        }
        schema.fields.push(column);
        dropped.push(field);
    }
    let plan = Plan {
        schema: schema.into(),
        ..plan
    };
    Ok((plan, dropped))
}

/// The columns of other schemas, each as the latest of them has it. A table that drops what it added
/// goes back to a schema that it had before.
fn gone<'m>(metadata: &'m TableMetadata, now: &Schema) -> Vec<&'m NestedField> {
    let mut seen: BTreeSet<_> = now.fields.iter().map(|field| field.id).collect();
    let others = metadata.schemas().iter().rev();
    let fields = others.flat_map(|schema| &schema.fields);
    fields.filter(|field| seen.insert(field.id)).collect()
}
