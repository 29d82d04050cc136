//! Which sorted values can pass a test: what an index looks up.

use std::ops::Bound;

use growler_schema::{ColumnType, DataType, Value};

use super::{
    condition::Condition,
    domain::{Domain, Element},
    pattern::{Pattern, Place},
    text::Texts,
};

/// Most ranges that the spellings of one prefix in upper and lower case are spread over.
const PREFIX_SPANS: usize = 16;

/// A range of values, by its two bounds.
pub type Span = (Bound<Value>, Bound<Value>);

/// Ranges of values, sorted as an index sorts them.
///
/// Floats are in total order, so that both zeros lie between `-0.0` and `0.0`, and NaN lies outside
/// of every range.
#[derive(Debug, Clone, PartialEq)]
pub struct Spans {
    /// The ranges, ascending; no value outside of them passes.
    pub ranges: Vec<Span>,
    /// Whether every value inside of them passes; else each must be tested.
    pub is_exact: bool,
}

impl Spans {
    fn of(ranges: Vec<Span>) -> Self {
        Self {
            ranges,
            is_exact: true,
        }
    }

    fn all() -> Self {
        Self::of(vec![(Bound::Unbounded, Bound::Unbounded)])
    }

    fn to_test(ranges: Vec<Span>) -> Self {
        Self {
            ranges,
            is_exact: false,
        }
    }

    /// Returns the ranges of a condition on values of a type.
    pub(super) fn of_condition(condition: &Condition, column_type: ColumnType) -> Self {
        let data_type = column_type.data_type;
        match condition {
            Condition::Verdict(true) => Self::all(),
            Condition::Verdict(false) => Self::of(Vec::new()),
            Condition::Int(domain) => Self::of(numbers(domain, Value::Int)),
            Condition::Long(domain) => Self::of(numbers(domain, |value| match data_type {
                DataType::Timestamp { unit } => Value::Timestamp(value, unit),
                _ => Value::Long(value),
            })),
            Condition::Decimal(domain) => {
                let scale = match data_type {
                    DataType::BigDecimal { scale } => scale,
                    _ => 0,
                };
                Self::of(numbers(domain, |value| Value::BigDecimal(value, scale)))
            }
            Condition::Double(domain) if data_type == DataType::Float => Self::of(floats(domain)),
            Condition::Double(domain) => Self::of(doubles(domain)),
            Condition::Boolean([on_false, on_true]) => {
                let passes = [(false, on_false), (true, on_true)];
                let kept = passes.into_iter().filter(|(_, passes)| **passes);
                Self::of(kept.map(|(value, _)| one(Value::Boolean(value))).collect())
            }
            Condition::Text(texts) if data_type.is_text() => of_texts(texts, text),
            // Other types are tested by their text form, which sorts otherwise.
            Condition::Text(_) => Self::to_test(vec![(Bound::Unbounded, Bound::Unbounded)]),
            Condition::Bytes(texts) => of_texts(texts, |bytes| Some(Value::Bytes(bytes.to_vec()))),
        }
    }
}

fn one(value: Value) -> Span {
    (Bound::Included(value.clone()), Bound::Included(value))
}

fn numbers<T: Element<Key = T> + Ord>(domain: &Domain<T>, value: impl Fn(T) -> Value) -> Vec<Span> {
    match domain {
        Domain::Range(low, high) => {
            vec![(Bound::Included(value(*low)), Bound::Included(value(*high)))]
        }
        Domain::One(one_value) => vec![one(value(*one_value))],
        Domain::Few(few) => sorted(few.clone())
            .into_iter()
            .map(|v| one(value(v)))
            .collect(),
        Domain::Many(many) => {
            let members = many.iter().copied().collect();
            sorted(members).into_iter().map(|v| one(value(v))).collect()
        }
    }
}

fn sorted<T: Ord>(mut members: Vec<T>) -> Vec<T> {
    members.sort_unstable();
    members.dedup();
    members
}

/// Returns inclusive ranges of doubles in which both zeros stand for either.
fn double_ranges(domain: &Domain<f64>) -> Vec<(f64, f64)> {
    let around = |(low, high): (f64, f64)| {
        let low = if low == 0.0 { -0.0 } else { low };
        let high = if high == 0.0 { 0.0 } else { high };
        (low, high)
    };
    let mut members: Vec<f64> = match domain {
        Domain::Range(low, high) => return vec![around((*low, *high))],
        Domain::One(one) => vec![*one],
        Domain::Few(few) => few.clone(),
        Domain::Many(many) => many.iter().map(|bits| f64::from_bits(*bits)).collect(),
    };
    members.sort_unstable_by(f64::total_cmp);
    members.dedup_by(|a, b| a == b);
    members.into_iter().map(|one| around((one, one))).collect()
}

fn doubles(domain: &Domain<f64>) -> Vec<Span> {
    let span = |(low, high)| {
        (
            Bound::Included(Value::Double(low)),
            Bound::Included(Value::Double(high)),
        )
    };
    double_ranges(domain).into_iter().map(span).collect()
}

/// Narrows ranges of doubles to the floats inside of them.
fn floats(domain: &Domain<f64>) -> Vec<Span> {
    let narrowed = |(low, high): (f64, f64)| {
        let (mut first, mut last) = (nearest(low), nearest(high));
        if f64::from(first) < low {
            first = first.next_up();
        }
        if f64::from(last) > high {
            last = last.next_down();
        }
        let (low, high) = (Value::Float(first), Value::Float(last));
        (first <= last).then_some((Bound::Included(low), Bound::Included(high)))
    };
    double_ranges(domain)
        .into_iter()
        .filter_map(narrowed)
        .collect()
}

fn nearest(value: f64) -> f32 {
    crate::expr::convert::number::f64_to_f32(value)
}

fn text(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(Value::String(text.to_owned()))
}

fn of_texts(texts: &Texts, value: impl Fn(&[u8]) -> Option<Value>) -> Spans {
    let bound = |bound: &Bound<Vec<u8>>| -> Option<Bound<Value>> {
        Some(match bound {
            Bound::Included(bytes) => Bound::Included(value(bytes)?),
            Bound::Excluded(bytes) => Bound::Excluded(value(bytes)?),
            Bound::Unbounded => Bound::Unbounded,
        })
    };
    let everything = || Spans::to_test(vec![(Bound::Unbounded, Bound::Unbounded)]);
    match texts {
        Texts::One(text) => match value(text) {
            Some(value) => Spans::of(vec![one(value)]),
            None => everything(),
        },
        Texts::Set(set) => {
            let mut members: Vec<&Vec<u8>> = set.iter().collect();
            members.sort_unstable();
            let values = members.into_iter().map(|member| value(member).map(one));
            match values.collect::<Option<Vec<Span>>>() {
                Some(ranges) => Spans::of(ranges),
                None => everything(),
            }
        }
        Texts::Range(low, high) => match bound(low).zip(bound(high)) {
            Some((low, high)) if is_empty(&low, &high) => Spans::of(Vec::new()),
            Some(range) => Spans::of(vec![range]),
            None => everything(),
        },
        Texts::Pattern(pattern) => Spans::to_test(of_pattern(pattern)),
    }
}

fn is_empty(low: &Bound<Value>, high: &Bound<Value>) -> bool {
    let both = |low: &Value, high: &Value, open: bool| match (low, high) {
        (Value::String(low), Value::String(high)) => low > high || open && low == high,
        (Value::Bytes(low), Value::Bytes(high)) => low > high || open && low == high,
        _ => false,
    };
    match (low, high) {
        (Bound::Included(low), Bound::Included(high)) => both(low, high, false),
        (Bound::Included(low) | Bound::Excluded(low), Bound::Excluded(high))
        | (Bound::Excluded(low), Bound::Included(high)) => both(low, high, true),
        _ => false,
    }
}

/// Returns ranges that hold all texts that a pattern matches.
fn of_pattern(pattern: &Pattern) -> Vec<Span> {
    match pattern {
        Pattern::Plain(Place::Start | Place::Whole, plain, _) => prefixes(plain),
        Pattern::Any | Pattern::Plain(..) | Pattern::Contains(_) | Pattern::Regex(_) => {
            vec![(Bound::Unbounded, Bound::Unbounded)]
        }
    }
}

/// Returns the ranges of texts that begin with ASCII text in any case, or with the beginning of it.
fn prefixes(plain: &[u8]) -> Vec<Span> {
    let mut spellings = vec![String::new()];
    for &byte in plain {
        let letters = spellings_of(byte);
        if spellings.len() * letters.len() > PREFIX_SPANS {
            break;
        }
        let extended = spellings.iter().flat_map(|spelling| {
            letters
                .iter()
                .map(move |letter| format!("{spelling}{letter}"))
        });
        spellings = extended.collect();
    }
    spellings.sort_unstable();
    let span = |spelling: String| {
        let end = after(&spelling);
        let start = match spelling.is_empty() {
            true => Bound::Unbounded,
            false => Bound::Included(Value::String(spelling)),
        };
        (start, end)
    };
    spellings.into_iter().map(span).collect()
}

/// Returns the characters that are one in any case; two beyond ASCII fold into ASCII letters.
fn spellings_of(byte: u8) -> Vec<char> {
    let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
    let mut letters = vec![char::from(upper)];
    if lower != upper {
        letters.push(char::from(lower));
    }
    match lower {
        b's' => letters.push('\u{17f}'),
        b'k' => letters.push('\u{212a}'),
        _ => {}
    }
    letters
}

/// Returns where the texts that begin with a prefix end.
fn after(prefix: &str) -> Bound<Value> {
    let mut chars = prefix.chars();
    let next = chars
        .next_back()
        .and_then(|last| char::from_u32(u32::from(last) + 1));
    match next {
        Some(next) => Bound::Excluded(Value::String(format!("{}{next}", chars.as_str()))),
        None => Bound::Unbounded,
    }
}
