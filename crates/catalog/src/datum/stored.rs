//! Values as they are written down: one letter for the type, then the value.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Datum, hex_bytes};

impl Serialize for Datum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&write(self))
    }
}

impl<'de> Deserialize<'de> for Datum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        read(&text).ok_or_else(|| D::Error::custom(format!("no stored value: text={text}")))
    }
}

fn write(datum: &Datum) -> String {
    match datum {
        Datum::Boolean(flag) => format!("b{}", u8::from(*flag)),
        Datum::Int(value) => format!("i{value}"),
        Datum::Long(value) => format!("l{value}"),
        // By their bits: NaN and the sign of zero stay.
        Datum::Float(value) => format!("f{}", value.to_bits()),
        Datum::Double(value) => format!("g{}", value.to_bits()),
        Datum::Decimal { unscaled, scale } => format!("n{unscaled}e{scale}"),
        Datum::Date(days) => format!("d{days}"),
        Datum::Time(micros) => format!("t{micros}"),
        Datum::Timestamp(micros) => format!("m{micros}"),
        Datum::TimestampNs(nanos) => format!("o{nanos}"),
        Datum::String(text) => format!("s{text}"),
        Datum::Uuid(bytes) => format!("u{}", hex_bytes::write(bytes)),
        Datum::Binary(bytes) => format!("x{}", hex_bytes::write(bytes)),
    }
}

fn read(text: &str) -> Option<Datum> {
    let mut letters = text.chars();
    let (kind, rest) = (letters.next()?, letters.as_str());
    Some(match kind {
        'b' => Datum::Boolean(rest == "1"),
        'i' => Datum::Int(rest.parse().ok()?),
        'l' => Datum::Long(rest.parse().ok()?),
        'f' => Datum::Float(f32::from_bits(rest.parse().ok()?)),
        'g' => Datum::Double(f64::from_bits(rest.parse().ok()?)),
        'n' => {
            let (unscaled, scale) = rest.split_once('e')?;
            Datum::Decimal {
                unscaled: unscaled.parse().ok()?,
                scale: scale.parse().ok()?,
            }
        }
        'd' => Datum::Date(rest.parse().ok()?),
        't' => Datum::Time(rest.parse().ok()?),
        'm' => Datum::Timestamp(rest.parse().ok()?),
        'o' => Datum::TimestampNs(rest.parse().ok()?),
        's' => Datum::String(rest.into()),
        'u' => Datum::Uuid(hex_bytes::read(rest)?.try_into().ok()?),
        'x' => Datum::Binary(hex_bytes::read(rest)?.into()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let values = [
            Datum::Boolean(true),
            Datum::Int(-1),
            Datum::Long(i64::MIN),
            Datum::Float(-0.0),
            Datum::Double(f64::INFINITY),
            Datum::Decimal {
                unscaled: -i128::MAX,
                scale: 38,
            },
            Datum::Date(-1),
            Datum::Time(1),
            Datum::Timestamp(2),
            Datum::TimestampNs(3),
            Datum::String("é \"".into()),
            Datum::String("".into()),
            Datum::Uuid([0xfe; 16]),
            Datum::Binary([].into()),
        ];
        for value in values {
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(
                serde_json::from_str::<Datum>(&json).unwrap(),
                value,
                "{json}"
            );
        }
        for text in ["", "q", "ix", "n1", "u00", "x0", "\u{e9}1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
