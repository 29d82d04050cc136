//! Days since 1970 to dates of the proleptic Gregorian calendar and back, for any year.

/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;

/// A date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Civil {
    /// Astronomical year; 0 is 1 BC.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

impl Civil {
    /// Returns the date of a count of days since 1970.
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
        let year = self.year - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let shifted_month = if self.month > 2 {
            self.month - 3
        } else {
            self.month + 9
        };
        let day_of_year = (153 * shifted_month + 2) / 5 + self.day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * 146_097 + day_of_era - 719_468
    }

    /// Returns the date that many months later, on the month's last day if the day is beyond it.
    pub fn add_months(self, months: i64) -> Self {
        let total = self
            .year
            .saturating_mul(12)
            .saturating_add(self.month - 1)
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
        self.to_days()
            - Self {
                month: 1,
                day: 1,
                ..self
            }
            .to_days()
            + 1
    }
}

/// Returns the days of a month.
pub(crate) fn month_len(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the day of the week, 1 for Monday to 7 for Sunday.
pub(crate) fn day_of_week(days: i64) -> i64 {
    days.saturating_add(3).rem_euclid(7) + 1
}

/// Returns the ISO week's year and number.
pub(crate) fn iso_week(days: i64) -> (i64, i64) {
    let thursday = Civil::from_days(days - day_of_week(days) + 4);
    (thursday.year, (thursday.day_of_year() - 1) / 7 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{Datelike, NaiveDate};

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
}
