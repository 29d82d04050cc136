//! What one row is, by the rules of shredding (VariantShredding.md) alone.

use growler_variant::shred::{Group, Typed};

use super::cell::{Cell, Row, TypedCell};
use crate::plain::{Plain, decode};

/// What a row is.
#[derive(Debug, Clone)]
pub(super) enum Expected {
    /// SQL NULL.
    Null,
    /// A value, or none: then the root is missing, which reads as null.
    Value(Option<Plain>),
    /// Some part of it is malformed, or two parts contradict each other.
    Broken,
}

pub(super) fn row(root: &Group, row: &Row) -> Expected {
    if !row.cell.present {
        return Expected::Null;
    }
    let names = row.metadata.as_deref();
    match whole(root, &row.cell, names) {
        Ok(value) => Expected::Value(value),
        Err(Broken) => Expected::Broken,
    }
}

struct Broken;

fn whole(group: &Group, cell: &Cell, names: Option<&[u8]>) -> Result<Option<Plain>, Broken> {
    let residual = cell
        .value
        .as_deref()
        .map(|value| read(names, value))
        .transpose()?;
    match (residual, &cell.typed) {
        (residual, None) => Ok(residual),
        (residual, Some(TypedCell::Object(cells))) => {
            let beside = match residual {
                None => Vec::new(),
                Some(Plain::Object(fields)) => fields,
                Some(_) => return Err(Broken),
            };
            object(group, cells, beside, names).map(Some)
        }
        (Some(_), Some(_)) => Err(Broken),
        (None, Some(TypedCell::Scalar(_, plain))) => plain.clone().map(Some).ok_or(Broken),
        (None, Some(TypedCell::List(cells))) => list(group, cells, names).map(Some),
    }
}

fn read(names: Option<&[u8]>, value: &[u8]) -> Result<Plain, Broken> {
    decode(names.ok_or(Broken)?, value).map_err(|_| Broken)
}

/// A shredded name hides the same name in the residual, be it missing.
fn object(
    group: &Group,
    cells: &[Cell],
    beside: Vec<(String, Plain)>,
    names: Option<&[u8]>,
) -> Result<Plain, Broken> {
    let Some(Typed::Object(shredded)) = &group.typed else {
        return Err(Broken);
    };
    let is_open = |name: &str| shredded.iter().all(|field| field.name != name);
    let mut fields: Vec<_> = beside
        .into_iter()
        .filter(|(name, _)| is_open(name))
        .collect();
    for (field, cell) in shredded.iter().zip(cells) {
        if let Some(value) = whole(&field.group, cell, names)? {
            fields.push((field.name.clone(), value));
        }
    }
    fields.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
    Ok(Plain::Object(fields))
}

/// An element that is missing is null.
fn list(group: &Group, cells: &[Cell], names: Option<&[u8]>) -> Result<Plain, Broken> {
    let Some(Typed::List(element)) = &group.typed else {
        return Err(Broken);
    };
    let elements = cells.iter().map(|cell| whole(element, cell, names));
    let elements = elements.map(|element| Ok(element?.unwrap_or(Plain::Null)));
    elements.collect::<Result<_, _>>().map(Plain::List)
}
