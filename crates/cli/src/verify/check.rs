//! One query with indexes and without.

use std::collections::BTreeSet;

use growler_exec::run::CancelFlag;
use growler_exec::{Engine, Error, QueryOutcome, Request};

use crate::verify::question::Question;

/// Time a query may take: somebody watches, and can press Ctrl-C.
const PATIENCE: &str = "timeoutMs=86400000";

/// Two answers that are not the same.
#[derive(Debug)]
pub struct Difference {
    /// With indexes.
    pub indexed: String,
    /// Without.
    pub scanned: String,
}

/// What came of one query.
#[derive(Debug)]
pub enum Verdict {
    /// The answers are the same.
    Same,
    /// There are no two whole answers; the message says why.
    Incomparable(String),
    /// They are not.
    Differs(Difference),
}

/// How one query was answered where indexes are.
#[derive(Debug, Default)]
pub struct Usage {
    /// What its plans name, each once.
    pub kinds: BTreeSet<&'static str>,
    /// Whether the filter read no value, where the scan read some.
    pub is_spared: bool,
}

/// Asks queries both ways.
#[derive(Debug)]
pub struct Checker<'e> {
    /// Engine with the table and its indexes.
    pub engine: &'e Engine,
    /// Stops it.
    pub cancel: &'e CancelFlag,
}

impl Checker<'_> {
    /// Asks a query with indexes and without.
    ///
    /// # Errors
    /// Somebody cancelled.
    pub fn check(&self, question: &Question) -> Result<(Verdict, Usage), Error> {
        let indexed = self.ask(&question.text(), "");
        let scanned = self.ask(&question.text(), ";skipIndexes=*");
        for outcome in [&indexed, &scanned] {
            if let Some(Error::Cancelled) = outcome.error {
                return Err(Error::Cancelled);
            }
        }
        let read =
            |outcome: &QueryOutcome| outcome.response.statistics.num_entries_scanned_in_filter;
        let usage = Usage {
            kinds: self.kinds(question),
            is_spared: read(&indexed) == 0 && read(&scanned) > 0,
        };
        Ok((compare(&indexed, &scanned)?, usage))
    }

    fn ask(&self, sql: &str, options: &str) -> QueryOutcome {
        let request = Request {
            query_options: format!("{PATIENCE}{options}"),
            cancel: self.cancel.clone(),
            ..Request::default()
        };
        self.engine.query(sql, &request)
    }

    /// Reads off the plans of all segments what answers a query.
    fn kinds(&self, question: &Question) -> BTreeSet<&'static str> {
        let sql = format!(
            "SET enableNullHandling = {}; SET explainPlanVerbose = true; EXPLAIN PLAN FOR {}",
            question.null_handling, question.sql
        );
        let mut text = Vec::new();
        if let Some(plan) = self.ask(&sql, "").response.result_table {
            // What cannot be shown is not counted.
            let _ = plan.write_json_rows(&mut text);
        }
        let text = String::from_utf8_lossy(&text);
        let named = |(_, words): &&(&str, &[&str])| words.iter().any(|word| text.contains(word));
        KINDS.iter().filter(named).map(|(kind, _)| *kind).collect()
    }
}

/// Kinds of answers, and how plans name them.
const KINDS: [(&str, &[&str]); 7] = [
    (
        "inverted index",
        &["delegateTo:inverted_index", "indexLookUp:inverted_index"],
    ),
    (
        "range index",
        &["delegateTo:range_index", "indexLookUp:range_index"],
    ),
    (
        "index of unshredded keys",
        &["delegateTo:json_index", "indexLookUp:json_index"],
    ),
    ("null set", &["delegateTo:null_vector", "FILTER_BITMAP"]),
    (
        "no row can match",
        &["delegateTo:match_none", "FILTER_EMPTY"],
    ),
    ("dictionary", &["AGGREGATE_NO_SCAN", "_DICTIONARY("]),
    (
        SCAN,
        &[
            "delegateTo:full_scan",
            "FILTER_FULL_SCAN",
            "FILTER_EXPRESSION",
        ],
    ),
];

/// The kind that is no index.
pub const SCAN: &str = "scan of some predicate or segment";

fn compare(indexed: &QueryOutcome, scanned: &QueryOutcome) -> Result<Verdict, Error> {
    let is_partial = |outcome: &QueryOutcome| outcome.response.statistics.is_partial();
    if let Some(error) = &scanned.error {
        // Rows that an index leaves out are not read: only the scan need fail.
        return Ok(Verdict::Incomparable(error.to_string()));
    }
    if indexed.error.is_none() && (is_partial(indexed) || is_partial(scanned)) {
        let message = "a limit of groups cut the answer short";
        return Ok(Verdict::Incomparable(message.to_owned()));
    }
    let (with, without) = (exact(indexed)?, exact(scanned)?);
    if with == without {
        return Ok(Verdict::Same);
    }
    Ok(Verdict::Differs(Difference {
        indexed: shown(indexed)?,
        scanned: shown(scanned)?,
    }))
}

/// Writes an answer down to the last digit.
fn exact(outcome: &QueryOutcome) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    if let Some(table) = &outcome.response.result_table {
        for name in table.type_names() {
            text.extend(name.into_bytes());
            text.push(b' ');
        }
        table.write_json_rows(&mut text)?;
    }
    Ok(text)
}

/// Writes an answer for people.
fn shown(outcome: &QueryOutcome) -> Result<String, Error> {
    let mut text = Vec::new();
    match (&outcome.error, &outcome.response.result_table) {
        (Some(error), _) => return Ok(format!("error: {error}\n")),
        (None, Some(table)) => table.write_text(Some(160), &mut text)?,
        (None, None) => {}
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
