//! Canonical names of functions, and which of them are aggregates.

use crate::sql::comparison::Comparison;

/// Returns the canonical name: lower case without `_`, save for operators, which keep Pinot's
/// spelling; synonyms become one name.
pub(super) fn canonical(name: &str) -> String {
    let plain = name.to_lowercase().replace('_', "");
    let operator = match plain.as_str() {
        "add" => "plus",
        "sub" => "minus",
        "mult" => "times",
        "div" => "divide",
        "equals" => "equals",
        "notequals" => "not_equals",
        "lessthan" => "less_than",
        "lessthanorequal" => "less_than_or_equal",
        "greaterthan" => "greater_than",
        "greaterthanorequal" => "greater_than_or_equal",
        "notin" => "not_in",
        "regexplike" => "regexp_like",
        "isnull" => "is_null",
        "isnotnull" => "is_not_null",
        "jsonmatch" => "json_match",
        _ => return plain,
    };
    operator.to_owned()
}

/// Tells whether an operator called by its name may have so many arguments; for other functions,
/// which are checked when they are compiled, always.
pub(super) fn takes(name: &str, arg_count: usize) -> bool {
    match name {
        "not" | "is_null" | "is_not_null" => arg_count == 1,
        "minus" | "divide" | "mod" | "like" | "cast" | "item" => arg_count == 2,
        "and" | "or" | "plus" | "times" | "in" | "not_in" | "case" => arg_count >= 2,
        "between" => arg_count == 3,
        "regexp_like" => (2..=3).contains(&arg_count),
        name => Comparison::of(name).is_none() || arg_count == 2,
    }
}

/// Tells whether a canonical name is an aggregate's, whether growler computes it or not: it must
/// not be taken for a function of one row.
pub(super) fn is_aggregate(name: &str) -> bool {
    matches!(
        name,
        "count"
            | "sum"
            | "sum0"
            | "sumint"
            | "sumlong"
            | "sumprecision"
            | "min"
            | "minlong"
            | "minstring"
            | "max"
            | "maxlong"
            | "maxstring"
            | "avg"
            | "minmaxrange"
            | "mode"
            | "distinctcount"
            | "distinctcountbitmap"
            | "distinctcounthll"
            | "distinctcounthllplus"
            | "distinctcountull"
            | "distinctcountcpcsketch"
            | "distinctcountthetasketch"
            | "distinctcountsmarthll"
            | "distinctsum"
            | "distinctavg"
            | "segmentpartitioneddistinctcount"
            | "percentile"
            | "percentileest"
            | "percentiletdigest"
            | "percentilekll"
            | "percentilesmarttdigest"
            | "stddevpop"
            | "stddevsamp"
            | "varpop"
            | "varsamp"
            | "covarpop"
            | "covarsamp"
            | "corr"
            | "skewness"
            | "kurtosis"
            | "booland"
            | "boolor"
            | "firstwithtime"
            | "lastwithtime"
            | "exprmin"
            | "exprmax"
            | "arrayagg"
            | "listagg"
            | "histogram"
            | "anyvalue"
            | "countmv"
            | "summv"
            | "minmv"
            | "maxmv"
            | "avgmv"
            | "distinctcountmv"
    )
}

/// Splits Pinot's older names such as `percentile95` into family and percentile.
pub(super) fn split_percentile(name: &str) -> Option<(&str, i32)> {
    let digits = name.len()
        - name
            .trim_end_matches(|last: char| last.is_ascii_digit())
            .len();
    let (family, digits) = name.split_at(name.len() - digits);
    let percentile = digits
        .parse()
        .ok()
        .filter(|percentile| (0..=100).contains(percentile))?;
    let known = matches!(family, "percentile" | "percentileest" | "percentiletdigest");
    known.then_some((family, percentile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_canonical() {
        let cases = [
            ("JSON_EXTRACT_SCALAR", "jsonextractscalar"),
            ("jsonExtractScalar", "jsonextractscalar"),
            ("REGEXP_LIKE", "regexp_like"),
            ("Not_In", "not_in"),
            ("ADD", "plus"),
            ("DISTINCT_COUNT_HLL", "distinctcounthll"),
            ("BOOL_AND", "booland"),
        ];
        for (name, expected) in cases {
            assert_eq!(canonical(name), expected);
        }
    }

    #[test]
    fn percentiles_may_stand_in_the_name() {
        assert_eq!(split_percentile("percentile95"), Some(("percentile", 95)));
        assert_eq!(
            split_percentile("percentiletdigest100"),
            Some(("percentiletdigest", 100))
        );
        assert_eq!(split_percentile("percentile101"), None);
        assert_eq!(split_percentile("percentile"), None);
        assert_eq!(split_percentile("log2"), None);
    }
}
