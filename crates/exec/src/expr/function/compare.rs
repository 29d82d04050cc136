//! Comparisons: with constants by a [`Test`], else row by row.

use std::cmp::Ordering;

use arrow_array::{Array, ArrayRef, BooleanArray, cast::AsArray, types};
use arrow_buffer::BooleanBuffer;
use growler_schema::{DataType, TimeUnit};
use std::sync::Arc;

use super::{registry::Entry, unify::literal_of};
use crate::{
    error::Error,
    expr::{
        InputBatch, KeyView,
        args::Args,
        call::Call,
        convert::{
            decimal::Decimal,
            number::{i64_to_f64, parse_f64},
            timestamp::Instant,
        },
        describe::describe,
        node::{Node, Operator},
        test::{Test, key_view},
    },
    sql::{
        ast::{Expr, Literal},
        comparison::Comparison,
    },
};

pub(super) const TABLE: &[Entry] = &[
    ("equals", build),
    ("not_equals", build),
    ("less_than", build),
    ("less_than_or_equal", build),
    ("greater_than", build),
    ("greater_than_or_equal", build),
    ("between", build),
    ("in", build),
    ("not_in", build),
    ("like", build),
    ("not_like", build),
    ("regexp_like", build),
    ("regexplike", |call| build_as(call, "regexp_like")),
];

fn build(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    let name = call.name;
    build_as(call, name)
}

fn build_as(call: &mut Call<'_, '_>, name: &str) -> Result<Node, Error> {
    let (low, high) = match name {
        "between" => (3, 3),
        "in" | "not_in" => (2, usize::MAX),
        "regexp_like" => (2, 3),
        _ => (2, 2),
    };
    call.arity(low..=high)?;
    // Literals first: they say as what a key is wanted.
    let rest = (1..call.args.len())
        .map(|idx| call.node(idx))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(literals) = rest.iter().map(literal_of).collect::<Option<Vec<_>>>() {
        return with_literals(call, name, 0, &literals);
    }
    if rest.len() == 1 {
        let left = call.node(0)?;
        if let Some(comparison) = Comparison::of(name)
            && let Some(literal) = literal_of(&left)
        {
            return with_literals(call, comparison.mirrored().name(), 1, &[literal]);
        }
        return by_row(call, name, left);
    }
    match name {
        "between" => between(call),
        "in" | "not_in" => any_of(call, name),
        _ => Err(call.invalid("the pattern must be a literal")),
    }
}

/// Compiles `argument OP literals`.
fn with_literals(
    call: &mut Call<'_, '_>,
    name: &str,
    idx: usize,
    literals: &[Literal],
) -> Result<Node, Error> {
    let subject = describe(call.arg(idx)?);
    let value = call.viewed(idx, key_view(name, literals))?;
    let test = Test::compile(name, literals, value.column_type, &subject)?;
    if value.is_null_literal() {
        return call.null(DataType::Boolean.single());
    }
    call.operator(Predicate { test, value }, DataType::Boolean.single())
}

/// A test of an expression's values.
#[derive(Debug)]
struct Predicate {
    test: Test,
    value: Node,
}

impl Operator for Predicate {
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let values = self.value.rows(batch)?;
        let truth = self.test.evaluate(&values)?;
        Ok(Arc::new(BooleanArray::new(truth, values.logical_nulls())))
    }

    fn children(&self) -> Vec<&Node> {
        vec![&self.value]
    }
}

/// `x BETWEEN a AND b` with bounds that are no literals.
fn between(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    let bound = |name: &str, idx: usize| -> Result<Expr, Error> {
        let args = vec![call.arg(0)?.clone(), call.arg(idx)?.clone()];
        Ok(Expr::Call {
            name: name.to_owned(),
            args,
        })
    };
    let args = vec![
        bound("greater_than_or_equal", 1)?,
        bound("less_than_or_equal", 2)?,
    ];
    let both = Expr::Call {
        name: "and".to_owned(),
        args,
    };
    call.compiler.compile(&both, KeyView::Own)
}

/// `x IN (a, b)` with members that are no literals.
fn any_of(call: &mut Call<'_, '_>, name: &str) -> Result<Node, Error> {
    let first = call.arg(0)?.clone();
    let equal = |member: &Expr| Expr::Call {
        name: "equals".to_owned(),
        args: vec![first.clone(), member.clone()],
    };
    let args = call.args.iter().skip(1).map(equal).collect();
    let mut any = Expr::Call {
        name: "or".to_owned(),
        args,
    };
    if name == "not_in" {
        any = Expr::Call {
            name: "not".to_owned(),
            args: vec![any],
        };
    }
    call.compiler.compile(&any, KeyView::Own)
}

/// Compiles a comparison of two values that both vary.
fn by_row(call: &mut Call<'_, '_>, name: &str, left: Node) -> Result<Node, Error> {
    let comparison =
        Comparison::of(name).ok_or_else(|| call.invalid("the pattern must be a literal"))?;
    let accepts = comparison.accepts();
    // Not a number: only `<>` holds.
    let unordered = comparison == Comparison::NotEqual;
    let right = call.node(1)?;
    let (left, right) = numeric_keys(call, left, right)?;
    if left.column_type.multi_value || right.column_type.multi_value {
        return Err(call.invalid("multi-value columns compare with literals only"));
    }
    let compare = comparer(left.column_type.data_type, right.column_type.data_type)
        .ok_or_else(|| call.invalid("values of these types do not compare"))?;
    call.strict(vec![left, right], DataType::Boolean.single(), move |args| {
        compare(args, &|order| order.map_or(unordered, accepts))
    })
}

/// Reads a text key as a number when the other side is one.
fn numeric_keys(call: &mut Call<'_, '_>, left: Node, right: Node) -> Result<(Node, Node), Error> {
    let is_item = |idx: usize| matches!(call.args.get(idx), Some(Expr::Item { .. }));
    let (l, r) = (left.column_type.data_type, right.column_type.data_type);
    if l == DataType::String && r.is_numeric() && is_item(0) {
        return Ok((call.viewed(0, KeyView::Number)?, right));
    }
    if r == DataType::String && l.is_numeric() && is_item(1) {
        return Ok((left, call.viewed(1, KeyView::Number)?));
    }
    Ok((left, right))
}

pub(super) type Accept<'a> = &'a dyn Fn(Option<Ordering>) -> bool;
pub(super) type Compare =
    Box<dyn Fn(&Args<'_>, Accept<'_>) -> Result<ArrayRef, Error> + Send + Sync>;

/// Picks the loop that compares values of two types.
pub(super) fn comparer(left: DataType, right: DataType) -> Option<Compare> {
    use DataType as T;
    Some(match (left, right) {
        (T::Int | T::Long, T::Int | T::Long) => {
            rows(exact(left), exact(right), |a, b| Some(a.cmp(b)))
        }
        (T::Float | T::Double, T::Float | T::Double) => {
            rows(double(left), double(right), f64::partial_cmp)
        }
        (T::Int | T::Long, T::Float | T::Double) => {
            rows(exact(left), double(right), |a, b| compare_mixed(*a, *b))
        }
        (T::Float | T::Double, T::Int | T::Long) => rows(double(left), exact(right), |a, b| {
            compare_mixed(*b, *a).map(Ordering::reverse)
        }),
        (a, b) if a.is_numeric() && b.is_numeric() => {
            rows(decimal(left), decimal(right), |a, b| match (a, b) {
                (Ok(a), Ok(b)) => Some(a.compare(*b)),
                (Ok(a), Err(b)) => a.to_f64().partial_cmp(b),
                (Err(a), Ok(b)) => a.partial_cmp(&b.to_f64()),
                (Err(a), Err(b)) => a.partial_cmp(b),
            })
        }
        (T::Boolean, T::Boolean) => rows(boolean(), boolean(), |a, b| Some(a.cmp(b))),
        (T::Bytes, T::Bytes) => Box::new(|args, accept| {
            let (a, b) = (args.bytes(0)?, args.bytes(1)?);
            Ok(args.collect_bool(|row| accept(Some(a.value(row).cmp(b.value(row))))))
        }),
        (a, b) if a.is_text() && b.is_text() => Box::new(|args, accept| {
            let (a, b) = (args.texts(0)?, args.texts(1)?);
            Ok(args
                .collect_bool(|row| accept(Some(a.at(row).as_bytes().cmp(b.at(row).as_bytes())))))
        }),
        (a, T::Timestamp { .. }) | (T::Timestamp { .. }, a)
            if a.is_text() || a.is_numeric() || matches!(a, T::Timestamp { .. }) =>
        {
            partial(time(left), time(right))
        }
        (T::Boolean, b) if b.is_text() => partial(flag(left), flag(right)),
        (a, T::Boolean) if a.is_text() => partial(flag(left), flag(right)),
        (a, b) if a.is_text() && b.is_numeric() || a.is_numeric() && b.is_text() => {
            partial(parsed(left), parsed(right))
        }
        _ => return None,
    })
}

/// Reads the value of an argument in a row.
type Read<T> = Box<dyn Fn(&ArrayRef, usize) -> T + Send + Sync>;

fn rows<A: 'static, B: 'static>(
    left: Read<A>,
    right: Read<B>,
    compare: fn(&A, &B) -> Option<Ordering>,
) -> Compare {
    Box::new(move |args, accept| {
        let (a, b) = (args.array(0)?, args.array(1)?);
        Ok(args.collect_bool(|row| accept(compare(&left(&a, row), &right(&b, row)))))
    })
}

/// Compares values one of which may not be readable as the other's type: those match nothing.
fn partial<T: PartialOrd + 'static>(left: Read<Option<T>>, right: Read<Option<T>>) -> Compare {
    Box::new(move |args, accept| {
        let (a, b) = (args.array(0)?, args.array(1)?);
        let truth = BooleanBuffer::collect_bool(args.row_count(), |row| {
            args.is_valid(row)
                && match (left(&a, row), right(&b, row)) {
                    (Some(a), Some(b)) => accept(a.partial_cmp(&b)),
                    _ => false,
                }
        });
        Ok(Arc::new(BooleanArray::new(truth, args.nulls().cloned())))
    })
}

fn exact(from: DataType) -> Read<i64> {
    match from {
        DataType::Int => {
            Box::new(|array, row| i64::from(array.as_primitive::<types::Int32Type>().value(row)))
        }
        _ => Box::new(|array, row| array.as_primitive::<types::Int64Type>().value(row)),
    }
}

fn double(from: DataType) -> Read<f64> {
    match from {
        DataType::Float => {
            Box::new(|array, row| f64::from(array.as_primitive::<types::Float32Type>().value(row)))
        }
        _ => Box::new(|array, row| array.as_primitive::<types::Float64Type>().value(row)),
    }
}

/// An exact number, or a double that is none.
fn decimal(from: DataType) -> Read<Result<Decimal, f64>> {
    match from {
        DataType::BigDecimal { scale } => Box::new(move |array, row| {
            let unscaled = array.as_primitive::<types::Decimal128Type>().value(row);
            Ok(Decimal { unscaled, scale })
        }),
        DataType::Float | DataType::Double => {
            let double = double(from);
            Box::new(move |array, row| {
                let value = double(array, row);
                Decimal::from_f64(value).ok_or(value)
            })
        }
        _ => {
            let exact = exact(from);
            Box::new(move |array, row| {
                Ok(Decimal {
                    unscaled: i128::from(exact(array, row)),
                    scale: 0,
                })
            })
        }
    }
}

fn boolean() -> Read<bool> {
    Box::new(|array, row| array.as_boolean().value(row))
}

fn text(array: &ArrayRef, row: usize) -> &str {
    array.as_string_view().value(row)
}

/// Nanoseconds since 1970; numbers count milliseconds.
fn time(from: DataType) -> Read<Option<i128>> {
    match from {
        DataType::Timestamp { unit } => Box::new(move |array, row| {
            let counts = crate::expr::convert::value::timestamp_values(array)?;
            Some(Instant::from_units(*counts.get(row)?, unit).total_nanos())
        }),
        from if from.is_text() => {
            Box::new(|array, row| Instant::parse(text(array, row)).map(Instant::total_nanos))
        }
        from => {
            let parsed = parsed(from);
            Box::new(move |array, row| {
                let millis = crate::expr::convert::number::truncate(parsed(array, row)?)?;
                Some(Instant::from_units(millis, TimeUnit::Millis).total_nanos())
            })
        }
    }
}

fn flag(from: DataType) -> Read<Option<bool>> {
    match from {
        DataType::Boolean => Box::new(|array, row| Some(array.as_boolean().value(row))),
        _ => Box::new(|array, row| text(array, row).to_ascii_lowercase().parse().ok()),
    }
}

fn parsed(from: DataType) -> Read<Option<f64>> {
    match from {
        DataType::Int | DataType::Long => {
            let exact = exact(from);
            Box::new(move |array, row| Some(i64_to_f64(exact(array, row))))
        }
        DataType::BigDecimal { .. } => {
            let decimal = decimal(from);
            Box::new(move |array, row| {
                Some(decimal(array, row).map_or_else(|v| v, Decimal::to_f64))
            })
        }
        DataType::Float | DataType::Double => {
            let double = double(from);
            Box::new(move |array, row| Some(double(array, row)))
        }
        _ => Box::new(|array, row| parse_f64(text(array, row))),
    }
}

/// Compares a whole number with a double exactly.
fn compare_mixed(whole: i64, double: f64) -> Option<Ordering> {
    match i64_to_f64(whole).partial_cmp(&double)? {
        // Equal as doubles, so the double is whole and fits 128 bits.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a double of 64 bits fits 128 bits"
        )]
        Ordering::Equal => Some(i128::from(whole).cmp(&(double as i128))),
        order => Some(order),
    }
}
