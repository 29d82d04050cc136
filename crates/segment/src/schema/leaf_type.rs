//! Types of primitive columns, from the physical type and its annotation (LogicalTypes.md).

use growler_schema::{SourceType, TimeUnit};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit as ParquetUnit, Type as Physical};
use parquet::schema::types::Type;

use super::Refusal;

/// Returns the type of a primitive column.
pub(crate) fn leaf_type(leaf: &Type) -> Result<SourceType, Refusal> {
    let info = leaf.get_basic_info();
    let logical = info.logical_type_ref();
    // Only nulls carry this annotation, whatever the physical type.
    if matches!(logical, Some(LogicalType::Unknown)) {
        return Ok(SourceType::String);
    }
    let found = match logical {
        Some(logical) => of_logical(logical, leaf),
        None => of_converted(info.converted_type(), leaf),
    };
    found.ok_or_else(|| {
        let annotation = match logical {
            Some(logical) => format!("{logical:?}"),
            None => format!("{:?}", info.converted_type()),
        };
        Refusal::Unsupported(format!(
            "type {:?} with annotation {annotation}",
            physical(leaf)
        ))
    })
}

fn physical(leaf: &Type) -> Physical {
    leaf.get_physical_type()
}

fn of_logical(logical: &LogicalType, leaf: &Type) -> Option<SourceType> {
    use SourceType as S;
    Some(match (logical, physical(leaf)) {
        (LogicalType::String, Physical::BYTE_ARRAY) => S::String,
        (LogicalType::Enum, Physical::BYTE_ARRAY) => S::Enum,
        (LogicalType::Json, Physical::BYTE_ARRAY) => S::Json,
        (LogicalType::Bson, Physical::BYTE_ARRAY) => S::Bson,
        (LogicalType::Geometry(_), Physical::BYTE_ARRAY) => S::Geometry,
        (LogicalType::Geography(_), Physical::BYTE_ARRAY) => S::Geography,
        (LogicalType::Decimal(decimal), physical) => {
            return decimal_type(decimal.precision, decimal.scale, physical);
        }
        (LogicalType::Date, Physical::INT32) => S::Date,
        (LogicalType::Time(time), physical) => return time_type(&time.unit, physical),
        (LogicalType::Timestamp(timestamp), Physical::INT64) => S::Timestamp {
            unit: unit(&timestamp.unit),
            utc: timestamp.is_adjusted_to_u_t_c,
        },
        (LogicalType::Integer(int), physical) => {
            return integer_type(int.bit_width, int.is_signed, physical);
        }
        (LogicalType::Uuid, Physical::FIXED_LEN_BYTE_ARRAY) if len(leaf) == Some(16) => S::Uuid,
        (LogicalType::Float16, Physical::FIXED_LEN_BYTE_ARRAY) if len(leaf) == Some(2) => {
            S::Float16
        }
        (LogicalType::_Unknown { .. }, Physical::BYTE_ARRAY) => S::Binary,
        _ => return None,
    })
}

fn of_converted(converted: ConvertedType, leaf: &Type) -> Option<SourceType> {
    use SourceType as S;
    let millis = ParquetUnit::MILLIS;
    let micros = ParquetUnit::MICROS;
    Some(match (converted, physical(leaf)) {
        (ConvertedType::NONE, physical) => bare_type(physical),
        (ConvertedType::UTF8, Physical::BYTE_ARRAY) => S::String,
        (ConvertedType::ENUM, Physical::BYTE_ARRAY) => S::Enum,
        (ConvertedType::JSON, Physical::BYTE_ARRAY) => S::Json,
        (ConvertedType::BSON, Physical::BYTE_ARRAY) => S::Bson,
        (ConvertedType::DECIMAL, physical) => {
            return decimal_type(leaf.get_precision(), leaf.get_scale(), physical);
        }
        (ConvertedType::DATE, Physical::INT32) => S::Date,
        (ConvertedType::TIME_MILLIS, physical) => return time_type(&millis, physical),
        (ConvertedType::TIME_MICROS, physical) => return time_type(&micros, physical),
        (ConvertedType::TIMESTAMP_MILLIS, Physical::INT64) => S::Timestamp {
            unit: TimeUnit::Millis,
            utc: true,
        },
        (ConvertedType::TIMESTAMP_MICROS, Physical::INT64) => S::Timestamp {
            unit: TimeUnit::Micros,
            utc: true,
        },
        (ConvertedType::UINT_8, physical) => return integer_type(8, false, physical),
        (ConvertedType::UINT_16, physical) => return integer_type(16, false, physical),
        (ConvertedType::UINT_32, physical) => return integer_type(32, false, physical),
        (ConvertedType::UINT_64, physical) => return integer_type(64, false, physical),
        (ConvertedType::INT_8, physical) => return integer_type(8, true, physical),
        (ConvertedType::INT_16, physical) => return integer_type(16, true, physical),
        (ConvertedType::INT_32, physical) => return integer_type(32, true, physical),
        (ConvertedType::INT_64, physical) => return integer_type(64, true, physical),
        (ConvertedType::INTERVAL, Physical::FIXED_LEN_BYTE_ARRAY) if len(leaf) == Some(12) => {
            S::Interval
        }
        _ => return None,
    })
}

fn bare_type(physical: Physical) -> SourceType {
    match physical {
        Physical::BOOLEAN => SourceType::Boolean,
        Physical::INT32 => SourceType::Int32,
        Physical::INT64 => SourceType::Int64,
        Physical::INT96 => SourceType::Int96,
        Physical::FLOAT => SourceType::Float32,
        Physical::DOUBLE => SourceType::Float64,
        Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => SourceType::Binary,
    }
}

fn integer_type(bits: i8, signed: bool, physical: Physical) -> Option<SourceType> {
    use SourceType as S;
    Some(match (bits, signed, physical) {
        (8, true, Physical::INT32) => S::Int8,
        (16, true, Physical::INT32) => S::Int16,
        (32, true, Physical::INT32) => S::Int32,
        (64, true, Physical::INT64) => S::Int64,
        (8, false, Physical::INT32) => S::UInt8,
        (16, false, Physical::INT32) => S::UInt16,
        (32, false, Physical::INT32) => S::UInt32,
        (64, false, Physical::INT64) => S::UInt64,
        _ => return None,
    })
}

fn decimal_type(precision: i32, scale: i32, physical: Physical) -> Option<SourceType> {
    let carries = matches!(
        physical,
        Physical::INT32 | Physical::INT64 | Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY
    );
    let precision = u32::try_from(precision).ok().filter(|_| carries)?;
    Some(SourceType::Decimal { precision, scale })
}

fn time_type(unit_: &ParquetUnit, physical: Physical) -> Option<SourceType> {
    match (unit_, physical) {
        (ParquetUnit::MILLIS, Physical::INT32)
        | (ParquetUnit::MICROS | ParquetUnit::NANOS, Physical::INT64) => {
            Some(SourceType::Time { unit: unit(unit_) })
        }
        _ => None,
    }
}

fn unit(unit: &ParquetUnit) -> TimeUnit {
    match unit {
        ParquetUnit::MILLIS => TimeUnit::Millis,
        ParquetUnit::MICROS => TimeUnit::Micros,
        ParquetUnit::NANOS => TimeUnit::Nanos,
    }
}

/// Returns the length of a fixed-length column.
pub(crate) fn len(leaf: &Type) -> Option<usize> {
    match leaf {
        Type::PrimitiveType { type_length, .. } => usize::try_from(*type_length).ok(),
        Type::GroupType { .. } => None,
    }
}
