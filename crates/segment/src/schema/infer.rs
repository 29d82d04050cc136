//! The fields that a table inferred from a file has.

use growler_base::FieldId;
use growler_schema::{DataType, Field, FieldRole, SourceType};
use parquet::schema::types::{SchemaDescriptor, Type};

use super::Refusal;
use super::columns::field_id;
use super::group::{Element, Group, group, is_repeated, plain};
use super::leaf_type::leaf_type;

/// Returns the columns of a file as fields, in file order.
///
/// A column of a type that is not read stands there as STRING: naming it in a query then says what
/// is wrong with it, and the other columns stay usable.
pub(crate) fn fields(schema: &SchemaDescriptor) -> Vec<Field> {
    schema
        .root_schema()
        .get_fields()
        .iter()
        .map(|column| field(column))
        .collect()
}

fn field(column: &Type) -> Field {
    let inferred = source_type(column)
        .ok()
        .and_then(|source| source.field(column.name()).ok());
    let unread = || {
        Field::new(
            column.name(),
            FieldRole::Dimension,
            DataType::String.single(),
        )
    };
    let mut field = inferred.unwrap_or_else(unread);
    field.field_id = field_id(column).map(FieldId);
    field
}

/// Returns a column's type. Unlike its shape this does not look into a variant, which may hold
/// types that only matter once it is opened.
fn source_type(field: &Type) -> Result<SourceType, Refusal> {
    if is_repeated(field) {
        return Ok(SourceType::List(Box::new(element(field)?)));
    }
    if field.is_primitive() {
        return leaf_type(field);
    }
    Ok(match group(field)? {
        Group::Struct(_) => SourceType::Struct,
        Group::List(Element::Inner(inner)) => SourceType::List(Box::new(source_type(inner)?)),
        Group::List(Element::Repeated(repeated)) => SourceType::List(Box::new(element(repeated)?)),
        Group::Map(key, value) => SourceType::Map {
            key: Box::new(source_type(key)?),
            value: Box::new(source_type(value)?),
        },
        Group::Variant(_) => SourceType::Variant,
    })
}

/// Returns the type of a repeated field's elements.
fn element(repeated: &Type) -> Result<SourceType, Refusal> {
    if repeated.is_primitive() {
        return leaf_type(repeated);
    }
    Ok(match plain(repeated)? {
        Group::Variant(_) => SourceType::Variant,
        _ => SourceType::Struct,
    })
}
