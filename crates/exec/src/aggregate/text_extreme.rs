//! MINSTRING, MAXSTRING.

use std::any::Any;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StringViewArray, cast::AsArray, types::Int32Type};
use arrow_schema::DataType as ArrowType;

use super::accumulator::{Accumulator, Assigned, GroupMap, arg, mismatch, same};
use crate::error::Error;

/// Smallest or largest text of each group, by its bytes.
#[derive(Debug)]
pub(super) struct TextExtreme {
    states: Vec<Option<Box<str>>>,
    largest: bool,
    empty: Option<&'static str>,
    heap_bytes: usize,
}

impl TextExtreme {
    /// Makes MAXSTRING when `largest`, else MINSTRING; `empty` is the result without values.
    pub(super) fn new(largest: bool, empty: Option<&'static str>) -> Self {
        Self {
            states: Vec::new(),
            largest,
            empty,
            heap_bytes: 0,
        }
    }

    fn grow(&mut self, group_count: usize) {
        self.states.resize(group_count.max(self.states.len()), None);
    }

    fn fold(&mut self, group: usize, text: &str) {
        let Some(state) = self.states.get_mut(group) else {
            return;
        };
        let better = state.as_deref().is_none_or(|so_far| match self.largest {
            true => text > so_far,
            false => text < so_far,
        });
        if better {
            self.heap_bytes += text.len();
            self.heap_bytes -= state.as_deref().map_or(0, str::len);
            *state = Some(text.into());
        }
    }
}

impl Accumulator for TextExtreme {
    fn update(&mut self, args: &[ArrayRef], assigned: &Assigned<'_>) -> Result<(), Error> {
        self.grow(assigned.group_count);
        let array = arg(args, 0)?;
        let mut fold = |(row, text): (usize, Option<&str>)| {
            if let Some(text) = text {
                self.fold(assigned.group(row), text);
            }
        };
        match array.data_type() {
            ArrowType::Utf8View => array
                .as_string_view()
                .iter()
                .enumerate()
                .for_each(&mut fold),
            ArrowType::Dictionary(..) => {
                let keyed = array
                    .as_dictionary_opt::<Int32Type>()
                    .ok_or_else(|| mismatch(array))?;
                let values = keyed
                    .values()
                    .as_string_opt::<i32>()
                    .ok_or_else(|| mismatch(array))?;
                let text = |key: Option<i32>| {
                    let entry = usize::try_from(key?).ok()?;
                    values.is_valid(entry).then(|| values.value(entry))
                };
                keyed
                    .keys()
                    .iter()
                    .map(text)
                    .enumerate()
                    .for_each(&mut fold);
            }
            _ => return Err(mismatch(array)),
        }
        Ok(())
    }

    fn merge(&mut self, other: Box<dyn Accumulator>, map: &GroupMap<'_>) -> Result<(), Error> {
        self.grow(map.group_count);
        map.each(same::<Self>(other)?.states, |target, state| {
            if let Some(text) = state {
                self.fold(target, &text);
            }
        });
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, Error> {
        let states = std::mem::take(&mut self.states);
        let texts = states.iter().map(|state| state.as_deref().or(self.empty));
        Ok(Arc::new(texts.collect::<StringViewArray>()))
    }

    fn size_bytes(&self) -> usize {
        self.states.capacity() * size_of::<Option<Box<str>>>() + self.heap_bytes
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
