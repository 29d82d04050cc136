//! From an operator and its literals to the values that pass.

use std::cmp::Ordering;
use std::ops::Bound;

use growler_schema::{DataType, TimeUnit};

use super::{domain::Domain, number::Number, pattern::Pattern, text::Texts};
use crate::{
    error::Error,
    expr::convert::{
        decimal::{MAX_UNSCALED, Rounding},
        number::{f64_to_f32, parse_bool, parse_hex, write_f64},
    },
    sql::ast::Literal,
};

/// Values of one type that pass.
#[derive(Debug, Clone)]
pub(super) enum Condition {
    /// All, or none.
    Verdict(bool),
    /// INT.
    Int(Domain<i32>),
    /// LONG, and TIMESTAMP in the column's unit.
    Long(Domain<i64>),
    /// BIG_DECIMAL, unscaled.
    Decimal(Domain<i128>),
    /// FLOAT and DOUBLE.
    Double(Domain<f64>),
    /// BOOLEAN: whether false passes, whether true passes.
    Boolean([bool; 2]),
    /// Text of any kind; other types are tested by their text form.
    Text(Texts),
    /// BYTES.
    Bytes(Texts),
}

/// A comparison without its negation.
#[derive(Debug, Clone, Copy)]
pub(super) enum Comparison {
    /// Equal to any of the literals.
    Any,
    /// Below the literal.
    Below(bool),
    /// Above the literal; true: or equal.
    Above(bool),
    /// Between two literals, both inclusive.
    Between,
}

/// What a condition is compiled from.
pub(super) struct Source<'a> {
    /// The comparison.
    pub comparison: Comparison,
    /// The literals, none of them NULL.
    pub literals: &'a [Literal],
    /// Type of the values.
    pub data_type: DataType,
    /// Text of the whole predicate, for messages.
    pub shown: &'a str,
}

impl Source<'_> {
    /// Compiles the condition.
    pub fn compile(&self) -> Result<Condition, Error> {
        Ok(match self.data_type {
            DataType::Int => {
                match self.integers(self.numbers()?, 0, i32::MIN.into(), i32::MAX.into()) {
                    Wide::Verdict(verdict) => Condition::Verdict(verdict),
                    wide => wide
                        .narrow(|v| i32::try_from(v).unwrap_or_default())
                        .map_or(NONE, Condition::Int),
                }
            }
            DataType::Long => self.long(self.numbers()?),
            DataType::Timestamp { unit } => self.long(self.times(unit)?),
            DataType::BigDecimal { scale } => {
                // NaN, read as an exact number, is below the least of these.
                match self.integers(self.numbers()?, scale, -MAX_UNSCALED, MAX_UNSCALED) {
                    Wide::Verdict(verdict) => Condition::Verdict(verdict),
                    wide => wide.narrow(|v| v).map_or(NONE, Condition::Decimal),
                }
            }
            DataType::Float | DataType::Double => {
                let domain = self.doubles(&self.numbers()?);
                domain.map_or(NONE, Condition::Double)
            }
            DataType::Boolean => self.booleans()?,
            DataType::Bytes => self
                .texts(self.literals, |literal| self.bytes(literal))?
                .map_or(NONE, Condition::Bytes),
            DataType::Uuid => self
                .texts(self.literals, |literal| self.uuid(literal))?
                .map_or(NONE, Condition::Text),
            _ => self
                .texts(self.literals, |literal| Ok(text_of(literal).into_bytes()))?
                .map_or(NONE, Condition::Text),
        })
    }

    fn long(&self, numbers: Vec<Number>) -> Condition {
        match self.integers(numbers, 0, i64::MIN.into(), i64::MAX.into()) {
            Wide::Verdict(verdict) => Condition::Verdict(verdict),
            wide => wide
                .narrow(|v| i64::try_from(v).unwrap_or_default())
                .map_or(NONE, Condition::Long),
        }
    }

    fn numbers(&self) -> Result<Vec<Number>, Error> {
        self.read(Number::of)
    }

    fn times(&self, unit: TimeUnit) -> Result<Vec<Number>, Error> {
        self.read(|literal| Number::of_time(literal, unit))
    }

    fn read(&self, read: impl Fn(&Literal) -> Option<Number>) -> Result<Vec<Number>, Error> {
        self.literals
            .iter()
            .map(|literal| read(literal).ok_or_else(|| self.unconvertible(literal)))
            .collect()
    }

    /// Whole numbers in `min..=max` that pass, after multiplying the literals by `10^shift`.
    fn integers(&self, numbers: Vec<Number>, shift: i8, min: i128, max: i128) -> Wide {
        let low = |number: &Number, inclusive: bool| {
            let rounding = if inclusive {
                Rounding::Ceiling
            } else {
                Rounding::Floor
            };
            let bound = number.rounded_at(shift, rounding)?;
            if inclusive {
                Some(bound)
            } else {
                bound.checked_add(1)
            }
        };
        let high = |number: &Number, inclusive: bool| {
            let rounding = if inclusive {
                Rounding::Floor
            } else {
                Rounding::Ceiling
            };
            let bound = number.rounded_at(shift, rounding)?;
            if inclusive {
                Some(bound)
            } else {
                bound.checked_sub(1)
            }
        };
        let bounds = match (self.comparison, numbers.as_slice()) {
            (Comparison::Any, _) => {
                let in_range = |whole: &i128| (min..=max).contains(whole);
                let whole = numbers
                    .iter()
                    .filter_map(|n| n.exact_at(shift))
                    .filter(in_range);
                return Wide::Members(whole.collect());
            }
            (Comparison::Below(inclusive), [bound]) => (Some(min), high(bound, inclusive)),
            (Comparison::Above(inclusive), [bound]) => (low(bound, inclusive), Some(max)),
            (Comparison::Between, [first, second]) => (low(first, true), high(second, true)),
            _ => (None, None),
        };
        match bounds {
            (Some(low), Some(high)) if low <= min && high >= max => Wide::Verdict(true),
            (Some(low), Some(high)) if low <= high && low <= max && high >= min => {
                Wide::Range(low.max(min), high.min(max))
            }
            _ => Wide::Verdict(false),
        }
    }

    fn doubles(&self, numbers: &[Number]) -> Option<Domain<f64>> {
        let rounded = |number: &Number| {
            // A literal with a fraction means the nearest value the column can hold.
            let whole = number.exact_at(0).is_some();
            if self.data_type == DataType::Float && !whole {
                let float = f64_to_f32(number.nearest);
                if float.is_finite() {
                    f64::from(float)
                } else {
                    number.nearest
                }
            } else {
                number.nearest
            }
        };
        let low = |number: &Number, inclusive: bool| {
            let bound = rounded(number);
            let inclusive = match number.skew {
                Ordering::Less => false,
                Ordering::Equal => inclusive,
                Ordering::Greater => true,
            };
            if inclusive {
                Some(bound)
            } else {
                (bound < f64::INFINITY).then(|| bound.next_up())
            }
        };
        let high = |number: &Number, inclusive: bool| {
            let bound = rounded(number);
            let inclusive = match number.skew {
                Ordering::Less => true,
                Ordering::Equal => inclusive,
                Ordering::Greater => false,
            };
            let open = || (bound > f64::NEG_INFINITY).then(|| bound.next_down());
            if inclusive { Some(bound) } else { open() }
        };
        let (low, high) = match (self.comparison, numbers) {
            (Comparison::Any, _) => {
                let exact = numbers
                    .iter()
                    .filter(|number| number.skew == Ordering::Equal);
                return Domain::of(exact.map(rounded).collect());
            }
            (Comparison::Below(inclusive), [bound]) => {
                (Some(f64::NEG_INFINITY), high(bound, inclusive))
            }
            (Comparison::Above(inclusive), [bound]) => (low(bound, inclusive), Some(f64::INFINITY)),
            (Comparison::Between, [first, second]) => (low(first, true), high(second, true)),
            _ => (None, None),
        };
        // NaN as a bound fails the comparison too.
        low.zip(high)
            .filter(|(low, high)| low <= high)
            .map(|(low, high)| Domain::Range(low, high))
    }

    fn booleans(&self) -> Result<Condition, Error> {
        let read = |literal: &Literal| match literal {
            Literal::Boolean(value) => *value,
            Literal::Null => false,
            Literal::Int(value) => *value != 0,
            Literal::Long(value) => *value != 0,
            Literal::Double(value, _) => *value != 0.0,
            Literal::String(text) => parse_bool(text),
        };
        let literals: Vec<bool> = self.literals.iter().map(read).collect();
        let passes = |value: bool| match (self.comparison, literals.as_slice()) {
            (Comparison::Any, any) => any.contains(&value),
            (Comparison::Below(inclusive), [bound]) => {
                !value & bound | (inclusive & (value == *bound))
            }
            (Comparison::Above(inclusive), [bound]) => {
                value & !bound | (inclusive & (value == *bound))
            }
            (Comparison::Between, [low, high]) => value >= *low && value <= *high,
            _ => false,
        };
        Ok(Condition::Boolean([passes(false), passes(true)]))
    }

    fn texts(
        &self,
        literals: &[Literal],
        read: impl Fn(&Literal) -> Result<Vec<u8>, Error>,
    ) -> Result<Option<Texts>, Error> {
        let mut bounds = literals.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let bound = |bound: Vec<u8>, inclusive: bool| {
            if inclusive {
                Bound::Included(bound)
            } else {
                Bound::Excluded(bound)
            }
        };
        Ok(match self.comparison {
            Comparison::Any => Texts::of(bounds),
            Comparison::Below(inclusive) => bounds
                .pop()
                .map(|high| Texts::Range(Bound::Unbounded, bound(high, inclusive))),
            Comparison::Above(inclusive) => bounds
                .pop()
                .map(|low| Texts::Range(bound(low, inclusive), Bound::Unbounded)),
            Comparison::Between => {
                let (high, low) = (bounds.pop(), bounds.pop());
                low.zip(high)
                    .map(|(low, high)| Texts::Range(bound(low, true), bound(high, true)))
            }
        })
    }

    fn bytes(&self, literal: &Literal) -> Result<Vec<u8>, Error> {
        match literal {
            Literal::String(text) => parse_hex(text).ok_or_else(|| self.unconvertible(literal)),
            _ => Err(self.unconvertible(literal)),
        }
    }

    fn uuid(&self, literal: &Literal) -> Result<Vec<u8>, Error> {
        match literal {
            Literal::String(text) => crate::expr::convert::cast::parse_uuid(text)
                .map(String::into_bytes)
                .ok_or_else(|| self.unconvertible(literal)),
            _ => Err(self.unconvertible(literal)),
        }
    }

    fn unconvertible(&self, literal: &Literal) -> Error {
        Error::Validation(format!(
            "Cannot convert value: '{}' to type: {}, expression={}",
            text_of(literal),
            self.data_type.name(),
            self.shown,
        ))
    }
}

/// Nothing passes.
const NONE: Condition = Condition::Verdict(false);

/// Whole numbers that pass, before they are narrowed to the column's width.
enum Wide {
    Verdict(bool),
    Members(Vec<i128>),
    Range(i128, i128),
}

impl Wide {
    fn narrow<T: super::domain::Element>(self, narrow: impl Fn(i128) -> T) -> Option<Domain<T>> {
        match self {
            Self::Verdict(_) => None,
            Self::Members(members) => Domain::of(members.into_iter().map(narrow).collect()),
            Self::Range(low, high) => Some(Domain::Range(narrow(low), narrow(high))),
        }
    }
}

/// Returns a literal's text, as text is compared with it.
pub(super) fn text_of(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Long(value) => value.to_string(),
        Literal::Double(value, _) => {
            let mut text = String::new();
            write_f64(*value, &mut text);
            text
        }
        Literal::String(text) => text.clone(),
    }
}

/// Compiles a pattern predicate: `like`, `not_like`, `regexp_like`.
pub(super) fn pattern(name: &str, literals: &[Literal], shown: &str) -> Result<Condition, Error> {
    let texts: Vec<String> = literals.iter().map(text_of).collect();
    let pattern = match (name, texts.as_slice()) {
        ("like" | "not_like", [pattern]) => Pattern::like(pattern)?,
        ("regexp_like", [pattern]) => Pattern::regex(pattern, "")?,
        ("regexp_like", [pattern, flag]) => Pattern::regex(pattern, flag)?,
        _ => {
            return Err(Error::Validation(format!(
                "wrong number of arguments, expression={shown}"
            )));
        }
    };
    Ok(match pattern {
        Pattern::Any => Condition::Verdict(true),
        pattern => Condition::Text(Texts::Pattern(Box::new(pattern))),
    })
}
