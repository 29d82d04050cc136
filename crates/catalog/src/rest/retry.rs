//! How long to pause before a request is made again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use super::config::Retries;

/// Returns the pause before the next attempt, `made` having failed; none when enough were made.
///
/// It is drawn at random below a bound that doubles, so that many clients do not come back together;
/// what the server asked for is waited for at least, within the longest pause.
pub(crate) fn pause(
    retries: &Retries,
    made: u32,
    elapsed: Duration,
    asked: Option<Duration>,
) -> Option<Duration> {
    if made >= retries.attempts {
        return None;
    }
    let doubled = 1_u32
        .checked_shl(made.saturating_sub(1))
        .unwrap_or(u32::MAX);
    let bound = retries
        .first_pause
        .saturating_mul(doubled)
        .min(retries.longest_pause);
    let drawn = bound.mul_f64(0.5 + random_fraction() / 2.0);
    let pause = asked
        .map_or(drawn, |asked| asked.max(drawn))
        .min(retries.longest_pause);
    (elapsed.saturating_add(pause) <= retries.within).then_some(pause)
}

/// At least 0, below 1.
fn random_fraction() -> f64 {
    // Every hasher of the standard library starts from fresh random keys.
    let drawn = RandomState::new().build_hasher().finish() >> 32;
    f64::from(u32::try_from(drawn).unwrap_or(0)) / f64::from(u32::MAX)
}

/// Reads a Retry-After header: seconds, or a date.
pub(crate) fn retry_after(header: &str) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = chrono::DateTime::parse_from_rfc2822(header).ok()?;
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    let date = Duration::from_secs(u64::try_from(date.timestamp()).ok()?);
    Some(date.saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRIES: Retries = Retries {
        attempts: 4,
        first_pause: Duration::from_millis(100),
        longest_pause: Duration::from_millis(300),
        within: Duration::from_secs(1),
    };

    #[test]
    fn pauses_grow_within_bounds() {
        for (made, least, most) in [(1, 50, 100), (2, 100, 200), (3, 150, 300)] {
            let pause = pause(&RETRIES, made, Duration::ZERO, None).unwrap();
            let range = Duration::from_millis(least)..=Duration::from_millis(most);
            assert!(range.contains(&pause), "{made} {pause:?}");
        }
        assert_eq!(pause(&RETRIES, 4, Duration::ZERO, None), None);
        assert_eq!(pause(&RETRIES, 1, Duration::from_secs(1), None), None);
        let asked = Some(Duration::from_secs(3600));
        assert_eq!(
            pause(&RETRIES, 1, Duration::ZERO, asked),
            Some(RETRIES.longest_pause)
        );
        assert!(pause(&RETRIES, 60, Duration::ZERO, None).is_none());
    }

    #[test]
    fn the_header_is_seconds_or_a_date() {
        assert_eq!(retry_after(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(
            retry_after("Wed, 21 Oct 2015 07:28:00 GMT"),
            Some(Duration::ZERO)
        );
        assert_eq!(retry_after("soon"), None);
        assert_eq!(retry_after("-1"), None);
    }
}
