//! The six comparisons, and the names of predicates on one subject.

use std::cmp::Ordering;

/// A comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

impl Comparison {
    /// Returns the comparison of a function's name; none when it is another function.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "equals" => Self::Equal,
            "not_equals" => Self::NotEqual,
            "less_than" => Self::Less,
            "less_than_or_equal" => Self::LessOrEqual,
            "greater_than" => Self::Greater,
            "greater_than_or_equal" => Self::GreaterOrEqual,
            _ => return None,
        })
    }

    /// Returns the name of the function.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equals",
            Self::NotEqual => "not_equals",
            Self::Less => "less_than",
            Self::LessOrEqual => "less_than_or_equal",
            Self::Greater => "greater_than",
            Self::GreaterOrEqual => "greater_than_or_equal",
        }
    }

    /// Returns the operator between its sides.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Returns the comparison that holds when the sides are swapped.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    /// Returns the test of how the left side is ordered to the right one.
    pub fn accepts(self) -> fn(Ordering) -> bool {
        match self {
            Self::Equal => Ordering::is_eq,
            Self::NotEqual => Ordering::is_ne,
            Self::Less => Ordering::is_lt,
            Self::LessOrEqual => Ordering::is_le,
            Self::Greater => Ordering::is_gt,
            Self::GreaterOrEqual => Ordering::is_ge,
        }
    }
}

/// Tells whether a function compares its first argument with the values of the others.
pub fn compares_values(name: &str) -> bool {
    Comparison::of(name).is_some() || matches!(name, "between" | "in" | "not_in")
}

/// Tells whether a function matches text with a pattern.
pub fn matches_pattern(name: &str) -> bool {
    matches!(name, "like" | "not_like" | "regexp_like")
}

/// Tells whether all values between two that pass such a predicate pass, too.
pub fn is_convex(name: &str) -> bool {
    name == "between"
        || Comparison::of(name).is_some_and(|comparison| comparison != Comparison::NotEqual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirrored_comparison_holds_with_swapped_sides() {
        let all = [
            ("equals", "="),
            ("not_equals", "!="),
            ("less_than", "<"),
            ("less_than_or_equal", "<="),
            ("greater_than", ">"),
            ("greater_than_or_equal", ">="),
        ];
        for (name, symbol) in all {
            let comparison = Comparison::of(name).unwrap();
            assert_eq!((comparison.name(), comparison.symbol()), (name, symbol));
            for order in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
                assert_eq!(
                    comparison.accepts()(order),
                    comparison.mirrored().accepts()(order.reverse()),
                    "{name} {order:?}"
                );
            }
        }
        assert_eq!(Comparison::of("between"), None);
    }

    #[test]
    fn ranges_are_convex() {
        let cases = [
            ("equals", true),
            ("not_equals", false),
            ("less_than", true),
            ("between", true),
            ("in", false),
            ("like", false),
        ];
        for (name, expected) in cases {
            assert_eq!(is_convex(name), expected, "{name}");
        }
    }
}
