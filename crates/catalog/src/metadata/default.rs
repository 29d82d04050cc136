//! Default values of columns: section "Default values" and appendix "JSON single-value
//! serialization" of the spec.

use growler_base::Civil;
use growler_base::civil::month_len;
use serde_json::Value;

use super::types::{PrimitiveType, Type};
use crate::Datum;

/// What rows of files hold that were written before a field existed.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum InitialDefault {
    /// Null.
    #[default]
    Null,
    /// A single value.
    Value(Datum),
    /// A struct made of each of its fields' own defaults.
    StructOfDefaults,
    /// A list or a map, by its JSON.
    Nested(Box<Value>),
}

/// Parses a default; an absent one is null.
pub(crate) fn parse(value: Option<&Value>, field_type: &Type) -> Result<InitialDefault, String> {
    let Some(value) = value else {
        return Ok(InitialDefault::Null);
    };
    match (field_type, value) {
        (Type::Primitive(primitive), value) => match primitive {
            PrimitiveType::Unknown | PrimitiveType::Geometry | PrimitiveType::Geography => {
                Err("must be null".to_owned())
            }
            PrimitiveType::Other(_) => Ok(InitialDefault::Nested(Box::new(value.clone()))),
            primitive => single(value, primitive)
                .map(InitialDefault::Value)
                .ok_or_else(|| "is no value of the type".to_owned()),
        },
        (Type::Variant, _) => Err("must be null".to_owned()),
        // Some writers put the fields' defaults in here; the fields' own count.
        (Type::Struct(_), Value::Object(_)) => Ok(InitialDefault::StructOfDefaults),
        (Type::List(_), Value::Array(_)) | (Type::Map(_), Value::Object(_)) => {
            Ok(InitialDefault::Nested(Box::new(value.clone())))
        }
        (Type::Struct(_) | Type::List(_) | Type::Map(_), _) => {
            Err("is no value of the type".to_owned())
        }
    }
}

/// Reads a single value of the JSON form; none when it is no value of the type.
pub fn single(value: &Value, primitive: &PrimitiveType) -> Option<Datum> {
    use PrimitiveType as P;
    Some(match (primitive, value) {
        (P::Boolean, Value::Bool(flag)) => Datum::Boolean(*flag),
        (P::Int, Value::Number(number)) => Datum::Int(number.as_i64()?.try_into().ok()?),
        (P::Long, Value::Number(number)) => Datum::Long(number.as_i64()?),
        (P::Float, Value::Number(number)) => Datum::Float(number.as_str().parse().ok()?),
        (P::Double, Value::Number(number)) => Datum::Double(number.as_f64()?),
        (P::Float, Value::String(text)) => Datum::Float(text.parse().ok()?),
        (P::Double, Value::String(text)) => Datum::Double(text.parse().ok()?),
        (P::Decimal { scale, .. }, Value::String(text)) => decimal(text, *scale)?,
        (P::String, Value::String(text)) => Datum::String(text.as_str().into()),
        (P::Uuid, Value::String(text)) => Datum::Uuid(uuid(text)?),
        (P::Binary, Value::String(text)) => Datum::Binary(hex(text)?.into()),
        (P::Fixed(len), Value::String(text)) => {
            let bytes = hex(text)?;
            (u32::try_from(bytes.len()) == Ok(*len)).then_some(Datum::Binary(bytes.into()))?
        }
        (P::Date, Value::String(text)) => Datum::Date(date(text)?.try_into().ok()?),
        (P::Time, Value::String(text)) => Datum::Time(time(text, 6)?),
        (P::Timestamp, Value::String(text)) => Datum::Timestamp(timestamp(text, 6)?),
        (P::TimestampNs, Value::String(text)) => Datum::TimestampNs(timestamp(text, 9)?),
        (P::TimestampTz, Value::String(text)) => Datum::Timestamp(timestamp(utc(text)?, 6)?),
        (P::TimestampTzNs, Value::String(text)) => Datum::TimestampNs(timestamp(utc(text)?, 9)?),
        _ => return None,
    })
}

/// Digits with as many behind the point as the scale says; fewer are filled up, an exponent moves
/// the point.
fn decimal(text: &str, scale: u32) -> Option<Datum> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let have = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let scale_i32 = i32::try_from(scale).ok()?;
    let missing = u32::try_from(scale_i32.checked_sub(have)?).ok()?;
    let unscaled = digits.checked_mul(10_i128.checked_pow(missing)?)?;
    Some(Datum::Decimal { unscaled, scale })
}

/// Reads the text of a UUID, in either case.
pub(crate) fn uuid(text: &str) -> Option<[u8; 16]> {
    let groups: Vec<&str> = text.split('-').collect();
    let lens: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    if lens != [8, 4, 4, 4, 12] {
        return None;
    }
    hex(&groups.concat())?.try_into().ok()
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    };
    pairs
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?))
        .collect()
}

/// Days since 1970 of `YYYY-MM-DD`; the year may have a sign and more digits.
fn date(text: &str) -> Option<i64> {
    let (rest, day) = text.rsplit_once('-')?;
    let (year, month) = rest.rsplit_once('-')?;
    let (year, month, day): (i64, i64, i64) =
        (year.parse().ok()?, two_digits(month)?, two_digits(day)?);
    let is_day = (1..=12).contains(&month)
        && (1..=month_len(year, month)).contains(&day)
        && (-1_000_000..=1_000_000).contains(&year);
    is_day.then(|| Civil { year, month, day }.to_days())
}

/// Time of day in `10^-places` seconds.
fn time(text: &str, places: u32) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':');
    let (hour, minute) = (two_digits(parts.next()?)?, two_digits(parts.next()?)?);
    let second = parts.next().map_or(Some(0), two_digits)?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let missing = places.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let fraction = match fraction {
        "" => 0,
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse::<i64>().ok()?,
        _ => return None,
    };
    let seconds = hour
        .checked_mul(3600)?
        .checked_add(minute.checked_mul(60)?)?
        .checked_add(second)?;
    seconds
        .checked_mul(10_i64.checked_pow(places)?)?
        .checked_add(fraction.checked_mul(10_i64.checked_pow(missing)?)?)
}

/// Point in time in `10^-places` seconds since 1970; none where 64 bits do not reach.
fn timestamp(text: &str, places: u32) -> Option<i64> {
    let (day, clock) = text.split_once('T')?;
    let seconds = i128::from(date(day)?).checked_mul(86_400)?;
    let units = seconds.checked_mul(10_i128.checked_pow(places)?)?;
    i64::try_from(units.checked_add(i128::from(time(clock, places)?))?).ok()
}

fn utc(text: &str) -> Option<&str> {
    text.strip_suffix("+00:00")
        .or_else(|| text.strip_suffix('Z'))
}

fn two_digits(text: &str) -> Option<i64> {
    let is_two = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_two.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn single_values_are_read_by_their_type() {
        let check = |type_text: &str, value: Value, expected: Option<Datum>| {
            let primitive = PrimitiveType::parse(type_text);
            assert_eq!(single(&value, &primitive), expected, "{type_text} {value}");
        };
        let decimal = |unscaled, scale| Some(Datum::Decimal { unscaled, scale });
        check("int", json!(5), Some(Datum::Int(5)));
        check("int", json!(5_000_000_000_i64), None);
        check(
            "long",
            json!(5_000_000_000_i64),
            Some(Datum::Long(5_000_000_000)),
        );
        check("float", json!(1.5), Some(Datum::Float(1.5)));
        check("double", json!(1), Some(Datum::Double(1.0)));
        check("decimal(9,2)", json!("14.20"), decimal(1420, 2));
        check("decimal(9,2)", json!("-0.5"), decimal(-50, 2));
        check("decimal(9,2)", json!("1E+2"), decimal(10_000, 2));
        check("decimal(9,2)", json!("1.234"), None);
        check("decimal(9,2)", json!(14.2), None);
        check("date", json!("2017-11-16"), Some(Datum::Date(17_486)));
        check("date", json!("2017-02-29"), None);
        check(
            "time",
            json!("22:31:08.123456"),
            Some(Datum::Time(81_068_123_456)),
        );
        check("time", json!("24:00:00"), None);
        let micros = Datum::Timestamp(1_510_871_468_123_456);
        check(
            "timestamp",
            json!("2017-11-16T22:31:08.123456"),
            Some(micros.clone()),
        );
        check(
            "timestamptz",
            json!("2017-11-16T22:31:08.123456+00:00"),
            Some(micros),
        );
        check("timestamptz", json!("2017-11-16T22:31:08.123456"), None);
        check(
            "uuid",
            json!("f79c3e09-677c-4bbd-a479-3f349cb785e7").take(),
            Some(Datum::Uuid([
                0xf7, 0x9c, 0x3e, 0x09, 0x67, 0x7c, 0x4b, 0xbd, 0xa4, 0x79, 0x3f, 0x34, 0x9c, 0xb7,
                0x85, 0xe7,
            ])),
        );
        check("uuid", json!("f79c3e09677c4bbda4793f349cb785e7"), None);
        check(
            "fixed[2]",
            json!("00fF"),
            Some(Datum::Binary([0, 255].into())),
        );
        check("fixed[3]", json!("00fF"), None);
        check("binary", json!("0"), None);
        check("string", json!("x"), Some(Datum::String("x".into())));
        check("boolean", json!(true), Some(Datum::Boolean(true)));
    }

    #[test]
    fn k03_nanoseconds_that_do_not_fit_are_no_default() {
        for text in [
            "2262-04-12T00:00:00.000000000",
            "1500-01-01T00:00:00.000000000",
        ] {
            assert_eq!(
                single(&json!(text), &PrimitiveType::TimestampNs),
                None,
                "{text}"
            );
            assert!(
                parse(
                    Some(&json!(text)),
                    &Type::Primitive(PrimitiveType::TimestampNs)
                )
                .is_err()
            );
        }
    }

    #[test]
    fn k15_null_and_absent_are_the_same_default() {
        let int = Type::Primitive(PrimitiveType::Int);
        assert_eq!(parse(None, &int), Ok(InitialDefault::Null));
        assert_eq!(
            parse(Some(&json!(5)), &int),
            Ok(InitialDefault::Value(Datum::Int(5)))
        );
        assert_eq!(
            parse(Some(&json!({})), &Type::Struct(Vec::new())),
            Ok(InitialDefault::StructOfDefaults)
        );
        for field_type in [Type::Variant, Type::Primitive(PrimitiveType::Unknown)] {
            assert!(parse(Some(&json!(1)), &field_type).is_err());
        }
    }
}
