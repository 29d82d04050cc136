//! The Parquet schema of Arrow fields, with the annotations that Arrow has no types for.

use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Field, Schema};
use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::LogicalType;
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

/// Key of a field's metadata that names its Arrow extension type.
const EXTENSION: &str = "ARROW:extension:name";
const VARIANT: &str = "arrow.parquet.variant";
const UUID: &str = "arrow.uuid";
/// Version of the VARIANT specification.
const VERSION: i8 = 1;

/// Makes the field of a VARIANT column: a struct as `growler_variant` builds and shreds it.
pub fn variant_field(name: &str, data_type: &ArrowType, nullable: bool) -> Field {
    let extension = [(EXTENSION.to_owned(), VARIANT.to_owned())];
    Field::new(name, data_type.clone(), nullable).with_metadata(extension.into())
}

/// Converts an Arrow schema.
pub(super) fn parquet_schema(schema: &Schema) -> Result<SchemaDescriptor> {
    let plain = ArrowSchemaConverter::new().convert(schema)?;
    let root = plain.root_schema_ptr();
    let fields: Vec<&Field> = schema.fields().iter().map(AsRef::as_ref).collect();
    let fields = annotated_all(&fields, root.get_fields())?;
    let root = Type::group_type_builder(root.name()).with_fields(fields);
    Ok(SchemaDescriptor::new(Arc::new(root.build()?)))
}

fn annotated_all(fields: &[&Field], types: &[TypePtr]) -> Result<Vec<TypePtr>> {
    if fields.len() != types.len() {
        return Err(unequal(types.first().map_or("", |other| other.name())));
    }
    let pairs = fields.iter().zip(types);
    pairs
        .map(|(field, parquet)| annotated(field, parquet))
        .collect()
}

fn annotated(field: &Field, parquet: &TypePtr) -> Result<TypePtr> {
    let extension = field.metadata().get(EXTENSION).map(String::as_str);
    if parquet.is_primitive() {
        return match extension {
            Some(UUID) => uuid(parquet),
            _ => Ok(Arc::clone(parquet)),
        };
    }
    let children = match field.data_type() {
        ArrowType::Struct(fields) => {
            let fields: Vec<&Field> = fields.iter().map(AsRef::as_ref).collect();
            annotated_all(&fields, parquet.get_fields())?
        }
        ArrowType::List(element)
        | ArrowType::LargeList(element)
        | ArrowType::ListView(element)
        | ArrowType::FixedSizeList(element, _) => vec![repeated(&[element.as_ref()], parquet)?],
        ArrowType::Map(entries, _) => match entries.data_type() {
            ArrowType::Struct(fields) => {
                let fields: Vec<&Field> = fields.iter().map(AsRef::as_ref).collect();
                vec![repeated(&fields, parquet)?]
            }
            _ => return Err(unequal(parquet.name())),
        },
        _ => return Ok(Arc::clone(parquet)),
    };
    let logical = match extension {
        Some(VARIANT) => Some(LogicalType::variant(Some(VERSION))),
        _ => parquet.get_basic_info().logical_type_ref().cloned(),
    };
    group(parquet, children, logical)
}

/// Rebuilds the repeated group in the middle of a list or map.
fn repeated(fields: &[&Field], parquet: &TypePtr) -> Result<TypePtr> {
    match parquet.get_fields() {
        [middle] if !middle.is_primitive() => {
            let children = annotated_all(fields, middle.get_fields())?;
            group(middle, children, None)
        }
        _ => Err(unequal(parquet.name())),
    }
}

fn group(like: &TypePtr, fields: Vec<TypePtr>, logical: Option<LogicalType>) -> Result<TypePtr> {
    let info = like.get_basic_info();
    let id = info.has_id().then(|| info.id());
    let group = Type::group_type_builder(like.name())
        .with_repetition(info.repetition())
        .with_converted_type(info.converted_type())
        .with_logical_type(logical)
        .with_id(id)
        .with_fields(fields);
    Ok(Arc::new(group.build()?))
}

fn uuid(like: &TypePtr) -> Result<TypePtr> {
    let info = like.get_basic_info();
    let leaf = Type::primitive_type_builder(like.name(), like.get_physical_type())
        .with_repetition(info.repetition())
        .with_length(16)
        .with_logical_type(Some(LogicalType::Uuid))
        .with_id(info.has_id().then(|| info.id()));
    Ok(Arc::new(leaf.build()?))
}

fn unequal(name: &str) -> ParquetError {
    ParquetError::General(format!("schema of another shape: group={name}"))
}
