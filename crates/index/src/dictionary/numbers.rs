//! Values that sort by a number of 64 bits: a sequence of those numbers.

use std::ops::{Bound, Range};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array,
    TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
};
use growler_schema::{DataType, TimeUnit, Value};

use super::bounds;
use crate::order;
use crate::sequence::Sequence;

/// A dictionary of numbers, read in place. Methods return nothing when the bytes are broken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers<'a> {
    sequence: Sequence<'a>,
    len: u32,
}

impl<'a> Numbers<'a> {
    pub fn try_new(bytes: &'a [u8]) -> Option<Self> {
        let sequence = Sequence::try_new(bytes)?;
        let len = u32::try_from(sequence.len()).ok()?;
        Some(Self { sequence, len })
    }

    pub fn len(&self) -> u32 {
        self.len
    }

    pub fn ranks(&self, lower: Bound<u64>, upper: Bound<u64>) -> Option<Range<u32>> {
        bounds::ranks(self.len, lower, upper, |value, past| {
            let below = |number| number < value || past && number == value;
            let rank = self.sequence.partition_point(below)?;
            u32::try_from(rank).ok()
        })
    }

    pub fn value(&self, data_type: DataType, rank: u32) -> Option<Value> {
        let number = self.sequence.get(rank.into())?;
        Some(match data_type {
            DataType::Int => Value::Int(i32::try_from(order::to_i64(number)).ok()?),
            DataType::Long => Value::Long(order::to_i64(number)),
            DataType::Float => Value::Float(order::to_f32(number)?),
            DataType::Double => Value::Double(order::to_f64(number)),
            DataType::Boolean => Value::Boolean(number != 0),
            DataType::Timestamp { unit } => Value::Timestamp(order::to_i64(number), unit),
            _ => return None,
        })
    }

    pub fn values(&self, data_type: DataType, ranks: Range<u32>) -> Option<ArrayRef> {
        let longs = || self.gather(ranks.clone(), |number| Some(order::to_i64(number)));
        Some(match data_type {
            DataType::Int => {
                let int = |number| i32::try_from(order::to_i64(number)).ok();
                Arc::new(Int32Array::from(self.gather(ranks, int)?))
            }
            DataType::Long => Arc::new(Int64Array::from(longs()?)),
            DataType::Float => Arc::new(Float32Array::from(self.gather(ranks, order::to_f32)?)),
            DataType::Double => {
                let double = |number| Some(order::to_f64(number));
                Arc::new(Float64Array::from(self.gather(ranks, double)?))
            }
            DataType::Boolean => {
                let truth = |number| Some(number != 0);
                Arc::new(BooleanArray::from(self.gather(ranks, truth)?))
            }
            DataType::Timestamp { unit } => match unit {
                TimeUnit::Millis => Arc::new(TimestampMillisecondArray::from(longs()?)),
                TimeUnit::Micros => Arc::new(TimestampMicrosecondArray::from(longs()?)),
                TimeUnit::Nanos => Arc::new(TimestampNanosecondArray::from(longs()?)),
            },
            _ => return None,
        })
    }

    fn gather<T>(&self, ranks: Range<u32>, value: impl Fn(u64) -> Option<T>) -> Option<Vec<T>> {
        let mut values = Vec::with_capacity(ranks.len());
        self.sequence
            .each(ranks.start.into(), ranks.end.into(), |number| {
                values.extend(value(number));
            })?;
        (values.len() == ranks.len()).then_some(values)
    }
}
