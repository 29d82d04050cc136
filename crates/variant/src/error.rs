//! What can be wrong with a variant, or with what is asked of it.

use growler_base::{ErrorKind, LeafIdx};

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes end before the part that they announce.
    #[error("variant bytes end inside a part of it: part={part}")]
    Truncated {
        /// What was being read.
        part: &'static str,
    },
    /// The metadata has a version other than 1.
    #[error("variant metadata has an unknown version: version={version}")]
    Version {
        /// The version found.
        version: u8,
    },
    /// A field refers to a name that the dictionary does not have.
    #[error("variant field id is outside of the dictionary: id={id} names={names}")]
    FieldId {
        /// The id found.
        id: u32,
        /// Names in the dictionary.
        names: u32,
    },
    /// An offset points outside of its area, or the offsets of the dictionary fall.
    #[error("variant offset is outside of its area: part={part} offset={offset}")]
    Offset {
        /// What the offset belongs to.
        part: &'static str,
        /// The offset found.
        offset: u32,
    },
    /// A primitive type that the format does not define (yet); nothing else is wrong with the row.
    #[error("variant has an unknown primitive type: id={id}")]
    UnknownPrimitive {
        /// The type id found.
        id: u8,
    },
    /// A value is outside of what its type allows.
    #[error("variant value is outside of its type: type={type_name}")]
    OutOfType {
        /// Name of the type.
        type_name: &'static str,
    },
    /// Text is not UTF-8.
    #[error("variant text is not UTF-8: part={part}")]
    Utf8 {
        /// What was being read.
        part: &'static str,
    },
    /// One object has two fields of one name.
    #[error("variant object has a name twice: id={id}")]
    DuplicateName {
        /// Dictionary id of the second one.
        id: u32,
    },
    /// The value is nested too deeply.
    #[error("variant is nested too deeply: limit={limit}")]
    Depth {
        /// Deepest nesting that is read.
        limit: usize,
    },
    /// The value describes too many nodes, most likely with offsets that overlap.
    #[error("variant has too many nodes: limit={limit}")]
    Nodes {
        /// Most nodes that are visited for this value.
        limit: usize,
    },
    /// The text form is too long.
    #[error("variant text is too long: limit_bytes={limit_bytes}")]
    TextLength {
        /// Longest text that is made.
        limit_bytes: usize,
    },
    /// A dotted key has too many steps.
    #[error("variant key has too many steps: limit={limit}")]
    PathSteps {
        /// Most steps allowed.
        limit: usize,
    },
    /// The root of a variant is not an object.
    #[error("variant root is not an object: row={row} found={found}")]
    NonObjectRoot {
        /// Row in the array that was read.
        row: usize,
        /// What the root is.
        found: &'static str,
    },
    /// A typed column and a residual hold a value for the same place.
    #[error("variant has both a typed value and a residual: row={row}")]
    Contradiction {
        /// Row in the array that was read.
        row: usize,
    },
    /// A typed column has a type that shredding does not allow.
    #[error("variant typed column has an unsupported type: leaf={leaf} type={type_name}")]
    UnsupportedTyped {
        /// Path of the leaf in the file.
        leaf: Box<str>,
        /// What the file says its type is.
        type_name: Box<str>,
    },
    /// The columns of a group are not those of a shredded variant.
    #[error("variant group is malformed: group={group} reason={reason}")]
    Layout {
        /// Path of the group in the file.
        group: Box<str>,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The answer depends on columns that were not read.
    #[error("variant key needs columns that were not read: row={row}")]
    NeedsResidual {
        /// First row that needs them.
        row: usize,
        /// Residuals that are missing; none where only the dictionaries of names are.
        residuals: Box<[LeafIdx]>,
    },
    /// An array does not have the shape that its layout promises.
    #[error("variant array is not of its layout: expected={expected} found={found}")]
    Array {
        /// What was expected.
        expected: &'static str,
        /// Arrow type found.
        found: Box<str>,
    },
    /// Text that should be JSON is not.
    #[error("text is not JSON: reason={reason} offset={offset}")]
    Json {
        /// What is wrong with it.
        reason: &'static str,
        /// Bytes before the place.
        offset: usize,
    },
    /// A value or a dictionary of names to be written is too long.
    #[error("variant to be written is too long: limit_bytes={limit_bytes}")]
    ValueLength {
        /// Longest that is written.
        limit_bytes: usize,
    },
    /// The rows of a column to be written are too long together.
    #[error("variant column to be written is too long: limit_bytes={limit_bytes}")]
    ColumnLength {
        /// Longest that is written in one array.
        limit_bytes: usize,
    },
    /// An Arrow type that no variant type stands for.
    #[error("arrow type has no variant: type={type_name}")]
    NoVariant {
        /// Arrow's name of it.
        type_name: Box<str>,
    },
    /// Pieces of a value came in an order that makes no value.
    #[error("variant is written out of turn: reason={reason}")]
    Unbalanced {
        /// What is wrong.
        reason: &'static str,
    },
    /// Arrow refused an array made here.
    #[error("variant result array was refused: reason={reason}")]
    Arrow {
        /// Arrow's own text.
        reason: Box<str>,
    },
}

const _: () = assert!(size_of::<Error>() <= 64);

impl Error {
    /// Returns the kind that callers branch on.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Truncated { .. }
            | Self::Version { .. }
            | Self::FieldId { .. }
            | Self::Offset { .. }
            | Self::OutOfType { .. }
            | Self::Utf8 { .. }
            | Self::DuplicateName { .. }
            | Self::Contradiction { .. }
            | Self::Layout { .. } => ErrorKind::Corrupt,
            Self::UnknownPrimitive { .. }
            | Self::NonObjectRoot { .. }
            | Self::UnsupportedTyped { .. }
            | Self::NoVariant { .. } => ErrorKind::Unsupported,
            Self::Depth { .. }
            | Self::Nodes { .. }
            | Self::TextLength { .. }
            | Self::ValueLength { .. }
            | Self::ColumnLength { .. } => ErrorKind::LimitExceeded,
            Self::PathSteps { .. } | Self::Json { .. } => ErrorKind::InvalidInput,
            Self::NeedsResidual { .. }
            | Self::Array { .. }
            | Self::Arrow { .. }
            | Self::Unbalanced { .. } => ErrorKind::Internal,
        }
    }

    /// Tells whether the bytes of this one row are to blame, so that the row counts as malformed
    /// and the read goes on.
    pub fn is_row_malformed(&self) -> bool {
        match self {
            Self::Truncated { .. }
            | Self::Version { .. }
            | Self::FieldId { .. }
            | Self::Offset { .. }
            | Self::UnknownPrimitive { .. }
            | Self::OutOfType { .. }
            | Self::Utf8 { .. }
            | Self::DuplicateName { .. }
            | Self::Depth { .. }
            | Self::Nodes { .. }
            | Self::TextLength { .. } => true,
            Self::PathSteps { .. }
            | Self::NonObjectRoot { .. }
            | Self::Contradiction { .. }
            | Self::UnsupportedTyped { .. }
            | Self::Layout { .. }
            | Self::NeedsResidual { .. }
            | Self::Array { .. }
            | Self::Json { .. }
            | Self::ValueLength { .. }
            | Self::ColumnLength { .. }
            | Self::NoVariant { .. }
            | Self::Unbalanced { .. }
            | Self::Arrow { .. } => false,
        }
    }
}
