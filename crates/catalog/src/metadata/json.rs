//! Members of JSON objects, with their types checked. A member that is null counts as absent.

use serde_json::{Map, Value};

use crate::error::Fault;

pub(crate) type Object = Map<String, Value>;

/// Returns a member that is there and is not null.
pub(crate) fn member<'a>(object: &'a Object, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

pub(crate) fn object<'a>(value: &'a Value, what: &str) -> Result<&'a Object, Fault> {
    value.as_object().ok_or_else(|| wrong(what, "an object"))
}

pub(crate) fn array<'a>(object: &'a Object, name: &str) -> Result<&'a [Value], Fault> {
    match member(object, name) {
        None => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(wrong(name, "an array")),
    }
}

pub(crate) fn text<'a>(object: &'a Object, name: &str) -> Result<Option<&'a str>, Fault> {
    match member(object, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(name, "text")),
    }
}

pub(crate) fn long(object: &Object, name: &str) -> Result<Option<i64>, Fault> {
    match member(object, name) {
        None => Ok(None),
        Some(value) => match value.as_i64() {
            Some(number) => Ok(Some(number)),
            None => Err(wrong(name, "an integer of 64 bits")),
        },
    }
}

pub(crate) fn int(object: &Object, name: &str) -> Result<Option<i32>, Fault> {
    match long(object, name)? {
        None => Ok(None),
        Some(number) => i32::try_from(number)
            .map(Some)
            .map_err(|_| wrong(name, "an integer of 32 bits")),
    }
}

pub(crate) fn flag(object: &Object, name: &str) -> Result<Option<bool>, Fault> {
    match member(object, name) {
        None => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(wrong(name, "true or false")),
    }
}

pub(crate) fn required<T>(found: Option<T>, name: &str) -> Result<T, Fault> {
    found.ok_or_else(|| Fault::corrupt(format!("missing member name={name}")))
}

fn wrong(name: &str, expected: &str) -> Fault {
    Fault::corrupt(format!("member is not {expected} name={name}"))
}
