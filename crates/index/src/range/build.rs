//! Building a range index, chunk by chunk as the rows come.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, cast::AsArray, types};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::{DataType as ArrowType, TimeUnit as ArrowUnit};
use growler_schema::DataType;

use super::{
    BLOCK_BYTES, CHUNK_ROWS,
    code::of_f64,
    directory::{self, Entry, Presence},
    slices,
};
use crate::{
    Error,
    order::{is_ordered, of_i64},
};

/// Takes the values of a subject in row order and slices them.
///
/// Holds one chunk of codes (512 KiB), 40 bytes for each chunk before it, and what the sink holds:
/// bytes, or a temporary file.
#[derive(Debug)]
pub struct RangeBuilder<W = Vec<u8>> {
    sink: W,
    data_type: DataType,
    row_count: u32,
    pushed: usize,
    offset: u64,
    directory: Vec<u8>,
    codes: Vec<u64>,
    present: BooleanBufferBuilder,
    payload: Vec<u8>,
    /// The dictionary of the array before, and the codes of its entries.
    dictionary: Option<(ArrayRef, Vec<u64>)>,
}

impl RangeBuilder {
    /// Begins the slices of a subject of `row_count` rows, in memory.
    pub fn new(data_type: DataType, row_count: u32) -> Self {
        Self::with_sink(data_type, row_count, Vec::new())
    }
}

impl<W: Write> RangeBuilder<W> {
    /// Begins the slices of a subject of `row_count` rows, written to a sink as they come.
    pub fn with_sink(data_type: DataType, row_count: u32, sink: W) -> Self {
        Self {
            sink,
            data_type,
            row_count,
            pushed: 0,
            offset: 0,
            directory: Vec::new(),
            codes: Vec::new(),
            present: BooleanBufferBuilder::new(0),
            payload: Vec::new(),
            dictionary: None,
        }
    }

    /// Adds the next rows: values of the type, or `UInt32` ranks for a type without numbers to sort
    /// by ([`crate::order::is_ordered`]). Null rows match no span.
    ///
    /// # Errors
    /// Internal, when the array is of another type; unavailable, when the sink fails.
    pub fn push(&mut self, values: &dyn Array) -> Result<(), Error> {
        use ArrowUnit::{Microsecond, Millisecond, Nanosecond};
        match values.data_type() {
            ArrowType::UInt32 if !is_ordered(self.data_type) => {
                self.push_primitive::<types::UInt32Type>(values, u64::from)
            }
            ArrowType::Dictionary(..) => {
                let array = values.as_dictionary_opt::<types::Int32Type>();
                let array = array.ok_or_else(|| Error::internal("keys are not of 32 bits"))?;
                self.push_dictionary(array)
            }
            other if *other != self.data_type.arrow_type() => Err(Error::internal(format!(
                "array is not of the indexed type: array={other}"
            ))),
            ArrowType::Int32 => {
                self.push_primitive::<types::Int32Type>(values, |value| of_i64(value.into()))
            }
            ArrowType::Int64 => self.push_primitive::<types::Int64Type>(values, of_i64),
            ArrowType::Float32 => {
                self.push_primitive::<types::Float32Type>(values, |value| of_f64(value.into()))
            }
            ArrowType::Float64 => self.push_primitive::<types::Float64Type>(values, of_f64),
            ArrowType::Timestamp(Millisecond, _) => {
                self.push_primitive::<types::TimestampMillisecondType>(values, of_i64)
            }
            ArrowType::Timestamp(Microsecond, _) => {
                self.push_primitive::<types::TimestampMicrosecondType>(values, of_i64)
            }
            ArrowType::Timestamp(Nanosecond, _) => {
                self.push_primitive::<types::TimestampNanosecondType>(values, of_i64)
            }
            ArrowType::Boolean => {
                let bits: Vec<bool> = values.as_boolean().values().iter().collect();
                self.push_values(&bits, values.logical_nulls().as_ref(), u64::from)
            }
            other => Err(Error::internal(format!(
                "values of this type have no range index: array={other}"
            ))),
        }
    }

    /// Adds the next `row_count` rows, none of which has a value.
    ///
    /// # Errors
    /// Unavailable, when the sink fails.
    pub fn push_nulls(&mut self, row_count: u32) -> Result<(), Error> {
        let mut left = usize::try_from(row_count).unwrap_or(usize::MAX);
        while left > 0 {
            let taken = left.min(CHUNK_ROWS - self.present.len());
            self.present.append_n(taken, false);
            self.end_rows()?;
            left -= taken;
        }
        Ok(())
    }

    /// Writes what is left; returns the sink.
    ///
    /// # Errors
    /// Internal, when there were fewer or more rows than announced; unavailable, when the sink fails.
    pub fn finish(mut self) -> Result<W, Error> {
        if !self.present.is_empty() {
            self.write_chunk()?;
        }
        if self.pushed != directory::length(self.row_count) {
            let (pushed, announced) = (self.pushed, self.row_count);
            return Err(Error::internal(format!(
                "range index has not the rows that were announced: rows={pushed} announced={announced}"
            )));
        }
        self.directory.extend(directory::footer(self.row_count));
        self.sink.write_all(&self.directory).map_err(unwritable)?;
        Ok(self.sink)
    }

    /// Makes the codes of a dictionary once for all arrays that share it.
    fn push_dictionary(&mut self, array: &DictionaryArray<types::Int32Type>) -> Result<(), Error> {
        let entries = array.values();
        let codes = match self.dictionary.take() {
            Some((known, codes)) if Arc::ptr_eq(&known, entries) => codes,
            _ if *entries.data_type() == self.data_type.arrow_type() => codes_of(entries)?,
            _ => return Err(Error::internal("dictionary is not of the indexed type")),
        };
        let nulls = array.logical_nulls();
        let code = |key: i32| {
            let code = codes.get(key.cast_unsigned() as usize);
            code.copied().unwrap_or(0)
        };
        self.push_values(array.keys().values(), nulls.as_ref(), code)?;
        self.dictionary = Some((entries.clone(), codes));
        Ok(())
    }

    fn push_primitive<T: ArrowPrimitiveType>(
        &mut self,
        values: &dyn Array,
        code: impl Fn(T::Native) -> u64 + Copy,
    ) -> Result<(), Error> {
        match values.as_primitive_opt::<T>() {
            Some(values) => self.push_values(values.values(), values.nulls(), code),
            None => Err(Error::internal("array is not of the type it says")),
        }
    }

    fn push_values<T: Copy>(
        &mut self,
        mut values: &[T],
        nulls: Option<&NullBuffer>,
        code: impl Fn(T) -> u64 + Copy,
    ) -> Result<(), Error> {
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        let mut done = 0;
        while !values.is_empty() {
            let taken = values.len().min(CHUNK_ROWS - self.present.len());
            let (part, rest) = values.split_at(taken);
            match nulls {
                None => {
                    self.present.append_n(taken, true);
                    self.codes.extend(part.iter().map(|value| code(*value)));
                }
                Some(nulls) => {
                    let nulls = nulls.slice(done, taken);
                    self.present.append_buffer(nulls.inner());
                    append_valid(part, &nulls, code, &mut self.codes);
                }
            }
            self.end_rows()?;
            done += taken;
            values = rest;
        }
        Ok(())
    }

    fn end_rows(&mut self) -> Result<(), Error> {
        if self.present.len() < CHUNK_ROWS {
            return Ok(());
        }
        self.write_chunk()
    }

    fn write_chunk(&mut self) -> Result<(), Error> {
        let rows = self.present.len();
        let frame = slices::subtract_least(&mut self.codes);
        let entry = Entry {
            offset: self.offset,
            frame,
            present: u32::try_from(self.codes.len()).unwrap_or(u32::MAX),
        };
        self.payload.clear();
        self.append_presence(entry.presence(rows));
        slices::append_slices(&self.codes, frame.stored, &mut self.payload);
        self.sink.write_all(&self.payload).map_err(unwritable)?;
        self.offset += u64::try_from(self.payload.len()).unwrap_or(u64::MAX);
        self.directory.extend(entry.to_bytes());
        self.pushed += rows;
        self.codes.clear();
        self.present.truncate(0);
        Ok(())
    }

    fn append_presence(&mut self, presence: Presence) {
        match presence {
            Presence::All => {}
            Presence::Listed => {
                for row in self.present.finish_cloned().set_indices() {
                    let row = u16::try_from(row).unwrap_or(u16::MAX);
                    self.payload.extend(row.to_le_bytes());
                }
            }
            Presence::Bits => self.payload.extend_from_slice(self.present.as_slice()),
        }
        let padded = self.payload.len().next_multiple_of(BLOCK_BYTES);
        self.payload.resize(padded, 0);
    }
}

/// Returns the codes of values; that of a null may be any.
fn codes_of(values: &dyn Array) -> Result<Vec<u64>, Error> {
    use ArrowUnit::{Microsecond, Millisecond, Nanosecond};
    macro_rules! codes {
        ($native:ty, $code:expr) => {{
            let values = values.as_primitive_opt::<$native>();
            values.map(|values| values.values().iter().map(|value| $code(*value)).collect())
        }};
    }
    let codes = match values.data_type() {
        ArrowType::Int32 => codes!(types::Int32Type, |value| of_i64(i64::from(value))),
        ArrowType::Int64 => codes!(types::Int64Type, of_i64),
        ArrowType::Float32 => codes!(types::Float32Type, |value| of_f64(f64::from(value))),
        ArrowType::Float64 => codes!(types::Float64Type, of_f64),
        ArrowType::Timestamp(Millisecond, _) => codes!(types::TimestampMillisecondType, of_i64),
        ArrowType::Timestamp(Microsecond, _) => codes!(types::TimestampMicrosecondType, of_i64),
        ArrowType::Timestamp(Nanosecond, _) => codes!(types::TimestampNanosecondType, of_i64),
        _ => None,
    };
    codes.ok_or_else(|| Error::internal("values of a dictionary have no codes"))
}

fn unwritable(source: io::Error) -> Error {
    Error::io("write", Path::new("slices of a range index"), source)
}

/// Appends the codes of the values that are not null.
fn append_valid<T: Copy>(
    values: &[T],
    nulls: &NullBuffer,
    code: impl Fn(T) -> u64,
    out: &mut Vec<u64>,
) {
    let mut kept = [0; 64];
    let bits = nulls.inner().bit_chunks();
    for (word, values) in bits.iter_padded().zip(values.chunks(64)) {
        if word == u64::MAX {
            out.extend(values.iter().map(|value| code(*value)));
        } else if word != 0 {
            // Written always, kept when valid: no branch to guess.
            let mut len = 0;
            for (idx, value) in values.iter().enumerate() {
                if let Some(place) = kept.get_mut(len) {
                    *place = code(*value);
                }
                len += usize::from(word >> idx & 1 == 1);
            }
            out.extend(kept.iter().take(len));
        }
    }
}
