//! Formats and granularities of date-time columns.
//!
//! Two notations: `1:DAYS:EPOCH`, `1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd`, `1:MILLISECONDS:TIMESTAMP`;
//! and `EPOCH|DAYS|1`, `SIMPLE_DATE_FORMAT|yyyyMMdd|UTC`, `TIMESTAMP`. Granularities are `1:DAYS` or
//! `DAYS|1`.

use crate::wire::FieldSpecJson;

const UNITS: [&str; 7] = [
    "NANOSECONDS",
    "MICROSECONDS",
    "MILLISECONDS",
    "SECONDS",
    "MINUTES",
    "HOURS",
    "DAYS",
];

pub(super) fn check(name: &str, json: &FieldSpecJson, errors: &mut Vec<String>) {
    match json.format.as_deref() {
        None => errors.push(format!("DATETIME column '{name}' has no format")),
        Some(format) if !is_format(format) => {
            errors.push(format!(
                "DATETIME column '{name}' has an invalid format '{format}'"
            ));
        }
        Some(_) => {}
    }
    match json.granularity.as_deref() {
        None => errors.push(format!("DATETIME column '{name}' has no granularity")),
        Some(granularity) if !is_granularity(granularity) => errors.push(format!(
            "DATETIME column '{name}' has an invalid granularity '{granularity}'"
        )),
        Some(_) => {}
    }
}

fn is_format(format: &str) -> bool {
    let by_pipes: Vec<&str> = format.split('|').collect();
    match by_pipes.as_slice() {
        ["TIMESTAMP" | "EPOCH" | "SIMPLE_DATE_FORMAT"] => return true,
        ["EPOCH", unit] => return is_unit(unit),
        ["EPOCH", unit, size] => return is_unit(unit) && is_size(size),
        ["SIMPLE_DATE_FORMAT", pattern, ..] => return !pattern.is_empty(),
        _ => {}
    }
    // The pattern may hold colons itself.
    let by_colons: Vec<&str> = format.splitn(4, ':').collect();
    match by_colons.as_slice() {
        [size, unit, "EPOCH" | "TIMESTAMP"] => is_size(size) && is_unit(unit),
        [size, unit, "SIMPLE_DATE_FORMAT", pattern] => {
            is_size(size) && is_unit(unit) && !pattern.is_empty()
        }
        _ => false,
    }
}

fn is_granularity(granularity: &str) -> bool {
    let parts = granularity.split_once(':');
    let parts = parts.or_else(|| granularity.split_once('|').map(|(unit, size)| (size, unit)));
    parts.is_some_and(|(size, unit)| is_size(size) && is_unit(unit))
}

fn is_unit(unit: &str) -> bool {
    UNITS.contains(&unit)
}

fn is_size(size: &str) -> bool {
    size.parse::<u32>().is_ok_and(|size| size > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_formats_from_other_text() {
        let good = [
            "TIMESTAMP",
            "EPOCH",
            "EPOCH|DAYS",
            "EPOCH|MILLISECONDS|15",
            "1:DAYS:EPOCH",
            "1:MICROSECONDS:EPOCH",
            "1:MILLISECONDS:TIMESTAMP",
            "1:SECONDS:SIMPLE_DATE_FORMAT:yyyy-MM-dd HH:mm:ss",
            "SIMPLE_DATE_FORMAT|yyyyMMdd|UTC",
        ];
        for format in good {
            assert!(is_format(format), "{format}");
        }
        for format in [
            "",
            "DAYS",
            "0:DAYS:EPOCH",
            "1:YEARS:EPOCH",
            "1:DAYS:SIMPLE_DATE_FORMAT",
        ] {
            assert!(!is_format(format), "{format}");
        }
        for granularity in ["1:DAYS", "15:MINUTES", "DAYS|1"] {
            assert!(is_granularity(granularity), "{granularity}");
        }
        for granularity in ["", "DAYS", "x:DAYS", "1:YEARS"] {
            assert!(!is_granularity(granularity), "{granularity}");
        }
    }
}
