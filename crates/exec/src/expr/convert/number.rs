//! Text to numbers and numbers to text.

use super::decimal::{Decimal, Rounding};

/// Parses a whole number; a fraction is cut off (`1.5` is 1). None for other text or beyond 64 bits.
pub(crate) fn parse_i64(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole);
    }
    if let Some(exact) = Decimal::parse(text) {
        return exact
            .rescale(0, Rounding::Down)
            .and_then(|whole| i64::try_from(whole).ok());
    }
    truncate(parse_f64(text)?)
}

/// Parses a whole number of 32 bits, like [`parse_i64`].
pub(crate) fn parse_i32(text: &str) -> Option<i32> {
    parse_i64(text).and_then(|whole| i32::try_from(whole).ok())
}

/// Parses a double as Java does: also `NaN` and `Infinity`, but not Rust's `inf`.
pub(crate) fn parse_f64(text: &str) -> Option<f64> {
    let text = text.trim();
    match text {
        "NaN" => return Some(f64::NAN),
        "Infinity" | "+Infinity" => return Some(f64::INFINITY),
        "-Infinity" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    // Rust also takes `inf`, `infinity` and `nan` in any case.
    if text
        .bytes()
        .any(|byte| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E'))
    {
        return None;
    }
    text.parse().ok()
}

/// Returns the whole part of a double when it fits 64 bits.
pub(crate) fn truncate(value: f64) -> Option<i64> {
    // 2^63 itself does not fit.
    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0)
        .contains(&value)
        .then_some(saturate_i64(value))
}

/// Returns the whole part of a double, the nearest bound when it does not fit, 0 for NaN.
#[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
pub(crate) fn saturate_i64(value: f64) -> i64 {
    value as i64
}

/// Returns the whole part of a double, the nearest bound when it does not fit, 0 for NaN.
#[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
pub(crate) fn saturate_i32(value: f64) -> i32 {
    value as i32
}

/// Returns the number, or the nearest bound when it does not fit.
pub(crate) fn clamp_i32(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })
}

/// Returns the number, or the nearest bound when it does not fit.
pub(crate) fn clamp_i64(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

/// Returns the nearest double of a whole number.
#[expect(
    clippy::cast_precision_loss,
    reason = "the nearest double is what is asked for"
)]
pub(crate) fn i64_to_f64(value: i64) -> f64 {
    value as f64
}

/// Returns the nearest float of a double.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the nearest float is what is asked for"
)]
pub(crate) fn f64_to_f32(value: f64) -> f32 {
    value as f32
}

/// Appends a double: the shortest text that reads back, always with a fraction or exponent.
pub(crate) fn write_f64(value: f64, out: &mut String) {
    match classify(value) {
        Some(word) => out.push_str(word),
        None => out.push_str(ryu::Buffer::new().format_finite(value)),
    }
}

/// Appends a float, like [`write_f64`].
pub(crate) fn write_f32(value: f32, out: &mut String) {
    match classify(f64::from(value)) {
        Some(word) => out.push_str(word),
        None => out.push_str(ryu::Buffer::new().format_finite(value)),
    }
}

fn classify(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value == f64::INFINITY {
        Some("Infinity")
    } else if value == f64::NEG_INFINITY {
        Some("-Infinity")
    } else {
        None
    }
}

/// Appends lower-case hexadecimal.
pub(crate) fn write_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

/// Parses hexadecimal of either case.
pub(crate) fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let nibble = |digit: u8| {
        char::from(digit)
            .to_digit(16)
            .and_then(|n| u8::try_from(n).ok())
    };
    digits
        .chunks_exact(2)
        .map(|pair| match pair {
            [high, low] => Some(nibble(*high)? << 4 | nibble(*low)?),
            _ => None,
        })
        .collect()
}

/// Reads a boolean as Pinot does: `true` in any case, or `1`.
pub(crate) fn parse_bool(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text == "1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_as_java_does() {
        let whole = [
            ("1.5", Some(1)),
            ("-1.5", Some(-1)),
            (" 7 ", Some(7)),
            ("1e3", Some(1000)),
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("abc", None),
            ("", None),
        ];
        for (text, expected) in whole {
            assert_eq!(parse_i64(text), expected, "{text}");
        }
        for text in ["inf", "nan", "infinity", "0x1", "", "1,5"] {
            assert!(parse_f64(text).is_none(), "{text}");
        }
        assert_eq!(parse_f64("-Infinity"), Some(f64::NEG_INFINITY));
    }

    #[test]
    fn hex_round_trips() {
        let mut text = String::new();
        write_hex(&[0, 0xab, 0xff], &mut text);
        assert_eq!(text, "00abff");
        assert_eq!(parse_hex("00ABff"), Some(vec![0, 0xab, 0xff]));
        assert_eq!(parse_hex("0"), None);
        assert_eq!(parse_hex("zz"), None);
    }
}
