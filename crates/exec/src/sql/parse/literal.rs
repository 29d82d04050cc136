//! Numbers and text.

use sqlparser::tokenizer::Token;

use crate::error::Error;
use crate::sql::ast::Literal;
use crate::sql::lex::excerpt;

/// Reads a literal from its token.
pub(super) fn read(token: Token) -> Result<Literal, Error> {
    match token {
        Token::Number(text, long) => number(&text, long),
        Token::SingleQuotedString(text) | Token::NationalStringLiteral(text) => {
            Ok(Literal::String(text))
        }
        // BYTES are compared with their hexadecimal text.
        Token::HexStringLiteral(text) => {
            if text.len() % 2 != 0 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(Error::Parse(format!(
                    "invalid bytes: X'{}'",
                    excerpt(&text)
                )));
            }
            Ok(Literal::String(text.to_ascii_lowercase()))
        }
        other => Err(Error::Parse(format!(
            "expected a literal, found '{}'",
            excerpt(&other.to_string())
        ))),
    }
}

/// Returns the negative of a number; none for anything else.
pub(super) fn negative(literal: &Literal) -> Option<Literal> {
    let text = match literal {
        Literal::Int(value) => value.to_string(),
        Literal::Long(value) => value.to_string(),
        Literal::Double(_, text) => text.clone(),
        Literal::Null | Literal::Boolean(_) | Literal::String(_) => return None,
    };
    let negative = match text.strip_prefix('-') {
        Some(positive) => positive.to_owned(),
        None => format!("-{text}"),
    };
    number(&negative, false).ok()
}

/// Reads a number: INT when it fits, else LONG; DOUBLE with a fraction, an exponent, or too many
/// digits. `long` asks for a LONG (`1L`).
fn number(text: &str, long: bool) -> Result<Literal, Error> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        match text.parse::<i64>() {
            Ok(value) => {
                return Ok(match i32::try_from(value) {
                    Ok(value) if !long => Literal::Int(value),
                    _ => Literal::Long(value),
                });
            }
            Err(_) if long => {
                return Err(Error::Parse(format!(
                    "number is out of range: {}",
                    excerpt(text)
                )));
            }
            Err(_) => {}
        }
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Literal::Double(value, with_digits(text))),
        _ => Err(Error::Parse(format!(
            "number is out of range: {}",
            excerpt(text)
        ))),
    }
}

/// Returns a number's text with a digit on each side of its point (`.5`, `1.`).
fn with_digits(text: &str) -> String {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text), |digits| ("-", digits));
    let before = if digits.starts_with('.') { "0" } else { "" };
    let after = if digits.ends_with('.') { "0" } else { "" };
    format!("{sign}{before}{digits}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_narrowest_type() {
        let double = |value, text: &str| Literal::Double(value, text.to_owned());
        let cases = [
            ("0", false, Literal::Int(0)),
            ("2147483647", false, Literal::Int(i32::MAX)),
            ("2147483648", false, Literal::Long(2_147_483_648)),
            ("-2147483648", false, Literal::Int(i32::MIN)),
            ("-9223372036854775808", false, Literal::Long(i64::MIN)),
            ("5", true, Literal::Long(5)),
            (
                "9223372036854775808",
                false,
                double(9_223_372_036_854_775_808.0, "9223372036854775808"),
            ),
            ("1.50", false, double(1.5, "1.50")),
            (".5", false, double(0.5, "0.5")),
            ("-.5", false, double(-0.5, "-0.5")),
            ("1.", false, double(1.0, "1.0")),
            ("1e3", false, double(1000.0, "1e3")),
        ];
        for (text, long, expected) in cases {
            assert_eq!(number(text, long).unwrap(), expected, "{text}");
        }
        assert!(number("1e999", false).is_err());
        assert!(number("9223372036854775808", true).is_err());
    }

    #[test]
    fn negatives_narrow_again() {
        assert_eq!(
            negative(&Literal::Long(2_147_483_648)),
            Some(Literal::Int(i32::MIN))
        );
        assert_eq!(negative(&Literal::Int(-5)), Some(Literal::Int(5)));
        let big = number("9223372036854775808", false).unwrap();
        assert_eq!(negative(&big), Some(Literal::Long(i64::MIN)));
        assert_eq!(negative(&Literal::String("5".into())), None);
    }
}
