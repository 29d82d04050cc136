//! When a run is due.

use std::time::Duration;

use super::cron::Cron;
use super::key::Key;
use super::read::Reader;

/// Time between two runs unless a table says otherwise.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(600);
/// Shortest time between two runs.
const SHORTEST: Duration = Duration::from_secs(1);
/// Longest one, a year.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// When a table's runs are due. The first one is due at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// That long after the one before has begun.
    Every(Duration),
    /// When the clock says so, in UTC.
    Cron(Cron),
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Every(DEFAULT_INTERVAL)
    }
}

impl Schedule {
    /// Returns when the next run is due after one that began at a time, both in milliseconds since
    /// 1970; none when the schedule is over.
    pub fn next_after_ms(&self, begun_ms: i64) -> Option<i64> {
        match self {
            Self::Every(interval) => {
                let interval = i64::try_from(interval.as_millis()).ok()?;
                begun_ms.checked_add(interval)
            }
            Self::Cron(cron) => cron
                .next_after(begun_ms.div_euclid(1000))?
                .checked_mul(1000),
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> Schedule {
    let (cron, interval) = (
        reader.text(Key::Schedule),
        reader.text(Key::RefreshInterval),
    );
    if cron.is_some() && interval.is_some() {
        let names = [Key::Schedule, Key::RefreshInterval].map(|key| reader.settings.name(key));
        reader.errors.push(format!(
            "Does not use '{}' and '{}' together",
            names[0], names[1]
        ));
    }
    let interval = interval.map(|text| {
        interval_of(&text).unwrap_or_else(|| {
            let expected = "a time such as 30s, 5m, 1h or 1d, from a second to a year,";
            reader.wrong(Key::RefreshInterval, expected, &text);
            DEFAULT_INTERVAL
        })
    });
    let cron = cron.and_then(|text| match Cron::parse(&text) {
        Ok(cron) => Some(Schedule::Cron(cron)),
        Err(error) => {
            let name = reader.settings.name(Key::Schedule);
            reader.errors.push(format!(
                "Requires a Quartz cron expression in '{name}'. {error}"
            ));
            None
        }
    });
    cron.or(interval.map(Schedule::Every)).unwrap_or_default()
}

fn interval_of(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.find(|character: char| !character.is_ascii_digit())?;
    let (count, unit) = text.split_at_checked(digits)?;
    let seconds = match unit.trim().to_ascii_lowercase().as_str() {
        "s" | "sec" | "second" | "seconds" => 1,
        "m" | "min" | "minute" | "minutes" => 60,
        "h" | "hour" | "hours" => 3_600,
        "d" | "day" | "days" => 86_400,
        _ => return None,
    };
    let interval = Duration::from_secs(count.parse::<u64>().ok()?.checked_mul(seconds)?);
    (SHORTEST..=LONGEST).contains(&interval).then_some(interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals() {
        for (text, expected) in [
            ("5m", Some(300)),
            ("30 s", Some(30)),
            ("2 Hours", Some(7_200)),
            ("1d", Some(86_400)),
            ("", None),
            ("5", None),
            ("m", None),
            ("0s", None),
            ("-5m", None),
            ("400d", None),
            ("99999999999999999999d", None),
            ("9999999999999999999d", None),
        ] {
            let found = interval_of(text).map(|interval| interval.as_secs());
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn the_next_run_counts_from_the_last() {
        assert_eq!(Schedule::default().next_after_ms(5), Some(600_005));
        let hourly = Schedule::Cron(Cron::parse("0 0 * * * ?").unwrap());
        assert_eq!(hourly.next_after_ms(3_600_000), Some(7_200_000));
        assert_eq!(hourly.next_after_ms(-1), Some(0));
        assert_eq!(Schedule::default().next_after_ms(i64::MAX), None);
    }
}
