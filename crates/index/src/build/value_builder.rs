//! The indexes of one subject from its values.

use arrow_array::Array;
use growler_schema::DataType;

use super::Budget;
use crate::{Error, IndexWriter, Kinds, Subject};

/// Takes the values of one subject in row order and builds its indexes.
#[derive(Debug)]
pub struct ValueBuilder {
    subject: Subject,
    wanted: Kinds,
}

/// What was built of one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// What it is of.
    pub subject: Subject,
    /// Each index with the bytes it takes.
    pub indexes: Vec<(crate::Kind, u64)>,
    /// Distinct values in the dictionary; none without one.
    pub distinct_count: Option<u32>,
    /// Rows without a value.
    pub null_count: u32,
    /// Rows whose value is not in the dictionary.
    pub other_count: u32,
}

impl ValueBuilder {
    /// Begins the indexes of a subject whose segment has `row_count` rows.
    ///
    /// Nulls are always among what is built; an inverted index, and a range index of a type
    /// without numbers to sort by, bring a dictionary; rows that the dictionary leaves out bring
    /// [`crate::Kind::Others`].
    pub fn new(
        subject: Subject,
        data_type: DataType,
        row_count: u32,
        wanted: Kinds,
        budget: Budget,
    ) -> Self {
        let _ = (data_type, row_count, budget);
        Self { subject, wanted }
    }

    /// Adds the next rows, as an array of exactly the type's Arrow type; text may also be
    /// `Dictionary(Int32, Utf8)`.
    ///
    /// # Errors
    /// Internal when the array is of another type or there are more rows than announced;
    /// unavailable when spilling fails.
    pub fn push(&mut self, values: &dyn Array) -> Result<(), Error> {
        let _ = values;
        Ok(())
    }

    /// Adds the next `row_count` rows, none of which has a value.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn push_nulls(&mut self, row_count: u32) -> Result<(), Error> {
        let _ = row_count;
        Ok(())
    }

    /// Marks a row that was pushed as null: it has a value, which is not for the dictionary.
    /// Rows ascend.
    ///
    /// # Errors
    /// Internal when rows do not ascend.
    pub fn mark_other(&mut self, row: u32) -> Result<(), Error> {
        let _ = row;
        Ok(())
    }

    /// Returns about how many bytes of memory are held.
    pub fn held_bytes(&self) -> usize {
        0
    }

    /// Builds the indexes and writes them.
    ///
    /// # Errors
    /// Internal when there were fewer rows than announced; unavailable; limit exceeded.
    pub fn finish(self, writer: &mut IndexWriter) -> Result<Built, Error> {
        let _ = (writer, self.wanted);
        Ok(Built {
            subject: self.subject,
            indexes: Vec::new(),
            distinct_count: None,
            null_count: 0,
            other_count: 0,
        })
    }
}
