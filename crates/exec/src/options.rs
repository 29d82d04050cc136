//! Typed query options, from `SET`, `OPTION(..)` and the request.

use std::collections::BTreeMap;

use growler_base::limits;

use crate::{error::Error, lookup::SkipIndexes};

/// Longest time a query may ask for, a year: longer ones are cut, so that no clock overflows.
const LONGEST_TIMEOUT_MS: u64 = 365 * 24 * 60 * 60 * 1000;

/// What a query asks of the engine besides its rows.
///
/// Keys are case-insensitive, and those that growler has no use for are ignored, as Pinot does. A
/// value that does not fit its key is an error that names the key.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryOptions {
    /// `timeoutMs`.
    pub timeout_ms: u64,
    /// `enableNullHandling`: three-valued logic instead of default null values.
    pub null_handling: bool,
    /// `includeDropped`: columns that the table had once are found by name; `*` shows none of them.
    pub include_dropped: bool,
    /// `explainPlanVerbose`: every group of segments in EXPLAIN.
    pub explain_verbose: bool,
    /// `numGroupsLimit`.
    pub num_groups_limit: usize,
    /// `maxExecutionThreads`; none means all of the pool's.
    pub max_execution_threads: Option<usize>,
    /// `maxRowsInDistinct`; none means unbounded.
    pub max_rows_in_distinct: Option<u64>,
    /// `skipIndexes`.
    pub skip_indexes: SkipIndexes,
    /// `variantNonObjectRoot=null`: rows whose VARIANT root is no object read as null instead of
    /// failing the query.
    pub variant_non_object_root_null: bool,
    /// `autoRewriteAggregationType`: MIN, MAX and SUM keep the type of their input.
    pub auto_rewrite_aggregation_type: bool,
    /// `filteredAggregationsSkipEmptyGroups`.
    pub filtered_aggregations_skip_empty_groups: bool,
    /// `dropResults`: answer with statistics only.
    pub drop_results: bool,
    /// `trace`.
    pub trace: bool,
    /// `clientQueryId`.
    pub client_query_id: Option<String>,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self {
            timeout_ms: limits::QUERY_TIMEOUT_MS,
            null_handling: false,
            include_dropped: false,
            explain_verbose: false,
            num_groups_limit: limits::GROUPS,
            max_execution_threads: None,
            max_rows_in_distinct: None,
            skip_indexes: SkipIndexes::default(),
            variant_non_object_root_null: false,
            auto_rewrite_aggregation_type: false,
            filtered_aggregations_skip_empty_groups: false,
            drop_results: false,
            trace: false,
            client_query_id: None,
        }
    }
}

impl QueryOptions {
    /// Reads the options of a query and, over them, those of the request (`k=v;k2=v2`).
    ///
    /// # Errors
    /// [`Error::Validation`] for a value that does not fit its key, naming both, and for an entry
    /// of the request that is no `key=value`.
    pub fn try_new(query: &BTreeMap<String, String>, request: &str) -> Result<Self, Error> {
        let mut options = Self::default();
        for (key, value) in query {
            options.set(key, value)?;
        }
        for (key, value) in request_entries(request)? {
            options.set(key, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), Error> {
        match key.to_ascii_lowercase().as_str() {
            "timeoutms" => {
                self.timeout_ms = positive::<u64>(key, value)?.min(LONGEST_TIMEOUT_MS);
            }
            "enablenullhandling" => self.null_handling = boolean(key, value)?,
            "includedropped" => self.include_dropped = boolean(key, value)?,
            "explainplanverbose" => self.explain_verbose = boolean(key, value)?,
            "numgroupslimit" => self.num_groups_limit = positive(key, value)?,
            "maxexecutionthreads" => self.max_execution_threads = Some(positive(key, value)?),
            "maxrowsindistinct" => self.max_rows_in_distinct = Some(positive(key, value)?),
            "skipindexes" => self.skip_indexes = skip_indexes(key, value)?,
            "variantnonobjectroot" => self.variant_non_object_root_null = root_null(key, value)?,
            "autorewriteaggregationtype" => {
                self.auto_rewrite_aggregation_type = boolean(key, value)?;
            }
            "filteredaggregationsskipemptygroups" => {
                self.filtered_aggregations_skip_empty_groups = boolean(key, value)?;
            }
            "dropresults" => self.drop_results = boolean(key, value)?,
            "trace" => self.trace = boolean(key, value)?,
            "clientqueryid" => self.client_query_id = Some(value.to_owned()),
            _ => {}
        }
        Ok(())
    }
}

/// Splits the request's options; empty entries are dropped, since clients send a leading `;`.
fn request_entries(request: &str) -> Result<Vec<(&str, &str)>, Error> {
    let entries = request
        .split(';')
        .map(str::trim)
        .filter(|entry| !entry.is_empty());
    let mut pairs = Vec::new();
    for entry in entries {
        let Some((key, value)) = entry.split_once('=') else {
            return Err(Error::Validation(format!(
                "query option is no key=value: entry={entry}"
            )));
        };
        pairs.push((key.trim(), unquoted(value.trim())));
    }
    Ok(pairs)
}

fn unquoted(value: &str) -> &str {
    value
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .unwrap_or(value)
}

fn invalid(key: &str, value: &str, expected: &str) -> Error {
    Error::Validation(format!(
        "invalid query option, expected {expected}: {key}={value}"
    ))
}

fn boolean(key: &str, value: &str) -> Result<bool, Error> {
    if value.eq_ignore_ascii_case("true") {
        Ok(true)
    } else if value.eq_ignore_ascii_case("false") {
        Ok(false)
    } else {
        Err(invalid(key, value, "true or false"))
    }
}

fn positive<T: TryFrom<u64>>(key: &str, value: &str) -> Result<T, Error> {
    let number = value.parse::<u64>().ok().filter(|&number| number > 0);
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| invalid(key, value, "a positive integer"))
}

fn root_null(key: &str, value: &str) -> Result<bool, Error> {
    if value.eq_ignore_ascii_case("null") {
        Ok(true)
    } else if value.eq_ignore_ascii_case("fail") {
        Ok(false)
    } else {
        Err(invalid(key, value, "null or fail"))
    }
}

/// Reads `column=inverted,range&column2=json`.
fn skip_indexes(key: &str, value: &str) -> Result<SkipIndexes, Error> {
    SkipIndexes::parse(value).ok_or_else(|| invalid(key, value, "column=index,index&column2=index"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &[(&str, &str)], request: &str) -> Result<QueryOptions, Error> {
        let query = query
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()));
        QueryOptions::try_new(&query.collect(), request)
    }

    #[test]
    fn the_request_wins_and_keys_ignore_case() -> Result<(), Error> {
        let options = read(
            &[
                ("timeoutms", "5"),
                ("enablenullhandling", "TRUE"),
                ("unknown", "x"),
            ],
            ";TIMEOUTMS = 7 ;; explainPlanVerbose=true;preserveType='true';clientQueryId=a=b;",
        )?;
        assert_eq!(options.timeout_ms, 7);
        assert!(options.null_handling && options.explain_verbose);
        assert_eq!(
            read(&[], "timeoutMs=9999999999999999999")?.timeout_ms,
            LONGEST_TIMEOUT_MS
        );
        assert_eq!(options.client_query_id.as_deref(), Some("a=b"));
        Ok(())
    }

    #[test]
    fn skip_indexes_lists_kinds_by_column() -> Result<(), Error> {
        let skipped = read(&[("skipindexes", "a=Inverted, range&b=json")], "")?.skip_indexes;
        assert!(skipped.skips("a", "inverted") && skipped.skips("b", "json"));
        assert!(!skipped.skips("b", "range"));
        Ok(())
    }

    #[test]
    fn a_value_that_does_not_fit_is_an_error_that_names_the_key() {
        let cases = [
            "timeoutMs=0",
            "timeoutMs=-1",
            "timeoutMs=abc",
            "timeoutMs=99999999999999999999",
            "enableNullHandling=yes",
            "numGroupsLimit=",
            "maxExecutionThreads=1.5",
            "skipIndexes=inverted",
            "variantNonObjectRoot=zero",
        ];
        for request in cases {
            let error = read(&[], request).unwrap_err();
            assert_eq!(error.code(), 700, "{request}");
            assert!(error.to_string().contains(request), "{error}");
        }
        assert_eq!(read(&[], "timeoutMs").unwrap_err().code(), 700);
    }
}
