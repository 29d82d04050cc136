//! The shredding layout of a variant group (VariantShredding.md).

use std::collections::HashSet;

use growler_base::LeafIdx;
use growler_schema::{SourceType, TimeUnit};
use growler_variant::shred::{Group, Layout, ScalarType, ShreddedField, Typed};
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::schema::types::Type;

use super::group::{Element, Group as GroupKind, group, is_binary, is_repeated};
use super::leaf_type::{leaf_type, len};
use super::{Refusal, shape::LeafCounter};

/// Most digits of a decimal in a variant.
const DECIMAL_DIGITS: u32 = 38;

/// Returns the layout of a variant group; `leaves` stands before the group's first leaf.
pub(crate) fn layout(group: &Type, leaves: &mut LeafCounter) -> Result<Layout, Refusal> {
    let mut parts = parts(group, group.name(), leaves)?;
    let metadata = parts
        .metadata
        .take()
        .ok_or_else(|| malformed(group.name(), "no metadata"))?;
    Ok(Layout {
        metadata,
        root: parts.group(group.name())?,
    })
}

/// The children of a variant, field or element group, found by name.
#[derive(Default)]
struct Parts {
    metadata: Option<LeafIdx>,
    value: Option<LeafIdx>,
    typed: Option<Typed>,
}

impl Parts {
    fn group(self, path: &str) -> Result<Group, Refusal> {
        if self.value.is_none() && self.typed.is_none() {
            return Err(malformed(path, "neither value nor typed_value"));
        }
        Ok(Group {
            value: self.value,
            typed: self.typed,
        })
    }
}

fn parts(group: &Type, path: &str, leaves: &mut LeafCounter) -> Result<Parts, Refusal> {
    let mut parts = Parts::default();
    let mut seen = HashSet::new();
    for child in group.get_fields() {
        let name = child.name();
        if matches!(name, "metadata" | "value" | "typed_value") && !seen.insert(name) {
            return Err(malformed(
                path,
                &format!("two fields of one name: name={name}"),
            ));
        }
        match name {
            "metadata" | "value" if !is_binary(child) => {
                return Err(malformed(
                    path,
                    &format!("{name} that is no plain binary column"),
                ));
            }
            "metadata" => parts.metadata = Some(leaves.next()),
            "value" => parts.value = Some(leaves.next()),
            "typed_value" => {
                let path = format!("{path}.typed_value");
                parts.typed = Some(typed(child, &path, leaves)?);
            }
            _ => leaves.skip(child),
        }
    }
    Ok(parts)
}

fn typed(field: &Type, path: &str, leaves: &mut LeafCounter) -> Result<Typed, Refusal> {
    if is_repeated(field) {
        return Err(unsupported(path, "a repeated field"));
    }
    if field.is_primitive() {
        let scalar = scalar(field).ok_or_else(|| unsupported(path, &leaf_name(field)))?;
        return Ok(Typed::Scalar {
            leaf: leaves.next(),
            scalar,
        });
    }
    let info = field.get_basic_info();
    match group(field)? {
        GroupKind::List(Element::Inner(element))
            if info.converted_type() == ConvertedType::LIST =>
        {
            let path = format!("{path}.list.element");
            let group = value_group(element, &path, leaves)?;
            Ok(Typed::List(Box::new(group)))
        }
        GroupKind::Struct(_) if info.converted_type() == ConvertedType::NONE => {
            object(field, path, leaves)
        }
        GroupKind::List(_) => Err(unsupported(path, "a list that is not of three levels")),
        GroupKind::Map(..) => Err(unsupported(path, "a map")),
        GroupKind::Variant(_) => Err(unsupported(path, "a VARIANT")),
        GroupKind::Struct(_) => Err(unsupported(path, "an annotated group")),
    }
}

fn object(object: &Type, path: &str, leaves: &mut LeafCounter) -> Result<Typed, Refusal> {
    let mut fields = Vec::with_capacity(object.get_fields().len());
    let mut names = HashSet::new();
    for field in object.get_fields() {
        let path = format!("{path}.{}", field.name());
        if !names.insert(field.name()) {
            return Err(malformed(&path, "two shredded fields of one name"));
        }
        let group = value_group(field, &path, leaves)?;
        fields.push(ShreddedField {
            name: field.name().to_owned(),
            group,
        });
    }
    if fields.is_empty() {
        return Err(malformed(path, "no fields"));
    }
    Ok(Typed::Object(fields))
}

/// Reads the group of a field or an element. It should be required; optional ones are tolerated,
/// a null one then being missing.
fn value_group(group: &Type, path: &str, leaves: &mut LeafCounter) -> Result<Group, Refusal> {
    if group.is_primitive() || is_repeated(group) {
        return Err(malformed(path, "no group with value or typed_value"));
    }
    parts(group, path, leaves)?.group(path)
}

/// Returns the variant type of a typed leaf; none for types that shredding does not allow.
fn scalar(leaf: &Type) -> Option<ScalarType> {
    Some(match leaf_type(leaf).ok()? {
        SourceType::Boolean => ScalarType::Boolean,
        SourceType::Int8 => ScalarType::Int8,
        SourceType::Int16 => ScalarType::Int16,
        SourceType::Int32 => ScalarType::Int32,
        SourceType::Int64 => ScalarType::Int64,
        SourceType::Float32 => ScalarType::Float,
        SourceType::Float64 => ScalarType::Double,
        SourceType::Decimal { precision, scale } => decimal(leaf, precision, scale)?,
        SourceType::Date => ScalarType::Date,
        // TIME is local by the specification; one adjusted to UTC is not allowed.
        SourceType::Time {
            unit: TimeUnit::Micros,
        } if !is_utc_time(leaf) => ScalarType::Time,
        SourceType::Timestamp {
            unit: unit @ (TimeUnit::Micros | TimeUnit::Nanos),
            utc,
        } => ScalarType::Timestamp { unit, utc },
        SourceType::Binary if leaf.get_physical_type() == Physical::BYTE_ARRAY => {
            ScalarType::Binary
        }
        SourceType::String if !is_always_null(leaf) => ScalarType::String,
        SourceType::Uuid => ScalarType::Uuid,
        _ => return None,
    })
}

fn decimal(leaf: &Type, precision: u32, scale: i32) -> Option<ScalarType> {
    let most = match leaf.get_physical_type() {
        Physical::INT32 => 9,
        Physical::INT64 => 18,
        Physical::FIXED_LEN_BYTE_ARRAY if len(leaf).is_none_or(|len| len > 16) => return None,
        _ => DECIMAL_DIGITS,
    };
    let scale = u8::try_from(scale)
        .ok()
        .filter(|scale| u32::from(*scale) <= precision)?;
    let precision = u8::try_from(precision)
        .ok()
        .filter(|p| (1..=most).contains(&u32::from(*p)))?;
    Some(ScalarType::Decimal { precision, scale })
}

fn is_utc_time(leaf: &Type) -> bool {
    match leaf.get_basic_info().logical_type_ref() {
        Some(LogicalType::Time(time)) => time.is_adjusted_to_u_t_c,
        // The older annotation means UTC.
        _ => true,
    }
}

fn is_always_null(leaf: &Type) -> bool {
    matches!(
        leaf.get_basic_info().logical_type_ref(),
        Some(LogicalType::Unknown)
    )
}

fn leaf_name(leaf: &Type) -> String {
    match leaf_type(leaf) {
        Ok(SourceType::Binary) => format!("{:?}", leaf.get_physical_type()),
        Ok(source) => format!("{source} as {:?}", leaf.get_physical_type()),
        Err(Refusal::Unsupported(cause) | Refusal::Malformed(cause)) => cause,
    }
}

fn unsupported(path: &str, what: &str) -> Refusal {
    Refusal::Unsupported(format!("shredded type {what}: leaf={path}"))
}

fn malformed(path: &str, what: &str) -> Refusal {
    Refusal::Malformed(format!("variant group with {what}: group={path}"))
}
