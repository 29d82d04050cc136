//! The parts of a pruned variant group, found by name, and its byte columns.

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, Int32Type};
use arrow_array::{Array, BinaryArray, BinaryViewArray, GenericByteArray, LargeBinaryArray};
use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer};
use arrow_schema::DataType as ArrowType;

use crate::Error;

/// Name of the dictionary of field names.
pub(super) const METADATA: &str = "metadata";
/// Name of the residual.
pub(super) const VALUE: &str = "value";
/// Name of the typed part.
pub(super) const TYPED_VALUE: &str = "typed_value";

/// Longest value that a view holds itself.
pub(super) const INLINE_LEN: usize = 12;

/// Returns the error for an array that is not what the layout says.
pub(super) fn unexpected(expected: &'static str, found: &ArrowType) -> Error {
    Error::Array {
        expected,
        found: found.to_string().into(),
    }
}

/// Finds a child that is a group; `None` when it was not read.
pub(super) fn child_group<'a>(
    group: &'a StructArray,
    name: &str,
) -> Result<Option<&'a StructArray>, Error> {
    let Some(child) = group.column_by_name(name) else {
        return Ok(None);
    };
    let group = child.as_struct_opt();
    group
        .map(Some)
        .ok_or_else(|| unexpected("a group", child.data_type()))
}

/// Finds the residual of a group; `None` when it was not read.
pub(super) fn residual(group: &StructArray) -> Result<Option<BytesArray<'_>>, Error> {
    group
        .column_by_name(VALUE)
        .map(BytesArray::try_new)
        .transpose()
}

/// A column of bytes in any of Arrow's forms.
#[derive(Debug, Clone, Copy)]
pub(super) enum BytesArray<'a> {
    /// 32-bit offsets.
    Binary(&'a BinaryArray),
    /// 64-bit offsets.
    LargeBinary(&'a LargeBinaryArray),
    /// Views.
    View(&'a BinaryViewArray),
}

/// Where the bytes of a row lie, for a view to point there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    /// Position in [`BytesArray::buffers`].
    pub(super) buffer: u32,
    /// Offset in that buffer.
    pub(super) offset: u32,
}

impl<'a> BytesArray<'a> {
    /// Looks at an array as bytes.
    pub(super) fn try_new(array: &'a ArrayRef) -> Result<Self, Error> {
        match array.data_type() {
            ArrowType::Binary => array.as_binary_opt().map(Self::Binary),
            ArrowType::LargeBinary => array.as_binary_opt().map(Self::LargeBinary),
            ArrowType::BinaryView => array.as_binary_view_opt().map(Self::View),
            _ => None,
        }
        .ok_or_else(|| unexpected("bytes", array.data_type()))
    }

    /// Returns the validity.
    pub(super) fn nulls(&self) -> Option<&'a NullBuffer> {
        match *self {
            Self::Binary(array) => array.nulls(),
            Self::LargeBinary(array) => array.nulls(),
            Self::View(array) => array.nulls(),
        }
    }

    /// Returns the bytes of a row of the array; whether they are null is not looked at.
    #[inline(always)]
    pub(super) fn value(&self, row: usize) -> &'a [u8] {
        match self {
            Self::Binary(array) => array.value(row),
            Self::LargeBinary(array) => array.value(row),
            Self::View(array) => array.value(row),
        }
    }

    /// Tells whether some row is not null.
    pub(super) fn has_values(&self) -> bool {
        self.nulls()
            .is_none_or(|nulls| nulls.null_count() < nulls.len())
    }

    /// Returns the bytes of a row, or `None` where they are null.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<&'a [u8]> {
        let present = self.nulls().is_none_or(|nulls| nulls.is_valid(row));
        present.then(|| self.value(row))
    }

    /// Returns the buffers that values lie in.
    pub(super) fn buffers(&self) -> &'a [Buffer] {
        match self {
            Self::Binary(array) => std::slice::from_ref(array.values()),
            Self::LargeBinary(array) => std::slice::from_ref(array.values()),
            Self::View(array) => array.data_buffers(),
        }
    }

    /// Returns where the bytes of a row lie; `None` when no view can point there.
    #[inline]
    pub(super) fn origin(&self, row: usize) -> Option<Origin> {
        match self {
            Self::Binary(array) => offset_origin(array, row),
            Self::LargeBinary(array) => offset_origin(array, row),
            Self::View(array) => outside_origin(*array.views().get(row)?),
        }
    }
}

/// Returns where a value of an array with offsets lies.
pub(super) fn offset_origin<T: ByteArrayType>(
    array: &GenericByteArray<T>,
    row: usize,
) -> Option<Origin> {
    let offset = u32::try_from(array.value_offsets().get(row)?.to_usize()?).ok()?;
    Some(Origin { buffer: 0, offset })
}

/// Returns where the bytes of a view lie, unless it holds them itself.
///
/// A view is four 32-bit numbers: length, first bytes, buffer, offset in it.
pub(super) fn outside_origin(view: u128) -> Option<Origin> {
    let bytes = view.to_le_bytes();
    let (numbers, _) = bytes.as_chunks::<4>();
    let [len, _, buffer, offset] = numbers
        .try_into()
        .ok()
        .map(|n: [[u8; 4]; 4]| n.map(u32::from_le_bytes))?;
    (len.as_usize() > INLINE_LEN).then_some(Origin { buffer, offset })
}

/// The dictionaries of field names, one a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum MetadataArray<'a> {
    /// Bytes in each row.
    Plain(BytesArray<'a>),
    /// Distinct bytes, and their position for each row.
    Dictionary {
        /// Position of each row's bytes.
        keys: &'a [i32],
        /// Validity of the rows.
        nulls: Option<&'a NullBuffer>,
        /// The distinct bytes.
        values: BytesArray<'a>,
        /// The same, to recognise them in the next batch.
        array: &'a ArrayRef,
    },
}

impl<'a> MetadataArray<'a> {
    /// Finds the metadata of a column; `None` when it was not read.
    pub(super) fn find(column: &'a StructArray) -> Result<Option<Self>, Error> {
        let Some(array) = column.column_by_name(METADATA) else {
            return Ok(None);
        };
        let Some(dictionary) = array.as_dictionary_opt::<Int32Type>() else {
            return BytesArray::try_new(array).map(|bytes| Some(Self::Plain(bytes)));
        };
        Ok(Some(Self::Dictionary {
            keys: dictionary.keys().values(),
            nulls: dictionary.keys().nulls(),
            values: BytesArray::try_new(dictionary.values())?,
            array: dictionary.values(),
        }))
    }

    /// Returns the metadata of a row, or the error for a row that has none.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Result<&'a [u8], Error> {
        let found = match self {
            Self::Plain(bytes) => bytes.get(row),
            Self::Dictionary {
                keys,
                nulls,
                values,
                ..
            } => dictionary_key(keys, *nulls, row).and_then(|key| values.get(key)),
        };
        found.ok_or(Error::Truncated { part: METADATA })
    }
}

/// Returns the position in its dictionary of a row's value; `None` where it is null.
#[inline(always)]
pub(super) fn dictionary_key(
    keys: &[i32],
    nulls: Option<&NullBuffer>,
    row: usize,
) -> Option<usize> {
    let present = nulls.is_none_or(|nulls| nulls.is_valid(row));
    keys.get(row)
        .filter(|_| present)
        .and_then(|key| usize::try_from(*key).ok())
}
