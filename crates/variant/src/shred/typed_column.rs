//! A typed leaf while it is written: which values belong there, and their column.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, FixedSizeBinaryBuilder, PrimitiveBuilder, StringBuilder,
};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType as ArrowType;
use growler_schema::TimeUnit;

use super::layout::ScalarType;
use crate::value::TimestampUnit;
use crate::{Error, Node};

/// Bytes of a UUID.
const UUID_LEN: i32 = 16;

/// A column of one scalar type that grows.
///
/// A value goes there only if it reads back the same in every respect that a user can see: integers
/// of any width that fit, decimals of the same scale, everything else of the very same type.
#[derive(Debug)]
pub(super) struct TypedColumn {
    scalar: ScalarType,
    builder: Builder,
    /// Bytes of text so far; offsets of 32 bits bound them.
    len_bytes: usize,
}

#[derive(Debug)]
enum Builder {
    Boolean(BooleanBuilder),
    Int8(PrimitiveBuilder<Int8Type>),
    Int16(PrimitiveBuilder<Int16Type>),
    Int32(PrimitiveBuilder<Int32Type>),
    Int64(PrimitiveBuilder<Int64Type>),
    Float(PrimitiveBuilder<Float32Type>),
    Double(PrimitiveBuilder<Float64Type>),
    Decimal(PrimitiveBuilder<Decimal128Type>),
    Date(PrimitiveBuilder<Date32Type>),
    Time(PrimitiveBuilder<Time64MicrosecondType>),
    Micros(PrimitiveBuilder<TimestampMicrosecondType>),
    Nanos(PrimitiveBuilder<TimestampNanosecondType>),
    Binary(BinaryBuilder),
    String(StringBuilder),
    Uuid(FixedSizeBinaryBuilder),
}

impl TypedColumn {
    pub(super) fn new(scalar: ScalarType) -> Self {
        let builder = match scalar {
            ScalarType::Boolean => Builder::Boolean(BooleanBuilder::new()),
            ScalarType::Int8 => Builder::Int8(PrimitiveBuilder::new()),
            ScalarType::Int16 => Builder::Int16(PrimitiveBuilder::new()),
            ScalarType::Int32 => Builder::Int32(PrimitiveBuilder::new()),
            ScalarType::Int64 => Builder::Int64(PrimitiveBuilder::new()),
            ScalarType::Float => Builder::Float(PrimitiveBuilder::new()),
            ScalarType::Double => Builder::Double(PrimitiveBuilder::new()),
            ScalarType::Decimal { .. } => Builder::Decimal(of_type(arrow_type(scalar))),
            ScalarType::Date => Builder::Date(PrimitiveBuilder::new()),
            ScalarType::Time => Builder::Time(PrimitiveBuilder::new()),
            ScalarType::Timestamp {
                unit: TimeUnit::Nanos,
                ..
            } => Builder::Nanos(of_type(arrow_type(scalar))),
            ScalarType::Timestamp { .. } => Builder::Micros(of_type(arrow_type(scalar))),
            ScalarType::Binary => Builder::Binary(BinaryBuilder::new()),
            ScalarType::String => Builder::String(StringBuilder::new()),
            ScalarType::Uuid => Builder::Uuid(FixedSizeBinaryBuilder::new(UUID_LEN)),
        };
        Self {
            scalar,
            builder,
            len_bytes: 0,
        }
    }

    /// Appends the value if it belongs here, else a null; tells which.
    ///
    /// # Errors
    /// `LimitExceeded` when the column is full.
    pub(super) fn push(&mut self, node: &Node<'_>) -> Result<bool, Error> {
        let scalar = self.scalar;
        Ok(match (&mut self.builder, node) {
            (Builder::Boolean(out), Node::Boolean(value)) => {
                out.append_value(*value);
                true
            }
            (Builder::Int8(out), node) => put(out, integer(node)),
            (Builder::Int16(out), node) => put(out, integer(node)),
            (Builder::Int32(out), node) => put(out, integer(node)),
            (Builder::Int64(out), node) => put(out, integer(node)),
            (Builder::Float(out), Node::Float(value)) => put(out, Some(*value)),
            (Builder::Double(out), Node::Double(value)) => put(out, Some(*value)),
            (Builder::Decimal(out), node) => put(out, decimal(node, scalar)),
            (Builder::Date(out), Node::Date(days)) => put(out, Some(*days)),
            (Builder::Time(out), Node::Time(micros)) => put(out, Some(*micros)),
            (Builder::Micros(out), node) => put(out, timestamp(node, scalar)),
            (Builder::Nanos(out), node) => put(out, timestamp(node, scalar)),
            (Builder::Binary(out), Node::Binary(bytes)) => {
                self.len_bytes = grown(self.len_bytes, bytes.len())?;
                out.append_value(bytes);
                true
            }
            (Builder::String(out), Node::String(text)) => {
                self.len_bytes = grown(self.len_bytes, text.len())?;
                out.append_value(text);
                true
            }
            (Builder::Uuid(out), Node::Uuid(uuid)) => out.append_value(uuid).is_ok(),
            _ => {
                self.push_null();
                false
            }
        })
    }

    /// Appends a null.
    pub(super) fn push_null(&mut self) {
        match &mut self.builder {
            Builder::Boolean(out) => out.append_null(),
            Builder::Int8(out) => out.append_null(),
            Builder::Int16(out) => out.append_null(),
            Builder::Int32(out) => out.append_null(),
            Builder::Int64(out) => out.append_null(),
            Builder::Float(out) => out.append_null(),
            Builder::Double(out) => out.append_null(),
            Builder::Decimal(out) => out.append_null(),
            Builder::Date(out) => out.append_null(),
            Builder::Time(out) => out.append_null(),
            Builder::Micros(out) => out.append_null(),
            Builder::Nanos(out) => out.append_null(),
            Builder::Binary(out) => out.append_null(),
            Builder::String(out) => out.append_null(),
            Builder::Uuid(out) => out.append_null(),
        }
    }

    pub(super) fn finish(self) -> ArrayRef {
        match self.builder {
            Builder::Boolean(mut out) => done(out.finish()),
            Builder::Int8(mut out) => done(out.finish()),
            Builder::Int16(mut out) => done(out.finish()),
            Builder::Int32(mut out) => done(out.finish()),
            Builder::Int64(mut out) => done(out.finish()),
            Builder::Float(mut out) => done(out.finish()),
            Builder::Double(mut out) => done(out.finish()),
            Builder::Decimal(mut out) => done(out.finish()),
            Builder::Date(mut out) => done(out.finish()),
            Builder::Time(mut out) => done(out.finish()),
            Builder::Micros(mut out) => done(out.finish()),
            Builder::Nanos(mut out) => done(out.finish()),
            Builder::Binary(mut out) => done(out.finish()),
            Builder::String(mut out) => done(out.finish()),
            Builder::Uuid(mut out) => done(out.finish()),
        }
    }
}

/// Returns the Arrow type from which a Parquet column of that scalar type is written.
fn arrow_type(scalar: ScalarType) -> ArrowType {
    match scalar {
        ScalarType::Decimal { precision, scale } => {
            ArrowType::Decimal128(precision, i8::try_from(scale).unwrap_or(i8::MAX))
        }
        ScalarType::Timestamp { unit, utc } => {
            ArrowType::Timestamp(unit.arrow_unit(), utc.then(|| "UTC".into()))
        }
        _ => ArrowType::Null,
    }
}

fn of_type<T: ArrowPrimitiveType>(data_type: ArrowType) -> PrimitiveBuilder<T> {
    PrimitiveBuilder::new().with_data_type(data_type)
}

fn done(array: impl Array + 'static) -> ArrayRef {
    Arc::new(array)
}

fn put<T: ArrowPrimitiveType>(out: &mut PrimitiveBuilder<T>, value: Option<T::Native>) -> bool {
    out.append_option(value);
    value.is_some()
}

fn integer<T: TryFrom<i64>>(node: &Node<'_>) -> Option<T> {
    let value = match *node {
        Node::Int8(value) => value.into(),
        Node::Int16(value) => value.into(),
        Node::Int32(value) => value.into(),
        Node::Int64(value) => value,
        _ => return None,
    };
    T::try_from(value).ok()
}

fn decimal(node: &Node<'_>, column: ScalarType) -> Option<i128> {
    match (node, column) {
        (
            Node::Decimal {
                unscaled, scale, ..
            },
            ScalarType::Decimal {
                precision,
                scale: of_column,
            },
        ) if *scale == of_column => {
            let limit = 10_u128.checked_pow(u32::from(precision))?;
            Some(*unscaled).filter(|unscaled| unscaled.unsigned_abs() < limit)
        }
        _ => None,
    }
}

fn timestamp(node: &Node<'_>, column: ScalarType) -> Option<i64> {
    match (node, column) {
        (
            Node::Timestamp { value, unit, utc },
            ScalarType::Timestamp {
                unit: of_column,
                utc: is_utc,
            },
        ) => {
            let is_nanos = *unit == TimestampUnit::Nanos;
            let is_same = *utc == is_utc && is_nanos == (of_column == TimeUnit::Nanos);
            is_same.then_some(*value)
        }
        _ => None,
    }
}

fn grown(len_bytes: usize, by: usize) -> Result<usize, Error> {
    let len_bytes = len_bytes.saturating_add(by);
    match i32::try_from(len_bytes) {
        Ok(_) => Ok(len_bytes),
        Err(_) => Err(Error::ColumnLength {
            limit_bytes: crate::bytes::index(i32::MAX.unsigned_abs()),
        }),
    }
}
