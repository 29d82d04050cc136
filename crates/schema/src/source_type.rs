//! Types of Parquet and Iceberg columns, and the column types they map to.
//!
//! | source | column |
//! | - | - |
//! | BOOLEAN | BOOLEAN |
//! | INT(8/16/32), UINT(8/16) | INT |
//! | INT(64), UINT(32) | LONG |
//! | UINT(64) | BIG_DECIMAL of scale 0: the upper half never wraps into negative numbers |
//! | FLOAT16, FLOAT | FLOAT |
//! | DOUBLE | DOUBLE |
//! | DECIMAL of up to 38 digits | BIG_DECIMAL of its scale; more digits are refused |
//! | DATE | LONG, days since 1970 |
//! | TIME | INT (milliseconds), LONG (micro- and nanoseconds) |
//! | TIMESTAMP, UTC or local | TIMESTAMP of the same unit |
//! | INT96 | TIMESTAMP in microseconds: reaches every date that Spark writes |
//! | STRING, ENUM | STRING |
//! | JSON | JSON |
//! | UUID | UUID |
//! | BINARY and FIXED without annotation, BSON, INTERVAL, GEOMETRY, GEOGRAPHY | BYTES |
//! | LIST of one of the above, but not of JSON | multi-value column of it |
//! | MAP of one of the above to one of the above | MAP |
//! | STRUCT, other LISTs and MAPs | JSON |
//! | VARIANT, or a group shaped like one | OPEN_STRUCT |
//!
//! Bytes without an annotation are BYTES here, where the original maps them to STRING: bytes that
//! are not UTF-8 have no text that would be them.

use std::fmt;

use growler_base::limits;

use crate::data_type::DECIMAL_PRECISION;
use crate::field::DateTimeSpec;
use crate::{ColumnType, DataType, Error, Field, FieldRole, TimeUnit};

/// Type of a column in a file, free of how the file spells it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SourceType {
    /// True or false.
    Boolean,
    /// Signed integer of 8 bits.
    Int8,
    /// Signed integer of 16 bits.
    Int16,
    /// Signed integer of 32 bits.
    Int32,
    /// Signed integer of 64 bits.
    Int64,
    /// Unsigned integer of 8 bits.
    UInt8,
    /// Unsigned integer of 16 bits.
    UInt16,
    /// Unsigned integer of 32 bits.
    UInt32,
    /// Unsigned integer of 64 bits.
    UInt64,
    /// IEEE 754 of 16 bits.
    Float16,
    /// IEEE 754 of 32 bits.
    Float32,
    /// IEEE 754 of 64 bits.
    Float64,
    /// Decimal, whatever carries it.
    Decimal {
        /// Digits.
        precision: u32,
        /// Digits behind the point.
        scale: i32,
    },
    /// Days since 1970.
    Date,
    /// Time of day.
    Time {
        /// Resolution.
        unit: TimeUnit,
    },
    /// Point in time, or local time read as if it were UTC.
    Timestamp {
        /// Resolution.
        unit: TimeUnit,
        /// Whether it is a point in time.
        utc: bool,
    },
    /// The old timestamp of 12 bytes.
    Int96,
    /// Bytes without annotation, of any or of one length.
    Binary,
    /// UTF-8 text.
    String,
    /// Name of an enumeration's member.
    Enum,
    /// JSON text.
    Json,
    /// Binary JSON.
    Bson,
    /// The 12 bytes of a Parquet interval.
    Interval,
    /// UUID of 16 bytes.
    Uuid,
    /// Well-known binary, planar.
    Geometry,
    /// Well-known binary, on the globe.
    Geography,
    /// Group of fields; their names are kept where they are read, not here.
    Struct,
    /// List of one type.
    List(Box<SourceType>),
    /// Map from one type to another.
    Map {
        /// Type of the keys.
        key: Box<SourceType>,
        /// Type of the values.
        value: Box<SourceType>,
    },
    /// VARIANT group.
    Variant,
}

impl SourceType {
    /// Returns the type that the column has in a table.
    ///
    /// # Errors
    /// `Unsupported` for a decimal that 38 digits cannot hold.
    pub fn column_type(&self) -> Result<ColumnType, Error> {
        Ok(match self {
            Self::List(item) => match item.single_type()? {
                Some(data_type) if data_type != DataType::Json => data_type.multi(),
                _ => DataType::Json.single(),
            },
            Self::Map { key, value } => match (key.single_type()?, value.single_type()?) {
                (Some(_), Some(_)) => DataType::Map.single(),
                _ => DataType::Json.single(),
            },
            Self::Struct => DataType::Json.single(),
            Self::Variant => DataType::OpenStruct.single(),
            other => other.single_type()?.unwrap_or(DataType::Json).single(),
        })
    }

    /// Makes the field that a table inferred from files has for such a column.
    ///
    /// # Errors
    /// As [`Self::column_type`].
    pub fn field(&self, name: impl Into<String>) -> Result<Field, Error> {
        let column_type = self.column_type()?;
        let date_time = if column_type.multi_value {
            None
        } else {
            self.date_time()
        };
        let role = match (column_type.data_type, &date_time) {
            (DataType::Map | DataType::OpenStruct, _) => FieldRole::Complex,
            (_, Some(_)) => FieldRole::DateTime,
            (_, None) => FieldRole::Dimension,
        };
        let mut field = Field::new(name, role, column_type);
        field.date_time = date_time;
        if let Self::Map { key, value } = self
            && column_type.data_type == DataType::Map
        {
            field.children.insert("key".to_owned(), key.field("key")?);
            field
                .children
                .insert("value".to_owned(), value.field("value")?);
        }
        Ok(field)
    }

    /// Returns the type of one value; none for types that are made of others.
    fn single_type(&self) -> Result<Option<DataType>, Error> {
        Ok(Some(match self {
            Self::Boolean => DataType::Boolean,
            Self::Int8 | Self::Int16 | Self::Int32 | Self::UInt8 | Self::UInt16 => DataType::Int,
            Self::Int64 | Self::UInt32 | Self::Date => DataType::Long,
            Self::UInt64 => DataType::BigDecimal { scale: 0 },
            Self::Float16 | Self::Float32 => DataType::Float,
            Self::Float64 => DataType::Double,
            Self::Decimal { precision, scale } => self.decimal(*precision, *scale)?,
            Self::Time {
                unit: TimeUnit::Millis,
            } => DataType::Int,
            Self::Time { .. } => DataType::Long,
            Self::Timestamp { unit, .. } => DataType::Timestamp { unit: *unit },
            Self::Int96 => DataType::Timestamp {
                unit: TimeUnit::Micros,
            },
            Self::String | Self::Enum => DataType::String,
            Self::Json => DataType::Json,
            Self::Uuid => DataType::Uuid,
            Self::Binary | Self::Bson | Self::Interval | Self::Geometry | Self::Geography => {
                DataType::Bytes
            }
            Self::Struct | Self::List(_) | Self::Map { .. } | Self::Variant => return Ok(None),
        }))
    }

    fn decimal(&self, precision: u32, scale: i32) -> Result<DataType, Error> {
        let refused = || Error::UnsupportedType(self.to_string().into());
        if precision == 0 || precision > u32::from(DECIMAL_PRECISION) {
            return Err(refused());
        }
        match u32::try_from(scale) {
            Ok(digits) if digits <= precision => {
                let scale = i8::try_from(digits).map_err(|_| refused())?;
                Ok(DataType::BigDecimal { scale })
            }
            _ => Err(refused()),
        }
    }

    fn date_time(&self) -> Option<DateTimeSpec> {
        let unit = match self {
            Self::Date => "DAYS",
            Self::Timestamp { unit, .. } => unit.pinot_name(),
            Self::Int96 => TimeUnit::Micros.pinot_name(),
            _ => return None,
        };
        let format = format!("1:{unit}:EPOCH");
        Some(DateTimeSpec {
            format,
            granularity: format!("1:{unit}"),
        })
    }
}

impl fmt::Display for SourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl SourceType {
    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        if depth > limits::JSON_DEPTH {
            return f.write_str("...");
        }
        let name = match self {
            Self::Boolean => "BOOLEAN",
            Self::Int8 => "INT(8)",
            Self::Int16 => "INT(16)",
            Self::Int32 => "INT(32)",
            Self::Int64 => "INT(64)",
            Self::UInt8 => "UINT(8)",
            Self::UInt16 => "UINT(16)",
            Self::UInt32 => "UINT(32)",
            Self::UInt64 => "UINT(64)",
            Self::Float16 => "FLOAT16",
            Self::Float32 => "FLOAT",
            Self::Float64 => "DOUBLE",
            Self::Decimal { precision, scale } => return write!(f, "DECIMAL({precision},{scale})"),
            Self::Date => "DATE",
            Self::Time { unit } => return write!(f, "TIME({})", unit.pinot_name()),
            Self::Timestamp { unit, utc: true } => {
                return write!(f, "TIMESTAMP({},UTC)", unit.pinot_name());
            }
            Self::Timestamp { unit, utc: false } => {
                return write!(f, "TIMESTAMP({},local)", unit.pinot_name());
            }
            Self::Int96 => "INT96",
            Self::Binary => "BINARY",
            Self::String => "STRING",
            Self::Enum => "ENUM",
            Self::Json => "JSON",
            Self::Bson => "BSON",
            Self::Interval => "INTERVAL",
            Self::Uuid => "UUID",
            Self::Geometry => "GEOMETRY",
            Self::Geography => "GEOGRAPHY",
            Self::Struct => "STRUCT",
            Self::List(item) => {
                f.write_str("LIST<")?;
                item.write(f, depth + 1)?;
                return f.write_str(">");
            }
            Self::Map { key, value } => {
                f.write_str("MAP<")?;
                key.write(f, depth + 1)?;
                f.write_str(",")?;
                value.write(f, depth + 1)?;
                return f.write_str(">");
            }
            Self::Variant => "VARIANT",
        };
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SourceType as S;

    fn list(item: S) -> S {
        S::List(Box::new(item))
    }

    fn map(key: S, value: S) -> S {
        S::Map {
            key: Box::new(key),
            value: Box::new(value),
        }
    }

    #[test]
    fn every_source_type_has_its_column_type() {
        let timestamp = |unit| DataType::Timestamp { unit };
        let decimal = |scale| DataType::BigDecimal { scale };
        let cases = [
            (S::Boolean, DataType::Boolean),
            (S::Int8, DataType::Int),
            (S::Int32, DataType::Int),
            (S::UInt8, DataType::Int),
            (S::UInt16, DataType::Int),
            (S::UInt32, DataType::Long),
            (S::Int64, DataType::Long),
            (S::UInt64, decimal(0)),
            (S::Float16, DataType::Float),
            (S::Float64, DataType::Double),
            (
                S::Decimal {
                    precision: 38,
                    scale: 38,
                },
                decimal(38),
            ),
            (
                S::Decimal {
                    precision: 9,
                    scale: 2,
                },
                decimal(2),
            ),
            (S::Date, DataType::Long),
            (
                S::Time {
                    unit: TimeUnit::Millis,
                },
                DataType::Int,
            ),
            (
                S::Time {
                    unit: TimeUnit::Nanos,
                },
                DataType::Long,
            ),
            (
                S::Timestamp {
                    unit: TimeUnit::Nanos,
                    utc: false,
                },
                timestamp(TimeUnit::Nanos),
            ),
            (S::Int96, timestamp(TimeUnit::Micros)),
            (S::Binary, DataType::Bytes),
            (S::Enum, DataType::String),
            (S::Json, DataType::Json),
            (S::Bson, DataType::Bytes),
            (S::Uuid, DataType::Uuid),
            (S::Geometry, DataType::Bytes),
            (S::Struct, DataType::Json),
            (list(list(S::Int32)), DataType::Json),
            (list(S::Json), DataType::Json),
            (list(S::Struct), DataType::Json),
            (map(S::String, S::Int32), DataType::Map),
            (map(S::String, S::Struct), DataType::Json),
            (S::Variant, DataType::OpenStruct),
        ];
        for (source, expected) in cases {
            assert_eq!(source.column_type(), Ok(expected.single()), "{source}");
        }
        assert_eq!(list(S::UInt32).column_type(), Ok(DataType::Long.multi()));
        assert_eq!(list(S::Uuid).column_type(), Ok(DataType::Uuid.multi()));
    }

    #[test]
    fn decimals_that_do_not_fit_are_refused() {
        for (precision, scale) in [(39, 2), (0, 0), (5, -1), (5, 6)] {
            let source = S::Decimal { precision, scale };
            let error = source.column_type().unwrap_err().to_string();
            assert_eq!(
                error,
                format!("type DECIMAL({precision},{scale}) is not supported")
            );
            assert!(list(source).column_type().is_err());
        }
    }

    #[test]
    fn fields_stand_in_the_list_of_their_kind() {
        let check = |source: S, role, format: Option<&str>| {
            let field = source.field("c").unwrap();
            assert_eq!(field.role, role, "{source}");
            assert_eq!(
                field.date_time.map(|spec| spec.format).as_deref(),
                format,
                "{source}"
            );
        };
        check(S::Int64, FieldRole::Dimension, None);
        check(S::Date, FieldRole::DateTime, Some("1:DAYS:EPOCH"));
        check(S::Int96, FieldRole::DateTime, Some("1:MICROSECONDS:EPOCH"));
        let nanos = S::Timestamp {
            unit: TimeUnit::Nanos,
            utc: true,
        };
        check(list(nanos.clone()), FieldRole::Dimension, None);
        check(nanos, FieldRole::DateTime, Some("1:NANOSECONDS:EPOCH"));
        check(S::Variant, FieldRole::Complex, None);
        check(map(S::String, S::Date), FieldRole::Complex, None);
    }
}
