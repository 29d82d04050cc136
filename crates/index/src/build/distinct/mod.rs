//! Distinct values, each with an id in the order of arrival.

mod known;
mod numbers;
mod text;
mod wide;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray};
use growler_schema::DataType;

use crate::Error;
use crate::dictionary::{Form, SortedValue};

use known::Known;
use numbers::Numbers;
use text::Text;
use wide::Wide;

/// The id of a row without a value.
pub(super) const NULL: u32 = u32::MAX;
/// The id of a row whose value is left out.
pub(super) const OTHER: u32 = u32::MAX - 1;
/// Bytes that a value takes besides its own while ranks are made: table, sort keys, ranks, counts.
const OVERHEAD: usize = 44;

/// Which values are left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admission {
    /// Most distinct values.
    pub distinct_count: u32,
    /// Longest text or bytes.
    pub value_len_bytes: usize,
}

/// The distinct values of a subject so far.
#[derive(Debug)]
pub(super) struct Distinct {
    values: Values,
    data_type: DataType,
    /// The dictionary of the array before: batches share one.
    dictionary: Option<Known>,
}

#[derive(Debug)]
enum Values {
    Numbers(Numbers),
    Wide(Wide),
    Text(Text),
}

impl Distinct {
    pub fn new(data_type: DataType) -> Self {
        let values = match Form::of(data_type) {
            Form::Numbers => Values::Numbers(Numbers::default()),
            Form::Wide => Values::Wide(Wide::default()),
            Form::Text => Values::Text(Text::default()),
        };
        Self {
            values,
            data_type,
            dictionary: None,
        }
    }

    /// Appends the id of each row, or [`NULL`] or [`OTHER`].
    pub fn ids(
        &mut self,
        values: &dyn Array,
        admission: Admission,
        ids: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let known = match values.as_dictionary_opt::<Int32Type>() {
            Some(dictionary) => self.dictionary_ids(dictionary, admission, ids),
            None => self.values.ids(self.data_type, values, admission, ids),
        };
        known.ok_or_else(|| {
            let (name, found) = (self.data_type.name(), values.data_type());
            Error::internal(format!(
                "values of another type: index={name} found={found}"
            ))
        })
    }

    fn dictionary_ids(
        &mut self,
        values: &DictionaryArray<Int32Type>,
        admission: Admission,
        ids: &mut Vec<u32>,
    ) -> Option<()> {
        let entries = values.values();
        let mut known = match self.dictionary.take() {
            Some(known) if known.is_of(entries) => known,
            _ => Known::new(entries.clone()),
        };
        let nulls = values.keys().nulls().filter(|nulls| nulls.null_count() > 0);
        let keys = values.keys().values();
        if !known.append(keys, nulls, ids) {
            let data_type = self.data_type;
            known.find(keys, nulls, |entries, at| {
                self.values.id_at(data_type, entries, at, admission)
            })?;
            // A key that is not in the dictionary stays unknown.
            known.append(keys, nulls, ids).then_some(())?;
        }
        self.dictionary = Some(known);
        Some(())
    }

    /// Returns how many values there are.
    pub fn len(&self) -> u32 {
        let len = match &self.values {
            Values::Numbers(numbers) => numbers.values.len(),
            Values::Wide(wide) => wide.values.len(),
            Values::Text(text) => text.len(),
        };
        u32::try_from(len).unwrap_or(u32::MAX)
    }

    /// Returns how many bytes the values take.
    pub fn value_bytes(&self) -> usize {
        match &self.values {
            Values::Numbers(numbers) => numbers.values.len() * 8,
            Values::Wide(wide) => wide.values.len() * 16,
            Values::Text(text) => text.value_bytes(),
        }
    }

    /// Returns how many bytes are or will be held for the values.
    pub fn held_bytes(&self) -> usize {
        let value_bytes = match &self.values {
            Values::Text(text) => text.held_bytes(),
            _ => self.value_bytes(),
        };
        let known = self.dictionary.as_ref().map_or(0, Known::held_bytes);
        value_bytes + known + self.len() as usize * OVERHEAD
    }

    /// Returns the ids in the order of their values, and drops what only look-ups need.
    pub fn sort(&mut self) -> Vec<u32> {
        self.dictionary = None;
        match &mut self.values {
            Values::Numbers(numbers) => numbers.sort(),
            Values::Wide(wide) => wide.sort(),
            Values::Text(text) => text.sort(),
        }
    }

    /// Returns the value of an id.
    pub fn value(&self, id: u32) -> Option<SortedValue<'_>> {
        Some(match &self.values {
            Values::Numbers(numbers) => SortedValue::Number(*numbers.values.get(id as usize)?),
            Values::Wide(wide) => SortedValue::Wide(*wide.values.get(id as usize)?),
            Values::Text(text) => SortedValue::Text(text.value(id)?),
        })
    }
}

impl Values {
    fn ids(
        &mut self,
        data_type: DataType,
        values: &dyn Array,
        admission: Admission,
        ids: &mut Vec<u32>,
    ) -> Option<()> {
        match self {
            Self::Numbers(numbers) => numbers.ids(data_type, values, admission, ids),
            Self::Wide(wide) => wide.ids(values, admission, ids),
            Self::Text(text) => text.ids(values, admission, ids),
        }
    }

    /// Returns the id of one value of an array.
    fn id_at(
        &mut self,
        data_type: DataType,
        values: &dyn Array,
        at: usize,
        admission: Admission,
    ) -> Option<u32> {
        if let Self::Text(text) = self {
            return text.id_at(values, at, admission);
        }
        let mut ids = Vec::with_capacity(1);
        self.ids(data_type, &*values.slice(at, 1), admission, &mut ids)?;
        ids.first().copied()
    }
}

/// Returns the ids of values, sorted.
fn sort_ids<T: Copy + Ord>(values: &[T]) -> Vec<u32> {
    if values.is_sorted() {
        return (0..).take(values.len()).collect();
    }
    let mut pairs: Vec<(T, u32)> = values.iter().copied().zip(0..).collect();
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, id)| id).collect()
}
