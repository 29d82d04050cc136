//! Rows of variants to the two binary columns of an unshredded VARIANT.

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, Field};

use super::bytes_column::BytesColumn;
use super::encoder::Encoder;
use super::json::put_json;
use super::names::NameTable;
use crate::Error;

/// Whose dictionary of names a row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dictionary {
    /// One for all rows; small where documents are alike, and quick to read.
    Shared,
    /// Each row has its own.
    PerRow,
}

/// Collects rows; a row that fails leaves the column as it was.
#[derive(Debug)]
pub struct ColumnBuilder {
    dictionary: Dictionary,
    names: NameTable,
    metadata: BytesColumn,
    values: BytesColumn,
    validity: Vec<bool>,
}

impl ColumnBuilder {
    /// Makes an empty column.
    pub fn new(dictionary: Dictionary) -> Self {
        Self {
            dictionary,
            names: NameTable::default(),
            metadata: BytesColumn::default(),
            values: BytesColumn::default(),
            validity: Vec::new(),
        }
    }

    /// Makes an empty column whose rows share a dictionary that starts with these names.
    pub fn with_names(names: NameTable) -> Self {
        Self {
            names,
            ..Self::new(Dictionary::Shared)
        }
    }

    /// Appends a row without a value: SQL NULL, not a variant null.
    ///
    /// # Errors
    /// `LimitExceeded` when the column is full.
    pub fn push_null(&mut self) -> Result<(), Error> {
        // The children of a null row are not read, but a required child has no null either.
        self.push_bytes(NameTable::default, &[0], false)
    }

    /// Appends a JSON text.
    ///
    /// # Errors
    /// As [`super::json::encode_json`], and `LimitExceeded` when the column is full.
    pub fn push_json(&mut self, text: &str) -> Result<(), Error> {
        self.push(|encoder| put_json(text, encoder))
    }

    /// Appends the value that a function writes.
    ///
    /// # Errors
    /// The function's, and `LimitExceeded` when the column is full.
    pub fn push(
        &mut self,
        write: impl FnOnce(&mut Encoder<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut own = NameTable::default();
        let names = match self.dictionary {
            Dictionary::Shared => &mut self.names,
            Dictionary::PerRow => &mut own,
        };
        let mut encoder = Encoder::new(names);
        write(&mut encoder)?;
        let value = encoder.finish()?;
        self.push_bytes(|| own, &value, true)
    }

    /// Returns the column: required `metadata` and `value`, nulls in the struct.
    ///
    /// # Errors
    /// `LimitExceeded` when the shared dictionary, repeated in each row, does not fit.
    pub fn finish(mut self) -> Result<StructArray, Error> {
        if self.dictionary == Dictionary::Shared {
            let shared = self.names.to_bytes();
            for _ in 0..self.validity.len() {
                self.metadata.push(Some(&shared))?;
            }
        }
        let field = |name| Arc::new(Field::new(name, ArrowType::Binary, false));
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(self.metadata.finish()),
            Arc::new(self.values.finish()),
        ];
        let nulls = NullBuffer::from(self.validity);
        let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
        let fields = vec![field("metadata"), field("value")];
        StructArray::try_new(fields.into(), arrays, nulls).map_err(|error| Error::Arrow {
            reason: error.to_string().into(),
        })
    }

    fn push_bytes(
        &mut self,
        own: impl FnOnce() -> NameTable,
        value: &[u8],
        is_valid: bool,
    ) -> Result<(), Error> {
        self.values.push(Some(value))?;
        if self.dictionary == Dictionary::PerRow {
            self.metadata.push(Some(&own().to_bytes()))?;
        }
        self.validity.push(is_valid);
        Ok(())
    }
}
