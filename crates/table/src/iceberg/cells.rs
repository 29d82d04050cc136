//! Values of one array, one row at a time, as deletes compare them.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, Float32Array, Float64Array,
    Int32Array, Int64Array, StringViewArray,
};
use arrow_cast::cast;
use arrow_schema::{DataType as ArrowType, TimeUnit};
use growler_catalog::DatumRef;
use growler_catalog::metadata::PrimitiveType;

/// Values of a column, as a segment reads it.
pub(super) enum Cells {
    Boolean(BooleanArray),
    Int(Int32Array),
    Long(Int64Array),
    Float(Float32Array),
    Double(Float64Array),
    Decimal(Decimal128Array),
    Text(StringViewArray),
    Uuid(Vec<Option<[u8; 16]>>),
    Binary(BinaryViewArray),
}

impl Cells {
    /// Looks at an array of a column of a type.
    pub(super) fn try_new(array: &ArrayRef, primitive: &PrimitiveType) -> Result<Self, String> {
        Ok(match array.data_type() {
            ArrowType::Boolean => Self::Boolean(array.as_boolean().clone()),
            ArrowType::Int32 => Self::Int(array.as_primitive::<Int32Type>().clone()),
            ArrowType::Int64 => Self::Long(array.as_primitive::<Int64Type>().clone()),
            ArrowType::Float32 => Self::Float(array.as_primitive::<Float32Type>().clone()),
            ArrowType::Float64 => Self::Double(array.as_primitive::<Float64Type>().clone()),
            ArrowType::Decimal128(..) => {
                Self::Decimal(array.as_primitive::<Decimal128Type>().clone())
            }
            ArrowType::Timestamp(TimeUnit::Microsecond, None) => {
                let counts = array.as_primitive::<TimestampMicrosecondType>();
                Self::Long(counts.reinterpret_cast())
            }
            ArrowType::Timestamp(TimeUnit::Nanosecond, None) => {
                let counts = array.as_primitive::<TimestampNanosecondType>();
                Self::Long(counts.reinterpret_cast())
            }
            ArrowType::BinaryView => Self::Binary(array.as_binary_view().clone()),
            ArrowType::Utf8View | ArrowType::Dictionary(..) => {
                let texts = cast(array, &ArrowType::Utf8View).map_err(|error| error.to_string())?;
                let texts = texts.as_string_view().clone();
                match primitive {
                    PrimitiveType::Uuid => Self::Uuid(uuids(&texts)?),
                    _ => Self::Text(texts),
                }
            }
            other => return Err(format!("column was read as {other}")),
        })
    }

    /// Returns the value of a row; none for null.
    pub(super) fn value(&self, row: usize) -> Option<DatumRef<'_>> {
        Some(match self {
            Self::Boolean(values) => DatumRef::Boolean(valid(values, row)?.value(row)),
            Self::Int(values) => DatumRef::Long(i64::from(valid(values, row)?.value(row))),
            Self::Long(values) => DatumRef::Long(valid(values, row)?.value(row)),
            Self::Float(values) => DatumRef::Double(f64::from(valid(values, row)?.value(row))),
            Self::Double(values) => DatumRef::Double(valid(values, row)?.value(row)),
            Self::Decimal(values) => DatumRef::Decimal(valid(values, row)?.value(row)),
            Self::Text(values) => DatumRef::String(valid(values, row)?.value(row)),
            Self::Uuid(values) => DatumRef::Binary(values.get(row)?.as_ref()?),
            Self::Binary(values) => DatumRef::Binary(valid(values, row)?.value(row)),
        })
    }
}

fn valid<A: Array>(values: &A, row: usize) -> Option<&A> {
    (row < values.len() && values.is_valid(row)).then_some(values)
}

fn uuids(texts: &StringViewArray) -> Result<Vec<Option<[u8; 16]>>, String> {
    let uuid = |text: &str| -> Result<[u8; 16], String> {
        let digits: String = text.chars().filter(|letter| *letter != '-').collect();
        let value = u128::from_str_radix(&digits, 16).map_err(|error| error.to_string())?;
        Ok(value.to_be_bytes())
    };
    texts
        .iter()
        .map(|text| text.map(uuid).transpose())
        .collect()
}
