//! Quartz cron expressions: six or seven fields, from the seconds up.
//!
//! `second minute hour day-of-month month day-of-week [year]`, in UTC. A field is `*`, values, ranges
//! `a-b` and steps `a/n`, joined by commas; months and days of the week (1 is Sunday) have names. Of
//! the two fields for days one must be `?`; they also take `L`, `nL`, `W`, `LW`, `L-n` and `n#m`.

use growler_base::civil::{Civil, day_of_week, month_len};

const MONTHS: [&str; 12] = [
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
];
const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const FIRST_YEAR: i64 = 1970;
const LAST_YEAR: i64 = 2099;
const DAY_SECONDS: i64 = 86_400;
const LEN: usize = 512;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    seconds: u64,
    minutes: u64,
    hours: u64,
    months: u64,
    days: Days,
    years: Option<Vec<i64>>,
}

/// On which days of a month.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Days {
    /// Days of the month, 1 to 31.
    OfMonth(u64),
    /// That many days before the month's last, moved to the nearest weekday if so.
    FromLast { before: i64, weekday: bool },
    /// The weekday nearest to a day, in the same month.
    NearestWeekday(i64),
    /// Days of the week, 1 for Sunday.
    OfWeek(u64),
    /// The last such day of the week.
    LastOfWeek(i64),
    /// The n-th such day of the week.
    NthOfWeek(i64, i64),
}

/// Values that a field may have.
struct Field {
    what: &'static str,
    first: i64,
    last: i64,
    names: &'static [&'static str],
}

impl Cron {
    /// Parses an expression.
    ///
    /// # Errors
    /// What is wrong with which field.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LEN {
            return Err(format!("It is too long: lenBytes={}", text.len()));
        }
        let text = text.to_ascii_uppercase();
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let (fields, year) = match fields.as_slice() {
            [fields @ .., year] if fields.len() == 6 => (fields, Some(*year)),
            fields => (fields, None),
        };
        let [second, minute, hour, day, month, week_day] = fields else {
            return Err(format!("It has 6 or 7 fields: found={}", fields.len()));
        };
        let field = |what, first, last, names| Field {
            what,
            first,
            last,
            names,
        };
        Ok(Self {
            seconds: field("seconds", 0, 59, &[]).set(second)?,
            minutes: field("minutes", 0, 59, &[]).set(minute)?,
            hours: field("hours", 0, 23, &[]).set(hour)?,
            months: field("month", 1, 12, &MONTHS).set(month)?,
            days: days(day, week_day)?,
            years: year.map(years).transpose()?.flatten(),
        })
    }

    /// Returns the first moment after another that the expression names, both in seconds since 1970;
    /// none when there is no such moment any more.
    pub fn next_after(&self, seconds: i64) -> Option<i64> {
        let from = seconds.checked_add(1)?.max(0);
        let (mut day, mut second) = (from.div_euclid(DAY_SECONDS), from.rem_euclid(DAY_SECONDS));
        let last_day = Civil {
            year: LAST_YEAR,
            month: 12,
            day: 31,
        }
        .to_days();
        while day <= last_day {
            if self.has_day(day)
                && let Some(found) = self.next_in_day(second)
            {
                return Some(day * DAY_SECONDS + found);
            }
            (day, second) = (day + 1, 0);
        }
        None
    }

    fn has_day(&self, day: i64) -> bool {
        let date = Civil::from_days(day);
        let in_year = |years: &Vec<i64>| years.binary_search(&date.year).is_ok();
        has(self.months, date.month)
            && self.years.as_ref().is_none_or(in_year)
            && self.days.has(date, day)
    }

    fn next_in_day(&self, from: i64) -> Option<i64> {
        let (hour, minute, second) = (from / 3600, from / 60 % 60, from % 60);
        for h in (hour..24).filter(|h| has(self.hours, *h)) {
            let first_minute = if h == hour { minute } else { 0 };
            for m in (first_minute..60).filter(|m| has(self.minutes, *m)) {
                let first_second = if h == hour && m == minute { second } else { 0 };
                if let Some(s) = (first_second..60).find(|s| has(self.seconds, *s)) {
                    return Some(h * 3600 + m * 60 + s);
                }
            }
        }
        None
    }
}

impl Days {
    fn has(&self, date: Civil, days: i64) -> bool {
        let len = month_len(date.year, date.month);
        let week_day = day_of_week(days) % 7 + 1;
        match *self {
            Self::OfMonth(set) => has(set, date.day),
            Self::OfWeek(set) => has(set, week_day),
            Self::LastOfWeek(wanted) => week_day == wanted && date.day + 7 > len,
            Self::NthOfWeek(wanted, nth) => week_day == wanted && (date.day - 1) / 7 + 1 == nth,
            Self::FromLast {
                before,
                weekday: false,
            } => date.day == len - before,
            Self::FromLast {
                before,
                weekday: true,
            } => date.day == nearest(date, len - before),
            Self::NearestWeekday(wanted) => date.day == nearest(date, wanted.min(len)),
        }
    }
}

/// Returns the weekday of a date's month that is nearest to a day of it.
fn nearest(date: Civil, day: i64) -> i64 {
    let len = month_len(date.year, date.month);
    match day_of_week(Civil { day, ..date }.to_days()) {
        6 if day == 1 => 3,
        6 => day - 1,
        7 if day == len => day - 2,
        7 => day + 1,
        _ => day,
    }
}

fn days(day: &str, week_day: &str) -> Result<Days, String> {
    // Quartz wants a `?`; a `*` beside a field that says more says nothing either.
    match (day, week_day) {
        ("?", "?") => Err("Day of month and day of week cannot both be ?".to_owned()),
        ("?" | "*", week_day) if week_day != "?" && week_day != "*" => of_week(week_day),
        (day, "?" | "*") => of_month(if day == "?" { "*" } else { day }),
        _ => Err("Day of month or day of week must be ?".to_owned()),
    }
}

fn of_month(text: &str) -> Result<Days, String> {
    let field = Field {
        what: "day of month",
        first: 1,
        last: 31,
        names: &[],
    };
    match text {
        "L" => {
            return Ok(Days::FromLast {
                before: 0,
                weekday: false,
            });
        }
        "LW" => {
            return Ok(Days::FromLast {
                before: 0,
                weekday: true,
            });
        }
        _ => {}
    }
    if let Some(rest) = text.strip_prefix("L-") {
        let (count, weekday) = rest
            .strip_suffix('W')
            .map_or((rest, false), |rest| (rest, true));
        let before = count
            .parse()
            .ok()
            .filter(|before| (0..=30).contains(before));
        let before = before.ok_or_else(|| field.wrong(text))?;
        return Ok(Days::FromLast { before, weekday });
    }
    match text.strip_suffix('W') {
        Some(day) => Ok(Days::NearestWeekday(field.value(day)?)),
        None => Ok(Days::OfMonth(field.set(text)?)),
    }
}

fn of_week(text: &str) -> Result<Days, String> {
    let field = Field {
        what: "day of week",
        first: 1,
        last: 7,
        names: &DAYS,
    };
    if text == "L" {
        return Ok(Days::OfWeek(1 << 7));
    }
    if let Some((day, nth)) = text.split_once('#') {
        let nth = nth.parse().ok().filter(|nth| (1..=5).contains(nth));
        let nth = nth.ok_or_else(|| field.wrong(text))?;
        return Ok(Days::NthOfWeek(field.value(day)?, nth));
    }
    match text.strip_suffix('L') {
        Some(day) => Ok(Days::LastOfWeek(field.value(day)?)),
        None => Ok(Days::OfWeek(field.set(text)?)),
    }
}

/// Returns the years that a field names in order, or none for all.
fn years(text: &str) -> Result<Option<Vec<i64>>, String> {
    let field = Field {
        what: "year",
        first: FIRST_YEAR,
        last: LAST_YEAR,
        names: &[],
    };
    if text == "*" {
        return Ok(None);
    }
    let mut years = Vec::new();
    for part in text.split(',') {
        let (first, last, step) = field.part(part)?;
        let mut year = first;
        while year <= last {
            years.push(year);
            year += step;
        }
    }
    years.sort_unstable();
    Ok(Some(years))
}

impl Field {
    /// Returns the values that the text names, one bit each.
    fn set(&self, text: &str) -> Result<u64, String> {
        let mut set = 0_u64;
        for part in text.split(',') {
            let (first, last, step) = self.part(part)?;
            // A range may lead over the end, as FRI-MON does.
            let span = if last < first {
                last + self.last - self.first + 1
            } else {
                last
            };
            let mut value = first;
            while value <= span {
                let wrapped = if value > self.last {
                    value - self.last + self.first - 1
                } else {
                    value
                };
                set |= 1 << wrapped;
                value += step;
            }
        }
        Ok(set)
    }

    /// Returns the first and the last value that a part names, and the step between two.
    fn part(&self, text: &str) -> Result<(i64, i64, i64), String> {
        let (range, step) = match text.split_once('/') {
            None => (text, None),
            Some((range, step)) => {
                let step = step
                    .parse()
                    .ok()
                    .filter(|step| (1..=self.last).contains(step));
                (range, Some(step.ok_or_else(|| self.wrong(text))?))
            }
        };
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (self.value(first)?, self.value(last)?),
            None if range == "*" || range.is_empty() && step.is_some() => (self.first, self.last),
            None => {
                let value = self.value(range)?;
                (value, if step.is_some() { self.last } else { value })
            }
        };
        Ok((first, last, step.unwrap_or(1)))
    }

    fn value(&self, text: &str) -> Result<i64, String> {
        if let Some(idx) = self.names.iter().position(|name| *name == text) {
            return i64::try_from(idx + 1).map_err(|_| self.wrong(text));
        }
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let value = text
            .parse()
            .ok()
            .filter(|value| (self.first..=self.last).contains(value));
        value.filter(|_| is_number).ok_or_else(|| self.wrong(text))
    }

    fn wrong(&self, text: &str) -> String {
        let Self {
            what, first, last, ..
        } = self;
        format!("Wrong {what}, which is from {first} to {last}: found={text}")
    }
}

fn has(set: u64, value: i64) -> bool {
    (0..64).contains(&value) && set >> value & 1 == 1
}
