//! Text to points in time and back; everything is UTC unless the text carries an offset.

use std::fmt::Write as _;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Utc};
use growler_schema::TimeUnit;

/// A point in time: seconds since 1970 and nanoseconds within the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// 0 to 999 999 999.
    pub nanos: u32,
}

impl Instant {
    /// Parses `yyyy-MM-dd`, optionally with `T` or a space, `HH:mm[:ss[.fffffffff]]` and an offset
    /// (`Z`, `+hh:mm`), or a count of milliseconds since 1970.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(millis) = text.parse::<i64>() {
            return Some(Self::from_units(millis, TimeUnit::Millis));
        }
        let (date, rest) = split_date(text)?;
        let (time, offset_seconds) = parse_time(rest)?;
        let local = NaiveDateTime::new(date, time);
        let utc = local
            .checked_sub_signed(TimeDelta::seconds(offset_seconds))?
            .and_utc();
        Some(Self {
            seconds: utc.timestamp(),
            nanos: utc.timestamp_subsec_nanos(),
        })
    }

    /// Makes an instant of a count of units since 1970.
    pub fn from_units(count: i64, unit: TimeUnit) -> Self {
        let per_second = unit.per_second();
        let fraction = count.rem_euclid(per_second) * (1_000_000_000 / per_second);
        Self {
            seconds: count.div_euclid(per_second),
            nanos: u32::try_from(fraction).unwrap_or_default(),
        }
    }

    /// Returns the count of units since 1970, rounded down; none when it does not fit.
    pub fn to_units(self, unit: TimeUnit) -> Option<i64> {
        let per_second = unit.per_second();
        let fraction = i64::from(self.nanos) / (1_000_000_000 / per_second);
        self.seconds.checked_mul(per_second)?.checked_add(fraction)
    }

    /// Returns nanoseconds since 1970.
    pub fn total_nanos(self) -> i128 {
        i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanos)
    }

    /// Appends `yyyy-MM-dd HH:mm:ss.S`: the fraction has no zeros at its end, but one digit.
    pub fn write(self, out: &mut String) {
        let Some(time) = DateTime::<Utc>::from_timestamp(self.seconds, self.nanos) else {
            // Beyond the calendar's reach (262 000 years); digits are still an answer.
            let _ = write!(out, "{}", self.seconds.saturating_mul(1000));
            return;
        };
        let _ = write!(
            out,
            "{:04}-{:02}-{:02} ",
            time.year(),
            time.month(),
            time.day()
        );
        let _ = write!(
            out,
            "{:02}:{:02}:{:02}.",
            time.hour(),
            time.minute(),
            time.second()
        );
        let digits = format!("{:09}", self.nanos);
        let fraction = digits.trim_end_matches('0');
        out.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
}

/// Splits `yyyy-MM-dd` from what follows; years may have more digits and a sign.
fn split_date(text: &str) -> Option<(NaiveDate, &str)> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (year, rest) = unsigned.split_once('-')?;
    let (month, rest) = rest.split_once('-')?;
    let day_len = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (day, rest) = rest.split_at_checked(day_len)?;
    if year.len() < 4 || year.len() > 6 || month.len() > 2 || !(1..=2).contains(&day_len) {
        return None;
    }
    let year = digits(year)?.checked_mul(sign)?;
    let month = u32::try_from(digits(month)?).ok()?;
    let day = u32::try_from(digits(day)?).ok()?;
    Some((NaiveDate::from_ymd_opt(year, month, day)?, rest))
}

/// Parses what follows a date: nothing, or a time and maybe an offset.
fn parse_time(text: &str) -> Option<(NaiveTime, i64)> {
    let midnight = NaiveTime::MIN;
    let Some(time) = text.strip_prefix(['T', 't', ' ']) else {
        return Some((midnight, parse_offset(text)?));
    };
    let end = time
        .find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.')
        .unwrap_or(time.len());
    let (clock, offset) = time.split_at_checked(end)?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut parts = clock.split(':');
    let hour = two_digits(parts.next()?)?;
    let minute = two_digits(parts.next()?)?;
    let second = parts.next().map_or(Some(0), two_digits)?;
    if parts.next().is_some() || fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let nanos = u32::try_from(digits(&format!("{fraction:0<9}"))?).ok()?;
    let time = NaiveTime::from_hms_nano_opt(hour, minute, second, nanos)?;
    Some((time, parse_offset(offset)?))
}

/// Parses `Z`, `UTC`, `+hh:mm`, `+hhmm`, `+hh` or nothing, in seconds.
fn parse_offset(text: &str) -> Option<i64> {
    let text = text.trim_start();
    if text.is_empty() || matches!(text, "Z" | "z" | "UTC") {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if rest.len() == 4 => rest.split_at_checked(2)?,
        None => (rest, "00"),
    };
    let (hours, minutes) = (two_digits(hours)?, two_digits(minutes)?);
    (hours <= 18 && minutes < 60)
        .then(|| sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
}

fn two_digits(text: &str) -> Option<u32> {
    (1..=2)
        .contains(&text.len())
        .then(|| digits(text))?
        .and_then(|n| u32::try_from(n).ok())
}

fn digits(text: &str) -> Option<i32> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_prints() {
        let cases = [
            ("2025-09-23T17:38:00", "2025-09-23 17:38:00.0"),
            ("2025-09-23 17:38:00", "2025-09-23 17:38:00.0"),
            ("2025-09-23 17:38:00.120", "2025-09-23 17:38:00.12"),
            ("2025-09-23T17:38", "2025-09-23 17:38:00.0"),
            ("2025-09-23", "2025-09-23 00:00:00.0"),
            ("2025-09-23T17:38:00Z", "2025-09-23 17:38:00.0"),
            ("2025-09-23T17:38:00.5+02:00", "2025-09-23 15:38:00.5"),
            ("2025-09-23T00:38:00-0130", "2025-09-23 02:08:00.0"),
            ("1789700000123", "2026-09-18 02:53:20.123"),
            ("-1", "1969-12-31 23:59:59.999"),
            (
                "1969-12-31 23:59:59.000000001",
                "1969-12-31 23:59:59.000000001",
            ),
        ];
        for (text, expected) in cases {
            let mut printed = String::new();
            Instant::parse(text).unwrap().write(&mut printed);
            assert_eq!(printed, expected, "{text}");
        }
    }

    #[test]
    fn refuses_other_text() {
        let cases = [
            "",
            "null",
            "2025x",
            "2025-13-01",
            "2025-02-30",
            "2025-01-01T25:00:00",
            "2025-01-01T",
            "2025-01-01 10",
            "2025-01-01 10:00:00.",
            "2025-01-01 10:00:00.1234567890",
            "2025-01-01 10:00:00 CET",
            "20250-1",
            "2025-01-01x",
            "é025-01-01",
        ];
        for text in cases {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }

    #[test]
    fn counts_units_downward() {
        let before = Instant::from_units(-1, TimeUnit::Nanos);
        assert_eq!(
            before,
            Instant {
                seconds: -1,
                nanos: 999_999_999
            }
        );
        assert_eq!(before.to_units(TimeUnit::Millis), Some(-1));
        assert_eq!(
            Instant {
                seconds: i64::MAX,
                nanos: 0
            }
            .to_units(TimeUnit::Millis),
            None
        );
    }
}
