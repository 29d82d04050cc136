//! From the engine's values to a column's, and back.

use growler_schema::{TimeUnit, Value};

use super::Datum;
use crate::metadata::PrimitiveType;
use crate::metadata::default::uuid;

impl Datum {
    /// Turns a literal of a query into a value of a column's type; none when the type does not hold
    /// exactly it.
    pub fn from_value(value: &Value, primitive: &PrimitiveType) -> Option<Self> {
        match (value, primitive) {
            (Value::String(text), PrimitiveType::Uuid) => uuid(text).map(Self::Uuid),
            _ => Self::from_engine(value)?.cast(primitive),
        }
    }

    /// Turns a literal of a query into the value that is closest to it in kind; none when 64 bits of
    /// microseconds do not hold it.
    pub fn from_engine(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Int(value) => Self::Int(*value),
            Value::Long(value) => Self::Long(*value),
            Value::Float(value) => Self::Float(*value),
            Value::Double(value) => Self::Double(*value),
            Value::BigDecimal(unscaled, scale) => Self::Decimal {
                unscaled: *unscaled,
                scale: u32::try_from(*scale).ok()?,
            },
            Value::Boolean(flag) => Self::Boolean(*flag),
            Value::Timestamp(millis, TimeUnit::Millis) => {
                Self::Timestamp(millis.checked_mul(1000)?)
            }
            Value::Timestamp(micros, TimeUnit::Micros) => Self::Timestamp(*micros),
            Value::Timestamp(nanos, TimeUnit::Nanos) => Self::TimestampNs(*nanos),
            Value::String(text) => Self::String(text.as_str().into()),
            Value::Bytes(bytes) => Self::Binary(bytes.as_slice().into()),
        })
    }

    /// Returns the value that a query sees of a column that holds this one in every row.
    ///
    /// Dates are days and times are counts, as the engine has them; a UUID is its text.
    pub fn to_value(&self) -> Option<Value> {
        Some(match self {
            Self::Boolean(flag) => Value::Boolean(*flag),
            Self::Int(value) => Value::Int(*value),
            Self::Date(days) => Value::Long(i64::from(*days)),
            Self::Long(value) | Self::Time(value) => Value::Long(*value),
            Self::Float(value) => Value::Float(*value),
            Self::Double(value) => Value::Double(*value),
            Self::Decimal { unscaled, scale } => {
                Value::BigDecimal(*unscaled, i8::try_from(*scale).ok()?)
            }
            Self::Timestamp(micros) => Value::Timestamp(*micros, TimeUnit::Micros),
            Self::TimestampNs(nanos) => Value::Timestamp(*nanos, TimeUnit::Nanos),
            Self::String(text) => Value::String(text.to_string()),
            Self::Uuid(bytes) => Value::String(uuid_text(bytes)),
            Self::Binary(bytes) => Value::Bytes(bytes.to_vec()),
        })
    }
}

fn uuid_text(bytes: &[u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (position, byte) in bytes.iter().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_the_way_there_and_back() {
        let uuid_value = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
        let cases = [
            ("int", Value::Int(5), Some(Value::Int(5))),
            ("long", Value::Int(5), Some(Value::Long(5))),
            ("int", Value::Long(1 << 40), None),
            ("date", Value::Long(17_486), Some(Value::Long(17_486))),
            ("double", Value::Float(0.5), Some(Value::Double(0.5))),
            (
                "decimal(9,2)",
                Value::BigDecimal(15, 1),
                Some(Value::BigDecimal(150, 2)),
            ),
            (
                "timestamp",
                Value::Timestamp(3, TimeUnit::Millis),
                Some(Value::Timestamp(3000, TimeUnit::Micros)),
            ),
            (
                "timestamp",
                Value::Timestamp(i64::MAX, TimeUnit::Millis),
                None,
            ),
            (
                "uuid",
                Value::String(uuid_value.into()),
                Some(Value::String(uuid_value.into())),
            ),
            (
                "string",
                Value::String("x".into()),
                Some(Value::String("x".into())),
            ),
            ("binary", Value::Bytes(vec![1]), Some(Value::Bytes(vec![1]))),
        ];
        for (type_text, value, expected) in cases {
            let datum = Datum::from_value(&value, &PrimitiveType::parse(type_text));
            let back = datum.and_then(|datum| datum.to_value());
            assert_eq!(back, expected, "{type_text} {value:?}");
        }
    }
}
