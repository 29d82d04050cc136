//! Exact numbers as digits and an exponent of ten.

use std::cmp::Ordering;

use crate::document::Doc;

/// Digits without zeros at the end, and their exponent.
pub type Digits = (i128, i32);

/// Returns the digits of a number; floats by their shortest text.
pub fn digits(doc: &Doc) -> Option<Digits> {
    match doc {
        Doc::Int(value, _) => Some(trimmed((*value).into(), 0)),
        Doc::Decimal(unscaled, scale) => Some(trimmed(*unscaled, -i32::from(*scale))),
        Doc::Float(value) => of_text(&format!("{value:e}")),
        Doc::Double(value) => of_text(&format!("{value:e}")),
        _ => None,
    }
}

fn of_text(text: &str) -> Option<Digits> {
    let (mantissa, exponent) = text.split_once('e')?;
    let fraction = mantissa
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len() as i32);
    let digits: i128 = mantissa.replace('.', "").parse().ok()?;
    Some(trimmed(digits, exponent.parse::<i32>().ok()? - fraction))
}

fn trimmed(mut digits: i128, mut exponent: i32) -> Digits {
    if digits == 0 {
        return (0, 0);
    }
    while digits % 10 == 0 {
        digits /= 10;
        exponent += 1;
    }
    (digits, exponent)
}

/// Returns the nearest double.
pub fn nearest(exact: Digits) -> Option<f64> {
    format!("{}e{}", exact.0, exact.1).parse().ok()
}

/// Tells whether a number is what a float's shortest text says, or what it is to the last digit.
pub fn same(exact: Digits, shortest: Option<Digits>, nearest: f64) -> bool {
    let is_whole = nearest.fract() == 0.0 && nearest.abs() < 1e37;
    shortest == Some(exact) || is_whole && trimmed(nearest as i128, 0) == exact
}

/// Returns the integer of 64 bits that a double is.
pub fn whole(value: f64) -> Option<i64> {
    let is_whole = value.fract() == 0.0 && value.abs() < 1e30;
    is_whole
        .then(|| i64::try_from(value as i128).ok())
        .flatten()
}

/// Drops the fraction; none where more than 38 digits are left.
pub fn truncated((digits, exponent): Digits) -> Option<i128> {
    match u32::try_from(exponent) {
        Ok(exponent) => digits.checked_mul(10_i128.checked_pow(exponent)?),
        Err(_) => {
            let power = 10_i128.checked_pow(exponent.unsigned_abs());
            Some(power.map_or(0, |power| digits / power))
        }
    }
}

/// Compares a number with an integer, exactly.
pub fn compare(exact: Digits, other: i64) -> Ordering {
    let Some(whole) = truncated(exact) else {
        return exact.0.cmp(&0);
    };
    let has_fraction = exact.1 < 0 && exact.0 != 0;
    let rest = if has_fraction {
        exact.0.cmp(&0)
    } else {
        Ordering::Equal
    };
    whole.cmp(&other.into()).then(rest)
}

/// Returns the text of a decimal.
pub fn plain(unscaled: i128, scale: u32) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let scale = scale as usize;
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    match scale {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
}

/// Returns what a float that is no number is called.
pub fn word(value: f64) -> &'static str {
    match value {
        value if value.is_nan() => "NaN",
        value if value > 0.0 => "Infinity",
        _ => "-Infinity",
    }
}
