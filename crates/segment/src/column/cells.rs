//! Single values of a primitive array as text.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, Float32Array, Float64Array,
    Int32Array, Int64Array, StringViewArray,
};
use arrow_schema::DataType as ArrowType;
use growler_schema::{DataType, SourceType, TimeUnit};
use growler_variant::Node;
use growler_variant::text::{write_json_scalar, write_scalar, write_time};
use growler_variant::value::TimestampUnit;

use super::{Refused, plain};

/// Values of one leaf, ready to be written.
pub(crate) struct Cells {
    array: ArrayRef,
    values: Values,
}

enum Values {
    Boolean(BooleanArray),
    Int(Int32Array),
    Long(Int64Array),
    Float(Float32Array),
    Double(Float64Array),
    Decimal(Decimal128Array, u8),
    Date(Int64Array),
    /// In this many microseconds each; nanoseconds have none.
    Time(Int64Array, TimeUnit),
    Timestamp(Int64Array, TimeUnit, bool),
    Text(StringViewArray),
    Bytes(BinaryViewArray),
}

impl Cells {
    /// Looks at an array of a leaf, as the reader returns it or already in its column type.
    pub(crate) fn try_new(source: &SourceType, array: &ArrayRef) -> Result<Self, Refused> {
        let array = plain::canonical(source, array)?;
        let long = || plain::cast(&array, &ArrowType::Int64);
        let values = match (plain::own_type(source)?, source) {
            (_, SourceType::Date) => Values::Date(long()?.as_primitive::<Int64Type>().clone()),
            (_, SourceType::Time { unit }) => {
                Values::Time(long()?.as_primitive::<Int64Type>().clone(), *unit)
            }
            (DataType::Timestamp { unit }, source) => {
                let utc = !matches!(source, SourceType::Timestamp { utc: false, .. });
                Values::Timestamp(long()?.as_primitive::<Int64Type>().clone(), unit, utc)
            }
            (DataType::Boolean, _) => Values::Boolean(array.as_boolean().clone()),
            (DataType::Int, _) => Values::Int(array.as_primitive::<Int32Type>().clone()),
            (DataType::Long, _) => Values::Long(array.as_primitive::<Int64Type>().clone()),
            (DataType::Float, _) => Values::Float(array.as_primitive::<Float32Type>().clone()),
            (DataType::Double, _) => Values::Double(array.as_primitive::<Float64Type>().clone()),
            (DataType::BigDecimal { scale }, _) => {
                let scale = u8::try_from(scale).unwrap_or(0);
                Values::Decimal(array.as_primitive::<Decimal128Type>().clone(), scale)
            }
            (DataType::Bytes, _) => Values::Bytes(array.as_binary_view().clone()),
            _ => {
                let texts = plain::cast(&array, &ArrowType::Utf8View)?;
                Values::Text(texts.as_string_view().clone())
            }
        };
        Ok(Self { array, values })
    }

    /// Tells whether a row is null.
    pub(crate) fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row)
    }

    /// Appends the JSON text of a value that is not null.
    pub(crate) fn write_json(&self, row: usize, out: &mut Vec<u8>) {
        match self.node(row) {
            Some(node) => {
                write_json_scalar(&node, out);
            }
            None => {
                out.push(b'"');
                self.write_fine_time(row, out);
                out.push(b'"');
            }
        }
    }

    /// Returns the plain text of every row.
    pub(crate) fn texts(&self) -> Result<ArrayRef, Refused> {
        let mut texts = StringViewBuilder::with_capacity(self.array.len());
        let mut text = Vec::new();
        for row in 0..self.array.len() {
            if self.is_null(row) {
                texts.append_null();
                continue;
            }
            text.clear();
            match self.node(row) {
                Some(node) => {
                    write_scalar(&node, &mut text);
                }
                None => self.write_fine_time(row, &mut text),
            }
            let text = std::str::from_utf8(&text);
            texts.append_value(text.map_err(|error| Refused::Internal(error.to_string()))?);
        }
        Ok(Arc::new(texts.finish()))
    }

    /// Returns the value; none for a time of day finer than microseconds.
    fn node(&self, row: usize) -> Option<Node<'_>> {
        Some(match &self.values {
            Values::Boolean(values) => Node::Boolean(values.value(row)),
            Values::Int(values) => Node::Int32(values.value(row)),
            Values::Long(values) => Node::Int64(values.value(row)),
            Values::Float(values) => Node::Float(values.value(row)),
            Values::Double(values) => Node::Double(values.value(row)),
            Values::Decimal(values, scale) => Node::Decimal {
                unscaled: values.value(row),
                scale: *scale,
                width: 16,
            },
            Values::Date(values) => match i32::try_from(values.value(row)) {
                Ok(days) => Node::Date(days),
                Err(_) => Node::Int64(values.value(row)),
            },
            Values::Time(values, unit) => match unit {
                TimeUnit::Millis => Node::Time(values.value(row).saturating_mul(1_000)),
                TimeUnit::Micros => Node::Time(values.value(row)),
                TimeUnit::Nanos => return None,
            },
            Values::Timestamp(values, unit, utc) => {
                let value = values.value(row);
                let (value, unit) = match unit {
                    TimeUnit::Millis => (value.saturating_mul(1_000), TimestampUnit::Micros),
                    TimeUnit::Micros => (value, TimestampUnit::Micros),
                    TimeUnit::Nanos => (value, TimestampUnit::Nanos),
                };
                Node::Timestamp {
                    value,
                    unit,
                    utc: *utc,
                }
            }
            Values::Text(values) => Node::String(values.value(row)),
            Values::Bytes(values) => Node::Binary(values.value(row)),
        })
    }

    /// Appends a time of day with nine digits of fraction.
    fn write_fine_time(&self, row: usize, out: &mut Vec<u8>) {
        let Values::Time(values, _) = &self.values else {
            return;
        };
        let nanos = values.value(row);
        write_time(nanos.div_euclid(1_000), out);
        out.extend_from_slice(format!("{:03}", nanos.rem_euclid(1_000)).as_bytes());
    }
}
