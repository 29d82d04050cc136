//! Aggregates over values seen as numbers.

use std::any::Any;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray,
    cast::AsArray,
    types::{
        Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
        TimestampMillisecondType, TimestampNanosecondType,
    },
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, TimeUnit as ArrowUnit};

use super::accumulator::{Accumulator, Assigned, GroupMap, Repeated, arg, mismatch, same};
use crate::error::Error;

/// State of one group.
pub(super) trait NumberState: Default + Send + 'static {
    /// Whether a state holds bytes on the heap.
    const HEAP: bool = false;

    /// Folds in an INT, LONG, BOOLEAN (0 or 1) or TIMESTAMP (milliseconds), so many times.
    fn int(&mut self, value: i64, count: u64);

    /// Folds in a FLOAT or DOUBLE, so many times.
    fn float(&mut self, value: f64, count: u64);

    /// Folds in a BIG_DECIMAL, so many times.
    fn decimal(&mut self, unscaled: i128, scale: i8, count: u64) {
        self.float(decimal_to_f64(unscaled, scale), count);
    }

    /// Folds in the state of later rows.
    fn merge(&mut self, other: Self);

    /// Returns the bytes held on the heap.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Rows, or values of several rows each.
#[derive(Clone, Copy)]
struct Rows<'a> {
    assigned: &'a Assigned<'a>,
    /// How many rows each value stands for; none when one.
    counts: Option<&'a [u64]>,
}

/// Result of one state; the error says what does not fit.
pub(super) type Finish<S, T> =
    Box<dyn Fn(&S) -> Result<Option<<T as ArrowPrimitiveType>::Native>, Error> + Send>;

/// States of a function whose result is of type `T`.
pub(super) struct Numbers<S, T: ArrowPrimitiveType> {
    states: Vec<S>,
    finish: Finish<S, T>,
    /// Result of a group without values; none is null.
    empty: Option<T::Native>,
    heap_bytes: usize,
    unmeasured_rows: usize,
}

impl<S: NumberState, T: ArrowPrimitiveType> Numbers<S, T> {
    pub(super) fn new(empty: Option<T::Native>, finish: Finish<S, T>) -> Self {
        Self {
            states: Vec::new(),
            finish,
            empty,
            heap_bytes: 0,
            unmeasured_rows: 0,
        }
    }

    fn grow(&mut self, group_count: usize) {
        if group_count > self.states.len() {
            self.states.resize_with(group_count, S::default);
        }
    }

    /// Folds one value a row; `fold` is inlined into the loop over the rows.
    fn fold<V: Copy>(
        &mut self,
        values: impl Fn(usize) -> V,
        nulls: Option<&NullBuffer>,
        rows: Rows<'_>,
        fold: impl Fn(&mut S, V, u64),
    ) {
        let assigned = rows.assigned;
        if let Some(counts) = rows.counts {
            let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
            for (row, &count) in counts.iter().enumerate() {
                if nulls.is_none_or(|nulls| nulls.is_valid(row))
                    && let Some(state) = self.states.get_mut(assigned.group(row))
                {
                    fold(state, values(row), count);
                }
            }
            return;
        }
        match (
            assigned.groups,
            nulls.filter(|nulls| nulls.null_count() > 0),
        ) {
            (None, None) => {
                let Some(state) = self.states.first_mut() else {
                    return;
                };
                (0..assigned.row_count).for_each(|row| fold(state, values(row), 1));
            }
            (None, Some(nulls)) => {
                let Some(state) = self.states.first_mut() else {
                    return;
                };
                nulls
                    .valid_indices()
                    .for_each(|row| fold(state, values(row), 1));
            }
            (Some(groups), nulls) => {
                for (row, &group) in groups.iter().enumerate() {
                    if nulls.is_none_or(|nulls| nulls.is_valid(row))
                        && let Some(state) = self.states.get_mut(group as usize)
                    {
                        fold(state, values(row), 1);
                    }
                }
            }
        }
    }

    fn fold_ints<A: ArrowPrimitiveType>(
        &mut self,
        array: &ArrayRef,
        rows: Rows<'_>,
        value: impl Fn(A::Native) -> i64,
    ) {
        let array = array.as_primitive::<A>();
        let values = array.values();
        self.fold(|row| value(values[row]), array.nulls(), rows, S::int);
    }

    fn fold_floats<A: ArrowPrimitiveType>(&mut self, array: &ArrayRef, rows: Rows<'_>)
    where
        A::Native: Into<f64>,
    {
        let array = array.as_primitive::<A>();
        let values = array.values();
        self.fold(|row| values[row].into(), array.nulls(), rows, S::float);
    }

    fn fold_array(&mut self, array: &ArrayRef, rows: Rows<'_>) -> Result<(), Error> {
        match array.data_type() {
            ArrowType::Int32 => self.fold_ints::<Int32Type>(array, rows, i64::from),
            ArrowType::Int64 => self.fold_ints::<Int64Type>(array, rows, |value| value),
            ArrowType::Float32 => self.fold_floats::<Float32Type>(array, rows),
            ArrowType::Float64 => self.fold_floats::<Float64Type>(array, rows),
            ArrowType::Boolean => {
                let array = array.as_boolean();
                let values = array.values();
                let value = |row| i64::from(values.value(row));
                self.fold(value, array.nulls(), rows, S::int);
            }
            ArrowType::Decimal128(_, scale) => {
                let (array, scale) = (array.as_primitive::<Decimal128Type>(), *scale);
                let values = array.values();
                let fold = |state: &mut S, value, count| state.decimal(value, scale, count);
                self.fold(|row| values[row], array.nulls(), rows, fold);
            }
            ArrowType::Timestamp(ArrowUnit::Millisecond, _) => {
                self.fold_ints::<TimestampMillisecondType>(array, rows, |value| value);
            }
            ArrowType::Timestamp(ArrowUnit::Microsecond, _) => {
                let millis = |value: i64| value.div_euclid(1_000);
                self.fold_ints::<TimestampMicrosecondType>(array, rows, millis);
            }
            ArrowType::Timestamp(ArrowUnit::Nanosecond, _) => {
                let millis = |value: i64| value.div_euclid(1_000_000);
                self.fold_ints::<TimestampNanosecondType>(array, rows, millis);
            }
            _ => return Err(mismatch(array)),
        }
        Ok(())
    }

    /// Measures the heap once as many rows were folded as there are states: constant cost a row.
    fn measure(&mut self, rows: usize) {
        self.unmeasured_rows += rows;
        if S::HEAP && self.unmeasured_rows >= self.states.len() {
            self.unmeasured_rows = 0;
            self.heap_bytes = self.states.iter().map(S::heap_bytes).sum();
        }
    }
}

impl<S: NumberState, T: ArrowPrimitiveType> Accumulator for Numbers<S, T>
where
    T::Native: Send,
{
    fn update(&mut self, args: &[ArrayRef], assigned: &Assigned<'_>) -> Result<(), Error> {
        self.grow(assigned.group_count);
        let rows = Rows {
            assigned,
            counts: None,
        };
        self.fold_array(arg(args, 0)?, rows)?;
        self.measure(assigned.row_count);
        Ok(())
    }

    fn update_repeated(&mut self, args: &[ArrayRef], repeated: &Repeated<'_>) -> Result<(), Error> {
        let assigned = &repeated.assigned;
        self.grow(assigned.group_count);
        let rows = Rows {
            assigned,
            counts: Some(repeated.counts),
        };
        self.fold_array(arg(args, 0)?, rows)?;
        self.measure(assigned.row_count);
        Ok(())
    }

    fn merge(&mut self, other: Box<dyn Accumulator>, map: &GroupMap<'_>) -> Result<(), Error> {
        self.grow(map.group_count);
        let other = same::<Self>(other)?;
        let merged = other.states.len();
        map.merge(other.states, &mut self.states, S::merge);
        self.measure(merged.max(1));
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, Error> {
        let results = self
            .states
            .iter()
            .map(|state| Ok((self.finish)(state)?.or(self.empty)));
        let results = results.collect::<Result<PrimitiveArray<T>, Error>>()?;
        self.states = Vec::new();
        Ok(Arc::new(results))
    }

    fn size_bytes(&self) -> usize {
        self.states.capacity() * size_of::<S>() + self.heap_bytes
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Returns the double nearest to a decimal.
pub(super) fn decimal_to_f64(unscaled: i128, scale: i8) -> f64 {
    // Both are exact below 2^53 and 10^22, so one division rounds once; others go through text.
    let exact = unscaled.unsigned_abs() < 1 << 53;
    match usize::try_from(scale)
        .ok()
        .and_then(|scale| POWERS.get(scale))
    {
        Some(power) if exact => unscaled as f64 / power,
        _ => format!("{unscaled}e{}", -i32::from(scale))
            .parse()
            .unwrap_or(f64::NAN),
    }
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_round_once() {
        for (unscaled, scale, expected) in [
            (12_345, 2, 123.45),
            (-1, 1, -0.1),
            (10i128.pow(37), 37, 1.0),
            (123_456_789_012_345_678, 3, 123_456_789_012_345.67),
            (5, -2, 500.0),
        ] {
            assert_eq!(
                decimal_to_f64(unscaled, scale),
                expected,
                "{unscaled} {scale}"
            );
        }
    }
}
