//! A column of text in any of Arrow's forms.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray};
use arrow_buffer::Buffer;
use arrow_schema::DataType as ArrowType;

use super::arrays::{Origin, dictionary_key, offset_origin};

/// A column of text; validity stays with the array.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextArray<'a> {
    /// Text in each row.
    Plain(PlainText<'a>),
    /// Distinct texts, and their position for each row.
    Dictionary {
        /// Position of each row's text.
        keys: &'a [i32],
        /// The distinct texts.
        values: PlainText<'a>,
    },
}

/// Text in each row.
#[derive(Debug, Clone, Copy)]
pub(super) enum PlainText<'a> {
    /// 32-bit offsets.
    Utf8(&'a StringArray),
    /// 64-bit offsets.
    LargeUtf8(&'a LargeStringArray),
    /// Views.
    View(&'a StringViewArray),
}

impl<'a> TextArray<'a> {
    /// Looks at an array as text; `None` if it is something else.
    pub(super) fn try_new(array: &'a ArrayRef) -> Option<Self> {
        match array.as_dictionary_opt::<Int32Type>() {
            None => PlainText::try_new(array).map(Self::Plain),
            Some(dictionary) => Some(Self::Dictionary {
                keys: dictionary.keys().values(),
                values: PlainText::try_new(dictionary.values())?,
            }),
        }
    }

    /// Returns the text of a row that is not null.
    #[inline]
    pub(super) fn value(&self, row: usize) -> &'a str {
        match self {
            Self::Plain(texts) => texts.value(row),
            Self::Dictionary { keys, values } => dictionary_key(keys, None, row)
                .map(|key| values.value(key))
                .unwrap_or_default(),
        }
    }

    /// Returns where the text of a row lies; `None` when no view can point there.
    #[inline]
    pub(super) fn origin(&self, row: usize) -> Option<Origin> {
        match self {
            Self::Plain(texts) => texts.origin(row),
            Self::Dictionary { keys, values } => values.origin(dictionary_key(keys, None, row)?),
        }
    }

    /// Returns the buffers that texts lie in.
    pub(super) fn buffers(&self) -> &'a [Buffer] {
        let (Self::Plain(texts) | Self::Dictionary { values: texts, .. }) = self;
        match texts {
            PlainText::Utf8(array) => std::slice::from_ref(array.values()),
            PlainText::LargeUtf8(array) => std::slice::from_ref(array.values()),
            PlainText::View(array) => array.data_buffers(),
        }
    }
}

impl<'a> PlainText<'a> {
    fn try_new(array: &'a ArrayRef) -> Option<Self> {
        match array.data_type() {
            ArrowType::Utf8 => array.as_string_opt().map(Self::Utf8),
            ArrowType::LargeUtf8 => array.as_string_opt().map(Self::LargeUtf8),
            ArrowType::Utf8View => array.as_string_view_opt().map(Self::View),
            _ => None,
        }
    }

    #[inline]
    fn value(&self, row: usize) -> &'a str {
        match self {
            Self::Utf8(array) => array.value(row),
            Self::LargeUtf8(array) => array.value(row),
            Self::View(array) => array.value(row),
        }
    }

    #[inline]
    fn origin(&self, row: usize) -> Option<Origin> {
        match self {
            Self::Utf8(array) => offset_origin(array, row),
            Self::LargeUtf8(array) => offset_origin(array, row),
            Self::View(array) => super::arrays::outside_origin(*array.views().get(row)?),
        }
    }
}
