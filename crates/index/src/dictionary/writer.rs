//! Sorted values to a dictionary.

use std::io::{self, Write};

use growler_schema::DataType;

use super::Form;
use super::text::TextWriter;
use crate::sequence::SequenceWriter;

/// A value in the shape in which it is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SortedValue<'a> {
    /// A number that sorts as the value does.
    Number(u64),
    /// Unscaled value of a decimal.
    Wide(i128),
    /// Text or bytes.
    Text(&'a [u8]),
}

/// Writes values that ascend; most bytes stream out.
#[derive(Debug)]
pub(crate) struct DictionaryWriter {
    values: Values,
    form: Form,
    len: u32,
}

#[derive(Debug)]
enum Values {
    Numbers(SequenceWriter),
    Wide,
    Text(TextWriter),
}

impl DictionaryWriter {
    pub fn new(data_type: DataType) -> Self {
        let form = Form::of(data_type);
        let values = match form {
            Form::Numbers => Values::Numbers(SequenceWriter::default()),
            Form::Wide => Values::Wide,
            Form::Text => Values::Text(TextWriter::default()),
        };
        Self {
            values,
            form,
            len: 0,
        }
    }

    /// Adds a value above the last one.
    ///
    /// # Errors
    /// Those of `out`, and invalid input for a value of another shape.
    pub fn push(&mut self, value: SortedValue<'_>, out: &mut impl Write) -> io::Result<()> {
        self.len += 1;
        match (&mut self.values, value) {
            (Values::Numbers(sequence), SortedValue::Number(number)) => sequence.push(number, out),
            (Values::Wide, SortedValue::Wide(number)) => out.write_all(&number.to_le_bytes()),
            (Values::Text(text), SortedValue::Text(value)) => text.push(value, out),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Returns how many values were added.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(self, out: &mut impl Write) -> io::Result<()> {
        match self.values {
            Values::Numbers(sequence) => sequence.finish(out)?,
            Values::Wide => {}
            Values::Text(text) => text.finish(out)?,
        }
        out.write_all(&[self.form.code()])
    }
}
