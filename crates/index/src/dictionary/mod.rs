//! The distinct values of a subject, sorted.
//!
//! Rooms: `numbers` every type that sorts by a number, as a sequence; `wide` BIG_DECIMAL; `text`
//! text and bytes, front-coded; `view` what callers see; `writer` sorted values to bytes.
//! ```text
//! dictionary = values, form u8: 0 numbers, 1 wide, 2 text with plain lengths, 3 with terse ones
//! ```

mod bounds;
mod numbers;
#[cfg(test)]
mod tests;
mod text;
mod view;
mod wide;
mod writer;

pub use view::Dictionary;
pub(crate) use view::DictionaryView;
pub(crate) use writer::{DictionaryWriter, SortedValue};

/// The last byte of text whose lengths are plain.
const PLAIN_TEXT: u8 = 2;
/// The last byte of text whose lengths are terse.
const TERSE_TEXT: u8 = 3;

/// The last byte of a dictionary: how values are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Numbers,
    Wide,
    Text,
}

impl Form {
    /// Returns the form that values of a type have.
    pub fn of(data_type: growler_schema::DataType) -> Self {
        use growler_schema::DataType;
        match data_type {
            DataType::Int
            | DataType::Long
            | DataType::Float
            | DataType::Double
            | DataType::Boolean
            | DataType::Timestamp { .. } => Self::Numbers,
            DataType::BigDecimal { .. } => Self::Wide,
            DataType::String
            | DataType::Json
            | DataType::Bytes
            | DataType::Uuid
            | DataType::Map
            | DataType::OpenStruct => Self::Text,
        }
    }

    /// Returns the byte that stands for how it is written.
    pub fn code(self) -> u8 {
        match self {
            Self::Numbers => 0,
            Self::Wide => 1,
            Self::Text => TERSE_TEXT,
        }
    }
}
