//! DISTINCTCOUNTHLL.

use std::any::Any;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Int64Array,
    cast::AsArray,
    types::{
        ArrowPrimitiveType, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type,
        TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    },
};
use arrow_schema::{DataType as ArrowType, TimeUnit as ArrowUnit};

use super::{
    accumulator::{Accumulator, Assigned, GroupMap, arg, mismatch, same},
    hyper_log_log::{HyperLogLog, hash_bytes, hash_u64},
};
use crate::{error::Error, group::canonical::canonical};

/// Approximate distinct count of each group.
#[derive(Debug)]
pub(super) struct Sketch {
    log2m: u8,
    states: Vec<HyperLogLog>,
    heap_bytes: usize,
    unmeasured_rows: usize,
}

impl Sketch {
    pub(super) fn new(log2m: u8) -> Self {
        Self {
            log2m,
            states: Vec::new(),
            heap_bytes: 0,
            unmeasured_rows: 0,
        }
    }

    fn grow(&mut self, group_count: usize) {
        let empty = HyperLogLog::new(self.log2m);
        self.states
            .resize(group_count.max(self.states.len()), empty);
    }

    fn measure(&mut self, rows: usize) {
        self.unmeasured_rows += rows;
        if self.unmeasured_rows >= self.states.len() {
            self.unmeasured_rows = 0;
            self.heap_bytes = self.states.iter().map(HyperLogLog::heap_bytes).sum();
        }
    }
}

impl Accumulator for Sketch {
    fn update(&mut self, args: &[ArrayRef], assigned: &Assigned<'_>) -> Result<(), Error> {
        self.grow(assigned.group_count);
        let hashes = hashes(&canonical(arg(args, 0)?))?;
        for (row, hash) in hashes.into_iter().enumerate() {
            if let (Some(hash), Some(state)) = (hash, self.states.get_mut(assigned.group(row))) {
                state.add(hash);
            }
        }
        self.measure(assigned.row_count);
        Ok(())
    }

    fn merge(&mut self, other: Box<dyn Accumulator>, map: &GroupMap<'_>) -> Result<(), Error> {
        self.grow(map.group_count);
        let other = same::<Self>(other)?;
        let merged = other.states.len();
        map.merge(other.states, &mut self.states, HyperLogLog::merge);
        self.measure(merged.max(1));
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, Error> {
        let states = std::mem::take(&mut self.states);
        Ok(Arc::new(Int64Array::from_iter_values(
            states.iter().map(HyperLogLog::estimate),
        )))
    }

    fn size_bytes(&self) -> usize {
        self.states.capacity() * size_of::<HyperLogLog>() + self.heap_bytes
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Hashes every value; nulls have none.
fn hashes(array: &ArrayRef) -> Result<Vec<Option<u64>>, Error> {
    Ok(match array.data_type() {
        ArrowType::Int32 => of::<Int32Type>(array, |value| hash_u64(i64::from(value) as u64)),
        ArrowType::Int64 => of::<Int64Type>(array, |value| hash_u64(value as u64)),
        ArrowType::Float32 => {
            of::<Float32Type>(array, |value| hash_u64(u64::from(value.to_bits())))
        }
        ArrowType::Float64 => of::<Float64Type>(array, |value| hash_u64(value.to_bits())),
        ArrowType::Decimal128(..) => {
            of::<Decimal128Type>(array, |value| hash_bytes(&value.to_le_bytes()))
        }
        ArrowType::Timestamp(unit, _) => match unit {
            ArrowUnit::Microsecond => {
                of::<TimestampMicrosecondType>(array, |value| hash_u64(value as u64))
            }
            ArrowUnit::Nanosecond => {
                of::<TimestampNanosecondType>(array, |value| hash_u64(value as u64))
            }
            ArrowUnit::Millisecond => {
                of::<TimestampMillisecondType>(array, |value| hash_u64(value as u64))
            }
            ArrowUnit::Second => return Err(mismatch(array)),
        },
        ArrowType::Boolean => {
            let values = array.as_boolean().iter();
            values
                .map(|value| value.map(|value| hash_u64(u64::from(value))))
                .collect()
        }
        ArrowType::Utf8View => {
            let values = array.as_string_view().iter();
            values
                .map(|text| text.map(|text| hash_bytes(text.as_bytes())))
                .collect()
        }
        ArrowType::Utf8 => {
            let values = array.as_string::<i32>().iter();
            values
                .map(|text| text.map(|text| hash_bytes(text.as_bytes())))
                .collect()
        }
        ArrowType::BinaryView => array
            .as_binary_view()
            .iter()
            .map(|bytes| bytes.map(hash_bytes))
            .collect(),
        ArrowType::Dictionary(..) => {
            let keyed = array
                .as_dictionary_opt::<Int32Type>()
                .ok_or_else(|| mismatch(array))?;
            let entries = hashes(keyed.values())?;
            let entry = |key: i32| entries.get(usize::try_from(key).ok()?).copied().flatten();
            keyed.keys().iter().map(|key| key.and_then(entry)).collect()
        }
        _ => return Err(mismatch(array)),
    })
}

fn of<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    hash: impl Fn(T::Native) -> u64,
) -> Vec<Option<u64>> {
    array
        .as_primitive::<T>()
        .iter()
        .map(|value| value.map(&hash))
        .collect()
}
