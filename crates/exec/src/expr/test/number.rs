//! A numeric literal, kept exact so that no comparison wraps or rounds.

use std::cmp::Ordering;

use growler_schema::TimeUnit;

use crate::{
    expr::convert::{
        decimal::{Decimal, Rounding},
        number,
        timestamp::Instant,
    },
    sql::ast::Literal,
};

/// A number as written, and as the nearest double.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    /// None for NaN, infinities, and what needs more than 38 digits before or behind the point.
    exact: Option<Decimal>,
    /// The nearest double.
    pub nearest: f64,
    /// How the nearest double compares with the number: whole numbers beyond 2^53 are no doubles,
    /// whereas a literal with a fraction means the double it is nearest to.
    pub skew: Ordering,
}

impl Number {
    /// Reads a literal as a number; text that is one counts. None for anything else.
    pub fn of(literal: &Literal) -> Option<Self> {
        match literal {
            Literal::Null => None,
            Literal::Boolean(value) => Some(Self::whole(i64::from(*value))),
            Literal::Int(value) => Some(Self::whole(i64::from(*value))),
            Literal::Long(value) => Some(Self::whole(*value)),
            Literal::Double(value, text) => Some(Self::fraction(*value, text)),
            Literal::String(text) => {
                let text = text.trim();
                match text.parse::<i64>() {
                    Ok(whole) => Some(Self::whole(whole)),
                    Err(_) => number::parse_f64(text).map(|nearest| Self::fraction(nearest, text)),
                }
            }
        }
    }

    /// Makes the number that counts units of a timestamp.
    pub fn of_time(literal: &Literal, unit: TimeUnit) -> Option<Self> {
        let shift = match unit {
            TimeUnit::Millis => 0,
            TimeUnit::Micros => 3,
            TimeUnit::Nanos => 6,
        };
        let exact = match literal {
            Literal::String(text) => Decimal {
                unscaled: Instant::parse(text)?.total_nanos(),
                scale: 6,
            },
            other => Self::of(other)?.exact?,
        };
        let scaled = Decimal {
            unscaled: exact.unscaled,
            scale: exact.scale.checked_sub(shift)?,
        };
        Some(Self {
            exact: Some(scaled),
            nearest: scaled.to_f64(),
            skew: Ordering::Equal,
        })
    }

    fn whole(value: i64) -> Self {
        let nearest = number::i64_to_f64(value);
        let exact = Decimal {
            unscaled: i128::from(value),
            scale: 0,
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a double of 64 bits fits 128 bits"
        )]
        let skew = (nearest as i128).cmp(&i128::from(value));
        Self {
            exact: Some(exact),
            nearest,
            skew,
        }
    }

    fn fraction(nearest: f64, text: &str) -> Self {
        let exact = Decimal::parse(text).or_else(|| Decimal::from_f64(nearest));
        let plain_whole = !text.contains(['.', 'e', 'E']);
        let skew = match (exact, Decimal::from_f64(nearest)) {
            (Some(exact), Some(double)) if plain_whole => double.compare(exact),
            _ => Ordering::Equal,
        };
        Self {
            exact,
            nearest,
            skew,
        }
    }

    /// Returns the number times `10^shift` when that is whole.
    pub fn exact_at(self, shift: i8) -> Option<i128> {
        self.exact?.rescale_exact(shift)
    }

    /// Returns the number times `10^shift` rounded, the nearest bound of 128 bits when too large;
    /// none for NaN.
    pub fn rounded_at(self, shift: i8, rounding: Rounding) -> Option<i128> {
        if self.nearest.is_nan() {
            return None;
        }
        if let Some(rounded) = self.exact.and_then(|exact| exact.rescale(shift, rounding)) {
            return Some(rounded);
        }
        let scaled = self.nearest * 10f64.powi(i32::from(shift));
        let rounded = match rounding {
            Rounding::Floor => scaled.floor(),
            Rounding::Ceiling => scaled.ceil(),
            Rounding::Down => scaled.trunc(),
            Rounding::HalfUp => scaled.round(),
        };
        #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
        Some(rounded as i128)
    }
}
