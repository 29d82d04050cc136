//! Exact numbers: an unscaled 128-bit integer and the count of digits behind the point.

use std::cmp::Ordering;
use std::fmt::Write as _;

/// Largest magnitude of 38 digits, what Arrow's 128-bit decimal holds.
pub(crate) const MAX_UNSCALED: i128 = 99_999_999_999_999_999_999_999_999_999_999_999_999;

/// An exact number, `unscaled / 10^scale`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal {
    /// The digits.
    pub unscaled: i128,
    /// Digits behind the point.
    pub scale: i8,
}

/// Which way a number goes that the wanted scale cannot show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// Toward negative infinity.
    Floor,
    /// Toward positive infinity.
    Ceiling,
    /// Toward zero.
    Down,
    /// To the nearest, ties away from zero.
    HalfUp,
}

impl Decimal {
    /// Parses `[+-]digits[.digits][e[+-]digits]`; none for other text or more than 38 digits.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (mantissa, exponent) = match bytes.iter().position(|b| matches!(b, b'e' | b'E')) {
            Some(at) => (bytes.get(..at)?, text.get(at + 1..)?.parse::<i32>().ok()?),
            None => (bytes, 0),
        };
        let (negative, digits) = match mantissa.split_first()? {
            (b'-', rest) => (true, rest),
            (b'+', rest) => (false, rest),
            _ => (false, mantissa),
        };
        let mut unscaled: i128 = 0;
        let mut scale: i32 = 0;
        let mut seen_point = false;
        let mut seen_digit = false;
        for &byte in digits {
            match byte {
                b'0'..=b'9' => {
                    seen_digit = true;
                    unscaled = unscaled
                        .checked_mul(10)?
                        .checked_add(i128::from(byte - b'0'))?;
                    scale += i32::from(seen_point);
                }
                b'.' if !seen_point => seen_point = true,
                _ => return None,
            }
        }
        if !seen_digit {
            return None;
        }
        let unscaled = if negative { -unscaled } else { unscaled };
        Self::from_parts(unscaled, scale.checked_sub(exponent)?)
    }

    /// Makes a number of its digits and a scale that may be negative or too long.
    fn from_parts(mut unscaled: i128, mut scale: i32) -> Option<Self> {
        if unscaled == 0 {
            scale = scale.clamp(0, 38);
        }
        while scale < 0 {
            unscaled = unscaled.checked_mul(10)?;
            scale += 1;
        }
        while scale > 38 {
            if unscaled % 10 != 0 {
                return None;
            }
            unscaled /= 10;
            scale -= 1;
        }
        Self::try_new(unscaled, i8::try_from(scale).ok()?)
    }

    /// Makes a number of at most 38 digits.
    pub fn try_new(unscaled: i128, scale: i8) -> Option<Self> {
        (-MAX_UNSCALED..=MAX_UNSCALED)
            .contains(&unscaled)
            .then_some(Self { unscaled, scale })
    }

    /// Makes the number whose shortest text a double has; none for NaN, infinities and numbers of
    /// more than 38 digits.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        Self::parse(ryu::Buffer::new().format_finite(value))
    }

    /// Returns the nearest double.
    pub fn to_f64(self) -> f64 {
        if self.scale == 0 && self.unscaled.unsigned_abs() <= 1 << 53 {
            #[expect(clippy::cast_precision_loss, reason = "at most 53 bits")]
            return self.unscaled as f64;
        }
        format!("{}e{}", self.unscaled, -i32::from(self.scale))
            .parse()
            .unwrap_or(f64::NAN)
    }

    /// Drops zeros behind the point.
    pub fn normalized(self) -> Self {
        let Self {
            mut unscaled,
            mut scale,
        } = self;
        while scale > 0 && unscaled % 10 == 0 {
            unscaled /= 10;
            scale -= 1;
        }
        Self { unscaled, scale }
    }

    /// Returns the unscaled value at another scale; none when that is not exact or too long.
    pub fn rescale_exact(self, scale: i8) -> Option<i128> {
        let floor = self.rescale(scale, Rounding::Floor)?;
        (floor == self.rescale(scale, Rounding::Ceiling)?).then_some(floor)
    }

    /// Returns the unscaled value at another scale; none when it is too long.
    pub fn rescale(self, scale: i8, rounding: Rounding) -> Option<i128> {
        let shift = i32::from(scale) - i32::from(self.scale);
        if shift >= 0 {
            let factor = power_of_ten(shift.unsigned_abs());
            let unscaled = match factor {
                Some(factor) => self.unscaled.checked_mul(factor)?,
                None if self.unscaled == 0 => 0,
                None => return None,
            };
            return Self::try_new(unscaled, scale).map(|decimal| decimal.unscaled);
        }
        let Some(divisor) = power_of_ten(shift.unsigned_abs()) else {
            return Some(match rounding {
                Rounding::Floor if self.unscaled < 0 => -1,
                Rounding::Ceiling if self.unscaled > 0 => 1,
                _ => 0,
            });
        };
        Some(divide(self.unscaled, divisor, rounding))
    }

    /// Compares by value, whatever the scales.
    pub fn compare(self, other: Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        match (
            self.rescale(scale, Rounding::Down),
            other.rescale(scale, Rounding::Down),
        ) {
            (Some(a), Some(b)) => a.cmp(&b),
            // One of them does not fit the common scale: it is the larger in magnitude.
            (None, _) => self.unscaled.cmp(&0),
            (_, None) => 0.cmp(&other.unscaled),
        }
    }

    /// Returns the plain text: no exponent, as many digits behind the point as the scale says.
    pub fn text(self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Appends the plain text.
    pub fn write(self, out: &mut String) {
        let digits = self.unscaled.unsigned_abs().to_string();
        if self.unscaled < 0 {
            out.push('-');
        }
        if self.scale <= 0 {
            out.push_str(&digits);
            if self.unscaled != 0 {
                out.extend(std::iter::repeat_n(
                    '0',
                    usize::from(self.scale.unsigned_abs()),
                ));
            }
            return;
        }
        let scale = usize::from(self.scale.unsigned_abs());
        match digits.len().checked_sub(scale) {
            Some(whole) if whole > 0 => {
                let (whole, fraction) = digits.split_at(whole);
                let _ = write!(out, "{whole}.{fraction}");
            }
            _ => {
                let _ = write!(out, "0.{digits:0>scale$}");
            }
        }
    }
}

/// Returns `10^exponent`, none beyond 38 digits.
pub(crate) fn power_of_ten(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

/// Divides by a positive number.
pub(crate) fn divide(dividend: i128, divisor: i128, rounding: Rounding) -> i128 {
    let quotient = dividend / divisor;
    let remainder = dividend % divisor;
    if remainder == 0 {
        return quotient;
    }
    let sign = remainder.signum();
    let away = match rounding {
        Rounding::Floor => sign < 0,
        Rounding::Ceiling => sign > 0,
        Rounding::Down => false,
        Rounding::HalfUp => remainder.unsigned_abs() >= divisor.unsigned_abs().div_ceil(2),
    };
    if away { quotient + sign } else { quotient }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_prints() {
        let cases = [
            ("0", "0"),
            ("-0", "0"),
            ("1.50", "1.50"),
            ("-.5", "-0.5"),
            ("5.", "5"),
            ("1e3", "1000"),
            ("1.25e1", "12.5"),
            ("25e-3", "0.025"),
            ("9223372036854775807", "9223372036854775807"),
        ];
        for (text, expected) in cases {
            assert_eq!(
                Decimal::parse(text).map(Decimal::text).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        for text in [
            "", "-", ".", "e5", "1e", "1.2.3", "0x10", "1e99", "nan", "1 ", "1_0",
        ] {
            assert!(Decimal::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn rounds() {
        let cases = [
            ("1.25", 1, [Some(12), Some(13), Some(12), Some(13)]),
            ("-1.25", 1, [Some(-13), Some(-12), Some(-12), Some(-13)]),
            ("1.24", 1, [Some(12), Some(13), Some(12), Some(12)]),
            ("2", 3, [Some(2000); 4]),
        ];
        for (text, scale, expected) in cases {
            let number = Decimal::parse(text).unwrap();
            let modes = [
                Rounding::Floor,
                Rounding::Ceiling,
                Rounding::Down,
                Rounding::HalfUp,
            ];
            assert_eq!(
                modes.map(|mode| number.rescale(scale, mode)),
                expected,
                "{text}"
            );
        }
        assert_eq!(Decimal::parse("1.50").unwrap().rescale_exact(1), Some(15));
        assert_eq!(Decimal::parse("1.55").unwrap().rescale_exact(1), None);
    }
}
