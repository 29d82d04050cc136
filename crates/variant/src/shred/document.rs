//! Whole documents as JSON text.

use std::cell::RefCell;
use std::sync::Arc;

use arrow_array::{Array, StructArray};
use growler_base::LeafIdx;

use super::arrays::MetadataArray;
use super::plan::push_values;
use super::rebuild::GroupView;
use super::rows::Rows;
use super::sink::Sink;
use super::tally::Tally;
use super::texts::{TextForm, Texts, Utf8Check};
use super::walk::refuse_root;
use super::{KeyColumn, Layout, LeafFacts, NonObjectRoot};
use crate::names::DictionaryCache;
use crate::value::BasicType;
use crate::{Error, Node};

/// Reads whole documents out of batches of a variant group.
#[derive(Debug)]
pub struct DocumentReader {
    layout: Arc<Layout>,
    roots: NonObjectRoot,
}

impl DocumentReader {
    /// Makes a reader of documents.
    pub fn new(layout: Arc<Layout>, roots: NonObjectRoot) -> Self {
        Self { layout, roots }
    }

    /// Returns the leaves to read in a row group, in leaf order.
    pub fn leaves(&self, facts: &LeafFacts) -> Vec<LeafIdx> {
        let mut leaves = Vec::new();
        if push_values(&self.layout.root, facts, &mut leaves) {
            leaves.push(self.layout.metadata);
        }
        leaves.sort_unstable();
        leaves
    }

    /// Reads the document of every row; SQL NULL is null. What was not read counts as null.
    ///
    /// # Errors
    /// `Unsupported` for a root that is no object, `Corrupt` for a value both typed and residual,
    /// with the row.
    pub fn read(&self, column: &StructArray) -> Result<KeyColumn, Error> {
        let view = GroupView::try_new(&self.layout.root, column)?;
        let metadata = MetadataArray::find(column)?;
        let mut texts = Texts::new(column.len(), TextForm::Json, Utf8Check::EachRow);
        let mut tally = Tally::default();
        Rows::all(column.len())
            .and(column.nulls())
            .try_for_each(|row| {
                let done = root_name(&view, row).and_then(|root| match root {
                    "object" => texts.json(row, |out, dictionaries| {
                        view.write((row, &[]), metadata, dictionaries, out)
                            .map(|_written| ())
                    }),
                    found => refuse_root(self.roots, Some(row), found),
                });
                tally.absorb(row, done)
            })?;
        Ok(KeyColumn {
            array: texts.finish()?,
            malformed_rows: tally.malformed_rows(),
        })
    }
}

/// Tells what the root of a row is.
fn root_name(view: &GroupView<'_>, row: usize) -> Result<&'static str, Error> {
    match (view.residual(row), view.typed_name(row)) {
        (Some(_), Some(found)) if found != "object" => Err(Error::Contradiction { row }),
        (_, Some(found)) => Ok(found),
        (None, None) => Ok("null"),
        (Some(value), None) => match BasicType::of(value) {
            Some(BasicType::Object) => Ok("object"),
            _ => Node::try_new(value).map(|node| node.type_name()),
        },
    }
}

/// Writes the values of a variant that is nested in a struct, list or map; any root will do.
#[derive(Debug)]
pub struct ValueWriter<'a> {
    column: &'a StructArray,
    view: GroupView<'a>,
    metadata: Option<MetadataArray<'a>>,
    dictionaries: RefCell<DictionaryCache>,
}

/// What [`ValueWriter::write`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Nothing: the group is null.
    Null,
    /// Nothing: the bytes of the value are malformed.
    Malformed,
    /// It appended the JSON text of the value.
    Value,
}

impl<'a> ValueWriter<'a> {
    /// Looks at a variant group, as the Parquet reader returns it.
    ///
    /// # Errors
    /// `Internal` when an array is not what the layout says.
    pub fn try_new(layout: &'a Layout, column: &'a StructArray) -> Result<Self, Error> {
        let view = GroupView::try_new(&layout.root, column)?;
        let metadata = MetadataArray::find(column)?;
        Ok(Self {
            column,
            view,
            metadata,
            dictionaries: RefCell::default(),
        })
    }

    /// Appends the JSON text of a row's value; variant null is `null`.
    ///
    /// # Errors
    /// `Corrupt` for a value both typed and residual, with the row.
    pub fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<Written, Error> {
        if self.column.is_null(row) {
            return Ok(Written::Null);
        }
        let start = out.len();
        match self.view.write(
            (row, &[]),
            self.metadata,
            &mut self.dictionaries.borrow_mut(),
            out,
        ) {
            Ok(true) => Ok(Written::Value),
            Ok(false) => {
                out.extend_from_slice(b"null");
                Ok(Written::Value)
            }
            Err(error) => {
                out.truncate(start);
                if error.is_row_malformed() {
                    Ok(Written::Malformed)
                } else {
                    Err(error)
                }
            }
        }
    }
}
