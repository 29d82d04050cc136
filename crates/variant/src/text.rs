//! Scalars as text: plain digits, ISO-8601, base64. Everything appends to a byte buffer, and what
//! is appended is UTF-8.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use growler_base::Civil;

use crate::Node;
use crate::value::TimestampUnit;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends the plain text of a scalar: strings as they are, NaN and infinities as words, nothing
/// quoted. Returns false, with nothing appended, for an object or array; variant null is `null`.
pub fn write_scalar(node: &Node<'_>, out: &mut Vec<u8>) -> bool {
    match node {
        Node::String(text) => out.extend_from_slice(text.as_bytes()),
        Node::Float(value) => write_f32(*value, out),
        Node::Double(value) => write_f64(*value, out),
        Node::Binary(bytes) => write_base64(bytes, out),
        Node::Date(days) => write_date(*days, out),
        Node::Time(micros) => write_time(*micros, out),
        Node::Timestamp { value, unit, utc } => write_timestamp(*value, *unit, *utc, out),
        Node::Uuid(uuid) => write_uuid(uuid, out),
        Node::Object(_) | Node::List(_) => return false,
        bare => write_bare(bare, out),
    }
    true
}

/// Appends the JSON text of a scalar. Returns false, with nothing appended, for an object or array.
#[inline]
pub fn write_json_scalar(node: &Node<'_>, out: &mut Vec<u8>) -> bool {
    match node {
        Node::Object(_) | Node::List(_) => return false,
        Node::String(text) => write_json_string(text.as_bytes(), out),
        Node::Float(value) => write_json_f32(*value, out),
        Node::Double(value) => write_json_f64(*value, out),
        Node::Binary(_)
        | Node::Date(_)
        | Node::Time(_)
        | Node::Timestamp { .. }
        | Node::Uuid(_) => {
            out.push(b'"');
            write_scalar(node, out);
            out.push(b'"');
        }
        bare => write_bare(bare, out),
    }
    true
}

/// Appends what reads the same quoted or not: null, booleans and exact numbers.
fn write_bare(node: &Node<'_>, out: &mut Vec<u8>) {
    match node {
        Node::Boolean(true) => out.extend_from_slice(b"true"),
        Node::Boolean(false) => out.extend_from_slice(b"false"),
        Node::Int8(value) => write_int(i64::from(*value), out),
        Node::Int16(value) => write_int(i64::from(*value), out),
        Node::Int32(value) => write_int(i64::from(*value), out),
        Node::Int64(value) => write_int(*value, out),
        Node::Decimal {
            unscaled, scale, ..
        } => write_decimal(*unscaled, *scale, out),
        _ => out.extend_from_slice(b"null"),
    }
}

/// Appends an integer.
pub fn write_int(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a decimal with exactly `scale` digits behind the point, and no exponent.
pub fn write_decimal(unscaled: i128, scale: u8, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(unscaled.unsigned_abs()).as_bytes();
    let scale = usize::from(scale);
    if unscaled < 0 {
        out.push(b'-');
    }
    let whole_len = digits.len().saturating_sub(scale);
    let (whole, fraction) = digits.split_at_checked(whole_len).unwrap_or((digits, &[]));
    out.extend_from_slice(if whole.is_empty() { b"0" } else { whole });
    if scale > 0 {
        out.push(b'.');
        out.extend(std::iter::repeat_n(
            b'0',
            scale.saturating_sub(fraction.len()),
        ));
        out.extend_from_slice(fraction);
    }
}

/// Appends the shortest text that reads back as the same double, always with a fraction or an
/// exponent; `NaN`, `Infinity` and `-Infinity` as words.
pub fn write_f64(value: f64, out: &mut Vec<u8>) {
    match special(value) {
        Some(word) => out.extend_from_slice(word.as_bytes()),
        None => out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes()),
    }
}

/// Appends the shortest text that reads back as the same float; see [`write_f64`].
pub fn write_f32(value: f32, out: &mut Vec<u8>) {
    match special(f64::from(value)) {
        Some(word) => out.extend_from_slice(word.as_bytes()),
        None => out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes()),
    }
}

/// Appends a double as JSON: words are quoted.
pub fn write_json_f64(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() {
        write_f64(value, out);
    } else {
        write_quoted(special(value).unwrap_or_default(), out);
    }
}

/// Appends a float as JSON: words are quoted.
pub fn write_json_f32(value: f32, out: &mut Vec<u8>) {
    if value.is_finite() {
        write_f32(value, out);
    } else {
        write_quoted(special(f64::from(value)).unwrap_or_default(), out);
    }
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        None
    }
}

fn write_quoted(word: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(word.as_bytes());
    out.push(b'"');
}

/// Appends bytes in base64, padded.
pub fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let Some(len) = base64::encoded_len(bytes.len(), true) else {
        return;
    };
    let start = out.len();
    out.resize(start.saturating_add(len), b'=');
    if let Some(into) = out.get_mut(start..) {
        // The room is exactly what the engine asks for, so it cannot refuse.
        let _ = STANDARD.encode_slice(bytes, into);
    }
}

/// Appends a UUID as lower-case 8-4-4-4-12.
pub fn write_uuid(uuid: &[u8; 16], out: &mut Vec<u8>) {
    for (position, byte) in uuid.iter().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
        out.extend_from_slice(&[digit(byte >> 4), digit(byte & 0x0f)]);
    }
}

/// Appends a date, from days since 1970-01-01. Years outside of 0000..=9999 carry a sign.
pub fn write_date(days: i32, out: &mut Vec<u8>) {
    write_days(i64::from(days), out);
}

/// Appends a time of day, from microseconds since midnight, with 6 digits of fraction.
pub fn write_time(micros: i64, out: &mut Vec<u8>) {
    write_clock(
        micros.div_euclid(1_000_000),
        micros.rem_euclid(1_000_000),
        6,
        out,
    );
}

/// Appends a timestamp: `T` between date and time, 6 or 9 digits of fraction, `+00:00` if UTC.
pub fn write_timestamp(value: i64, unit: TimestampUnit, utc: bool, out: &mut Vec<u8>) {
    let (per_second, width) = match unit {
        TimestampUnit::Micros => (1_000_000, 6),
        TimestampUnit::Nanos => (1_000_000_000, 9),
    };
    let seconds = value.div_euclid(per_second);
    write_days(seconds.div_euclid(86_400), out);
    out.push(b'T');
    write_clock(
        seconds.rem_euclid(86_400),
        value.rem_euclid(per_second),
        width,
        out,
    );
    if utc {
        out.extend_from_slice(b"+00:00");
    }
}

fn write_clock(seconds: i64, fraction: i64, width: usize, out: &mut Vec<u8>) {
    write_padded(seconds.div_euclid(3600), 2, out);
    out.push(b':');
    write_padded(seconds.div_euclid(60).rem_euclid(60), 2, out);
    out.push(b':');
    write_padded(seconds.rem_euclid(60), 2, out);
    out.push(b'.');
    write_padded(fraction, width, out);
}

fn write_days(days: i64, out: &mut Vec<u8>) {
    let Civil { year, month, day } = Civil::from_days(days);
    match year {
        0..=9999 => {}
        i64::MIN..0 => out.push(b'-'),
        _ => out.push(b'+'),
    }
    write_padded(year.saturating_abs(), 4, out);
    out.push(b'-');
    write_padded(month, 2, out);
    out.push(b'-');
    write_padded(day, 2, out);
}

fn write_padded(value: i64, width: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value).as_bytes();
    out.extend(std::iter::repeat_n(
        b'0',
        width.saturating_sub(digits.len()),
    ));
    out.extend_from_slice(digits);
}

/// Appends text as a JSON string, escaping what JSON demands and nothing else.
pub fn write_json_string(text: &[u8], out: &mut Vec<u8>) {
    out.reserve(text.len().saturating_add(2));
    out.push(b'"');
    if text
        .iter()
        .fold(false, |hit, &byte| hit | needs_escape(byte))
    {
        write_escaped(text, out);
    } else {
        out.extend_from_slice(text);
    }
    out.push(b'"');
}

/// Tells whether JSON demands that a byte of a text is escaped.
#[inline(always)]
pub(crate) fn needs_escape(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn write_escaped(mut text: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = text.iter().position(|&byte| needs_escape(byte)) {
        let Some((plain, rest)) = text.split_at_checked(at) else {
            return;
        };
        let Some((&byte, rest)) = rest.split_first() else {
            return;
        };
        out.extend_from_slice(plain);
        write_escape(byte, out);
        text = rest;
    }
    out.extend_from_slice(text);
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0a => b'n',
        0x0c => b'f',
        0x0d => b'r',
        _ => {
            let low = HEX.get(usize::from(byte & 0x0f)).copied().unwrap_or(b'0');
            let high = if byte & 0x10 == 0 { b'0' } else { b'1' };
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn decimals_keep_their_scale() {
        let cases = [
            (3400, 2, "34.00"),
            (0, 0, "0"),
            (0, 3, "0.000"),
            (-5, 1, "-0.5"),
            (-12345, 2, "-123.45"),
            (7, 5, "0.00007"),
            (i128::MIN, 38, "-1.70141183460469231731687303715884105728"),
        ];
        for (unscaled, scale, expected) in cases {
            assert_eq!(text(|out| write_decimal(unscaled, scale, out)), expected);
        }
    }

    #[test]
    fn floats_always_look_like_floats() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e16, "1e16"),
            (123_456_789.0, "123456789.0"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(|out| write_f64(value, out)), expected);
            let json = text(|out| write_json_f64(value, out));
            assert_eq!(json.trim_matches('"'), expected);
            assert!(
                serde_json::from_str::<serde_json::Value>(&json).is_ok(),
                "{json}"
            );
        }
        assert_eq!(text(|out| write_f32(10.11, out)), "10.11");
        assert_eq!(text(|out| write_json_f32(f32::NAN, out)), "\"NaN\"");
    }

    #[test]
    fn dates_and_times_are_iso_8601() {
        let date = |days| text(|out| write_date(days, out));
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_194), "2025-04-16");
        assert_eq!(date(-719_528), "0000-01-01");
        assert_eq!(date(-719_529), "-0001-12-31");
        assert_eq!(date(2_932_897), "+10000-01-01");
        assert_eq!(date(i32::MAX), "+5881580-07-11");
        assert_eq!(
            text(|out| write_time(86_399_000_001, out)),
            "23:59:59.000001"
        );
        let stamp = |unit, utc| text(|out| write_timestamp(-1, unit, utc, out));
        assert_eq!(
            stamp(TimestampUnit::Micros, true),
            "1969-12-31T23:59:59.999999+00:00"
        );
        assert_eq!(
            stamp(TimestampUnit::Nanos, false),
            "1969-12-31T23:59:59.999999999"
        );
    }

    #[test]
    fn bytes_and_uuids() {
        assert_eq!(text(|out| write_base64(b"", out)), "");
        assert_eq!(text(|out| write_base64(&[0xff, 0xfe, 0], out)), "//4A");
        assert_eq!(text(|out| write_base64(&[1], out)), "AQ==");
        let uuid = std::array::from_fn(|position| u8::try_from(position * 17).unwrap());
        assert_eq!(
            text(|out| write_uuid(&uuid, out)),
            "00112233-4455-6677-8899-aabbccddeeff"
        );
    }

    proptest! {
        #[test]
        fn strings_are_escaped_as_serde_json_does(string in "\\PC*|[\\x00-\\xff]*") {
            let ours = text(|out| write_json_string(string.as_bytes(), out));
            prop_assert_eq!(ours, serde_json::to_string(&string)?);
        }
    }
}
