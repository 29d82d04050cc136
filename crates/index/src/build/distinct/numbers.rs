//! Values that sort by a number of 64 bits.

use std::hash::BuildHasher;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use foldhash::fast::RandomState;
use growler_schema::DataType;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::{Admission, NULL, OTHER, sort_ids};
use crate::order;

/// Slots of the cache before the table, a power of two.
const CACHE_BITS: u32 = 11;
/// Spreads numbers over the cache.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

#[derive(Debug)]
pub(super) struct Numbers {
    pub values: Vec<u64>,
    table: HashTable<(u64, u32)>,
    /// The last number that came by each slot; few distinct numbers never reach the table.
    cache: Vec<(u64, u32)>,
    state: RandomState,
}

impl Default for Numbers {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            table: HashTable::new(),
            cache: vec![(0, NULL); 1 << CACHE_BITS],
            state: RandomState::default(),
        }
    }
}

impl Numbers {
    pub fn ids(
        &mut self,
        data_type: DataType,
        values: &dyn Array,
        admission: Admission,
        ids: &mut Vec<u32>,
    ) -> Option<()> {
        match values.data_type() {
            ArrowType::Int32 => self.primitive::<Int32Type>(values, admission, ids, |value| {
                order::of_i64(value.into())
            }),
            ArrowType::Int64 => self.primitive::<Int64Type>(values, admission, ids, order::of_i64),
            ArrowType::Float32 => {
                self.primitive::<Float32Type>(values, admission, ids, order::of_f32)
            }
            ArrowType::Float64 => {
                self.primitive::<Float64Type>(values, admission, ids, order::of_f64)
            }
            ArrowType::Timestamp(unit, _) => {
                let longs = order::of_i64;
                match unit {
                    TimeUnit::Millisecond => {
                        self.primitive::<TimestampMillisecondType>(values, admission, ids, longs)
                    }
                    TimeUnit::Microsecond => {
                        self.primitive::<TimestampMicrosecondType>(values, admission, ids, longs)
                    }
                    TimeUnit::Nanosecond => {
                        self.primitive::<TimestampNanosecondType>(values, admission, ids, longs)
                    }
                    TimeUnit::Second => None,
                }
            }
            ArrowType::Boolean if data_type == DataType::Boolean => {
                for value in values.as_boolean_opt()? {
                    ids.push(match value {
                        Some(value) => self.id(value.into(), admission),
                        None => NULL,
                    });
                }
                Some(())
            }
            _ => None,
        }
    }

    fn primitive<T: ArrowPrimitiveType>(
        &mut self,
        values: &dyn Array,
        admission: Admission,
        ids: &mut Vec<u32>,
        number: impl Fn(T::Native) -> u64,
    ) -> Option<()> {
        let array = values.as_primitive_opt::<T>()?;
        ids.reserve(array.len());
        if array.null_count() == 0 {
            for &value in array.values() {
                ids.push(self.id(number(value), admission));
            }
        } else {
            for value in array {
                ids.push(match value {
                    Some(value) => self.id(number(value), admission),
                    None => NULL,
                });
            }
        }
        Some(())
    }

    #[inline]
    fn id(&mut self, number: u64, admission: Admission) -> u32 {
        let slot = usize::try_from(number.wrapping_mul(SPREAD) >> (64 - CACHE_BITS)).unwrap_or(0);
        match self.cache.get(slot) {
            Some(&(cached, id)) if cached == number && id != NULL => id,
            _ => self.look_up(number, admission, slot),
        }
    }

    fn look_up(&mut self, number: u64, admission: Admission, slot: usize) -> u32 {
        let hash = |number: &u64| self.state.hash_one(number);
        let entry = self.table.entry(
            hash(&number),
            |(other, _)| *other == number,
            |(other, _)| hash(other),
        );
        let id = match entry {
            Entry::Occupied(entry) => entry.get().1,
            Entry::Vacant(entry) => {
                let id = u32::try_from(self.values.len()).unwrap_or(OTHER);
                if id >= admission.distinct_count {
                    return OTHER;
                }
                entry.insert((number, id));
                self.values.push(number);
                id
            }
        };
        if let Some(cached) = self.cache.get_mut(slot) {
            *cached = (number, id);
        }
        id
    }

    pub fn sort(&mut self) -> Vec<u32> {
        self.table = HashTable::new();
        sort_ids(&self.values)
    }
}
