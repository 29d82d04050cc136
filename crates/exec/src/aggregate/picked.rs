//! Values picked out of batches and kept.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, UInt32Array, cast::AsArray, new_empty_array};
use arrow_schema::DataType as ArrowType;
use arrow_select::{interleave::interleave, take::take};

use crate::error::Error;

/// A kept value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    piece: u32,
    row: u32,
}

/// Kept values of one type, text without a dictionary.
#[derive(Debug, Default)]
pub(super) struct Picked {
    pieces: Vec<ArrayRef>,
    size_bytes: usize,
    row_count: usize,
}

impl Picked {
    /// Keeps the values of some rows; yields where they are, in the order of `rows`.
    pub(super) fn keep(
        &mut self,
        array: &ArrayRef,
        rows: Vec<u32>,
    ) -> Result<impl Iterator<Item = At> + use<>, Error> {
        let row_count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let taken = take(array, &UInt32Array::from(rows), None).map_err(internal)?;
        let plain = compact(&taken)?;
        Ok(self.push(plain, row_count))
    }

    /// Takes over all values of another; yields how its positions map to ours.
    pub(super) fn append(&mut self, other: Self) -> impl Fn(At) -> At + use<> {
        let offset = u32::try_from(self.pieces.len()).unwrap_or(u32::MAX);
        self.size_bytes += other.size_bytes;
        self.row_count += other.row_count;
        self.pieces.extend(other.pieces);
        move |at| At {
            piece: at.piece + offset,
            ..at
        }
    }

    /// Returns the values at some places as one array.
    pub(super) fn gather(&self, at: &[At], data_type: &ArrowType) -> Result<ArrayRef, Error> {
        if at.is_empty() {
            return Ok(new_empty_array(data_type));
        }
        let pieces: Vec<&dyn Array> = self.pieces.iter().map(|piece| &**piece).collect();
        let at: Vec<_> = at
            .iter()
            .map(|at| (at.piece as usize, at.row as usize))
            .collect();
        interleave(&pieces, &at).map_err(internal)
    }

    /// Returns how many values are kept, whether anybody still points at them or not.
    pub(super) fn row_count(&self) -> usize {
        self.row_count
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    fn push(&mut self, piece: ArrayRef, row_count: u32) -> impl Iterator<Item = At> + use<> {
        let idx = u32::try_from(self.pieces.len()).unwrap_or(u32::MAX);
        self.size_bytes += piece.get_array_memory_size();
        self.row_count += piece.len();
        self.pieces.push(piece);
        (0..row_count).map(move |row| At { piece: idx, row })
    }
}

/// Returns text without a dictionary, and views that keep no more bytes alive than they show.
pub(crate) fn compact(array: &ArrayRef) -> Result<ArrayRef, Error> {
    Ok(match array.data_type() {
        ArrowType::Dictionary(..) => {
            let views = arrow_cast::cast(array, &ArrowType::Utf8View).map_err(internal)?;
            Arc::new(views.as_string_view().gc())
        }
        ArrowType::Utf8View => Arc::new(array.as_string_view().gc()),
        ArrowType::BinaryView => Arc::new(array.as_binary_view().gc()),
        _ => Arc::clone(array),
    })
}

fn internal(error: arrow_schema::ArrowError) -> Error {
    Error::Internal(error.to_string())
}
