//! Where the values of a key are collected, in the form asked for.

use arrow_array::ArrayRef;

use super::arrays::{BytesArray, MetadataArray};
use super::leaf::LeafArray;
use super::rows::Rows;
use super::tally::Tally;
use crate::names::DictionaryCache;
use crate::{Error, Node};

/// A value found in a residual; not variant null.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    /// The value; other bytes may follow it.
    pub(super) found: &'a [u8],
    /// Residuals of the batch, in one of which it was found.
    pub(super) values: BytesArray<'a>,
    /// Dictionaries of the batch, if they were read.
    pub(super) metadata: Option<MetadataArray<'a>>,
    /// Row it belongs to.
    pub(super) row: usize,
}

/// Collects one value a row; rows that are never given one are null. A row is given at most one.
pub(super) trait Sink {
    /// Announces the residuals that the next parts lie in.
    fn source(&mut self, values: &BytesArray<'_>) {
        let _ = values;
    }

    /// Takes the values of a typed leaf.
    fn leaf(&mut self, leaf: &LeafArray<'_>, rows: &Rows, tally: &mut Tally) -> Result<(), Error> {
        leaf.for_each(rows, tally, |row, node| self.node(row, node))
    }

    /// Takes a scalar; what does not convert stays null.
    fn node(&mut self, row: usize, node: &Node<'_>) -> Result<(), Error>;

    /// Takes a value in a residual.
    fn part(&mut self, part: &Part<'_>) -> Result<(), Error>;

    /// Takes what `write` writes as JSON text; a sink of numbers has no use for it.
    fn json(
        &mut self,
        row: usize,
        write: impl FnOnce(&mut Vec<u8>, &mut DictionaryCache) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _ = (row, write);
        Ok(())
    }

    /// Makes the array.
    fn finish(self) -> Result<ArrayRef, Error>;
}
