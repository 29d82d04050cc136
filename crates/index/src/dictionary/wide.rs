//! BIG_DECIMAL: unscaled values of 16 bytes, ascending.

use std::ops::{Bound, Range};
use std::sync::Arc;

use arrow_array::{ArrayRef, Decimal128Array};
use growler_schema::data_type::DECIMAL_PRECISION;
use growler_schema::{DataType, Value};

use super::bounds;

/// A dictionary of decimals, read in place. Methods return nothing when the bytes are broken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide<'a> {
    values: &'a [[u8; 16]],
    len: u32,
}

impl<'a> Wide<'a> {
    pub fn try_new(bytes: &'a [u8]) -> Option<Self> {
        let (values, odd) = bytes.as_chunks();
        let len = u32::try_from(values.len()).ok()?;
        odd.is_empty().then_some(Self { values, len })
    }

    pub fn len(&self) -> u32 {
        self.len
    }

    pub fn ranks(&self, lower: Bound<i128>, upper: Bound<i128>) -> Option<Range<u32>> {
        bounds::ranks(self.len, lower, upper, |value, past| {
            let rank = self.values.partition_point(|bytes| {
                let number = i128::from_le_bytes(*bytes);
                number < value || past && number == value
            });
            u32::try_from(rank).ok()
        })
    }

    pub fn value(&self, data_type: DataType, rank: u32) -> Option<Value> {
        let DataType::BigDecimal { scale } = data_type else {
            return None;
        };
        let bytes = self.values.get(rank as usize)?;
        Some(Value::BigDecimal(i128::from_le_bytes(*bytes), scale))
    }

    pub fn values(&self, data_type: DataType, ranks: Range<u32>) -> Option<ArrayRef> {
        let DataType::BigDecimal { scale } = data_type else {
            return None;
        };
        let bytes = self.values.get(ranks.start as usize..ranks.end as usize)?;
        let array =
            Decimal128Array::from_iter_values(bytes.iter().copied().map(i128::from_le_bytes));
        let array = array.with_precision_and_scale(DECIMAL_PRECISION, scale);
        Some(Arc::new(array.ok()?))
    }
}
