//! A typed leaf as variant values.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, BooleanArray, FixedSizeBinaryArray};
use arrow_schema::{DataType as ArrowType, TimeUnit as ArrowUnit};
use growler_schema::TimeUnit;

use super::ScalarType;
use super::arrays::{BytesArray, unexpected};
use super::rows::Rows;
use super::tally::Tally;
use super::text_array::TextArray;
use crate::value::TimestampUnit;
use crate::{Error, Node};

/// Microseconds of a day.
const DAY_MICROS: i64 = 86_400_000_000;

/// The values of a typed leaf; their validity stays with the array.
#[derive(Debug, Clone)]
pub(super) enum LeafArray<'a> {
    Boolean(&'a BooleanArray),
    Int8(&'a [i8]),
    Int16(&'a [i16]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    Float(&'a [f32]),
    Double(&'a [f64]),
    Decimal {
        unscaled: Cow<'a, [i128]>,
        scale: u8,
        width: u8,
    },
    Date(&'a [i32]),
    Time(&'a [i64]),
    Timestamp {
        values: &'a [i64],
        unit: TimestampUnit,
        utc: bool,
    },
    Binary(BytesArray<'a>),
    String(TextArray<'a>),
    Uuid(&'a FixedSizeBinaryArray),
}

impl<'a> LeafArray<'a> {
    /// Looks at an array as the values of a leaf.
    pub(super) fn try_new(array: &'a ArrayRef, scalar: ScalarType) -> Result<Self, Error> {
        let found = match scalar {
            ScalarType::Boolean => array.as_boolean_opt().map(Self::Boolean),
            ScalarType::Int8 | ScalarType::Int16 | ScalarType::Int32 | ScalarType::Int64 => {
                integers(array)
            }
            ScalarType::Float => slice::<Float32Type>(array).map(Self::Float),
            ScalarType::Double => slice::<Float64Type>(array).map(Self::Double),
            ScalarType::Decimal { precision, scale } => decimals(array, precision, scale),
            ScalarType::Date => slice::<Date32Type>(array).map(Self::Date),
            ScalarType::Time => slice::<Time64MicrosecondType>(array).map(Self::Time),
            ScalarType::Timestamp { unit, utc } => timestamps(array, unit, utc),
            ScalarType::Binary => BytesArray::try_new(array).ok().map(Self::Binary),
            ScalarType::String => TextArray::try_new(array).map(Self::String),
            ScalarType::Uuid => {
                let is_uuid = *array.data_type() == ArrowType::FixedSizeBinary(16);
                array
                    .as_fixed_size_binary_opt()
                    .filter(|_| is_uuid)
                    .map(Self::Uuid)
            }
        };
        found.ok_or_else(|| unexpected(scalar.name(), array.data_type()))
    }

    /// Returns the value of a row that is not null.
    #[inline]
    pub(super) fn node(&self, row: usize) -> Result<Node<'a>, Error> {
        let node = match self {
            Self::Boolean(array) => Some(Node::Boolean(array.value(row))),
            Self::Int8(values) => values.get(row).copied().map(Node::Int8),
            Self::Int16(values) => values.get(row).copied().map(Node::Int16),
            Self::Int32(values) => values.get(row).copied().map(Node::Int32),
            Self::Int64(values) => values.get(row).copied().map(Node::Int64),
            Self::Float(values) => values.get(row).copied().map(Node::Float),
            Self::Double(values) => values.get(row).copied().map(Node::Double),
            Self::Decimal {
                unscaled,
                scale,
                width,
            } => unscaled.get(row).map(|value| Node::Decimal {
                unscaled: *value,
                scale: *scale,
                width: *width,
            }),
            Self::Date(values) => values.get(row).copied().map(Node::Date),
            Self::Time(values) => match values.get(row) {
                Some(time) if !(0..DAY_MICROS).contains(time) => {
                    return Err(Error::OutOfType { type_name: "time" });
                }
                time => time.copied().map(Node::Time),
            },
            Self::Timestamp { values, unit, utc } => values.get(row).map(|value| Node::Timestamp {
                value: *value,
                unit: *unit,
                utc: *utc,
            }),
            Self::Binary(bytes) => Some(Node::Binary(bytes.value(row))),
            Self::String(texts) => Some(Node::String(texts.value(row))),
            Self::Uuid(array) => array.value(row).try_into().ok().map(Node::Uuid),
        };
        node.ok_or(Error::Truncated {
            part: "typed value",
        })
    }

    /// Calls `f` with the value of each of the rows, none of which is null.
    ///
    /// The match is outside of the loop, so that each type has a loop of its own.
    #[inline]
    pub(super) fn for_each(
        &self,
        rows: &Rows,
        tally: &mut Tally,
        mut f: impl FnMut(usize, &Node<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self {
            Self::Int8(values) => each(values, rows, Node::Int8, f),
            Self::Int16(values) => each(values, rows, Node::Int16, f),
            Self::Int32(values) => each(values, rows, Node::Int32, f),
            Self::Int64(values) => each(values, rows, Node::Int64, f),
            Self::Float(values) => each(values, rows, Node::Float, f),
            Self::Double(values) => each(values, rows, Node::Double, f),
            Self::Decimal {
                unscaled,
                scale,
                width,
            } => {
                let (scale, width) = (*scale, *width);
                each(
                    unscaled,
                    rows,
                    |unscaled| Node::Decimal {
                        unscaled,
                        scale,
                        width,
                    },
                    f,
                )
            }
            Self::Timestamp { values, unit, utc } => {
                let (unit, utc) = (*unit, *utc);
                each(
                    values,
                    rows,
                    |value| Node::Timestamp { value, unit, utc },
                    f,
                )
            }
            _ => rows.try_for_each(|row| {
                let node = self.node(row);
                tally.absorb(row, node.and_then(|node| f(row, &node)))
            }),
        }
    }
}

#[inline]
fn each<'a, T: Copy>(
    values: &[T],
    rows: &Rows,
    node: impl Fn(T) -> Node<'a>,
    mut f: impl FnMut(usize, &Node<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    rows.try_for_each(|row| match values.get(row) {
        Some(value) => f(row, &node(*value)),
        None => Ok(()),
    })
}

fn slice<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<&[T::Native]> {
    array
        .as_primitive_opt::<T>()
        .map(|array| &array.values()[..])
}

/// A reader may widen the integers that Parquet stores in 32 bits; their class is the same.
fn integers(array: &ArrayRef) -> Option<LeafArray<'_>> {
    match array.data_type() {
        ArrowType::Int8 => slice::<Int8Type>(array).map(LeafArray::Int8),
        ArrowType::Int16 => slice::<Int16Type>(array).map(LeafArray::Int16),
        ArrowType::Int32 => slice::<Int32Type>(array).map(LeafArray::Int32),
        ArrowType::Int64 => slice::<Int64Type>(array).map(LeafArray::Int64),
        _ => None,
    }
}

fn decimals(array: &ArrayRef, precision: u8, scale: u8) -> Option<LeafArray<'_>> {
    let unscaled = match array.data_type() {
        ArrowType::Decimal32(..) => widened::<Decimal32Type>(array)?,
        ArrowType::Decimal64(..) => widened::<Decimal64Type>(array)?,
        _ => Cow::Borrowed(slice::<Decimal128Type>(array)?),
    };
    let width = match precision {
        0..=9 => 4,
        10..=18 => 8,
        _ => 16,
    };
    Some(LeafArray::Decimal {
        unscaled,
        scale,
        width,
    })
}

fn widened<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<Cow<'_, [i128]>>
where
    i128: From<T::Native>,
{
    Some(Cow::Owned(
        slice::<T>(array)?.iter().copied().map(i128::from).collect(),
    ))
}

fn timestamps(array: &ArrayRef, unit: TimeUnit, utc: bool) -> Option<LeafArray<'_>> {
    let (values, unit) = match (array.data_type(), unit) {
        (ArrowType::Timestamp(ArrowUnit::Microsecond, _), TimeUnit::Micros) => (
            slice::<TimestampMicrosecondType>(array)?,
            TimestampUnit::Micros,
        ),
        (ArrowType::Timestamp(ArrowUnit::Nanosecond, _), TimeUnit::Nanos) => (
            slice::<TimestampNanosecondType>(array)?,
            TimestampUnit::Nanos,
        ),
        _ => return None,
    };
    Some(LeafArray::Timestamp { values, unit, utc })
}
