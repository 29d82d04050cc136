//! Which changes of a declared schema are backward compatible.

use growler_schema::{Field, FieldRole, TableSchema};

/// Says why a schema may not replace another; none when it may. Columns may be added; those that
/// are there must stay, with their list, type and multiplicity.
pub fn incompatibility(old: &TableSchema, new: &TableSchema) -> Option<String> {
    let (mut missing, mut changed) = (Vec::new(), Vec::new());
    for field in old.fields() {
        match new.field(&field.name) {
            None => missing.push(field.name.as_str()),
            Some(other) if described(other) != described(field) => changed.push(format!(
                "{} (old: {}, new: {})",
                field.name,
                described(field),
                described(other)
            )),
            Some(_) => {}
        }
    }
    let mut reasons = Vec::new();
    if !missing.is_empty() {
        reasons.push(format!("Missing columns: [{}]", missing.join(", ")));
    }
    if !changed.is_empty() {
        reasons.push(format!(
            "Incompatible field specifications: [{}]",
            changed.join(", ")
        ));
    }
    let name = &new.name;
    (!reasons.is_empty()).then(|| {
        format!(
            "Backward incompatible schema {name}. Reason: New schema: {name} is not \
             backward-compatible with the existing schema. {}",
            reasons.join(". ")
        )
    })
}

fn described(field: &Field) -> String {
    let role = match field.role {
        FieldRole::Dimension => "DIMENSION",
        FieldRole::Metric => "METRIC",
        FieldRole::DateTime => "DATE_TIME",
        FieldRole::Complex => "COMPLEX",
    };
    let many = if field.column_type.multi_value {
        "_ARRAY"
    } else {
        ""
    };
    format!("{role} {}{many}", field.column_type.data_type.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use growler_schema::DataType;

    fn schema(columns: &[(&str, DataType)]) -> TableSchema {
        let field = |(name, data_type): &(&str, DataType)| {
            Field::new(*name, FieldRole::Dimension, data_type.single())
        };
        TableSchema::new("a", columns.iter().map(field).collect())
    }

    #[test]
    fn columns_may_come_but_not_go_or_change() {
        let old = schema(&[("x", DataType::Int), ("y", DataType::String)]);
        let more = schema(&[
            ("x", DataType::Int),
            ("y", DataType::String),
            ("z", DataType::Int),
        ]);
        assert_eq!(incompatibility(&old, &more), None);
        let wide = schema(&[("x", DataType::Long)]);
        let expected = "Backward incompatible schema a. Reason: New schema: a is not \
            backward-compatible with the existing schema. Missing columns: [y]. Incompatible field \
            specifications: [x (old: DIMENSION INT, new: DIMENSION LONG)]";
        assert_eq!(incompatibility(&old, &wide).as_deref(), Some(expected));
    }
}
