//! Arguments of a function as typed lanes, and results as arrays.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryViewArray, BooleanArray, ListArray, PrimitiveArray,
    StringViewArray, builder::StringViewBuilder, cast::AsArray, types,
};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};
use growler_base::limits;

use super::node::Evaluated;
use crate::error::Error;

/// Evaluated arguments; rows with a null among them are not computed.
#[derive(Debug)]
pub(crate) struct Args<'a> {
    columns: &'a [Evaluated],
    nulls: Option<NullBuffer>,
    row_count: usize,
}

/// Values of one argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lane<'a, T> {
    /// A value for every row; null slots are arbitrary.
    Rows(&'a [T]),
    /// One value for every row.
    One(T),
}

/// Texts of one argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Texts<'a> {
    /// A text for every row.
    Rows(&'a StringViewArray),
    /// One text for every row.
    One(&'a str),
}

impl<T: Copy> Lane<'_, T> {
    /// Returns the value of a row.
    pub fn at(&self, row: usize) -> T {
        match self {
            Self::Rows(values) => values[row],
            Self::One(value) => *value,
        }
    }
}

impl<'a> Texts<'a> {
    /// Returns the text of a row.
    pub fn at(&self, row: usize) -> &'a str {
        match self {
            Self::Rows(array) => array.value(row),
            Self::One(text) => text,
        }
    }
}

impl<'a> Args<'a> {
    /// Wraps evaluated arguments; none may be a dictionary, and no constant a null.
    pub fn new(columns: &'a [Evaluated], row_count: usize) -> Self {
        let nulls = columns.iter().fold(None, |nulls, column| match column {
            Evaluated::Rows(array) => {
                NullBuffer::union(nulls.as_ref(), array.logical_nulls().as_ref())
            }
            Evaluated::One(_) => nulls,
        });
        Self {
            columns,
            nulls,
            row_count,
        }
    }

    /// Returns the rows to compute.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// Returns which rows have no null argument.
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    /// Tells whether a row has no null argument.
    pub fn is_valid(&self, row: usize) -> bool {
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
    }

    /// Returns an argument's values, by its Arrow type.
    pub fn primitive<T: ArrowPrimitiveType>(
        &self,
        idx: usize,
    ) -> Result<Lane<'a, T::Native>, Error> {
        let wrong = || wrong_argument(idx);
        match self.columns.get(idx).ok_or_else(wrong)? {
            Evaluated::Rows(array) => Ok(Lane::Rows(
                array.as_primitive_opt::<T>().ok_or_else(wrong)?.values(),
            )),
            Evaluated::One(array) => {
                let values = array.as_primitive_opt::<T>().ok_or_else(wrong)?.values();
                Ok(Lane::One(*values.first().ok_or_else(wrong)?))
            }
        }
    }

    /// Returns a DOUBLE argument.
    pub fn doubles(&self, idx: usize) -> Result<Lane<'a, f64>, Error> {
        self.primitive::<types::Float64Type>(idx)
    }

    /// Returns a LONG argument.
    pub fn longs(&self, idx: usize) -> Result<Lane<'a, i64>, Error> {
        self.primitive::<types::Int64Type>(idx)
    }

    /// Returns a text argument.
    pub fn texts(&self, idx: usize) -> Result<Texts<'a>, Error> {
        let wrong = || wrong_argument(idx);
        match self.columns.get(idx).ok_or_else(wrong)? {
            Evaluated::Rows(array) => {
                Ok(Texts::Rows(array.as_string_view_opt().ok_or_else(wrong)?))
            }
            Evaluated::One(array) => {
                let array = array.as_string_view_opt().filter(|array| !array.is_empty());
                Ok(Texts::One(array.ok_or_else(wrong)?.value(0)))
            }
        }
    }

    /// Returns an argument's array, repeated if it is constant.
    pub fn array(&self, idx: usize) -> Result<ArrayRef, Error> {
        let column = self.columns.get(idx).ok_or_else(|| wrong_argument(idx))?;
        column.clone().into_rows(self.row_count)
    }

    /// Returns a BYTES argument.
    pub fn bytes(&self, idx: usize) -> Result<BinaryViewArray, Error> {
        let array = self.array(idx)?;
        Ok(array
            .as_binary_view_opt()
            .ok_or_else(|| wrong_argument(idx))?
            .clone())
    }

    /// Returns a multi-value argument.
    pub fn lists(&self, idx: usize) -> Result<ListArray, Error> {
        let array = self.array(idx)?;
        Ok(array
            .as_list_opt()
            .ok_or_else(|| wrong_argument(idx))?
            .clone())
    }

    /// Makes an array of a function of one lane that gives a value for every row.
    pub fn map<A: Copy, T: ArrowPrimitiveType>(
        &self,
        a: Lane<'_, A>,
        function: impl Fn(A) -> T::Native,
    ) -> ArrayRef {
        let values: Vec<T::Native> = match a {
            Lane::Rows(values) => values.iter().map(|value| function(*value)).collect(),
            Lane::One(value) => vec![function(value); self.row_count],
        };
        Arc::new(PrimitiveArray::<T>::new(values.into(), self.nulls.clone()))
    }

    /// Makes an array of a function of two lanes that gives a value for every row.
    pub fn map2<A: Copy, B: Copy, T: ArrowPrimitiveType>(
        &self,
        a: Lane<'_, A>,
        b: Lane<'_, B>,
        function: impl Fn(A, B) -> T::Native,
    ) -> ArrayRef {
        let values: Vec<T::Native> = match (a, b) {
            (Lane::Rows(a), Lane::Rows(b)) => {
                a.iter().zip(b).map(|(a, b)| function(*a, *b)).collect()
            }
            (Lane::Rows(a), Lane::One(b)) => a.iter().map(|a| function(*a, b)).collect(),
            (Lane::One(a), Lane::Rows(b)) => b.iter().map(|b| function(a, *b)).collect(),
            (Lane::One(a), Lane::One(b)) => vec![function(a, b); self.row_count],
        };
        Arc::new(PrimitiveArray::<T>::new(values.into(), self.nulls.clone()))
    }

    /// Makes an array of a function of the row; it is not called where an argument is null, and
    /// may give a null itself.
    pub fn collect<T: ArrowPrimitiveType>(
        &self,
        mut function: impl FnMut(usize) -> Result<Option<T::Native>, Error>,
    ) -> Result<ArrayRef, Error> {
        let mut values = vec![T::Native::default(); self.row_count];
        let mut validity = BooleanBufferBuilder::new(self.row_count);
        for (row, slot) in values.iter_mut().enumerate() {
            let value = if self.is_valid(row) {
                function(row)?
            } else {
                None
            };
            validity.append(value.is_some());
            *slot = value.unwrap_or_default();
        }
        let nulls = some_nulls(validity.finish());
        Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls)))
    }

    /// Makes a BOOLEAN array of a function of the row.
    pub fn collect_bool(&self, function: impl Fn(usize) -> bool) -> ArrayRef {
        let values =
            BooleanBuffer::collect_bool(self.row_count, |row| self.is_valid(row) && function(row));
        Arc::new(BooleanArray::new(values, self.nulls.clone()))
    }

    /// Makes a text array of a function that appends a row's text, or says that it is null.
    ///
    /// # Errors
    /// Those of the function; [`Error::Memory`] when all texts together are too long.
    pub fn collect_text(
        &self,
        mut function: impl FnMut(usize, &mut String) -> Result<bool, Error>,
    ) -> Result<ArrayRef, Error> {
        let mut out = StringViewBuilder::with_capacity(self.row_count);
        let (mut text, mut made_bytes) = (String::new(), 0_usize);
        for row in 0..self.row_count {
            text.clear();
            if self.is_valid(row) && function(row, &mut text)? {
                made_bytes = made_bytes.saturating_add(text.len());
                if made_bytes > limits::COMPUTED_TEXT_BYTES {
                    return Err(Error::Memory {
                        budget_bytes: limits::COMPUTED_TEXT_BYTES,
                        asked_bytes: made_bytes,
                        purpose: "computed text",
                    });
                }
                out.append_value(&text);
            } else {
                out.append_null();
            }
        }
        Ok(Arc::new(out.finish()))
    }

    /// Makes a text array of a function that gives a row's text without copying it first.
    pub fn collect_str(&self, function: impl Fn(usize) -> Option<&'a str>) -> ArrayRef {
        let rows = 0..self.row_count;
        let texts = rows.map(|row| {
            if self.is_valid(row) {
                function(row)
            } else {
                None
            }
        });
        Arc::new(texts.collect::<StringViewArray>())
    }

    /// Makes a BYTES array of a function of the row.
    pub fn collect_bytes(&self, mut function: impl FnMut(usize) -> Option<Vec<u8>>) -> ArrayRef {
        let rows = 0..self.row_count;
        let bytes = rows.map(|row| {
            if self.is_valid(row) {
                function(row)
            } else {
                None
            }
        });
        Arc::new(bytes.collect::<BinaryViewArray>())
    }
}

/// Returns a validity unless everything is valid.
pub(crate) fn some_nulls(validity: BooleanBuffer) -> Option<NullBuffer> {
    Some(NullBuffer::new(validity)).filter(|nulls| nulls.null_count() > 0)
}

fn wrong_argument(idx: usize) -> Error {
    Error::Internal(format!("argument is not of the compiled type: idx={idx}"))
}
