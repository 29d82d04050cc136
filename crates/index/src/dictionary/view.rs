//! A dictionary, read in place.

use std::ops::{Bound, Range};

use arrow_array::ArrayRef;
use growler_schema::{DataType, Value};

use super::numbers::Numbers;
use super::text::{Lengths, Text};
use super::wide::Wide;
use super::{Form, PLAIN_TEXT, TERSE_TEXT};
use crate::read::Guard;
use crate::{Error, order};

/// The distinct non-null values of a subject, sorted and typed, read in place; a value's *rank* is
/// its position.
///
/// Numbers sort by value, floats in total order (-0.0 before 0.0, NaN last), text and bytes by
/// bytes.
#[derive(Debug, Clone, Copy)]
pub struct Dictionary<'a> {
    view: DictionaryView<'a>,
    guard: Guard<'a>,
}

impl<'a> Dictionary<'a> {
    pub(crate) fn new(view: DictionaryView<'a>, guard: Guard<'a>) -> Self {
        Self { view, guard }
    }

    /// Returns the type of the values.
    pub fn data_type(&self) -> DataType {
        self.view.data_type
    }

    /// Returns how many values there are.
    pub fn len(&self) -> u32 {
        self.view.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the values of a range of ranks, as an array of exactly the type's Arrow type.
    ///
    /// Values are decoded, so ask for [`growler_base::limits::INDEX_DICTIONARY_BATCH`] at a time.
    ///
    /// # Errors
    /// Corrupt. Ranks beyond the last one are an internal error.
    pub fn values(&self, ranks: Range<u32>) -> Result<ArrayRef, Error> {
        self.guard.checked(self.view.values(ranks))
    }

    /// Returns the ranks of the values within two bounds, in the order of the dictionary.
    ///
    /// # Errors
    /// Corrupt. A bound of another type is an internal error.
    pub fn rank_range(
        &self,
        lower: Bound<&Value>,
        upper: Bound<&Value>,
    ) -> Result<Range<u32>, Error> {
        self.guard.checked(self.view.rank_range(lower, upper))
    }

    /// Returns the ranks of the text or bytes that begin with a prefix.
    ///
    /// # Errors
    /// Corrupt. Internal for another type.
    pub fn prefix_ranks(&self, prefix: &[u8]) -> Result<Range<u32>, Error> {
        self.guard.checked(self.view.prefix_ranks(prefix))
    }

    /// Returns the rank of a value.
    ///
    /// # Errors
    /// Corrupt. A value of another type is an internal error.
    pub fn rank(&self, value: &Value) -> Result<Option<u32>, Error> {
        let ranks = self.rank_range(Bound::Included(value), Bound::Included(value))?;
        Ok((!ranks.is_empty()).then_some(ranks.start))
    }

    /// Returns the value of a rank.
    ///
    /// # Errors
    /// Corrupt. A rank beyond the last one is an internal error.
    pub fn value(&self, rank: u32) -> Result<Value, Error> {
        self.guard.checked(self.view.value(rank))
    }

    /// Returns the first value.
    ///
    /// # Errors
    /// Corrupt.
    pub fn min(&self) -> Result<Option<Value>, Error> {
        match self.len() {
            0 => Ok(None),
            _ => self.value(0).map(Some),
        }
    }

    /// Returns the last value.
    ///
    /// # Errors
    /// Corrupt.
    pub fn max(&self) -> Result<Option<Value>, Error> {
        match self.len() {
            0 => Ok(None),
            len => self.value(len - 1).map(Some),
        }
    }
}

/// A dictionary without the file around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DictionaryView<'a> {
    data_type: DataType,
    values: Values<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Values<'a> {
    Numbers(Numbers<'a>),
    Wide(Wide<'a>),
    Text(Text<'a>),
}

impl<'a> DictionaryView<'a> {
    /// Checks that the parts lie in the bytes.
    pub fn try_new(bytes: &'a [u8], data_type: DataType) -> Result<Self, Error> {
        Self::parse(bytes, data_type)
            .ok_or_else(|| Error::damaged("dictionary has parts that do not fit together"))
    }

    fn parse(bytes: &'a [u8], data_type: DataType) -> Option<Self> {
        let (code, bytes) = bytes.split_last()?;
        let form = Form::of(data_type);
        let values = match (form, *code) {
            (Form::Text, PLAIN_TEXT) => Values::Text(Text::try_new(bytes, Lengths::Plain)?),
            (Form::Text, TERSE_TEXT) => Values::Text(Text::try_new(bytes, Lengths::Terse)?),
            (Form::Numbers, code) if code == form.code() => {
                Values::Numbers(Numbers::try_new(bytes)?)
            }
            (Form::Wide, code) if code == form.code() => Values::Wide(Wide::try_new(bytes)?),
            _ => return None,
        };
        Some(Self { data_type, values })
    }

    pub fn len(&self) -> u32 {
        match &self.values {
            Values::Numbers(numbers) => numbers.len(),
            Values::Wide(wide) => wide.len(),
            Values::Text(text) => text.len(),
        }
    }

    pub fn values(&self, ranks: Range<u32>) -> Result<ArrayRef, Error> {
        if ranks.start > ranks.end || ranks.end > self.len() {
            return Err(Error::internal(format!("no such ranks: ranks={ranks:?}")));
        }
        let values = match &self.values {
            Values::Numbers(numbers) => numbers.values(self.data_type, ranks),
            Values::Wide(wide) => wide.values(self.data_type, ranks),
            Values::Text(text) => text.values(self.data_type, ranks),
        };
        values.ok_or_else(|| Error::damaged("dictionary has values that cannot be read"))
    }

    pub fn value(&self, rank: u32) -> Result<Value, Error> {
        if rank >= self.len() {
            return Err(Error::internal(format!("no such rank: rank={rank}")));
        }
        let value = match &self.values {
            Values::Numbers(numbers) => numbers.value(self.data_type, rank),
            Values::Wide(wide) => wide.value(self.data_type, rank),
            Values::Text(text) => text.value(self.data_type, rank),
        };
        value.ok_or_else(|| Error::damaged("dictionary has a value that cannot be read"))
    }

    pub fn rank_range(
        &self,
        lower: Bound<&Value>,
        upper: Bound<&Value>,
    ) -> Result<Range<u32>, Error> {
        let ranks = match &self.values {
            Values::Numbers(numbers) => {
                let ordered = |value: &Value| order::ordered(self.data_type, value);
                let (lower, upper) = (self.bound(lower, ordered)?, self.bound(upper, ordered)?);
                numbers.ranks(lower, upper)
            }
            Values::Wide(wide) => {
                let unscaled = |value: &Value| match (value, self.data_type) {
                    (Value::BigDecimal(value, of), DataType::BigDecimal { scale })
                        if scale == *of =>
                    {
                        Some(*value)
                    }
                    _ => None,
                };
                let (lower, upper) = (self.bound(lower, unscaled)?, self.bound(upper, unscaled)?);
                wide.ranks(lower, upper)
            }
            Values::Text(text) => {
                let (lower, upper) = (self.bound(lower, bytes_of)?, self.bound(upper, bytes_of)?);
                text.ranks(lower, upper)
            }
        };
        ranks.ok_or_else(|| Error::damaged("dictionary has values that cannot be searched"))
    }

    pub fn prefix_ranks(&self, prefix: &[u8]) -> Result<Range<u32>, Error> {
        let Values::Text(text) = &self.values else {
            return Err(Error::internal("numbers have no prefix"));
        };
        // The first bytes above everything that begins with the prefix.
        let above = prefix.iter().rposition(|byte| *byte < u8::MAX);
        let above = above.and_then(|at| prefix.get(..=at)).map(|kept| {
            let mut above = kept.to_vec();
            if let Some(last) = above.last_mut() {
                *last += 1;
            }
            above
        });
        let upper = match &above {
            Some(above) => Bound::Excluded(above.as_slice()),
            None => Bound::Unbounded,
        };
        text.ranks(Bound::Included(prefix), upper)
            .ok_or_else(|| Error::damaged("dictionary has values that cannot be searched"))
    }

    fn bound<'v, T>(
        &self,
        bound: Bound<&'v Value>,
        value: impl Fn(&'v Value) -> Option<T>,
    ) -> Result<Bound<T>, Error> {
        let value = |of: &'v Value| {
            value(of).ok_or_else(|| {
                let name = self.data_type.name();
                Error::internal(format!("bound of another type: dictionary={name}"))
            })
        };
        Ok(match bound {
            Bound::Unbounded => Bound::Unbounded,
            Bound::Included(of) => Bound::Included(value(of)?),
            Bound::Excluded(of) => Bound::Excluded(value(of)?),
        })
    }
}

fn bytes_of(value: &Value) -> Option<&[u8]> {
    match value {
        Value::String(text) => Some(text.as_bytes()),
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}
