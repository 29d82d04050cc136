//! Pinot's date-time formats: `1:DAYS:EPOCH`, `EPOCH|DAYS|1`, `TIMESTAMP`,
//! `SIMPLE_DATE_FORMAT|yyyy-MM-dd|UTC`, `1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd tz(UTC)`.

use super::{
    pattern::Pattern,
    unit::Unit,
    zone::{UTC, Zone},
};

/// A format of date-time values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Format {
    /// A count of so many units since 1970.
    Epoch(i64, Unit),
    /// TIMESTAMP.
    Timestamp,
    /// Text.
    Pattern(Pattern, Zone),
}

impl Format {
    /// Parses a format; none when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once('|') {
            Some((kind, rest)) => Self::parse_piped(kind, rest),
            None if text == "EPOCH" => Some(Self::Epoch(1, Unit::MILLIS)),
            None if text == "TIMESTAMP" => Some(Self::Timestamp),
            None => Self::parse_colons(text),
        }
    }

    fn parse_piped(kind: &str, rest: &str) -> Option<Self> {
        match kind {
            "TIMESTAMP" => Some(Self::Timestamp),
            "EPOCH" => {
                let (unit, size) = rest.split_once('|').unwrap_or((rest, "1"));
                Some(Self::Epoch(positive(size)?, Unit::parse(unit)?))
            }
            "SIMPLE_DATE_FORMAT" => {
                let (pattern, zone) = rest.split_once('|').unwrap_or((rest, "UTC"));
                Some(Self::Pattern(Pattern::parse(pattern)?, Zone::parse(zone)?))
            }
            _ => None,
        }
    }

    fn parse_colons(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, ':');
        let size = positive(parts.next()?)?;
        let unit = parts.next()?;
        match parts.next()? {
            "EPOCH" => Some(Self::Epoch(size, Unit::parse(unit)?)),
            "TIMESTAMP" => Some(Self::Timestamp),
            "SIMPLE_DATE_FORMAT" => {
                let rest = parts.next()?;
                let (pattern, zone) = match rest.split_once("tz(") {
                    Some((pattern, zone)) => {
                        (pattern.trim_end(), Zone::parse(zone.strip_suffix(')')?)?)
                    }
                    None => (rest, UTC),
                };
                Some(Self::Pattern(Pattern::parse(pattern)?, zone))
            }
            _ => None,
        }
    }
}

/// Parses a granularity, `1:DAYS` or `DAYS|1`, in milliseconds.
pub(crate) fn parse_granularity(text: &str) -> Option<i64> {
    let (size, unit) = match text.split_once(':') {
        Some((size, unit)) => (size, unit),
        None => {
            let (unit, size) = text.split_once('|').unwrap_or((text, "1"));
            (size, unit)
        }
    };
    Some(Unit::parse(unit)?.to_millis(positive(size)?).max(1))
}

fn positive(text: &str) -> Option<i64> {
    text.trim().parse().ok().filter(|size| *size > 0)
}
