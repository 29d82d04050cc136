//! What a key or a document is read as.

use arrow_array::ArrayRef;
use growler_schema::{DataType, KeyType};

/// Form in which a key is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOutput {
    /// As the key's type; what does not convert without loss is null.
    Typed(KeyType),
    /// As the nearest double, of numbers only; all else is null. So a key that is typed nowhere is
    /// compared with numbers.
    Number,
    /// As the nearest decimal of 38 digits with a scale, of numbers only; all else is null. Larger
    /// numbers become the largest, NaN becomes [`NAN_DECIMAL`](crate::convert::NAN_DECIMAL). So a key
    /// is compared with numbers that no double holds.
    ExactNumber {
        /// Digits behind the point.
        scale: i8,
    },
    /// As JSON text, whatever the value is; strings stay quoted.
    Json,
}

/// What to do with a row whose value is no object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NonObjectRoot {
    /// Fail the read.
    #[default]
    Fail,
    /// Read the row as null.
    Null,
}

/// A key or document of every row.
#[derive(Debug, Clone)]
pub struct KeyColumn {
    /// One value a row, of the Arrow type of the output; plain text may be
    /// `Dictionary(Int32, Utf8)` where the file has it so.
    pub array: ArrayRef,
    /// Rows that read as null because their bytes are malformed.
    pub malformed_rows: u64,
}

impl KeyOutput {
    /// Returns the data type of the arrays.
    pub fn data_type(self) -> DataType {
        match self {
            Self::Typed(key_type) => key_type.data_type,
            Self::Number => DataType::Double,
            Self::ExactNumber { scale } => DataType::BigDecimal { scale },
            Self::Json => DataType::Json,
        }
    }

    /// Tells whether values are JSON text, in which strings are quoted.
    pub(super) fn is_json(self) -> bool {
        matches!(
            self.data_type(),
            DataType::Json | DataType::Map | DataType::OpenStruct
        )
    }

    /// Tells whether an object or array has a reading, as JSON text.
    pub(super) fn shows_containers(self) -> bool {
        self.data_type().is_text()
    }
}
