//! Schemas: fields with identities that survive renames.

use std::collections::HashSet;
use std::fmt;

use growler_base::{FieldId, limits};
use serde_json::Value;

use super::default::{self, InitialDefault};
use super::json::{self, Object};
use super::types::{Type, parse_type};
use crate::SchemaId;
use crate::error::Fault;

/// Identities from here on are reserved for columns that no schema lists.
const RESERVED_IDS: i32 = 2_147_483_447;

/// The columns of a table at one point of its history.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Which schema of the table it is.
    pub id: SchemaId,
    /// Columns, in the table's order.
    pub fields: Vec<NestedField>,
    /// Columns that identify a row.
    pub identifier_field_ids: Vec<FieldId>,
}

/// A column, or a field of a struct.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedField {
    /// Identity; a dropped one is never used again.
    pub id: FieldId,
    /// Name at this point of the history.
    pub name: String,
    /// Whether nulls are refused.
    pub required: bool,
    /// Type of its values.
    pub field_type: Type,
    /// Comment.
    pub doc: Option<String>,
    /// Value in files that were written before the field existed.
    pub initial_default: InitialDefault,
}

impl Schema {
    /// Parses a schema; v1 tables may leave out its id.
    pub(crate) fn parse(value: &Value) -> Result<Self, Fault> {
        let object = json::object(value, "schema")?;
        let id = SchemaId(json::int(object, "schema-id")?.unwrap_or(0));
        let parsed = Fields::default().parse_struct(object);
        let in_schema = |fault| within(fault, id);
        let fields = parsed.map_err(in_schema)?;
        let mut identifier_field_ids = Vec::new();
        for item in json::array(object, "identifier-field-ids")? {
            let id = item.as_i64().and_then(|id| i32::try_from(id).ok());
            let id = id.ok_or_else(|| Fault::corrupt("identifier-field-ids holds no field id"))?;
            identifier_field_ids.push(FieldId(id));
        }
        Ok(Self {
            id,
            fields,
            identifier_field_ids,
        })
    }

    /// Finds a column by its name, case-sensitively.
    pub fn column(&self, name: &str) -> Option<&NestedField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Finds a field of the table or of a struct at any depth, inside of lists and maps too.
    pub fn field(&self, id: FieldId) -> Option<&NestedField> {
        find_field(&self.fields, id)
    }

    /// Finds a field that has one value a row: a column, or a field of structs that are in no list
    /// and no map.
    pub fn flat_field(&self, id: FieldId) -> Option<&NestedField> {
        find_flat(&self.fields, id)
    }

    /// Finds a field as [`Self::flat_field`] does; the column first, then the fields down to it.
    pub fn flat_path(&self, id: FieldId) -> Option<Vec<&NestedField>> {
        path_to(&self.fields, id)
    }

    /// Returns the largest identity; none when there is no field.
    pub fn highest_id(&self) -> Option<FieldId> {
        let mut highest = None;
        each_id(&self.fields, &mut |id| highest = highest.max(Some(id)));
        highest
    }
}

fn within(fault: Fault, id: SchemaId) -> Fault {
    match fault {
        Fault::Corrupt(cause) => Fault::Corrupt(format!("{cause} schema={id}")),
        Fault::Unsupported(cause) => Fault::Unsupported(format!("{cause} schema={id}")),
        Fault::Limit(cause) => Fault::Limit(format!("{cause} schema={id}")),
    }
}

fn find_field(fields: &[NestedField], id: FieldId) -> Option<&NestedField> {
    fields.iter().find_map(|field| match field.id == id {
        true => Some(field),
        false => find_in_type(&field.field_type, id),
    })
}

fn find_in_type(field_type: &Type, id: FieldId) -> Option<&NestedField> {
    match field_type {
        Type::Struct(fields) => find_field(fields, id),
        Type::List(list) => find_in_type(&list.element, id),
        Type::Map(map) => find_in_type(&map.key, id).or_else(|| find_in_type(&map.value, id)),
        Type::Primitive(_) | Type::Variant => None,
    }
}

fn find_flat(fields: &[NestedField], id: FieldId) -> Option<&NestedField> {
    fields.iter().find_map(|field| match &field.field_type {
        _ if field.id == id => Some(field),
        Type::Struct(children) => find_flat(children, id),
        Type::List(_) | Type::Map(_) | Type::Primitive(_) | Type::Variant => None,
    })
}

fn path_to(fields: &[NestedField], id: FieldId) -> Option<Vec<&NestedField>> {
    fields.iter().find_map(|field| match &field.field_type {
        _ if field.id == id => Some(vec![field]),
        Type::Struct(children) => {
            let mut path = path_to(children, id)?;
            path.insert(0, field);
            Some(path)
        }
        Type::List(_) | Type::Map(_) | Type::Primitive(_) | Type::Variant => None,
    })
}

fn each_id(fields: &[NestedField], visit: &mut impl FnMut(FieldId)) {
    for field in fields {
        visit(field.id);
        each_id_in(&field.field_type, visit);
    }
}

fn each_id_in(field_type: &Type, visit: &mut impl FnMut(FieldId)) {
    match field_type {
        Type::Struct(fields) => each_id(fields, visit),
        Type::List(list) => {
            visit(list.element_id);
            each_id_in(&list.element, visit);
        }
        Type::Map(map) => {
            visit(map.key_id);
            visit(map.value_id);
            each_id_in(&map.key, visit);
            each_id_in(&map.value, visit);
        }
        Type::Primitive(_) | Type::Variant => {}
    }
}

/// Fields of one schema as they are parsed: each identity once, and not too many.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    seen: HashSet<FieldId>,
}

impl Fields {
    /// Takes the identity that a member holds.
    pub(crate) fn id(&mut self, object: &Object, name: &str) -> Result<FieldId, Fault> {
        let id = json::required(json::int(object, name)?, name)?;
        if !(0..RESERVED_IDS).contains(&id) {
            return Err(Fault::corrupt(format!("field id out of range id={id}")));
        }
        if self.seen.len() >= limits::TABLE_FIELDS {
            let limit = limits::TABLE_FIELDS;
            return Err(Fault::Limit(format!("too many fields limit={limit}")));
        }
        if !self.seen.insert(FieldId(id)) {
            return Err(Fault::corrupt(format!("field id is used twice id={id}")));
        }
        Ok(FieldId(id))
    }

    /// Parses the fields of a struct; JSON text bounds the depth.
    pub(crate) fn parse_struct(&mut self, object: &Object) -> Result<Vec<NestedField>, Fault> {
        let items = json::array(object, "fields")?;
        let mut fields = Vec::with_capacity(items.len().min(1024));
        let mut names = HashSet::new();
        for item in items {
            let field = self.parse_field(json::object(item, "field")?)?;
            if !names.insert(field.name.clone()) {
                let name = field.name;
                return Err(Fault::corrupt(format!(
                    "field name is used twice name={name}"
                )));
            }
            fields.push(field);
        }
        Ok(fields)
    }

    fn parse_field(&mut self, object: &Object) -> Result<NestedField, Fault> {
        let id = self.id(object, "id")?;
        let name = json::required(json::text(object, "name")?, "name")?;
        let field_type = parse_type(json::required(json::member(object, "type"), "type")?, self)?;
        let initial_default = default::parse(json::member(object, "initial-default"), &field_type)
            .map_err(|cause| {
                Fault::corrupt(format!(
                    "initial-default {cause} type={field_type} field={name}"
                ))
            })?;
        Ok(NestedField {
            id,
            name: name.to_owned(),
            required: json::flag(object, "required")?.unwrap_or(false),
            field_type,
            doc: json::text(object, "doc")?.map(str::to_owned),
            initial_default,
        })
    }
}

impl fmt::Display for NestedField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let need = if self.required {
            "required"
        } else {
            "optional"
        };
        write!(f, "{}: {}: {need} {}", self.id, self.name, self.field_type)
    }
}
