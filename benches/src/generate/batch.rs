//! Some rows of a table, as arrays.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Schema};
use clap::ValueEnum;
use growler_segment::write::variant_field;
use growler_variant::build::{ColumnBuilder, Dictionary};
use growler_variant::shred::{Shape, split};

use super::plain::{PlainBluesky, PlainEvents};
use crate::bluesky::{Bluesky, Keys};
use crate::event::Event;

/// A table whose rows a seed decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Table {
    /// `ts`, `user_id` and the document `props` of eight keys.
    Events,
    /// The document `data` alone, as JSONBench asks it.
    Bluesky,
}

impl Table {
    /// Returns the name of the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Bluesky => "bluesky",
        }
    }

    /// Returns the name of the column that holds the documents.
    pub fn document(self) -> &'static str {
        match self {
            Self::Events => "props",
            Self::Bluesky => "data",
        }
    }
}

/// Rows made once, to be kept in any layout.
pub(super) struct Rows {
    table: Table,
    values: Values,
    /// One document a row.
    json: StringArray,
}

enum Values {
    Events(Vec<Event>),
    Bluesky(Vec<Keys>),
}

impl Rows {
    /// Makes a range of rows of a table of so many.
    pub(super) fn make(table: Table, seed: u64, rows: Range<u64>, row_count: u64) -> Self {
        let mut texts = Vec::new();
        let values = match table {
            Table::Events => {
                let events: Vec<Event> = rows.map(|row| Event::of_row(seed, row)).collect();
                for event in &events {
                    let mut text = String::with_capacity(256);
                    event.put_json(&mut text);
                    texts.push(text);
                }
                Values::Events(events)
            }
            Table::Bluesky => {
                let bluesky = Bluesky::new(seed, row_count);
                let keys = rows.map(|row| {
                    let mut text = String::with_capacity(512);
                    let keys = bluesky.put_json(row, &mut text);
                    texts.push(text);
                    keys
                });
                Values::Bluesky(keys.collect())
            }
        };
        let json = StringArray::from_iter_values(texts);
        Self {
            table,
            values,
            json,
        }
    }

    /// Returns the documents as variants, each with a dictionary of its own names.
    pub(super) fn variants(&self) -> anyhow::Result<StructArray> {
        let mut column = ColumnBuilder::new(Dictionary::PerRow);
        for text in self.json.iter().flatten() {
            column.push_json(text)?;
        }
        Ok(column.finish()?)
    }

    /// Returns the rows with their documents in a shape.
    pub(super) fn shaped(
        &self,
        variants: &StructArray,
        shape: &Shape,
    ) -> anyhow::Result<RecordBatch> {
        let document = match shape.typed {
            Some(_) => split(variants, shape)?,
            None => variants.clone(),
        };
        let field = variant_field(self.table.document(), document.data_type(), true);
        self.beside(field, Arc::new(document))
    }

    /// Returns the rows with their documents as text.
    pub(super) fn texts(&self) -> anyhow::Result<RecordBatch> {
        let field = Field::new(self.table.document(), DataType::Utf8, true);
        self.beside(field, Arc::new(self.json.clone()))
    }

    /// Returns the values of the keys as columns.
    pub(super) fn plain(&self) -> anyhow::Result<RecordBatch> {
        match &self.values {
            Values::Events(events) => PlainEvents::of(events).finish(),
            Values::Bluesky(keys) => PlainBluesky::of(keys).finish(),
        }
    }

    fn beside(&self, field: Field, document: ArrayRef) -> anyhow::Result<RecordBatch> {
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        if let Values::Events(events) = &self.values {
            fields.push(Field::new("ts", DataType::Int64, true));
            let ts = Int64Array::from_iter_values(events.iter().map(|event| event.ts));
            arrays.push(Arc::new(ts));
            fields.push(Field::new("user_id", DataType::Utf8, true));
            let users = StringArray::from_iter_values(events.iter().map(|event| &event.user_id));
            arrays.push(Arc::new(users));
        }
        fields.push(field);
        arrays.push(document);
        Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)?)
    }
}
