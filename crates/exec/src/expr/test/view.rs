//! As what a VARIANT key is read when it is compared with literals.

use crate::{
    expr::KeyView,
    sql::{ast::Literal, comparison::compares_values},
};

/// Smallest magnitude that several whole numbers have when they are rounded to doubles.
const DOUBLE_WHOLE: u64 = 1 << 53;
/// Digits of an exact decimal.
const DIGITS: usize = 38;
/// Most digits behind the point an exact view asks for.
const MAX_SCALE: usize = 18;

/// Returns as what a VARIANT key is read for `key OP literals`.
///
/// Compared with numbers only, a key is read as a number, so that the count is that of a typed
/// layout whatever the files' layout; a whole number that no double holds asks for exact numbers.
/// In all other cases the key's own type decides.
pub fn key_view(name: &str, literals: &[Literal]) -> KeyView {
    let mut digits = 0;
    for literal in literals {
        match literal {
            Literal::Int(_) => {}
            Literal::Long(value) if value.unsigned_abs() < DOUBLE_WHOLE => {}
            Literal::Long(_) => digits = digits.max(19),
            Literal::Double(value, _) => {
                // Where doubles are further apart than one, values near the literal would become it.
                let len = whole_digits(*value);
                if value.abs() >= DOUBLE_WHOLE as f64 && len < DIGITS {
                    digits = digits.max(len);
                }
            }
            Literal::Null | Literal::Boolean(_) | Literal::String(_) => return KeyView::Own,
        }
    }
    if !compares_values(name) || literals.is_empty() {
        return KeyView::Own;
    }
    if digits == 0 {
        return KeyView::Number;
    }
    let scale = (DIGITS - digits).saturating_sub(1).min(MAX_SCALE);
    KeyView::ExactNumber {
        scale: i8::try_from(scale).unwrap_or_default(),
    }
}

/// Returns how many digits a number has before its point.
fn whole_digits(value: f64) -> usize {
    format!("{:.0}", value.abs()).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_numbers() {
        let text = || Literal::String("5".to_owned());
        let huge = Literal::Double(1.2345678901234568e19, "12345678901234567890".to_owned());
        let cases = [
            ("equals", vec![Literal::Int(5)], KeyView::Number),
            (
                "in",
                vec![Literal::Int(5), Literal::Double(0.5, "0.5".to_owned())],
                KeyView::Number,
            ),
            ("in", vec![Literal::Int(5), text()], KeyView::Own),
            ("equals", vec![text()], KeyView::Own),
            ("like", vec![Literal::Int(5)], KeyView::Own),
            ("equals", vec![Literal::Boolean(true)], KeyView::Own),
            (
                "equals",
                vec![Literal::Long((1 << 53) - 1)],
                KeyView::Number,
            ),
            (
                "equals",
                vec![Literal::Long(1 << 53)],
                KeyView::ExactNumber { scale: 18 },
            ),
            (
                "less_than",
                vec![Literal::Double(1e18, "1e18".to_owned())],
                KeyView::ExactNumber { scale: 18 },
            ),
            (
                "less_than",
                vec![Literal::Double(
                    9007199254740993.5,
                    "9007199254740993.5".to_owned(),
                )],
                KeyView::ExactNumber { scale: 18 },
            ),
            (
                "less_than",
                vec![Literal::Double(1e300, "1e300".to_owned())],
                KeyView::Number,
            ),
            (
                "less_than",
                vec![Literal::Long((1 << 53) + 1)],
                KeyView::ExactNumber { scale: 18 },
            ),
            ("equals", vec![huge], KeyView::ExactNumber { scale: 17 }),
        ];
        for (name, literals, expected) in cases {
            assert_eq!(key_view(name, &literals), expected, "{name} {literals:?}");
        }
    }
}
