//! Days since 1970 to dates of the proleptic Gregorian calendar and back.
//!
//! The one place that knows leap years. Exact for every count of days a timestamp or date can have;
//! beyond that results saturate, and nothing overflows.

/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;

/// A date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// Astronomical year; 0 is 1 BC.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

impl Civil {
    /// Returns the date of a count of days since 1970.
    #[inline]
    pub fn from_days(days: i64) -> Self {
        // Years start in March here, so that the leap day is a year's last.
        let shifted = days.saturating_add(719_468);
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 {
            shifted_month + 3
        } else {
            shifted_month - 9
        };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day,
        }
    }

    /// Returns the count of days since 1970; the day may lie outside the month.
    pub fn to_days(self) -> i64 {
        let year = self.year.saturating_sub(i64::from(self.month <= 2));
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let shifted_month = if self.month > 2 {
            self.month.saturating_sub(3)
        } else {
            self.month.saturating_add(9)
        };
        let month_start = shifted_month.saturating_mul(153).saturating_add(2) / 5;
        let year_start = year_of_era * 365 + year_of_era / 4 - year_of_era / 100;
        era.saturating_mul(146_097)
            .saturating_add(year_start - 719_468)
            .saturating_add(month_start)
            .saturating_add(self.day.saturating_sub(1))
    }

    /// Returns the date that many months later, on the month's last day if the day is beyond it.
    pub fn add_months(self, months: i64) -> Self {
        let total = self
            .year
            .saturating_mul(12)
            .saturating_add(self.month.saturating_sub(1))
            .saturating_add(months);
        let (year, month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
        Self {
            year,
            month,
            day: self.day.min(month_len(year, month)),
        }
    }

    /// Returns the day of the year, from 1.
    pub fn day_of_year(self) -> i64 {
        let new_year = Self {
            month: 1,
            day: 1,
            ..self
        };
        self.to_days()
            .saturating_sub(new_year.to_days())
            .saturating_add(1)
    }
}

/// Returns the days of a month.
pub fn month_len(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the day of the week, 1 for Monday to 7 for Sunday.
pub fn day_of_week(days: i64) -> i64 {
    days.saturating_add(3).rem_euclid(7) + 1
}

/// Returns the ISO 8601 week's year and number.
pub fn iso_week(days: i64) -> (i64, i64) {
    let to_thursday = 4 - day_of_week(days);
    let thursday = Civil::from_days(days.saturating_add(to_thursday));
    (thursday.year, (thursday.day_of_year() - 1) / 7 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{Datelike, NaiveDate};
    use proptest::prelude::*;

    #[test]
    fn agrees_with_chrono() {
        let epoch = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap();
        for days in (-800_000..800_000).step_by(37).chain(-800..800) {
            let date = epoch + chrono::Days::new(0) + chrono::TimeDelta::days(days);
            let civil = Civil::from_days(days);
            let expected = (
                i64::from(date.year()),
                i64::from(date.month()),
                i64::from(date.day()),
            );
            assert_eq!((civil.year, civil.month, civil.day), expected);
            assert_eq!(civil.to_days(), days);
            assert_eq!(civil.day_of_year(), i64::from(date.ordinal()));
            assert_eq!(
                day_of_week(days),
                i64::from(date.weekday().number_from_monday())
            );
            let week = date.iso_week();
            assert_eq!(
                iso_week(days),
                (i64::from(week.year()), i64::from(week.week()))
            );
        }
    }

    #[test]
    fn far_days_have_dates() {
        let check = |days: i64, year: i64, month: i64, day: i64| {
            let civil = Civil { year, month, day };
            assert_eq!(Civil::from_days(days), civil, "{days}");
            assert_eq!(civil.to_days(), days, "{days}");
        };
        check(0, 1970, 1, 1);
        check(-1, 1969, 12, 31);
        check(-719_528, 0, 1, 1);
        check(-719_529, -1, 12, 31);
        check(11_016, 2000, 2, 29);
        check(i64::from(i32::MAX), 5_881_580, 7, 11);
        check(i64::from(i32::MIN), -5_877_641, 6, 23);
        // The first and the last day of a timestamp in milliseconds.
        check(i64::MAX / DAY_MS, 292_278_994, 8, 17);
        check(i64::MIN.div_euclid(DAY_MS), -292_275_055, 5, 16);
    }

    #[test]
    fn nothing_overflows() {
        let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
        for days in ends {
            let date = Civil::from_days(days);
            assert!((1..=12).contains(&date.month), "{days}");
            assert!((1..=31).contains(&date.day), "{days}");
            assert!((1..=7).contains(&day_of_week(days)), "{days}");
            iso_week(days);
        }
        for year in ends {
            for month in ends {
                for day in ends {
                    let date = Civil { year, month, day };
                    date.to_days();
                    date.day_of_year();
                    date.add_months(day);
                    month_len(year, month);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn days_count_up_one_by_one(days in -3_000_000_i64..3_000_000) {
            let Civil { year, month, day } = Civil::from_days(days);
            let next = Civil::from_days(days + 1);
            let next = (next.year, next.month, next.day);
            let follows = next == (year, month, day + 1)
                || next == (year, month + 1, 1) && day == month_len(year, month)
                || next == (year + 1, 1, 1) && (month, day) == (12, 31);
            prop_assert!(follows, "{year}-{month}-{day} then {next:?}");
        }
    }
}
