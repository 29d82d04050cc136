//! Exact arithmetic between decimals and floats.

use crate::text::{write_decimal, write_f32, write_f64};

/// Most digits of a decimal.
const DIGITS: u32 = 38;

/// A number `digits` times ten to the power of `exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    /// Makes a number of an unscaled value.
    pub(crate) fn new(unscaled: i128, scale: u8) -> Self {
        Self {
            digits: unscaled,
            exponent: i32::from(scale).saturating_neg(),
        }
        .trimmed()
    }

    /// Returns the number that the shortest text of a double says; `None` if it is not finite.
    pub(crate) fn of_f64(value: f64) -> Option<Self> {
        let mut text = Vec::with_capacity(32);
        write_f64(value, &mut text);
        value.is_finite().then(|| Self::parse(&text))
    }

    /// Returns the number that the shortest text of a float says; `None` if it is not finite.
    pub(crate) fn of_f32(value: f32) -> Option<Self> {
        let mut text = Vec::with_capacity(32);
        write_f32(value, &mut text);
        value.is_finite().then(|| Self::parse(&text))
    }

    /// Reads the text of a finite float as `ryu` writes it: at most 17 digits.
    fn parse(text: &[u8]) -> Self {
        let (mantissa, exponent) = match memchr::memchr(b'e', text) {
            Some(at) => text.split_at_checked(at).unwrap_or((text, &[])),
            None => (text, &[][..]),
        };
        let exponent = std::str::from_utf8(exponent.get(1..).unwrap_or_default());
        let exponent: i32 = exponent
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0);
        let point = memchr::memchr(b'.', mantissa);
        let fraction_len =
            point.map_or(0, |at| mantissa.len().saturating_sub(at).saturating_sub(1));
        let digits =
            mantissa
                .iter()
                .filter(|byte| byte.is_ascii_digit())
                .fold(0_i128, |sum, byte| {
                    sum.saturating_mul(10)
                        .saturating_add(i128::from(byte.wrapping_sub(b'0')))
                });
        let is_negative = mantissa.first() == Some(&b'-');
        let digits = if is_negative {
            digits.saturating_neg()
        } else {
            digits
        };
        let fraction_len = i32::try_from(fraction_len).unwrap_or(i32::MAX);
        Self {
            digits,
            exponent: exponent.saturating_sub(fraction_len),
        }
        .trimmed()
    }

    /// Drops zeros at the end, so that equal numbers are equal.
    fn trimmed(mut self) -> Self {
        if self.digits == 0 {
            return Self {
                digits: 0,
                exponent: 0,
            };
        }
        while self.digits.wrapping_rem(10) == 0 {
            self.digits = self.digits.wrapping_div(10);
            self.exponent = self.exponent.saturating_add(1);
        }
        self
    }

    /// Returns the unscaled value at a scale, if the number has it and it has at most 38 digits.
    pub(crate) fn at_scale(self, scale: i8) -> Option<i128> {
        // Trimmed digits cannot be divided any more: a finer number does not fit.
        let shift = u32::try_from(self.exponent.checked_add(i32::from(scale))?);
        let unscaled = match shift {
            _ if self.digits == 0 => 0,
            Ok(shift) => self.digits.checked_mul(10_i128.checked_pow(shift)?)?,
            Err(_) => return None,
        };
        (unscaled.unsigned_abs() < 10_u128.pow(DIGITS)).then_some(unscaled)
    }

    /// Returns the unscaled value at a scale: rounded half away from zero where the number is finer,
    /// the largest of 38 digits where it has more.
    pub(crate) fn nearest_at_scale(self, scale: i8) -> i128 {
        let shift = self.exponent.saturating_add(i32::from(scale));
        let power = |count: u32| 10_i128.checked_pow(count);
        let unscaled = match u32::try_from(shift) {
            _ if self.digits == 0 => Some(0),
            Ok(shift) => power(shift).and_then(|power| self.digits.checked_mul(power)),
            Err(_) => Some(power(shift.unsigned_abs()).map_or(0, |power| {
                let whole = self.digits.checked_div(power).unwrap_or(0);
                let rest = self.digits.checked_rem(power).unwrap_or(0);
                let half = power.wrapping_div(2);
                let up = i128::from(rest.unsigned_abs() >= half.unsigned_abs());
                whole.saturating_add(up.wrapping_mul(self.digits.signum()))
            })),
        };
        let largest = Self::largest(false);
        match unscaled {
            Some(unscaled) => unscaled.clamp(Self::largest(true), largest),
            None => Self::largest(self.digits < 0),
        }
    }

    /// Returns the largest or smallest unscaled value of 38 digits.
    pub(crate) fn largest(is_negative: bool) -> i128 {
        let largest = 10_i128.saturating_pow(DIGITS).saturating_sub(1);
        if is_negative {
            largest.saturating_neg()
        } else {
            largest
        }
    }

    /// Returns the integer, if the number is one.
    pub(crate) fn to_integer(self) -> Option<i128> {
        let shift = u32::try_from(self.exponent).ok()?;
        self.digits.checked_mul(10_i128.checked_pow(shift)?)
    }

    /// Returns the nearest double.
    pub(crate) fn nearest_f64(self) -> f64 {
        self.parse_as().unwrap_or(f64::NAN)
    }

    /// Returns the double that is this number, or whose shortest text says so.
    pub(crate) fn to_f64(self) -> Option<f64> {
        let nearest = self.nearest_f64();
        let is_same = Self::of_f64(nearest) == Some(self)
            || (self.to_integer().is_some() && integer_of(nearest) == self.to_integer());
        is_same.then_some(nearest)
    }

    /// Returns the float that is this number, or whose shortest text says so.
    pub(crate) fn to_f32(self) -> Option<f32> {
        let nearest: f32 = self.parse_as()?;
        let is_same = Self::of_f32(nearest) == Some(self)
            || (self.to_integer().is_some() && integer_of(nearest.into()) == self.to_integer());
        is_same.then_some(nearest)
    }

    fn parse_as<F: std::str::FromStr>(self) -> Option<F> {
        let mut text = Vec::with_capacity(48);
        write_decimal(self.digits, 0, &mut text);
        text.push(b'e');
        write_decimal(i128::from(self.exponent), 0, &mut text);
        std::str::from_utf8(&text).ok()?.parse().ok()
    }
}

/// Returns the integer that a double is, if it is one of less than 127 bits.
pub(crate) fn integer_of(value: f64) -> Option<i128> {
    const LIMIT: f64 = (1_u128 << 126) as f64;
    // The cast drops a fraction and saturates; neither can happen here.
    (value.fract() == 0.0 && value.abs() < LIMIT).then_some(value as i128)
}

/// Returns the double that an integer is, exactly.
pub(crate) fn exact_f64(value: i64) -> Option<f64> {
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    // Up to this bound every integer is a double.
    (value.unsigned_abs() <= EXACT).then_some(value as f64)
}
