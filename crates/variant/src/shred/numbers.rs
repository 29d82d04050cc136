//! Keys as numbers, timestamps and booleans.

use std::sync::Arc;

use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::DataType as ArrowType;

use super::leaf::LeafArray;
use super::rows::Rows;
use super::sink::{Part, Sink};
use super::tally::Tally;
use crate::{Error, Node};

/// Collects values of fixed width.
#[derive(Debug)]
pub(super) struct Numbers<T: ArrowPrimitiveType, C> {
    values: Vec<T::Native>,
    valid: BooleanBufferBuilder,
    convert: C,
    data_type: ArrowType,
}

impl<T: ArrowPrimitiveType, C: Fn(&Node<'_>) -> Option<T::Native>> Numbers<T, C> {
    /// Starts with every row null. `convert` is the lossless conversion to the key's type.
    pub(super) fn new(len: usize, data_type: ArrowType, convert: C) -> Self {
        Self {
            values: vec![T::default_value(); len],
            valid: unset(len),
            convert,
            data_type,
        }
    }
}

impl<T: ArrowPrimitiveType, C: Fn(&Node<'_>) -> Option<T::Native>> Sink for Numbers<T, C> {
    fn leaf(&mut self, leaf: &LeafArray<'_>, rows: &Rows, tally: &mut Tally) -> Result<(), Error> {
        match leaf {
            // None of them is a number or a timestamp.
            LeafArray::String(_) | LeafArray::Binary(_) | LeafArray::Uuid(_) => Ok(()),
            _ => leaf.for_each(rows, tally, |row, node| self.node(row, node)),
        }
    }

    #[inline(always)]
    fn node(&mut self, row: usize, node: &Node<'_>) -> Result<(), Error> {
        if let (Some(value), Some(slot)) = ((self.convert)(node), self.values.get_mut(row)) {
            *slot = value;
            self.valid.set_bit(row, true);
        }
        Ok(())
    }

    #[inline]
    fn part(&mut self, part: &Part<'_>) -> Result<(), Error> {
        match common_number(part.found) {
            Some(number) => self.node(part.row, &number),
            None => self.node(part.row, &Node::try_new(part.found)?),
        }
    }

    fn finish(mut self) -> Result<ArrayRef, Error> {
        let array = PrimitiveArray::<T>::try_new(self.values.into(), validity(&mut self.valid));
        let array = array.map_err(|error| Error::Arrow {
            reason: error.to_string().into(),
        })?;
        Ok(Arc::new(array.with_data_type(self.data_type)))
    }
}

/// Collects booleans.
#[derive(Debug)]
pub(super) struct Booleans {
    values: BooleanBufferBuilder,
    valid: BooleanBufferBuilder,
}

impl Booleans {
    /// Starts with every row null.
    pub(super) fn new(len: usize) -> Self {
        Self {
            values: unset(len),
            valid: unset(len),
        }
    }
}

impl Sink for Booleans {
    fn node(&mut self, row: usize, node: &Node<'_>) -> Result<(), Error> {
        if let Some(value) = node.to_bool() {
            self.values.set_bit(row, value);
            self.valid.set_bit(row, true);
        }
        Ok(())
    }

    fn part(&mut self, part: &Part<'_>) -> Result<(), Error> {
        self.node(part.row, &Node::try_new(part.found)?)
    }

    fn finish(mut self) -> Result<ArrayRef, Error> {
        Ok(Arc::new(BooleanArray::new(
            self.values.finish(),
            validity(&mut self.valid),
        )))
    }
}

/// Reads the numbers that most residuals hold, as [`Node::try_new`] does.
#[inline(always)]
fn common_number(value: &[u8]) -> Option<Node<'static>> {
    let (header, rest) = value.split_first()?;
    Some(match header {
        0x0c => Node::Int8(i8::from_le_bytes(*rest.first_chunk()?)),
        0x10 => Node::Int16(i16::from_le_bytes(*rest.first_chunk()?)),
        0x14 => Node::Int32(i32::from_le_bytes(*rest.first_chunk()?)),
        0x18 => Node::Int64(i64::from_le_bytes(*rest.first_chunk()?)),
        0x1c => Node::Double(f64::from_le_bytes(*rest.first_chunk()?)),
        _ => return None,
    })
}

/// Makes bits for every row, none set.
pub(super) fn unset(len: usize) -> BooleanBufferBuilder {
    let mut bits = BooleanBufferBuilder::new(len);
    bits.append_n(len, false);
    bits
}

/// Makes a validity of the rows that were given a value; `None` if all were.
pub(super) fn validity(valid: &mut BooleanBufferBuilder) -> Option<NullBuffer> {
    Some(NullBuffer::new(valid.finish())).filter(|nulls| nulls.null_count() > 0)
}
