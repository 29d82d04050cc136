//! Codes of data types.

use growler_schema::{DataType, TimeUnit};

/// Returns a type's code and parameter.
pub(super) fn encode(data_type: DataType) -> [u8; 2] {
    match data_type {
        DataType::Int => [1, 0],
        DataType::Long => [2, 0],
        DataType::Float => [3, 0],
        DataType::Double => [4, 0],
        DataType::BigDecimal { scale } => [5, scale.cast_unsigned()],
        DataType::Boolean => [6, 0],
        DataType::Timestamp { unit } => match unit {
            TimeUnit::Millis => [7, 0],
            TimeUnit::Micros => [7, 1],
            TimeUnit::Nanos => [7, 2],
        },
        DataType::String => [8, 0],
        DataType::Json => [9, 0],
        DataType::Bytes => [10, 0],
        DataType::Uuid => [11, 0],
        DataType::Map => [12, 0],
        DataType::OpenStruct => [13, 0],
    }
}

/// Returns the type of a code and parameter; nothing for one of a later version.
pub(super) fn decode(code: [u8; 2]) -> Option<DataType> {
    Some(match code {
        [1, 0] => DataType::Int,
        [2, 0] => DataType::Long,
        [3, 0] => DataType::Float,
        [4, 0] => DataType::Double,
        [5, scale] => DataType::BigDecimal {
            scale: scale.cast_signed(),
        },
        [6, 0] => DataType::Boolean,
        [7, 0] => DataType::Timestamp {
            unit: TimeUnit::Millis,
        },
        [7, 1] => DataType::Timestamp {
            unit: TimeUnit::Micros,
        },
        [7, 2] => DataType::Timestamp {
            unit: TimeUnit::Nanos,
        },
        [8, 0] => DataType::String,
        [9, 0] => DataType::Json,
        [10, 0] => DataType::Bytes,
        [11, 0] => DataType::Uuid,
        [12, 0] => DataType::Map,
        [13, 0] => DataType::OpenStruct,
        _ => return None,
    })
}
