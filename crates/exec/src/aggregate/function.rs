//! Names of aggregate functions, their arguments and result types.

use growler_schema::{ColumnType, DataType, Value};

use arrow_array::types::{Float64Type, Int64Type};

use super::{
    accumulator::Accumulator,
    array_agg::ArrayAgg,
    boolean::BooleanFold,
    count::Count,
    distinct::{Distinct, Summary, Tie},
    extreme::{Extreme, LongExtreme},
    moments::Moments,
    number::Numbers,
    quantile::AllValues,
    quantile_sketch::QuantileSketch,
    sketch::Sketch,
    sum::Sum,
    text_extreme::TextExtreme,
    with_time::WithTime,
};
use crate::{
    error::Error,
    sql::ast::{AggregateCall, Expr, Literal},
};

/// An argument to evaluate for each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// What to evaluate.
    pub expr: Expr,
    /// Whether a VARIANT key is wanted as a number.
    pub as_number: bool,
}

/// An aggregate function with its constants, ready to make states for arguments of known types.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    kind: Kind,
    null_handling: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Count,
    Sum,
    Average,
    Min,
    Max,
    Range,
    SumLong,
    MinLong,
    MaxLong,
    Variance { sample: bool, root: bool },
    Percentile { at: f64 },
    PercentileSketch { at: f64 },
    PercentileLong { at: f64 },
    DistinctCount,
    DistinctSketch { log2m: u8 },
    DistinctSum,
    DistinctMean,
    Mode(Tie),
    Boolean { all: bool },
    TextExtreme { largest: bool },
    WithTime { data_type: DataType, last: bool },
    ArrayAgg { distinct: bool },
}

/// Registers of DISTINCTCOUNTHLL are `2^12` unless the query says otherwise: 1.6 % standard error.
const LOG2M: u8 = 12;

impl Function {
    /// Finds the function of a call and tells which arguments it evaluates.
    ///
    /// # Errors
    /// [`Error::Validation`] for an unknown function, or a wrong number or kind of arguments.
    pub fn of(call: &AggregateCall, null_handling: bool) -> Result<(Self, Vec<Argument>), Error> {
        let kind = kind(call)?;
        let as_number = !matches!(
            kind,
            Kind::Count
                | Kind::DistinctCount
                | Kind::DistinctSketch { .. }
                | Kind::Boolean { .. }
                | Kind::TextExtreme { .. }
                | Kind::WithTime { .. }
                | Kind::ArrayAgg { .. }
        );
        let argument = |expr: &Expr, as_number| Argument {
            expr: expr.clone(),
            as_number,
        };
        let arguments = match (kind, call.args.as_slice()) {
            // Without null handling a null counts as its default: COUNT(x) is COUNT(*).
            (Kind::Count, []) => Vec::new(),
            (Kind::Count, [_]) if !null_handling => Vec::new(),
            (Kind::WithTime { data_type, .. }, [value, time, ..]) => {
                let cast = Expr::Call {
                    name: "cast".to_owned(),
                    args: vec![value.clone(), text(data_type.name())],
                };
                vec![argument(&cast, false), argument(time, true)]
            }
            (Kind::Count, [value]) => vec![argument(value, false)],
            (Kind::Count | Kind::WithTime { .. }, _) | (_, []) => return Err(wrong_count(call)),
            (_, [value, ..]) => vec![argument(value, as_number)],
        };
        Ok((
            Self {
                kind,
                null_handling,
            },
            arguments,
        ))
    }

    /// Returns the type of the result for arguments of these types; a multi-value argument counts
    /// each of its values.
    ///
    /// # Errors
    /// [`Error::Validation`] when the function does not take such an argument; `text` is the call's.
    pub fn result_type(&self, args: &[ColumnType], text: &str) -> Result<ColumnType, Error> {
        let first = args.first().map(|arg| arg.data_type);
        let refuse = |data_type: DataType| {
            Err(Error::Validation(format!(
                "Cannot compute {text} over {}",
                data_type.name()
            )))
        };
        let numeric = |result: DataType| match first {
            Some(T::Boolean | T::Timestamp { .. }) => Ok(result.single()),
            Some(other) if !other.is_numeric() => refuse(other),
            _ => Ok(result.single()),
        };
        use DataType as T;
        match self.kind {
            Kind::Count | Kind::DistinctSketch { .. } => Ok(T::Long.single()),
            Kind::DistinctCount => Ok(T::Int.single()),
            Kind::SumLong | Kind::MinLong | Kind::MaxLong | Kind::PercentileLong { .. } => {
                numeric(T::Long)
            }
            Kind::Boolean { .. } => match first {
                Some(T::Boolean) => Ok(T::Boolean.single()),
                other => refuse(other.unwrap_or(T::String)),
            },
            Kind::TextExtreme { .. } => match first {
                Some(other) if !other.is_text() => refuse(other),
                _ => Ok(T::String.single()),
            },
            Kind::WithTime { .. } => match args.get(1).map(|time| time.data_type) {
                Some(T::Int | T::Long | T::Timestamp { .. }) => {
                    Ok(first.unwrap_or(T::String).single())
                }
                other => refuse(other.unwrap_or(T::String)),
            },
            Kind::ArrayAgg { .. } => Ok(first.unwrap_or(T::String).multi()),
            Kind::Sum
            | Kind::Average
            | Kind::Min
            | Kind::Max
            | Kind::Range
            | Kind::Variance { .. }
            | Kind::Percentile { .. }
            | Kind::PercentileSketch { .. }
            | Kind::DistinctSum
            | Kind::DistinctMean
            | Kind::Mode(_) => numeric(T::Double),
        }
    }

    /// Makes states of no groups for arguments of these types.
    pub fn accumulator(&self, args: &[ColumnType]) -> Box<dyn Accumulator> {
        let first = args.first().map_or(DataType::String, |arg| arg.data_type);
        let none = f64::NEG_INFINITY;
        let distinct = |summary| Box::new(Distinct::new(first, summary));
        match self.kind {
            Kind::Count => Box::new(Count::default()),
            Kind::Sum => self.doubles::<Sum>(0.0, Sum::sum),
            Kind::Average => self.doubles::<Sum>(none, Sum::mean),
            Kind::Min => self.doubles::<Extreme>(f64::INFINITY, Extreme::min),
            Kind::Max => self.doubles::<Extreme>(none, Extreme::max),
            Kind::Range => self.doubles::<Extreme>(none, Extreme::range),
            Kind::SumLong => Box::new(Numbers::<Sum, Int64Type>::new(
                self.empty(0),
                Box::new(Sum::long),
            )),
            Kind::MinLong => self.longs::<LongExtreme>(i64::MAX, LongExtreme::min),
            Kind::MaxLong => self.longs::<LongExtreme>(i64::MIN, LongExtreme::max),
            Kind::Variance { sample, root } => self.doubles::<Moments>(none, move |state| {
                state
                    .variance(sample)
                    .map(|variance| if root { variance.sqrt() } else { variance })
            }),
            Kind::Percentile { at } => {
                self.doubles::<AllValues>(none, move |state| state.percentile(at))
            }
            Kind::PercentileSketch { at } => {
                self.doubles::<QuantileSketch>(none, move |state| state.percentile(at))
            }
            Kind::PercentileLong { at } => self.longs::<QuantileSketch>(i64::MIN, move |state| {
                // Saturates as Java's conversion does.
                state.percentile(at).map(|value| value as i64)
            }),
            Kind::DistinctCount => distinct(Summary::Count),
            Kind::DistinctSum => distinct(Summary::Sum(self.empty(0.0))),
            Kind::DistinctMean => distinct(Summary::Mean(self.empty(none))),
            Kind::Mode(tie) => distinct(Summary::Mode(self.empty(none), tie)),
            Kind::DistinctSketch { log2m } => Box::new(Sketch::new(log2m)),
            Kind::Boolean { all } => Box::new(BooleanFold::new(all, self.empty(all))),
            Kind::TextExtreme { largest } => {
                Box::new(TextExtreme::new(largest, self.empty("null")))
            }
            Kind::WithTime { last, .. } => {
                let empty = self.empty(()).map(|()| Value::default_null(first));
                Box::new(WithTime::new(first.single(), last, empty))
            }
            Kind::ArrayAgg { distinct } => Box::new(ArrayAgg::new(first, distinct)),
        }
    }

    /// Tells whether the function is COUNT of rows.
    pub fn counts_rows(&self, args: &[ColumnType]) -> bool {
        self.kind == Kind::Count && args.is_empty()
    }

    /// Tells whether the function is COUNT of the values that are not null.
    pub fn counts_values(&self) -> bool {
        self.kind == Kind::Count
    }

    /// Tells whether the result depends only on which values there are, not on how often or in which
    /// order.
    pub fn ignores_repeats(&self) -> bool {
        match self.kind {
            Kind::Min
            | Kind::Max
            | Kind::Range
            | Kind::MinLong
            | Kind::MaxLong
            | Kind::DistinctCount
            | Kind::DistinctSketch { .. }
            | Kind::DistinctSum
            | Kind::DistinctMean
            | Kind::Boolean { .. }
            | Kind::TextExtreme { .. } => true,
            Kind::Count
            | Kind::Sum
            | Kind::Average
            | Kind::SumLong
            | Kind::Variance { .. }
            | Kind::Percentile { .. }
            | Kind::PercentileSketch { .. }
            | Kind::PercentileLong { .. }
            | Kind::Mode(_)
            | Kind::WithTime { .. }
            | Kind::ArrayAgg { .. } => false,
        }
    }

    /// Tells whether values may be folded once with the number of their rows: neither their order nor
    /// which rows have them matters.
    pub fn takes_repeats(&self) -> bool {
        !matches!(self.kind, Kind::WithTime { .. } | Kind::ArrayAgg { .. })
    }

    /// Tells whether all values are kept, each as often as there are rows of it.
    pub fn keeps_values(&self) -> bool {
        matches!(self.kind, Kind::Percentile { .. })
    }

    /// Tells whether the result depends only on the smallest and the largest value, and on whether there
    /// is NaN.
    pub fn is_of_extremes(&self) -> bool {
        matches!(
            self.kind,
            Kind::Min
                | Kind::Max
                | Kind::Range
                | Kind::MinLong
                | Kind::MaxLong
                | Kind::Boolean { .. }
                | Kind::TextExtreme { .. }
        )
    }

    /// Makes the states of COUNT whose groups have so many rows.
    pub fn counted(counts: Vec<i64>) -> Box<dyn Accumulator> {
        Box::new(Count::of(counts))
    }

    /// Returns the result without values: a default, or null when null handling is on.
    fn empty<T>(&self, default: T) -> Option<T> {
        (!self.null_handling).then_some(default)
    }

    fn doubles<S: super::number::NumberState>(
        &self,
        empty: f64,
        finish: impl Fn(&S) -> Option<f64> + Send + 'static,
    ) -> Box<dyn Accumulator> {
        let finish = Box::new(move |state: &S| Ok(finish(state)));
        Box::new(Numbers::<S, Float64Type>::new(self.empty(empty), finish))
    }

    fn longs<S: super::number::NumberState>(
        &self,
        empty: i64,
        finish: impl Fn(&S) -> Option<i64> + Send + 'static,
    ) -> Box<dyn Accumulator> {
        let finish = Box::new(move |state: &S| Ok(finish(state)));
        Box::new(Numbers::<S, Int64Type>::new(self.empty(empty), finish))
    }
}

fn kind(call: &AggregateCall) -> Result<Kind, Error> {
    // Multi-value forms are the same functions: every argument may be multi-value here.
    let name = call.name.strip_suffix("mv").unwrap_or(&call.name);
    Ok(match name {
        "count" => Kind::Count,
        "sum" => Kind::Sum,
        "avg" => Kind::Average,
        "min" => Kind::Min,
        "max" => Kind::Max,
        "minmaxrange" => Kind::Range,
        "sumlong" | "sumint" => Kind::SumLong,
        "minlong" => Kind::MinLong,
        "maxlong" => Kind::MaxLong,
        "minstring" => Kind::TextExtreme { largest: false },
        "maxstring" => Kind::TextExtreme { largest: true },
        "varpop" => Kind::Variance {
            sample: false,
            root: false,
        },
        "varsamp" => Kind::Variance {
            sample: true,
            root: false,
        },
        "stddevpop" => Kind::Variance {
            sample: false,
            root: true,
        },
        "stddevsamp" => Kind::Variance {
            sample: true,
            root: true,
        },
        "distinctcount" | "distinctcountbitmap" => Kind::DistinctCount,
        "distinctcounthll" => Kind::DistinctSketch {
            log2m: log2m(call)?,
        },
        "distinctsum" => Kind::DistinctSum,
        "distinctavg" => Kind::DistinctMean,
        "mode" => Kind::Mode(tie(call)?),
        "booland" => Kind::Boolean { all: true },
        "boolor" => Kind::Boolean { all: false },
        "firstwithtime" => Kind::WithTime {
            data_type: third_type(call)?,
            last: false,
        },
        "lastwithtime" => Kind::WithTime {
            data_type: third_type(call)?,
            last: true,
        },
        "arrayagg" => Kind::ArrayAgg {
            distinct: is_distinct(call)?,
        },
        _ => return percentile(name, call),
    })
}

/// Parses `percentile(x, 50)`, `percentile50(x)` and their approximate forms.
fn percentile(name: &str, call: &AggregateCall) -> Result<Kind, Error> {
    let digits = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let at = match (digits, call.args.get(1)) {
        ("", Some(Expr::Literal(literal))) => number(literal),
        ("", _) => None,
        (digits, _) => digits.parse().ok(),
    };
    let at = at.filter(|at| (0.0..=100.0).contains(at));
    let wrong = || {
        Error::Validation(format!(
            "Invalid percentile in {}: must be 0 to 100",
            call.name
        ))
    };
    Ok(match name.strip_suffix(digits).unwrap_or(name) {
        "percentile" => Kind::Percentile {
            at: at.ok_or_else(wrong)?,
        },
        "percentiletdigest" | "percentilekll" => Kind::PercentileSketch {
            at: at.ok_or_else(wrong)?,
        },
        "percentileest" => Kind::PercentileLong {
            at: at.ok_or_else(wrong)?,
        },
        _ => {
            let unsupported = format!("Unsupported aggregation function: {}", call.name);
            return Err(Error::Validation(unsupported));
        }
    })
}

fn number(literal: &Literal) -> Option<f64> {
    match literal {
        Literal::Int(value) => Some(f64::from(*value)),
        Literal::Double(value, _) => Some(*value),
        Literal::String(text) => text.parse().ok(),
        Literal::Null | Literal::Boolean(_) | Literal::Long(_) => None,
    }
}

fn log2m(call: &AggregateCall) -> Result<u8, Error> {
    match call.args.get(1) {
        None => Ok(LOG2M),
        Some(Expr::Literal(Literal::Int(log2m @ 4..=16))) => {
            Ok(u8::try_from(*log2m).unwrap_or(LOG2M))
        }
        Some(_) => Err(Error::Validation(
            "log2m of DISTINCTCOUNTHLL must be 4 to 16".to_owned(),
        )),
    }
}

fn tie(call: &AggregateCall) -> Result<Tie, Error> {
    let Some(argument) = call.args.get(1) else {
        return Ok(Tie::Min);
    };
    match argument {
        Expr::Literal(Literal::String(text)) if text.eq_ignore_ascii_case("min") => Ok(Tie::Min),
        Expr::Literal(Literal::String(text)) if text.eq_ignore_ascii_case("max") => Ok(Tie::Max),
        Expr::Literal(Literal::String(text)) if text.eq_ignore_ascii_case("avg") => Ok(Tie::Mean),
        _ => Err(Error::Validation(
            "second argument of MODE must be MIN, MAX or AVG".to_owned(),
        )),
    }
}

fn third_type(call: &AggregateCall) -> Result<DataType, Error> {
    let named = match call.args.as_slice() {
        [_, _, Expr::Literal(Literal::String(name))] => DataType::parse(&name.to_ascii_uppercase()),
        _ => None,
    };
    let expected = || format!("{} takes a value, a time and the value's type", call.name);
    named.ok_or_else(|| Error::Validation(expected()))
}

fn is_distinct(call: &AggregateCall) -> Result<bool, Error> {
    match call.args.as_slice() {
        [_] | [_, Expr::Literal(Literal::String(_))] => Ok(false),
        [
            _,
            Expr::Literal(Literal::String(_)),
            Expr::Literal(Literal::Boolean(distinct)),
        ] => Ok(*distinct),
        [
            _,
            Expr::Literal(Literal::String(_)),
            Expr::Literal(Literal::String(distinct)),
        ] => Ok(distinct.eq_ignore_ascii_case("true")),
        _ => Err(wrong_count(call)),
    }
}

fn text(text: &str) -> Expr {
    Expr::Literal(Literal::String(text.to_owned()))
}

fn wrong_count(call: &AggregateCall) -> Error {
    let count = call.args.len();
    Error::Validation(format!(
        "Invalid arguments of {}: argumentCount={count}",
        call.name
    ))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
