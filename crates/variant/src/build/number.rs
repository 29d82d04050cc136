//! Which variant type a JSON number gets.

use super::encoder::Encoder;
use crate::{Error, Node};

/// Most digits of a decimal.
const DIGITS: usize = 38;

/// Writes a number given as JSON has it: an integer in the smallest type, a decimal where it is
/// exact, else a double.
///
/// A number with an exponent is a double: its writer thought of one. So is minus zero with a
/// fraction, which a decimal cannot tell from zero.
pub(crate) fn put_number(text: &str, encoder: &mut Encoder<'_>) -> Result<(), Error> {
    if let Ok(value) = text.parse::<i64>() {
        return encoder.int(value);
    }
    match decimal(text) {
        Some((unscaled, scale)) => encoder.scalar(&Node::Decimal {
            unscaled,
            scale,
            width: 16,
        }),
        None => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => encoder.scalar(&Node::Double(value)),
            _ => Err(Error::OutOfType {
                type_name: "double",
            }),
        },
    }
}

fn decimal(text: &str) -> Option<(i128, u8)> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let digit_count = whole
        .trim_start_matches('0')
        .len()
        .saturating_add(fraction.len());
    if !is_plain(whole) || !is_plain(fraction) || digit_count > DIGITS {
        return None;
    }
    let mut unscaled = 0_i128;
    for byte in whole.bytes().chain(fraction.bytes()) {
        let digit = i128::from(byte.wrapping_sub(b'0'));
        unscaled = unscaled.checked_mul(10)?.checked_add(digit)?;
    }
    if is_negative && unscaled == 0 {
        return None;
    }
    let unscaled = if is_negative {
        unscaled.checked_neg()?
    } else {
        unscaled
    };
    Some((unscaled, u8::try_from(fraction.len()).ok()?))
}
