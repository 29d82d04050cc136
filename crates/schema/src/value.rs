//! One value outside an array: a literal, or a column's default null value.

use crate::{DataType, TimeUnit};

/// A typed value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// INT.
    Int(i32),
    /// LONG.
    Long(i64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// BIG_DECIMAL: unscaled value and digits behind the point.
    BigDecimal(i128, i8),
    /// BOOLEAN.
    Boolean(bool),
    /// TIMESTAMP: count of units since 1970, UTC.
    Timestamp(i64, TimeUnit),
    /// STRING, JSON, UUID, MAP or OPEN_STRUCT text.
    String(String),
    /// BYTES.
    Bytes(Vec<u8>),
}

impl Value {
    /// Returns the value that stands for null in a dimension of this type when null handling is
    /// off (Pinot's `FieldSpec` defaults).
    pub fn default_null(data_type: DataType) -> Self {
        match data_type {
            DataType::Int => Self::Int(i32::MIN),
            DataType::Long => Self::Long(i64::MIN),
            DataType::Float => Self::Float(f32::NEG_INFINITY),
            DataType::Double => Self::Double(f64::NEG_INFINITY),
            DataType::BigDecimal { scale } => Self::BigDecimal(0, scale),
            DataType::Boolean => Self::Boolean(false),
            DataType::Timestamp { unit } => Self::Timestamp(0, unit),
            DataType::String | DataType::Json => Self::String("null".to_owned()),
            DataType::Bytes => Self::Bytes(Vec::new()),
            DataType::Uuid => Self::String("00000000-0000-0000-0000-000000000000".to_owned()),
            DataType::Map | DataType::OpenStruct => Self::String("{}".to_owned()),
        }
    }
}
