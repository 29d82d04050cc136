//! Rows of a layout, drawn from the input.

use growler_variant::shred::{Group, ScalarType, Typed};

use super::encode;
use crate::draw::Draw;
use crate::plain::Plain;

/// What one group holds in one row.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pub(super) present: bool,
    pub(super) value: Option<Vec<u8>>,
    pub(super) typed: Option<TypedCell>,
}

/// What a typed part holds.
#[derive(Debug, Clone)]
pub(super) enum TypedCell {
    /// Bits of the leaf's value, and what it stands for; `None` when the value is outside its type.
    Scalar(Raw, Option<Plain>),
    /// A cell for each field of the layout.
    Object(Vec<Cell>),
    List(Vec<Cell>),
}

/// A value as its leaf holds it.
#[derive(Debug, Clone)]
pub(super) enum Raw {
    Boolean(bool),
    Integer(i64),
    Float(f32),
    Double(f64),
    Decimal(i128),
    Text(String),
    Bytes(Vec<u8>),
}

/// One row of the column.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) metadata: Option<Vec<u8>>,
    pub(super) cell: Cell,
}

pub(super) fn row(root: &Group, draw: &mut Draw<'_>) -> Row {
    Row {
        metadata: encode::metadata(draw),
        cell: cell(root, draw),
    }
}

fn cell(group: &Group, draw: &mut Draw<'_>) -> Cell {
    // Most groups are there; most hold one part, the typed one more often than not.
    let choice = draw.byte();
    if choice & 7 == 7 {
        return Cell::default();
    }
    let wants_both = choice & 0x18 == 0x18;
    let wants_typed = choice & 0x20 == 0 || wants_both;
    let typed = match &group.typed {
        Some(typed) if wants_typed => typed_cell(typed, draw),
        _ => None,
    };
    let wants_value = typed.is_none() || wants_both;
    let value = (group.value.is_some() && wants_value && choice & 0x40 == 0)
        .then(|| encode::value(draw, typed.is_some()));
    Cell {
        present: true,
        value,
        typed,
    }
}

fn typed_cell(typed: &Typed, draw: &mut Draw<'_>) -> Option<TypedCell> {
    Some(match typed {
        Typed::Scalar { scalar, .. } => {
            let raw = raw(*scalar, draw);
            let plain = plain(*scalar, &raw);
            TypedCell::Scalar(raw, plain)
        }
        Typed::Object(fields) => TypedCell::Object(
            fields
                .iter()
                .map(|field| cell(&field.group, draw))
                .collect(),
        ),
        Typed::List(element) => {
            let len = draw.below(4);
            TypedCell::List((0..len).map(|_| cell(element, draw)).collect())
        }
    })
}

fn raw(scalar: ScalarType, draw: &mut Draw<'_>) -> Raw {
    use ScalarType as S;
    match scalar {
        S::Boolean => Raw::Boolean(draw.byte() & 1 == 1),
        S::Int8 => Raw::Integer(draw.byte().cast_signed().into()),
        S::Int16 => Raw::Integer(i16::from_le_bytes(draw.array()).into()),
        S::Int32 | S::Date => Raw::Integer(i32::from_le_bytes(draw.array()).into()),
        S::Int64 | S::Time | S::Timestamp { .. } => Raw::Integer(draw.long().cast_signed()),
        S::Float => Raw::Float(f32::from_le_bytes(draw.array())),
        S::Double => Raw::Double(f64::from_le_bytes(draw.array())),
        S::Decimal { precision, .. } => {
            let digits = 10_i128.pow(precision.min(37).into());
            Raw::Decimal(i128::from_le_bytes(draw.array()) % digits)
        }
        S::String => {
            let len = draw.below(20);
            Raw::Text(String::from_utf8_lossy(draw.take(len)).into_owned())
        }
        S::Binary | S::Uuid => {
            let len = draw.below(20);
            Raw::Bytes(draw.take(len).to_vec())
        }
    }
}

fn plain(scalar: ScalarType, raw: &Raw) -> Option<Plain> {
    use ScalarType as S;
    Some(match (scalar, raw) {
        (S::Time, Raw::Integer(value)) => (0..86_400_000_000)
            .contains(value)
            .then_some(Plain::Quoted)?,
        (S::Date | S::Timestamp { .. }, _) => Plain::Quoted,
        (S::Decimal { scale, .. }, Raw::Decimal(unscaled)) => Plain::Decimal {
            unscaled: *unscaled,
            scale,
        },
        (_, Raw::Boolean(value)) => Plain::Boolean(*value),
        (_, Raw::Integer(value)) => Plain::Integer(*value),
        (_, Raw::Float(value)) => Plain::Float(*value),
        (_, Raw::Double(value)) => Plain::Double(*value),
        (_, Raw::Text(value)) => Plain::Text(value.clone()),
        (_, Raw::Bytes(value)) => Plain::Bytes(value.clone()),
        (_, Raw::Decimal(_)) => return None,
    })
}
