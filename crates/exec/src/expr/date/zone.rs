//! Time zones.

use chrono::{DateTime, MappedLocalTime, NaiveDateTime, Offset, TimeZone};
use chrono_tz::Tz;

/// A time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// A fixed offset in milliseconds.
    Fixed(i64),
    /// A zone of the tz database.
    Named(Tz),
}

/// Coordinated universal time.
pub(crate) const UTC: Zone = Zone::Fixed(0);

impl Zone {
    /// Parses a name of the tz database, `UTC`, `GMT`, `Z`, or an offset such as `+05:30`, `GMT-3`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim();
        if matches!(name, "UTC" | "GMT" | "Z" | "UT") {
            return Some(UTC);
        }
        let offset = ["UTC", "GMT", "UT"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .unwrap_or(name);
        if let Some(offset) = parse_offset(offset) {
            return Some(Self::Fixed(offset));
        }
        name.parse().ok().map(Self::Named)
    }

    /// Returns what is added to UTC at a moment, in milliseconds.
    pub fn offset_at(self, utc_ms: i64) -> i64 {
        match self {
            Self::Fixed(offset) => offset,
            Self::Named(zone) => match naive(utc_ms) {
                Some(utc) => offset_ms(&zone.offset_from_utc_datetime(&utc)),
                None => 0,
            },
        }
    }

    /// Returns local time, as milliseconds since 1970 on the local clock.
    pub fn to_local(self, utc_ms: i64) -> i64 {
        utc_ms.saturating_add(self.offset_at(utc_ms))
    }

    /// Returns the moment of a local time: the earlier one of two, and one that no clock shows
    /// counts on from before the gap.
    pub fn resolve_local(self, local_ms: i64) -> i64 {
        let offset = match self {
            Self::Fixed(offset) => offset,
            Self::Named(zone) => match naive(local_ms) {
                Some(local) => match zone.offset_from_local_datetime(&local) {
                    MappedLocalTime::Single(offset) | MappedLocalTime::Ambiguous(offset, _) => {
                        offset_ms(&offset)
                    }
                    MappedLocalTime::None => {
                        self.offset_at(local_ms.saturating_sub(growler_base::civil::DAY_MS))
                    }
                },
                None => 0,
            },
        };
        local_ms.saturating_sub(offset)
    }

    /// Returns the zone's name.
    pub fn name(self) -> String {
        match self {
            Self::Fixed(0) => "UTC".to_owned(),
            Self::Fixed(offset) => format_offset(offset, true),
            Self::Named(zone) => zone.name().to_owned(),
        }
    }
}

/// Appends `+hh:mm`, or `+hhmm` without the colon.
pub(crate) fn format_offset(offset_ms: i64, colon: bool) -> String {
    let minutes = offset_ms / 60_000;
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
    let colon = if colon { ":" } else { "" };
    format!("{sign}{hours:02}{colon}{minutes:02}")
}

/// Parses `+hh:mm`, `+hhmm`, `+hh` or `+h` in milliseconds.
pub(crate) fn parse_offset(text: &str) -> Option<i64> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None if rest.len() == 4 => rest.split_at_checked(2)?,
        None => (rest, "0"),
    };
    let digits = |text: &str| {
        (!text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse::<i64>().ok())?
    };
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes) * 60_000)
}

fn naive(ms: i64) -> Option<NaiveDateTime> {
    DateTime::from_timestamp_millis(ms).map(|time| time.naive_utc())
}

fn offset_ms(offset: &impl Offset) -> i64 {
    i64::from(offset.fix().local_minus_utc()) * 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_overlaps() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        // 2025-03-30 02:30 is skipped, 2025-10-26 02:30 comes twice.
        let gap = 1_743_301_800_000;
        assert_eq!(berlin.resolve_local(gap), gap - 3_600_000);
        let overlap = 1_761_445_800_000;
        assert_eq!(berlin.resolve_local(overlap), overlap - 7_200_000);
        assert_eq!(berlin.resolve_local(i64::MIN), i64::MIN);
    }

    #[test]
    fn names() {
        let cases = [
            ("UTC", Some(UTC)),
            ("+05:30", Some(Zone::Fixed(19_800_000))),
            ("GMT-3", Some(Zone::Fixed(-10_800_000))),
            (
                "America/Los_Angeles",
                Some(Zone::Named(Tz::America__Los_Angeles)),
            ),
            ("Mars/Olympus", None),
            ("+25:00", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(Zone::parse(name), expected, "{name}");
        }
    }
}
