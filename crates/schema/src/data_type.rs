//! The engine's data types: Pinot's, with the scale and unit that Parquet knows.

use arrow_schema::{DataType as ArrowType, Field as ArrowField, TimeUnit as ArrowUnit};
use std::sync::Arc;

/// Most digits a BIG_DECIMAL has (Arrow's 128-bit decimal).
pub const DECIMAL_PRECISION: u8 = 38;

/// Resolution of a TIMESTAMP column; the value is always UTC, counted from 1970.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum TimeUnit {
    /// Pinot's own resolution.
    Millis,
    /// Iceberg's.
    Micros,
    /// Finest; reaches from 1677 to 2262 only.
    Nanos,
}

/// Type of a single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataType {
    /// 32-bit signed integer.
    Int,
    /// 64-bit signed integer.
    Long,
    /// 32-bit IEEE 754.
    Float,
    /// 64-bit IEEE 754.
    Double,
    /// Decimal of up to 38 digits, of which `scale` stand behind the point.
    BigDecimal {
        /// Digits behind the point.
        scale: i8,
    },
    /// True or false.
    Boolean,
    /// Point in time, UTC.
    Timestamp {
        /// Resolution.
        unit: TimeUnit,
    },
    /// UTF-8 text.
    String,
    /// JSON text.
    Json,
    /// Bytes.
    Bytes,
    /// UUID, carried as its lower-case text.
    Uuid,
    /// Map with text keys, carried as JSON text.
    Map,
    /// VARIANT column; read by key, or whole as JSON text.
    OpenStruct,
}

/// Type of a column or expression: a data type, single or multi-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ColumnType {
    /// Type of each value.
    pub data_type: DataType,
    /// Whether a row holds a list of values.
    pub multi_value: bool,
}

impl DataType {
    /// Returns Pinot's name, as in schemas and in `columnDataTypes`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "INT",
            Self::Long => "LONG",
            Self::Float => "FLOAT",
            Self::Double => "DOUBLE",
            Self::BigDecimal { .. } => "BIG_DECIMAL",
            Self::Boolean => "BOOLEAN",
            Self::Timestamp { .. } => "TIMESTAMP",
            Self::String => "STRING",
            Self::Json => "JSON",
            Self::Bytes => "BYTES",
            Self::Uuid => "UUID",
            Self::Map => "MAP",
            Self::OpenStruct => "OPEN_STRUCT",
        }
    }

    /// Parses Pinot's name; BIG_DECIMAL gets scale 0 and TIMESTAMP milliseconds until the files of
    /// a table say more.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "INT" => Self::Int,
            "LONG" => Self::Long,
            "FLOAT" => Self::Float,
            "DOUBLE" => Self::Double,
            "BIG_DECIMAL" => Self::BigDecimal { scale: 0 },
            "BOOLEAN" => Self::Boolean,
            "TIMESTAMP" => Self::Timestamp {
                unit: TimeUnit::Millis,
            },
            "STRING" => Self::String,
            "JSON" => Self::Json,
            "BYTES" => Self::Bytes,
            "UUID" => Self::Uuid,
            "MAP" => Self::Map,
            "OPEN_STRUCT" => Self::OpenStruct,
            _ => return None,
        })
    }

    /// Tells whether values are numbers.
    pub fn is_numeric(self) -> bool {
        matches!(
            self,
            Self::Int | Self::Long | Self::Float | Self::Double | Self::BigDecimal { .. }
        )
    }

    /// Tells whether values are carried as UTF-8 text.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Self::String | Self::Json | Self::Uuid | Self::Map | Self::OpenStruct
        )
    }

    /// Returns the Arrow type that arrays of this type have between operators.
    ///
    /// Text may also come out of a segment as `Dictionary(Int32, Utf8)`, where the file has it so.
    pub fn arrow_type(self) -> ArrowType {
        match self {
            Self::Int => ArrowType::Int32,
            Self::Long => ArrowType::Int64,
            Self::Float => ArrowType::Float32,
            Self::Double => ArrowType::Float64,
            Self::BigDecimal { scale } => ArrowType::Decimal128(DECIMAL_PRECISION, scale),
            Self::Boolean => ArrowType::Boolean,
            Self::Timestamp { unit } => ArrowType::Timestamp(unit.arrow_unit(), None),
            Self::String | Self::Json | Self::Uuid | Self::Map | Self::OpenStruct => {
                ArrowType::Utf8View
            }
            Self::Bytes => ArrowType::BinaryView,
        }
    }

    /// Returns the single-value column type of this type.
    pub fn single(self) -> ColumnType {
        ColumnType {
            data_type: self,
            multi_value: false,
        }
    }

    /// Returns the multi-value column type of this type.
    pub fn multi(self) -> ColumnType {
        ColumnType {
            data_type: self,
            multi_value: true,
        }
    }
}

impl ColumnType {
    /// Returns the name in `columnDataTypes`: the type's, with `_ARRAY` for a multi-value one. A
    /// whole VARIANT document is `JSON`.
    pub fn name(self) -> String {
        let name = match self.data_type {
            DataType::OpenStruct => "JSON",
            other => other.name(),
        };
        if self.multi_value {
            format!("{name}_ARRAY")
        } else {
            name.to_owned()
        }
    }

    /// Returns the Arrow type of arrays of this type; a multi-value one is a list.
    pub fn arrow_type(self) -> ArrowType {
        let item = self.data_type.arrow_type();
        if self.multi_value {
            ArrowType::List(Arc::new(ArrowField::new_list_field(item, true)))
        } else {
            item
        }
    }
}

impl TimeUnit {
    /// Returns Arrow's unit.
    pub fn arrow_unit(self) -> ArrowUnit {
        match self {
            Self::Millis => ArrowUnit::Millisecond,
            Self::Micros => ArrowUnit::Microsecond,
            Self::Nanos => ArrowUnit::Nanosecond,
        }
    }

    /// Returns how many of this unit make a second.
    pub fn per_second(self) -> i64 {
        match self {
            Self::Millis => 1_000,
            Self::Micros => 1_000_000,
            Self::Nanos => 1_000_000_000,
        }
    }

    /// Returns the unit's name in Pinot's date-time formats.
    pub fn pinot_name(self) -> &'static str {
        match self {
            Self::Millis => "MILLISECONDS",
            Self::Micros => "MICROSECONDS",
            Self::Nanos => "NANOSECONDS",
        }
    }
}
