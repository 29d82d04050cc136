//! Groups: structs, lists, maps and variants, told apart by annotation and shape.
//!
//! Lists and maps are taken apart exactly as the `parquet` crate's array readers do it, since their
//! arrays must match (LogicalTypes.md, "Nested Types", with its rules for older writers).

use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::schema::types::Type;

use super::Refusal;

/// Newest VARIANT specification that is read.
const VARIANT_VERSION: i8 = 1;

/// What a group, or a repeated field, is.
pub(crate) enum Group<'t> {
    /// Its fields, side by side.
    Struct(&'t Type),
    /// A list.
    List(Element<'t>),
    /// Keys and values.
    Map(&'t Type, &'t Type),
    /// `metadata`, `value` and `typed_value`.
    Variant(&'t Type),
}

/// What a list holds.
pub(crate) enum Element<'t> {
    /// The field inside the repeated group.
    Inner(&'t Type),
    /// The repeated field itself: older writers, and repeated fields outside of lists.
    Repeated(&'t Type),
}

/// Tells whether a field is repeated without being in a list.
pub(crate) fn is_repeated(field: &Type) -> bool {
    let info = field.get_basic_info();
    info.has_repetition() && info.repetition() == Repetition::REPEATED
}

/// Tells what a group is; `group` must not be a primitive.
pub(crate) fn group(group: &Type) -> Result<Group<'_>, Refusal> {
    match group.get_basic_info().converted_type() {
        ConvertedType::LIST => list(group),
        ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE => map(group),
        _ => plain(group),
    }
}

/// Tells what a group without list or map annotation is; so are repeated groups read that are
/// elements themselves.
pub(crate) fn plain(group: &Type) -> Result<Group<'_>, Refusal> {
    if let Some(LogicalType::Variant(variant)) = group.get_basic_info().logical_type_ref() {
        // Version 0 was written once, and an absent one means 1.
        return match variant.specification_version {
            Some(version) if version > VARIANT_VERSION => Err(Refusal::Unsupported(format!(
                "VARIANT of specification version {version}"
            ))),
            _ => Ok(Group::Variant(group)),
        };
    }
    Ok(if is_variant_shaped(group) {
        Group::Variant(group)
    } else {
        Group::Struct(group)
    })
}

/// Tells whether an unannotated group looks like a variant: a binary `metadata`, a binary `value`
/// or a `typed_value` or both, and nothing else.
fn is_variant_shaped(group: &Type) -> bool {
    let (mut metadata, mut value) = (false, false);
    for field in group.get_fields() {
        match field.name() {
            "metadata" if is_binary(field) => metadata = true,
            "value" if is_binary(field) => value = true,
            "typed_value" => value = true,
            _ => return false,
        }
    }
    metadata && value
}

/// Tells whether a field is a binary column without annotation.
pub(crate) fn is_binary(field: &Type) -> bool {
    let info = field.get_basic_info();
    field.is_primitive()
        && field.get_physical_type() == Physical::BYTE_ARRAY
        && info.logical_type_ref().is_none()
        && info.converted_type() == ConvertedType::NONE
        && !is_repeated(field)
}

fn list(list: &Type) -> Result<Group<'_>, Refusal> {
    let malformed = |cause: &str| Err(Refusal::Malformed(format!("list {cause}")));
    let [repeated] = list.get_fields() else {
        return malformed("without a single field");
    };
    if !is_repeated(repeated) {
        return malformed("without a repeated field");
    }
    if is_repeated(list) {
        return malformed("that is repeated itself");
    }
    if repeated.is_primitive() {
        return Ok(Group::List(Element::Repeated(repeated)));
    }
    Ok(Group::List(match repeated.get_fields() {
        [inner] if !is_old_element(list, repeated, inner) => Element::Inner(inner),
        _ => Element::Repeated(repeated),
    }))
}

/// Tells whether a repeated group of one field is itself the element, by its name.
fn is_old_element(list: &Type, repeated: &Type, inner: &Type) -> bool {
    let named_as_element = repeated.name() == "array"
        || repeated
            .name()
            .strip_suffix("_tuple")
            .is_some_and(|name| name == list.name());
    let annotated_list = repeated.get_basic_info().converted_type() == ConvertedType::LIST;
    named_as_element && !annotated_list && !is_repeated(inner)
}

fn map(map: &Type) -> Result<Group<'_>, Refusal> {
    let malformed = |cause: &str| Err(Refusal::Malformed(format!("map {cause}")));
    let [entries] = map.get_fields() else {
        return malformed("without a single field");
    };
    if !is_repeated(entries) || entries.is_primitive() {
        return malformed("without a repeated group");
    }
    if is_repeated(map) {
        return malformed("that is repeated itself");
    }
    match entries.get_fields() {
        [key] if is_repeated(key) => malformed("with repeated keys"),
        // A map without values is the list of its keys.
        [_] => list(map),
        [key, value] if !is_repeated(key) && !is_repeated(value) => Ok(Group::Map(key, value)),
        _ => malformed("without a key and a value"),
    }
}
