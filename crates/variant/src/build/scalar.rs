//! Bytes of one primitive value; their layout is at [`crate::value`].

use crate::value::{DECIMAL_SCALE, TimestampUnit};
use crate::{Error, Node};

/// Longest text that fits a short string, in bytes.
const SHORT_STRING: usize = 63;
const DAY_MICROS: i64 = 86_400_000_000;

/// Appends a primitive value in the type that the node has.
///
/// # Errors
/// `Corrupt` for a decimal or time outside of its type; `Internal` for an object or list.
pub fn put_scalar(node: &Node<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    match *node {
        Node::Null => out.push(header(0)),
        Node::Boolean(value) => out.push(header(if value { 1 } else { 2 })),
        Node::Int8(value) => put(3, &value.to_le_bytes(), out),
        Node::Int16(value) => put(4, &value.to_le_bytes(), out),
        Node::Int32(value) => put(5, &value.to_le_bytes(), out),
        Node::Int64(value) => put(6, &value.to_le_bytes(), out),
        Node::Double(value) => put(7, &value.to_le_bytes(), out),
        Node::Decimal {
            unscaled, scale, ..
        } => put_decimal(unscaled, scale, out)?,
        Node::Date(days) => put(11, &days.to_le_bytes(), out),
        Node::Timestamp { value, unit, utc } => {
            let id = match (unit, utc) {
                (TimestampUnit::Micros, true) => 12,
                (TimestampUnit::Micros, false) => 13,
                (TimestampUnit::Nanos, true) => 18,
                (TimestampUnit::Nanos, false) => 19,
            };
            put(id, &value.to_le_bytes(), out);
        }
        Node::Float(value) => put(14, &value.to_le_bytes(), out),
        Node::Binary(bytes) => put_sized(15, bytes, out)?,
        Node::String(text) => put_string(text, out)?,
        Node::Time(micros @ 0..DAY_MICROS) => put(17, &micros.to_le_bytes(), out),
        Node::Time(_) => return Err(Error::OutOfType { type_name: "time" }),
        Node::Uuid(uuid) => put(20, &uuid, out),
        Node::Object(_) | Node::List(_) => {
            return Err(Error::Unbalanced {
                reason: "a container is no scalar",
            });
        }
    }
    Ok(())
}

/// Appends an integer in the smallest type that holds it.
pub fn put_int(value: i64, out: &mut Vec<u8>) {
    if let Ok(value) = i8::try_from(value) {
        put(3, &value.to_le_bytes(), out);
    } else if let Ok(value) = i16::try_from(value) {
        put(4, &value.to_le_bytes(), out);
    } else if let Ok(value) = i32::try_from(value) {
        put(5, &value.to_le_bytes(), out);
    } else {
        put(6, &value.to_le_bytes(), out);
    }
}

/// Appends a decimal in the smallest width whose precision holds its digits.
///
/// # Errors
/// `Corrupt` when it has more than 38 digits, or its scale is beyond that.
pub fn put_decimal(unscaled: i128, scale: u8, out: &mut Vec<u8>) -> Result<(), Error> {
    let refused = || Error::OutOfType {
        type_name: "decimal",
    };
    if scale > DECIMAL_SCALE || unscaled.unsigned_abs() >= 10_u128.pow(38) {
        return Err(refused());
    }
    // A width holds more digits than its precision allows, so the digits decide, not the bytes; a
    // scale beyond the width's precision is legal, but there are readers that refuse it.
    let digits = unscaled.unsigned_abs();
    if digits < 10_u128.pow(9) && scale <= 9 {
        let value = i32::try_from(unscaled).map_err(|_| refused())?;
        out.extend([header(8), scale]);
        out.extend(value.to_le_bytes());
    } else if digits < 10_u128.pow(18) && scale <= 18 {
        let value = i64::try_from(unscaled).map_err(|_| refused())?;
        out.extend([header(9), scale]);
        out.extend(value.to_le_bytes());
    } else {
        out.extend([header(10), scale]);
        out.extend(unscaled.to_le_bytes());
    }
    Ok(())
}

fn put_string(text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
    match u8::try_from(text.len()) {
        Ok(len) if text.len() <= SHORT_STRING => {
            out.push(1 | len << 2);
            out.extend_from_slice(text.as_bytes());
            Ok(())
        }
        _ => put_sized(16, text.as_bytes(), out),
    }
}

fn put_sized(id: u8, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let limit_bytes = growler_base::limits::VARIANT_LEN_BYTES;
    let len = u32::try_from(bytes.len()).ok();
    let len = len.filter(|_| bytes.len() <= limit_bytes);
    let len = len.ok_or(Error::ValueLength { limit_bytes })?;
    out.push(header(id));
    out.extend(len.to_le_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

fn put(id: u8, payload: &[u8], out: &mut Vec<u8>) {
    out.push(header(id));
    out.extend_from_slice(payload);
}

fn header(id: u8) -> u8 {
    id << 2
}
