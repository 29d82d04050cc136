//! Units of time that always have the same length: Java's `TimeUnit`.

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    /// How many nanoseconds it has.
    nanos: i64,
}

const MILLI_NANOS: i64 = 1_000_000;

impl Unit {
    /// A millisecond.
    pub const MILLIS: Self = Self { nanos: MILLI_NANOS };

    /// Parses `NANOSECONDS` to `DAYS`, in any case and with or without the plural.
    pub fn parse(name: &str) -> Option<Self> {
        let upper = name.trim().to_ascii_uppercase();
        let nanos = match upper.strip_suffix('S').unwrap_or(&upper) {
            "NANOSECOND" => 1,
            "MICROSECOND" => 1_000,
            "MILLISECOND" => MILLI_NANOS,
            "SECOND" => 1_000 * MILLI_NANOS,
            "MINUTE" => 60_000 * MILLI_NANOS,
            "HOUR" => 3_600_000 * MILLI_NANOS,
            "DAY" => 86_400_000 * MILLI_NANOS,
            "WEEK" => 7 * 86_400_000 * MILLI_NANOS,
            _ => return None,
        };
        Some(Self { nanos })
    }

    /// Converts a count of this unit to another, rounded down; the nearest bound when too large.
    pub fn convert(self, count: i64, to: Self) -> i64 {
        if self.nanos >= to.nanos {
            return count.saturating_mul(self.nanos / to.nanos);
        }
        count.div_euclid(to.nanos / self.nanos)
    }

    /// Converts a count to milliseconds.
    pub fn to_millis(self, count: i64) -> i64 {
        self.convert(count, Self::MILLIS)
    }

    /// Converts milliseconds to a count.
    pub fn count_of_millis(self, millis: i64) -> i64 {
        Self::MILLIS.convert(millis, self)
    }
}
