//! TIMESTAMP as text, `yyyy-MM-dd HH:mm:ss.S` in UTC.

use growler_base::Civil;
use growler_schema::TimeUnit;

const SECONDS_PER_DAY: i64 = 86_400;

/// Appends a timestamp; the fraction has at least one digit and no further trailing zeros.
///
/// Every count has a text: years outside 0 to 9999 get more digits or a sign.
pub(super) fn write_timestamp(count: i64, unit: TimeUnit, out: &mut Vec<u8>) {
    let per_second = unit.per_second();
    let seconds = count.div_euclid(per_second);
    let Civil { year, month, day } = Civil::from_days(seconds.div_euclid(SECONDS_PER_DAY));
    let second_of_day = seconds.rem_euclid(SECONDS_PER_DAY);
    if year < 0 {
        out.push(b'-');
    }
    write_padded(year.unsigned_abs(), 4, out);
    let parts = [
        (b'-', month),
        (b'-', day),
        (b' ', second_of_day / 3600),
        (b':', second_of_day / 60 % 60),
        (b':', second_of_day % 60),
    ];
    for (separator, part) in parts {
        out.push(separator);
        write_padded(part.unsigned_abs(), 2, out);
    }
    out.push(b'.');
    write_fraction(count.rem_euclid(per_second), per_second, out);
}

fn write_fraction(mut fraction: i64, per_second: i64, out: &mut Vec<u8>) {
    let mut place = per_second / 10;
    loop {
        let digit = u8::try_from(fraction / place).unwrap_or_default();
        out.push(b'0' + digit);
        fraction %= place;
        if fraction == 0 {
            return;
        }
        place /= 10;
    }
}

fn write_padded(value: u64, width: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value);
    out.extend(std::iter::repeat_n(
        b'0',
        width.saturating_sub(digits.len()),
    ));
    out.extend_from_slice(digits.as_bytes());
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn text(count: i64, unit: TimeUnit) -> String {
        let mut out = Vec::new();
        write_timestamp(count, unit, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn keeps_the_digits_of_the_unit() {
        use TimeUnit::{Micros, Millis, Nanos};
        let cases = [
            (0, Millis, "1970-01-01 00:00:00.0"),
            (1_758_649_080_000, Millis, "2025-09-23 17:38:00.0"),
            (1_758_649_080_120, Millis, "2025-09-23 17:38:00.12"),
            (-1, Millis, "1969-12-31 23:59:59.999"),
            (1, Micros, "1970-01-01 00:00:00.000001"),
            (1_500_000, Micros, "1970-01-01 00:00:01.5"),
            (1, Nanos, "1970-01-01 00:00:00.000000001"),
            (i64::MIN, Nanos, "1677-09-21 00:12:43.145224192"),
            (253_402_300_800_000, Millis, "10000-01-01 00:00:00.0"),
            (-62_167_219_200_001, Millis, "-0001-12-31 23:59:59.999"),
            (i64::MAX, Millis, "292278994-08-17 07:12:55.807"),
            (i64::MIN, Millis, "-292275055-05-16 16:47:04.192"),
        ];
        for (count, unit, expected) in cases {
            assert_eq!(text(count, unit), expected, "{count} {unit:?}");
        }
    }

    #[test]
    fn agrees_with_chrono() {
        let mut state = 7_u64;
        for _ in 0..5_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let millis = i64::try_from(state >> 18).unwrap() - (1 << 45);
            let expected = DateTime::from_timestamp_millis(millis).unwrap();
            let expected = expected.format("%Y-%m-%d %H:%M:%S").to_string();
            let text = text(millis, TimeUnit::Millis);
            assert_eq!(text.split('.').next(), Some(expected.as_str()), "{millis}");
        }
    }
}
