//! What partition transforms compute.

use growler_base::Civil;

use super::murmur3;
use crate::Datum;
use crate::metadata::{PrimitiveType, Transform};

const HOUR_MICROS: i64 = 3_600_000_000;
const DAY_MICROS: i64 = 86_400_000_000;

impl Transform {
    /// Returns the type of the partition values that a column of a type gives; none when the
    /// transform is not known.
    pub fn result_type(&self, source: &PrimitiveType) -> Option<PrimitiveType> {
        Some(match self {
            Self::Identity | Self::Truncate(_) => source.clone(),
            Self::Bucket(_) | Self::Year | Self::Month | Self::Hour => PrimitiveType::Int,
            Self::Day => PrimitiveType::Date,
            Self::Void => source.clone(),
            Self::Unknown(_) => return None,
        })
    }

    /// Computes a partition value; none when the transform is not known, gives null, or does not
    /// take such values.
    ///
    /// The value must be of its column's type, so that the hash is the one that writers compute.
    pub fn apply(&self, value: &Datum) -> Option<Datum> {
        match self {
            Self::Identity => Some(value.clone()),
            Self::Bucket(buckets) => bucket(value, *buckets),
            Self::Truncate(width) => truncate(value, *width),
            Self::Year => Some(Datum::Int(
                civil(value)?.year.checked_sub(1970)?.try_into().ok()?,
            )),
            Self::Month => {
                let date = civil(value)?;
                let months = date.year.checked_sub(1970)?.checked_mul(12)?;
                let months = months.checked_add(date.month)?.checked_sub(1)?;
                Some(Datum::Int(months.try_into().ok()?))
            }
            Self::Day => Some(Datum::Date(days(value)?.try_into().ok()?)),
            Self::Hour => match value {
                Datum::Date(_) => None,
                value => Some(Datum::Int(
                    micros(value)?.div_euclid(HOUR_MICROS).try_into().ok()?,
                )),
            },
            Self::Void | Self::Unknown(_) => None,
        }
    }
}

fn bucket(value: &Datum, buckets: u32) -> Option<Datum> {
    let hash = hash(value)? & 0x7fff_ffff;
    Some(Datum::Int(hash.checked_rem(buckets)?.try_into().ok()?))
}

/// The hash of a value: integers as eight bytes whatever their width, decimals as the fewest bytes,
/// nanoseconds as microseconds.
fn hash(value: &Datum) -> Option<u32> {
    Some(match value {
        Datum::Int(value) | Datum::Date(value) => murmur3::hash(&i64::from(*value).to_le_bytes()),
        Datum::Long(value) | Datum::Time(value) | Datum::Timestamp(value) => {
            murmur3::hash(&value.to_le_bytes())
        }
        Datum::TimestampNs(nanos) => murmur3::hash(&nanos.div_euclid(1000).to_le_bytes()),
        Datum::Decimal { unscaled, .. } => murmur3::hash(&fewest_bytes(*unscaled)),
        Datum::String(text) => murmur3::hash(text.as_bytes()),
        Datum::Uuid(bytes) => murmur3::hash(bytes),
        Datum::Binary(bytes) => murmur3::hash(bytes),
        Datum::Boolean(_) | Datum::Float(_) | Datum::Double(_) => return None,
    })
}

/// Two's complement, big-endian, without bytes that only repeat the sign.
fn fewest_bytes(unscaled: i128) -> Vec<u8> {
    let bytes = unscaled.to_be_bytes();
    let sign = if unscaled < 0 { 0xff } else { 0 };
    let repeats = |pair: &[u8]| match pair {
        [byte, next] => *byte == sign && (*next >= 0x80) == (sign != 0),
        _ => false,
    };
    let extra = bytes.windows(2).take_while(|pair| repeats(pair)).count();
    bytes.get(extra..).unwrap_or_default().to_vec()
}

fn truncate(value: &Datum, width: u32) -> Option<Datum> {
    let letters = usize::try_from(width).ok()?;
    Some(match value {
        Datum::Int(value) => {
            let cut = i64::from(*value).checked_sub(i64::from(*value).rem_euclid(width.into()))?;
            Datum::Int(cut.try_into().ok()?)
        }
        Datum::Long(value) => Datum::Long(value.checked_sub(value.rem_euclid(width.into()))?),
        Datum::Decimal { unscaled, scale } => Datum::Decimal {
            unscaled: unscaled.checked_sub(unscaled.rem_euclid(width.into()))?,
            scale: *scale,
        },
        Datum::String(text) => Datum::String(text.chars().take(letters).collect::<String>().into()),
        Datum::Binary(bytes) => Datum::Binary(bytes.get(..letters).unwrap_or(bytes).into()),
        _ => return None,
    })
}

fn civil(value: &Datum) -> Option<Civil> {
    days(value).map(Civil::from_days)
}

fn days(value: &Datum) -> Option<i64> {
    match value {
        Datum::Date(days) => Some(i64::from(*days)),
        value => Some(micros(value)?.div_euclid(DAY_MICROS)),
    }
}

fn micros(value: &Datum) -> Option<i64> {
    match value {
        Datum::Timestamp(micros) => Some(*micros),
        Datum::TimestampNs(nanos) => Some(nanos.div_euclid(1000)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::default::{self, single};

    fn value(type_text: &str, text: &str) -> Datum {
        let json = match type_text {
            "int" | "long" => serde_json::from_str(text).unwrap(),
            _ => serde_json::Value::String(text.to_owned()),
        };
        single(&json, &PrimitiveType::parse(type_text)).unwrap()
    }

    #[test]
    fn hashes_are_those_of_the_spec() {
        let cases = [
            ("int", "34", 2_017_239_379),
            ("long", "34", 2_017_239_379),
            ("decimal(9,2)", "14.20", -500_754_589),
            ("date", "2017-11-16", -653_330_422),
            ("time", "22:31:08", -662_762_989),
            ("timestamp", "2017-11-16T22:31:08", -2_047_944_441),
            ("timestamptz", "2017-11-16T22:31:08+00:00", -2_047_944_441),
            ("timestamp", "2017-11-16T22:31:08.000001", -1_207_196_810),
            (
                "timestamp_ns",
                "2017-11-16T22:31:08.000001001",
                -1_207_196_810,
            ),
            ("string", "iceberg", 1_210_000_089),
            (
                "uuid",
                "f79c3e09-677c-4bbd-a479-3f349cb785e7",
                1_488_055_340,
            ),
            ("binary", "00010203", -188_683_207),
        ];
        for (type_text, text, expected) in cases {
            let found = hash(&value(type_text, text)).map(u32::cast_signed);
            assert_eq!(found, Some(expected), "{type_text} {text}");
        }
    }

    #[test]
    fn l09_decimals_hash_by_their_fewest_bytes_and_nanoseconds_round_down() {
        let cases: [(i128, &[u8]); 6] = [
            (0, &[0]),
            (-1, &[0xff]),
            (127, &[0x7f]),
            (128, &[0, 0x80]),
            (-128, &[0x80]),
            (-129, &[0xff, 0x7f]),
        ];
        for (unscaled, expected) in cases {
            assert_eq!(fewest_bytes(unscaled), expected, "{unscaled}");
        }
        let nanos = Datum::TimestampNs(-1);
        assert_eq!(hash(&nanos), hash(&Datum::Timestamp(-1)));
    }

    #[test]
    fn transforms_compute_what_the_spec_says() {
        let text = |text: &str| Datum::String(text.into());
        let decimal = |unscaled| Datum::Decimal { unscaled, scale: 2 };
        let ts = |text: &str| value("timestamp", text);
        let date = |text: &str| value("date", text);
        let cases = [
            ("truncate[10]", Datum::Int(1), Some(Datum::Int(0))),
            ("truncate[10]", Datum::Int(-1), Some(Datum::Int(-10))),
            ("truncate[10]", Datum::Int(i32::MIN), None),
            ("truncate[50]", decimal(1065), Some(decimal(1050))),
            ("truncate[3]", text("ice\u{1F9CA}berg"), Some(text("ice"))),
            (
                "truncate[4]",
                text("ice\u{1F9CA}berg"),
                Some(text("ice\u{1F9CA}")),
            ),
            ("year", ts("1969-12-31T23:59:59"), Some(Datum::Int(-1))),
            ("month", ts("1970-02-01T00:00:00"), Some(Datum::Int(1))),
            ("month", ts("1969-12-31T00:00:00"), Some(Datum::Int(-1))),
            ("day", ts("1969-12-31T23:00:00"), Some(Datum::Date(-1))),
            ("day", date("2017-11-16"), Some(Datum::Date(17_486))),
            ("hour", ts("1970-01-01T01:59:59"), Some(Datum::Int(1))),
            ("hour", date("2017-11-16"), None),
            ("year", Datum::Int(5), None),
            ("void", Datum::Int(5), None),
            ("mystery", Datum::Int(5), None),
            ("bucket[16]", Datum::Long(34), Some(Datum::Int(3))),
            ("bucket[16]", Datum::Double(1.0), None),
        ];
        for (transform, from, expected) in cases {
            assert_eq!(
                Transform::parse(transform).apply(&from),
                expected,
                "{transform} {from:?}"
            );
        }
        assert_eq!(default::uuid("x"), None);
    }
}
