//! Answers, and whether two are the same.

use growler_exec::{Engine, Request};

use crate::queries::Query;

/// What a query gave: columns, types and rows as text, or its error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    pub is_error: bool,
    /// Values that the filter read.
    pub scanned: u64,
}

/// Asks a query without some of the indexes; `*` means all.
pub fn ask(engine: &Engine, query: &Query, is_soft: bool, skipped: &str) -> Answer {
    let mut options = format!("enableNullHandling={}", query.null_handling);
    if is_soft {
        options += ";variantNonObjectRoot=null";
    }
    if !skipped.is_empty() {
        options = format!("{options};skipIndexes={skipped}");
    }
    let request = Request {
        query_options: options,
        ..Request::default()
    };
    let outcome = engine.query(&query.sql, &request);
    let scanned = outcome.response.statistics.num_entries_scanned_in_filter;
    match (outcome.error, outcome.response.result_table) {
        (None, Some(table)) => {
            let mut rows = Vec::new();
            table.write_json_rows(&mut rows).unwrap();
            let types: Vec<String> = table.type_names().collect();
            Answer {
                text: format!(
                    "{:?} {types:?} {}",
                    table.names,
                    String::from_utf8(rows).unwrap()
                ),
                is_error: false,
                scanned,
            }
        }
        (error, _) => Answer {
            text: error.map_or_else(String::new, |error| error.to_string()),
            is_error: true,
            scanned,
        },
    }
}
