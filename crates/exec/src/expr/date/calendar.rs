//! Fields of a date, truncation, and spans of calendar units.

use growler_base::civil::{Civil, DAY_MS, day_of_week, iso_week};

use super::zone::Zone;

/// A field of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateField {
    Year,
    YearOfWeek,
    Quarter,
    Month,
    Week,
    DayOfYear,
    DayOfMonth,
    DayOfWeek,
    Hour,
    Minute,
    Second,
    Millisecond,
}

/// A calendar unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CalendarUnit {
    /// A unit of fixed length below a day, in milliseconds.
    Time(i64),
    /// A day.
    Day,
    /// A week that starts on Monday.
    Week,
    /// That many months: 1, 3 or 12.
    Months(i64),
}

impl DateField {
    /// Parses the name in `EXTRACT(name FROM ..)`.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "YEAR" => Self::Year,
            "YEAR_OF_WEEK" | "YEAROFWEEK" | "YOW" | "ISOYEAR" => Self::YearOfWeek,
            "QUARTER" => Self::Quarter,
            "MONTH" => Self::Month,
            "WEEK" | "WEEK_OF_YEAR" => Self::Week,
            "DOY" | "DAY_OF_YEAR" | "DAYOFYEAR" => Self::DayOfYear,
            "DAY" | "DAY_OF_MONTH" => Self::DayOfMonth,
            "DOW" | "DAY_OF_WEEK" | "DAYOFWEEK" | "ISODOW" => Self::DayOfWeek,
            "HOUR" => Self::Hour,
            "MINUTE" => Self::Minute,
            "SECOND" => Self::Second,
            "MILLISECOND" | "MILLISECONDS" => Self::Millisecond,
            _ => return None,
        })
    }

    /// Reads the field of a moment in a zone.
    pub fn of(self, utc_ms: i64, zone: Zone) -> i64 {
        let local = zone.to_local(utc_ms);
        let (days, ms) = (local.div_euclid(DAY_MS), local.rem_euclid(DAY_MS));
        match self {
            Self::Year => Civil::from_days(days).year,
            Self::YearOfWeek => iso_week(days).0,
            Self::Quarter => (Civil::from_days(days).month - 1) / 3 + 1,
            Self::Month => Civil::from_days(days).month,
            Self::Week => iso_week(days).1,
            Self::DayOfYear => Civil::from_days(days).day_of_year(),
            Self::DayOfMonth => Civil::from_days(days).day,
            Self::DayOfWeek => day_of_week(days),
            Self::Hour => ms / 3_600_000,
            Self::Minute => ms / 60_000 % 60,
            Self::Second => ms / 1_000 % 60,
            Self::Millisecond => ms % 1_000,
        }
    }
}

impl CalendarUnit {
    /// Parses a unit's name, in any case and with or without the plural.
    pub fn parse(name: &str) -> Option<Self> {
        let lower = name.trim().to_ascii_lowercase();
        Some(match lower.strip_suffix('s').unwrap_or(&lower) {
            "millisecond" => Self::Time(1),
            "second" => Self::Time(1_000),
            "minute" => Self::Time(60_000),
            "hour" => Self::Time(3_600_000),
            "day" => Self::Day,
            "week" => Self::Week,
            "month" => Self::Months(1),
            "quarter" => Self::Months(3),
            "year" => Self::Months(12),
            _ => return None,
        })
    }

    /// Returns the start of the unit that a moment lies in.
    pub fn truncate(self, utc_ms: i64, zone: Zone) -> i64 {
        if let Self::Time(len) = self {
            let offset = zone.offset_at(utc_ms);
            let local = utc_ms.saturating_add(offset);
            return local
                .saturating_sub(local.rem_euclid(len))
                .saturating_sub(offset);
        }
        let days = zone.to_local(utc_ms).div_euclid(DAY_MS);
        let start = match self {
            Self::Time(_) | Self::Day => days,
            Self::Week => days - day_of_week(days) + 1,
            Self::Months(count) => {
                let date = Civil::from_days(days);
                let month = (date.month - 1) / count * count + 1;
                Civil {
                    year: date.year,
                    month,
                    day: 1,
                }
                .to_days()
            }
        };
        zone.resolve_local(start.saturating_mul(DAY_MS))
    }

    /// Returns the moment that many units later, in UTC.
    pub fn add(self, utc_ms: i64, count: i64) -> i64 {
        match self {
            Self::Time(len) => utc_ms.saturating_add(count.saturating_mul(len)),
            Self::Day => utc_ms.saturating_add(count.saturating_mul(DAY_MS)),
            Self::Week => utc_ms.saturating_add(count.saturating_mul(7 * DAY_MS)),
            Self::Months(months) => {
                let (days, ms) = (utc_ms.div_euclid(DAY_MS), utc_ms.rem_euclid(DAY_MS));
                // More months than any year of 64-bit milliseconds has.
                let months = count
                    .saturating_mul(months)
                    .clamp(-10_000_000_000, 10_000_000_000);
                let days = Civil::from_days(days).add_months(months).to_days();
                days.saturating_mul(DAY_MS).saturating_add(ms)
            }
        }
    }

    /// Returns how many whole units lie between two moments, negative if the second is earlier.
    pub fn between(self, from_ms: i64, to_ms: i64) -> i64 {
        let span = to_ms.saturating_sub(from_ms);
        match self {
            Self::Time(len) => span / len,
            Self::Day => span / DAY_MS,
            Self::Week => span / (7 * DAY_MS),
            Self::Months(months) => {
                let month_of = |ms: i64| {
                    let date = Civil::from_days(ms.div_euclid(DAY_MS));
                    date.year * 12 + date.month
                };
                let mut count = month_of(to_ms) - month_of(from_ms);
                let reached = Self::Months(1).add(from_ms, count);
                if count > 0 && reached > to_ms {
                    count -= 1;
                } else if count < 0 && reached < to_ms {
                    count += 1;
                }
                count / months
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{convert::timestamp::Instant, date::zone::UTC};
    use growler_schema::TimeUnit;

    fn ms(text: &str) -> i64 {
        Instant::parse(text)
            .unwrap()
            .to_units(TimeUnit::Millis)
            .unwrap()
    }

    #[test]
    fn truncates() {
        let cases = [
            ("millisecond", "UTC", "2025-09-23 17:38:12.345"),
            ("second", "UTC", "2025-09-23 17:38:12"),
            ("MINUTE", "UTC", "2025-09-23 17:38:00"),
            ("hour", "UTC", "2025-09-23 17:00:00"),
            ("day", "UTC", "2025-09-23"),
            ("week", "UTC", "2025-09-22"),
            ("month", "UTC", "2025-09-01"),
            ("quarter", "UTC", "2025-07-01"),
            ("year", "UTC", "2025-01-01"),
            ("day", "America/Los_Angeles", "2025-09-23 07:00:00"),
            ("day", "Asia/Kolkata", "2025-09-22 18:30:00"),
            ("hour", "Asia/Kolkata", "2025-09-23 17:30:00"),
            ("year", "America/Los_Angeles", "2025-01-01 08:00:00"),
        ];
        for (unit, zone, expected) in cases {
            let unit = CalendarUnit::parse(unit).unwrap();
            let zone = Zone::parse(zone).unwrap();
            let start = unit.truncate(ms("2025-09-23 17:38:12.345"), zone);
            assert_eq!(start, ms(expected), "{unit:?} {zone:?}");
        }
        assert_eq!(CalendarUnit::Day.truncate(-1, UTC), -DAY_MS);
        for unit in [
            CalendarUnit::Week,
            CalendarUnit::Months(12),
            CalendarUnit::Time(3_600_000),
        ] {
            for edge in [i64::MIN, i64::MAX] {
                unit.truncate(edge, Zone::parse("Europe/Berlin").unwrap());
                unit.add(edge, edge);
                unit.between(edge, -1);
            }
        }
    }

    #[test]
    fn adds_and_counts() {
        let cases = [
            ("month", 1, "2025-01-31", "2025-02-28"),
            ("year", 1, "2024-02-29", "2025-02-28"),
            ("quarter", -1, "2025-05-31", "2025-02-28"),
            ("week", 2, "2025-01-01", "2025-01-15"),
            ("hour", -1, "2025-01-01", "2024-12-31 23:00:00"),
        ];
        for (unit, count, from, to) in cases {
            let unit = CalendarUnit::parse(unit).unwrap();
            assert_eq!(unit.add(ms(from), count), ms(to), "{unit:?}");
        }
        let spans = [
            ("day", "2025-01-01", "2025-01-02 23:00:00", 1),
            ("day", "2025-01-02 23:00:00", "2025-01-01", -1),
            ("month", "2025-01-31", "2025-02-28", 1),
            ("month", "2025-01-15", "2025-02-14", 0),
            ("month", "2025-02-14", "2025-01-15", 0),
            ("year", "2024-01-01", "2026-06-01", 2),
            ("quarter", "2025-01-01", "2025-12-31", 3),
        ];
        for (unit, from, to, expected) in spans {
            let unit = CalendarUnit::parse(unit).unwrap();
            assert_eq!(
                unit.between(ms(from), ms(to)),
                expected,
                "{unit:?} {from} {to}"
            );
        }
    }
}
