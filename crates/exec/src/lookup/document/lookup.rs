//! Which question of an index of documents a leaf is.

use growler_index::SegmentIndexes;
use growler_schema::{DataType, Value, index_plan::json_path::JsonStep};
use growler_segment::{KeyOutput, Source};

use super::extract::Extract;
use super::index::DocumentIndex;
use super::key::KeyTest;
use super::matching::Matching;
use super::rows::{Declined, DocumentRows};
use crate::{
    error::Error,
    filter::{
        Leaf,
        document::{DocumentAsk, ExtractAsk},
    },
    lookup::{Answer, Asking},
    plan::{Slot, slots::What},
};

/// Answers leaves from an index of documents.
pub struct DocumentLookup;

impl DocumentLookup {
    /// Answers a predicate; none when a scan has to.
    ///
    /// # Errors
    /// The query's limits.
    pub fn of<'s>(
        leaf: &Leaf,
        asking: &Asking<'_>,
        indexes: &SegmentIndexes,
        source: &impl Fn(usize) -> Option<&'s Source>,
    ) -> Result<Option<Answer>, Error> {
        let (Some(ask), [slot]) = (&leaf.document, leaf.slots.as_slice()) else {
            return Ok(None);
        };
        let (Some(source), Some(slot)) = (source(*slot), asking.slots.get(*slot)) else {
            return Ok(None);
        };
        match rows(ask, slot, source, asking, indexes) {
            Ok(rows) => Answer::of_rows(rows, indexes, asking.context).map(Some),
            Err(Declined::Scan) => Ok(None),
            Err(Declined::Query(error)) => Err(error),
        }
    }
}

fn rows(
    ask: &DocumentAsk,
    slot: &Slot,
    source: &Source,
    asking: &Asking<'_>,
    indexes: &SegmentIndexes,
) -> Result<DocumentRows, Declined> {
    let column = match &slot.what {
        What::Column(field) | What::Key(field, ..) => field.name.as_str(),
        _ => return Err(Declined::Scan),
    };
    if asking.skip.skips(column, "json") {
        return Err(Declined::Scan);
    }
    let index = DocumentIndex::open(indexes, column, asking.context)?;
    match ask {
        DocumentAsk::Extract(ask) if let Some(key) = plain_key(ask, slot, source, &index) => {
            KeyTest {
                index: &index,
                ask,
                key,
                is_unshredded: source.is_unshredded_key(),
                missing: (!ask.null_handling).then(|| "null".to_owned()),
            }
            .rows()
        }
        _ if !index.has_paths => Err(Declined::Scan),
        DocumentAsk::Match(ask) => {
            let missing = missing(slot, ask.null_handling)?;
            let (index, ask) = (&index, &**ask);
            Matching {
                index,
                ask,
                missing,
            }
            .rows()
        }
        DocumentAsk::Extract(ask) => extract(ask, slot, source, &index)?.rows(),
    }
}

/// Returns the key that a path into a VARIANT column is, when no file types it and its own values are
/// indexed rather than what is inside of them.
fn plain_key<'s>(
    ask: &ExtractAsk,
    slot: &'s Slot,
    source: &Source,
    index: &DocumentIndex<'_>,
) -> Option<&'s str> {
    let What::Key(_, path, KeyOutput::Json) = &slot.what else {
        return None;
    };
    let key = path.text();
    let is_key = ask.key.is_none() && ask.steps == [JsonStep::Name(key.to_owned())];
    // A typed key shows null where it is missing.
    let is_untyped = !slot.shows_null && !source.is_typed_key();
    (is_key && is_untyped && index.at(&ask.steps).is_none()).then_some(key)
}

/// Finds what of the column's documents the predicate reads.
fn extract<'a>(
    ask: &'a ExtractAsk,
    slot: &Slot,
    source: &Source,
    index: &'a DocumentIndex<'a>,
) -> Result<Extract<'a>, Declined> {
    let null = || (!ask.null_handling).then(|| "null".to_owned());
    let (steps, missing, is_column) = match (&ask.key, &slot.what) {
        (None, What::Column(_)) => {
            let missing = missing(slot, ask.null_handling)?;
            (ask.steps.clone(), missing, true)
        }
        (None, What::Key(_, path, KeyOutput::Json)) => {
            let first = ask.steps.first();
            let is_key = first == Some(&JsonStep::Name(path.text().to_owned()));
            let steps = is_key.then(|| ask.steps.clone());
            (steps.ok_or(Declined::Scan)?, null(), false)
        }
        (Some(key), What::Key(_, path, KeyOutput::Typed(key_type))) => {
            let is_text =
                key_type.data_type == DataType::String && !key_type.typed && !source.is_typed_key();
            let is_plain = path.text() == key && !key.contains('.');
            if !is_text || !is_plain || ask.steps.is_empty() {
                return Err(Declined::Scan);
            }
            let mut steps = vec![JsonStep::Name(key.clone())];
            steps.extend(ask.steps.iter().cloned());
            let missing = missing(slot, ask.null_handling)?;
            (steps, missing, false)
        }
        _ => return Err(Declined::Scan),
    };
    Ok(Extract {
        index,
        ask,
        steps,
        missing,
        is_column,
    })
}

/// Returns what a slot's nulls read as; none is null.
fn missing(slot: &Slot, null_handling: bool) -> Result<Option<String>, Declined> {
    if null_handling {
        return Ok(None);
    }
    match &slot.default_null {
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err(Declined::Scan),
    }
}
