//! DISTINCTCOUNT, DISTINCTSUM, DISTINCTAVG, MODE: what needs the distinct values of each group.

use std::any::Any;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Float64Array, Int32Array,
    cast::AsArray,
    types::{Float64Type, Int64Type},
};
use arrow_cast::cast;
use arrow_schema::DataType as ArrowType;
use foldhash::fast::RandomState;
use growler_schema::DataType;
use hashbrown::HashMap;

use super::{
    accumulator::{Accumulator, Assigned, GroupMap, Repeated, arg, same},
    exact_sum::ExactSum,
    number::decimal_to_f64,
};
use crate::{error::Error, group::Grouper};

/// What is made of a group's distinct values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Summary {
    /// How many there are, as INT.
    Count,
    /// Their sum; the result without values.
    Sum(Option<f64>),
    /// Their mean; the result without values.
    Mean(Option<f64>),
    /// The most frequent one; the result without values.
    Mode(Option<f64>, Tie),
}

/// Which of several most frequent values counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// Their mean.
    Mean,
}

/// How often each group has each distinct value.
#[derive(Debug)]
pub(super) struct Distinct {
    summary: Summary,
    values: Grouper,
    /// By group and number of the value.
    counts: HashMap<(u32, u32), u64, RandomState>,
    group_count: usize,
    scratch: Vec<u32>,
}

impl Distinct {
    pub(super) fn new(data_type: DataType, summary: Summary) -> Self {
        let values = Grouper::new(&[data_type]);
        Self {
            summary,
            values,
            counts: HashMap::default(),
            group_count: 0,
            scratch: Vec::new(),
        }
    }

    /// Returns the distinct values as doubles.
    fn doubles(&self) -> Result<Vec<f64>, Error> {
        let keys = self.values.keys()?;
        let keys = arg(&keys, 0)?;
        let doubles: Float64Array = match keys.data_type() {
            ArrowType::Decimal128(_, scale) => {
                let decimals = keys.as_primitive::<arrow_array::types::Decimal128Type>();
                decimals.unary::<_, Float64Type>(|unscaled| decimal_to_f64(unscaled, *scale))
            }
            ArrowType::Timestamp(..) => {
                let longs = cast(
                    keys,
                    &ArrowType::Timestamp(arrow_schema::TimeUnit::Millisecond, None),
                )
                .and_then(|millis| cast(&millis, &ArrowType::Int64))
                .and_then(|longs| cast(&longs, &ArrowType::Float64));
                longs
                    .map_err(internal)?
                    .as_primitive::<Float64Type>()
                    .clone()
            }
            _ => cast(keys, &ArrowType::Float64)
                .map_err(internal)?
                .as_primitive()
                .clone(),
        };
        Ok(doubles.values().to_vec())
    }

    /// Returns what rounding to doubles took from the distinct values; none where it takes nothing.
    fn remainders(&self) -> Result<Vec<f64>, Error> {
        let keys = self.values.keys()?;
        let longs = arg(&keys, 0)?.as_primitive_opt::<Int64Type>();
        let rest = |&value: &i64| (i128::from(value) - value as f64 as i128) as f64;
        Ok(longs.map_or_else(Vec::new, |longs| longs.values().iter().map(rest).collect()))
    }

    /// Returns for each group the exact sum of what rounding took from its distinct values.
    fn rounded_off(&self) -> Result<Vec<f64>, Error> {
        let remainders = self.remainders()?;
        let mut sums = vec![0.0; self.group_count];
        for &(group, value) in self.counts.keys() {
            let rest = remainders.get(value as usize).copied().unwrap_or(0.0);
            if let Some(sum) = sums.get_mut(group as usize) {
                // Remainders are whole and small: their sum is exact in any order.
                *sum += rest;
            }
        }
        Ok(sums)
    }

    /// Returns for each group its distinct values with their frequencies, in ascending order.
    fn by_group(&self) -> Result<Vec<Vec<(f64, u64)>>, Error> {
        let doubles = self.doubles()?;
        let mut groups = vec![Vec::new(); self.group_count];
        for (&(group, value), &count) in &self.counts {
            let value = doubles.get(value as usize).copied().unwrap_or(f64::NAN);
            if let Some(values) = groups.get_mut(group as usize) {
                values.push((value, count));
            }
        }
        groups
            .iter_mut()
            .for_each(|values| values.sort_by(|a, b| a.0.total_cmp(&b.0)));
        Ok(groups)
    }

    fn count_each(&self) -> Int32Array {
        let mut counts = vec![0i32; self.group_count];
        for (group, _) in self.counts.keys() {
            if let Some(count) = counts.get_mut(*group as usize) {
                *count = count.saturating_add(1);
            }
        }
        Int32Array::from(counts)
    }
}

fn internal(error: arrow_schema::ArrowError) -> Error {
    Error::Internal(error.to_string())
}

/// Adds up values and what rounding took from them.
fn sum(values: &[(f64, u64)], rounded_off: f64) -> f64 {
    let mut sum = ExactSum::default();
    values.iter().for_each(|(value, _)| sum.add(*value));
    sum.add(rounded_off);
    sum.round()
}

fn mean(values: &[(f64, u64)], rounded_off: f64) -> f64 {
    sum(values, rounded_off) / values.len() as f64
}

/// Returns the most frequent value of some in ascending order.
fn mode(values: &[(f64, u64)], tie: Tie) -> f64 {
    let most = values.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let modes: Vec<_> = values
        .iter()
        .filter(|(_, count)| *count == most)
        .copied()
        .collect();
    let picked = match tie {
        Tie::Min => modes.first(),
        Tie::Max => modes.last(),
        Tie::Mean => return mean(&modes, 0.0),
    };
    picked.map_or(f64::NAN, |(value, _)| *value)
}

impl Accumulator for Distinct {
    fn update(&mut self, args: &[ArrayRef], assigned: &Assigned<'_>) -> Result<(), Error> {
        self.group_count = self.group_count.max(assigned.group_count);
        let array = arg(args, 0)?;
        self.scratch.clear();
        let known = self.values.len();
        self.values
            .intern(std::slice::from_ref(array), array.len(), &mut self.scratch)?;
        let is_mode = matches!(self.summary, Summary::Mode(..));
        if assigned.groups.is_none() && !is_mode && array.logical_null_count() == 0 {
            // Of one group only the values not seen before count.
            let new = known..self.values.len();
            let ids = new.filter_map(|id| u32::try_from(id).ok());
            self.counts.extend(ids.map(|id| ((0, id), 1)));
            return Ok(());
        }
        // Dictionary entries may be null too, so ask for logical nulls.
        let nulls = array.logical_nulls();
        // Runs of one value in one group are counted at once.
        let mut run: Option<((u32, u32), u64)> = None;
        for (row, &value) in self.scratch.iter().enumerate() {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                continue;
            }
            let group = assigned
                .groups
                .and_then(|groups| groups.get(row))
                .copied()
                .unwrap_or(0);
            match &mut run {
                Some((key, count)) if *key == (group, value) => *count += 1,
                _ => {
                    if let Some((key, count)) = run.replace(((group, value), 1)) {
                        *self.counts.entry(key).or_default() += count;
                    }
                }
            }
        }
        if let Some((key, count)) = run {
            *self.counts.entry(key).or_default() += count;
        }
        Ok(())
    }

    fn update_repeated(&mut self, args: &[ArrayRef], repeated: &Repeated<'_>) -> Result<(), Error> {
        let assigned = &repeated.assigned;
        if !matches!(self.summary, Summary::Mode(..)) {
            return self.update(args, assigned);
        }
        self.group_count = self.group_count.max(assigned.group_count);
        let array = arg(args, 0)?;
        self.scratch.clear();
        self.values
            .intern(std::slice::from_ref(array), array.len(), &mut self.scratch)?;
        let nulls = array.logical_nulls();
        for (row, &value) in self.scratch.iter().enumerate() {
            if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
                let group = u32::try_from(assigned.group(row)).unwrap_or(u32::MAX);
                *self.counts.entry((group, value)).or_default() += repeated.count(row);
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: Box<dyn Accumulator>, map: &GroupMap<'_>) -> Result<(), Error> {
        self.group_count = self.group_count.max(map.group_count);
        let other = same::<Self>(other)?;
        let mut ids = Vec::new();
        self.values
            .intern(&other.values.keys()?, other.values.len(), &mut ids)?;
        for ((group, value), count) in other.counts {
            let target = map.groups.get(group as usize).copied().flatten();
            if let (Some(group), Some(&value)) = (target, ids.get(value as usize)) {
                *self.counts.entry((group, value)).or_default() += count;
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, Error> {
        type Make = fn(&[(f64, u64)], f64) -> f64;
        let (empty, make): (_, Make) = match self.summary {
            Summary::Count => return Ok(Arc::new(self.count_each())),
            Summary::Sum(empty) => (empty, sum),
            Summary::Mean(empty) => (empty, mean),
            Summary::Mode(empty, Tie::Min) => (empty, |values, _| mode(values, Tie::Min)),
            Summary::Mode(empty, Tie::Max) => (empty, |values, _| mode(values, Tie::Max)),
            Summary::Mode(empty, Tie::Mean) => (empty, |values, _| mode(values, Tie::Mean)),
        };
        let (groups, rounded_off) = (self.by_group()?, self.rounded_off()?);
        let both = groups.iter().zip(rounded_off);
        let results = both.map(|(values, rounded_off)| match values.is_empty() {
            true => empty,
            false => Some(make(values, rounded_off)),
        });
        Ok(Arc::new(results.collect::<Float64Array>()))
    }

    fn size_bytes(&self) -> usize {
        self.values.size_bytes() + self.counts.capacity() * (size_of::<((u32, u32), u64)>() + 1)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
