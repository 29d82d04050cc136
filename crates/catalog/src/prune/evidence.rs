//! What is known of the values of one column in one file, or of one partition field.

use std::cmp::Ordering;

use super::predicate::{Comparison, Test};
use crate::Datum;
use crate::datum::order::compare;

/// What some values have in common. Without evidence anything may be among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// No value is smaller; NaN aside.
    pub lower: Option<Datum>,
    /// No value is larger; NaN aside.
    pub upper: Option<Datum>,
    /// Whether null may be among them.
    pub may_be_null: bool,
    /// Whether something else than null may be among them.
    pub may_have_value: bool,
    /// Whether NaN may be among them.
    pub may_be_nan: bool,
}

impl Evidence {
    /// Nothing is known.
    pub const NONE: Self = Self {
        lower: None,
        upper: None,
        may_be_null: true,
        may_have_value: true,
        may_be_nan: true,
    };

    /// Every value is this one, or null.
    pub fn constant(value: Option<Datum>) -> Self {
        Self {
            may_be_null: value.is_none(),
            may_have_value: value.is_some(),
            may_be_nan: value.as_ref().is_some_and(is_nan),
            upper: value.clone(),
            lower: value,
        }
    }

    /// Tells whether one of the values may pass a test.
    pub fn may_pass(&self, test: &Test) -> bool {
        match test {
            Test::IsNull => self.may_be_null,
            _ if !self.may_have_value => false,
            Test::IsNotNull => true,
            Test::Compare(comparison, literal) => self.may_compare(*comparison, literal),
            Test::In(literals) => literals
                .iter()
                .any(|literal| self.may_compare(Comparison::Eq, literal)),
            Test::NotIn(literals) => literals
                .iter()
                .all(|literal| self.may_compare(Comparison::NotEq, literal)),
            Test::StartsWith(prefix) => self.may_start_with(prefix),
        }
    }

    fn may_compare(&self, comparison: Comparison, literal: &Datum) -> bool {
        // Engines put NaN above all numbers, or nowhere; it may only be said to be below none.
        let nan_may_pass = matches!(
            comparison,
            Comparison::NotEq | Comparison::Gt | Comparison::GtEq
        );
        if is_nan(literal) || self.may_be_nan && nan_may_pass {
            return true;
        }
        let lower = self
            .lower
            .as_ref()
            .and_then(|lower| compare(lower, literal));
        let upper = self
            .upper
            .as_ref()
            .and_then(|upper| compare(upper, literal));
        let is_ruled_out = match comparison {
            Comparison::Eq => lower == Some(Ordering::Greater) || upper == Some(Ordering::Less),
            Comparison::NotEq => lower == Some(Ordering::Equal) && upper == Some(Ordering::Equal),
            Comparison::Lt => matches!(lower, Some(Ordering::Greater | Ordering::Equal)),
            Comparison::LtEq => lower == Some(Ordering::Greater),
            Comparison::Gt => matches!(upper, Some(Ordering::Less | Ordering::Equal)),
            Comparison::GtEq => upper == Some(Ordering::Less),
        };
        !is_ruled_out
    }

    fn may_start_with(&self, prefix: &str) -> bool {
        if let Some(Datum::String(upper)) = &self.upper
            && upper.as_bytes() < prefix.as_bytes()
        {
            return false;
        }
        if let Some(Datum::String(lower)) = &self.lower {
            let lower = lower.as_bytes();
            let start = lower.get(..prefix.len()).unwrap_or(lower);
            return start <= prefix.as_bytes();
        }
        true
    }
}

fn is_nan(datum: &Datum) -> bool {
    match datum {
        Datum::Float(value) => value.is_nan(),
        Datum::Double(value) => value.is_nan(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(lower: i32, upper: i32) -> Evidence {
        Evidence {
            lower: Some(Datum::Int(lower)),
            upper: Some(Datum::Int(upper)),
            may_be_null: false,
            may_have_value: true,
            may_be_nan: false,
        }
    }

    #[test]
    fn ranges_rule_out_what_lies_outside() {
        use Comparison::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        let cases = [
            (Eq, 4, false),
            (Eq, 5, true),
            (Eq, 9, true),
            (Eq, 10, false),
            (NotEq, 5, true),
            (Lt, 5, false),
            (Lt, 6, true),
            (LtEq, 4, false),
            (LtEq, 5, true),
            (Gt, 9, false),
            (Gt, 8, true),
            (GtEq, 10, false),
            (GtEq, 9, true),
        ];
        for (comparison, literal, expected) in cases {
            let test = Test::Compare(comparison, Datum::Long(literal));
            assert_eq!(range(5, 9).may_pass(&test), expected, "{test:?}");
            assert!(Evidence::NONE.may_pass(&test), "{test:?}");
        }
        let five = |comparison| Test::Compare(comparison, Datum::Int(5));
        assert!(!range(5, 5).may_pass(&five(NotEq)));
        assert!(!range(5, 5).may_pass(&Test::NotIn(vec![Datum::Int(5)])));
        assert!(!range(6, 9).may_pass(&Test::In(vec![Datum::Int(5), Datum::Int(10)])));
        assert!(range(6, 9).may_pass(&Test::In(vec![Datum::Int(5), Datum::Int(7)])));
        // Another kind of value proves nothing.
        assert!(range(5, 9).may_pass(&Test::Compare(Eq, Datum::String("4".into()))));
    }

    #[test]
    fn nulls_and_nans_are_apart() {
        let null = Evidence::constant(None);
        assert!(null.may_pass(&Test::IsNull) && !null.may_pass(&Test::IsNotNull));
        assert!(!null.may_pass(&Test::Compare(Comparison::NotEq, Datum::Int(1))));
        assert!(!range(1, 2).may_pass(&Test::IsNull));
        let floats = Evidence {
            lower: Some(Datum::Double(1.0)),
            upper: Some(Datum::Double(2.0)),
            may_be_nan: true,
            ..range(0, 0)
        };
        let test = |comparison| Test::Compare(comparison, Datum::Double(3.0));
        assert!(
            floats.may_pass(&test(Comparison::Gt)) && floats.may_pass(&test(Comparison::NotEq))
        );
        assert!(!floats.may_pass(&test(Comparison::Eq)));
        assert!(floats.may_pass(&Test::Compare(Comparison::Eq, Datum::Double(f64::NAN))));
    }

    #[test]
    fn prefixes_are_compared_with_cut_bounds() {
        let texts = Evidence {
            lower: Some(Datum::String("banana".into())),
            upper: Some(Datum::String("chesu".into())),
            ..range(0, 0)
        };
        for (prefix, expected) in [
            ("a", false),
            ("b", true),
            ("bananas", true),
            ("bam", false),
            ("c", true),
            ("cherry", true),
            ("chest", true),
            ("chf", false),
            ("d", false),
            ("", true),
        ] {
            let test = Test::StartsWith(prefix.into());
            assert_eq!(texts.may_pass(&test), expected, "{prefix}");
        }
    }
}
