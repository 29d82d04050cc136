//! Tests of what `JSON_EXTRACT_SCALAR` finds at a key that no file of the view types, by the index of
//! the key's values.
//!
//! Such a key reads as the text that its JSON has, so a text value is asked about as JSON text of it.
//! Numbers read the same as text does, in the types that are asked for here; booleans do not where a
//! number is wanted, and of objects and arrays the text may be spelled in another way: their rows are
//! left to the scan.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringViewArray, cast::AsArray};
use growler_index::{Reading, RowSet, SegmentIndexes, ValueIndex};
use growler_schema::DataType;

use super::index::{DocumentIndex, Verdicts};
use super::rows::{Declined, DocumentRows};
use crate::{error::Error, filter::document::ExtractAsk};

/// Types as which text reads as the number that it is.
const NUMBERS: [&str; 3] = ["INT", "LONG", "DOUBLE"];
/// What objects and arrays begin with.
const CONTAINERS: [&str; 2] = ["{", "["];
/// The texts of booleans.
const BOOLEANS: [&str; 2] = ["true", "false"];

/// A test asked of the index of a key.
pub(super) struct KeyTest<'a> {
    pub(super) index: &'a DocumentIndex<'a>,
    pub(super) ask: &'a ExtractAsk,
    pub(super) key: &'a str,
    /// Whether residuals alone can hold the key.
    pub(super) is_unshredded: bool,
    /// What rows without a document read as; none is null.
    pub(super) missing: Option<String>,
}

impl KeyTest<'_> {
    pub(super) fn rows(&self) -> Result<DocumentRows, Declined> {
        let failed = |_| Declined::Scan;
        let is_number = NUMBERS.contains(&self.ask.element.as_str());
        if self.ask.many || !is_number && self.ask.element != "STRING" {
            return Err(Declined::Scan);
        }
        let nowhere = self.ask.of_nowhere().map_err(failed)?;
        let missing = self.ask.of_document(self.missing.as_deref());
        if nowhere != missing.map_err(failed)? {
            return Err(Declined::Scan);
        }
        let indexes = self.index.indexes;
        let Some(values) = self.values(indexes)? else {
            let mut rows = DocumentRows::default();
            rows.add(&RowSet::of_range(0..indexes.row_count()), nowhere);
            return Ok(rows);
        };
        let mut unknown = values.others()?.unwrap_or_default();
        let mut rows = DocumentRows::default();
        rows.add(&values.nulls()?, nowhere);
        let passing = self.index.passing(&values, None, &mut |texts| {
            let truth = self.ask.of_values(as_json(&texts)?)?;
            Ok(Verdicts {
                trues: truth.trues.bits().clone(),
                nulls: (!truth.nulls.is_empty()).then(|| truth.nulls.bits().clone()),
            })
        })?;
        rows.add(&self.index.rows(&values, &passing.trues)?, Some(true));
        rows.add(&self.index.rows(&values, &passing.nulls)?, None);
        if let Some(dictionary) = values.dictionary()? {
            for prefix in CONTAINERS {
                let ranks = dictionary.prefix_ranks(prefix.as_bytes())?;
                unknown = unknown.or(&values.rows(std::slice::from_ref(&ranks))?);
            }
            for text in BOOLEANS.iter().filter(|_| is_number) {
                let text = growler_schema::Value::String((*text).to_owned());
                if let Some(rank) = dictionary.rank(&text)? {
                    let ranks = rank..rank.saturating_add(1);
                    unknown = unknown.or(&values.rows(std::slice::from_ref(&ranks))?);
                }
            }
        }
        Ok(rows.forget(&unknown))
    }

    /// Returns the index of the key's values; none where it is known that there are no values.
    fn values<'i>(&self, indexes: &'i SegmentIndexes) -> Result<Option<ValueIndex<'i>>, Declined> {
        let values = indexes.subject(self.index.column, Some(self.key), Reading::Values);
        match values {
            Some(values) if values.data_type() == DataType::String => Ok(Some(values)),
            None if self.is_unshredded && self.index.is_complete => Ok(None),
            Some(_) | None => Err(Declined::Scan),
        }
    }
}

/// Makes JSON text of texts.
fn as_json(texts: &ArrayRef) -> Result<ArrayRef, Error> {
    let internal = || Error::Internal("dictionary of text is no text".to_owned());
    let texts = texts.as_string_view_opt().ok_or_else(internal)?;
    let quoted = |text: Option<&str>| text.map(|text| serde_json::Value::from(text).to_string());
    let quoted: StringViewArray = texts.iter().map(quoted).collect();
    Ok(Arc::new(quoted))
}
