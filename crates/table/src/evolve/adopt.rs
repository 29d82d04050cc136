//! What a user changes in a served schema by declaring it anew.

use growler_schema::{Field, TableSchema};

use super::{ServedColumn, ServedSchema};

/// Returns the schema that a declared one makes of a served one; none when nothing differs. Columns
/// keep their identities, what the source said of them, and digits and units that JSON does not say.
pub fn adopt(served: &ServedSchema, declared: &TableSchema) -> Option<ServedSchema> {
    let mut columns: Vec<ServedColumn> = served
        .columns
        .iter()
        .filter(|column| column.dropped)
        .cloned()
        .collect();
    for field in declared.fields() {
        let known = served
            .columns
            .iter()
            .find(|c| !c.dropped && c.name() == field.name);
        columns.push(match known {
            Some(column) => ServedColumn {
                field: merged(&column.field, field),
                ..column.clone()
            },
            None => ServedColumn::of(field.clone()),
        });
    }
    let key = |column: &ServedColumn| (column.field.name.clone(), column.dropped);
    let mut before = served.columns.clone();
    before.sort_by_key(key);
    columns.sort_by_key(key);
    (before != columns).then(|| ServedSchema {
        columns,
        ..served.clone()
    })
}

fn merged(served: &Field, declared: &Field) -> Field {
    let mut field = declared.clone();
    field.field_id = declared.field_id.or(served.field_id);
    field.aliases.clone_from(&served.aliases);
    for alias in &declared.aliases {
        if !field.aliases.contains(alias) {
            field.aliases.push(alias.clone());
        }
    }
    let same_name = served.column_type.name() == declared.column_type.name();
    if same_name && served.role == declared.role {
        // The served type is the exact one, and the default null value has its scale or unit.
        field.column_type = served.column_type;
        field.default_null = served.default_null.clone();
        let usual = declared.role.default_null(declared.column_type.data_type);
        if declared.default_null != usual && !takes_digits(served) {
            field.default_null = declared.default_null.clone();
        }
        field.date_time = served.date_time.clone();
        if field.children.is_empty() || same_children(served, declared) {
            field.children = served.children.clone();
        }
    }
    field
}

/// Tells whether keys have the types they are served with, as far as JSON says.
fn same_children(served: &Field, declared: &Field) -> bool {
    let names = |field: &Field| -> Vec<(String, String)> {
        let children = field.children.iter();
        children
            .map(|(key, child)| (key.clone(), child.column_type.name()))
            .collect()
    };
    names(served) == names(declared)
}

fn takes_digits(field: &Field) -> bool {
    use growler_schema::DataType as T;
    matches!(
        field.column_type.data_type,
        T::BigDecimal { .. } | T::Timestamp { .. }
    )
}
