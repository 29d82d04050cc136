//! `+ - * / %`: DOUBLE, or BIG_DECIMAL where a decimal meets exact numbers.

use std::sync::Arc;

use arrow_array::{ArrayRef, types};
use growler_schema::DataType;

use super::{registry::Entry, unify::common_type};
use crate::{
    error::Error,
    expr::{
        KeyView,
        args::Args,
        call::{COMPUTED_SCALE, Call},
        convert::{
            decimal::{Decimal, Rounding, divide, power_of_ten},
            number::{saturate_i64, truncate},
        },
        node::{Node, internal},
    },
};

pub(super) const TABLE: &[Entry] = &[
    ("plus", |call| arithmetic(call, Operation::Plus)),
    ("add", |call| arithmetic(call, Operation::Plus)),
    ("minus", |call| arithmetic(call, Operation::Minus)),
    ("sub", |call| arithmetic(call, Operation::Minus)),
    ("times", |call| arithmetic(call, Operation::Times)),
    ("mult", |call| arithmetic(call, Operation::Times)),
    ("divide", |call| arithmetic(call, Operation::Divide)),
    ("div", |call| arithmetic(call, Operation::Divide)),
    ("mod", |call| doubles(call, |a, b| a % b)),
    ("negate", negate),
    ("intdiv", int_div),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Plus,
    Minus,
    Times,
    Divide,
}

/// `add` and `mult` take any number of arguments, the others two.
fn arithmetic(call: &mut Call<'_, '_>, operation: Operation) -> Result<Node, Error> {
    let many = matches!(operation, Operation::Plus | Operation::Times);
    call.arity(2..=if many { usize::MAX } else { 2 })?;
    let mut nodes = Vec::new();
    for idx in 0..call.args.len() {
        nodes.push(call.single(idx, KeyView::Number)?);
    }
    // NULL literals have any type; so does a text that is a number.
    let common = common_type(call, &nodes).unwrap_or(DataType::Double);
    let mut rest = nodes.into_iter();
    let mut result = rest.next().ok_or_else(|| internal("no arguments"))?;
    for next in rest {
        result = match common {
            DataType::BigDecimal { .. } => decimals(call, operation, result, next)?,
            _ => {
                let (a, b) = (
                    call.cast(result, DataType::Double)?,
                    call.cast(next, DataType::Double)?,
                );
                apply(call, operation, a, b)?
            }
        };
    }
    Ok(result)
}

fn apply(call: &mut Call<'_, '_>, operation: Operation, a: Node, b: Node) -> Result<Node, Error> {
    match operation {
        Operation::Plus => binary(call, a, b, |a, b| a + b),
        Operation::Minus => binary(call, a, b, |a, b| a - b),
        Operation::Times => binary(call, a, b, |a, b| a * b),
        Operation::Divide => binary(call, a, b, |a, b| a / b),
    }
}

/// Makes a function of two doubles.
pub(super) fn doubles(
    call: &mut Call<'_, '_>,
    function: fn(f64, f64) -> f64,
) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let (a, b) = (call.double(0)?, call.double(1)?);
    binary(call, a, b, function)
}

fn binary(
    call: &mut Call<'_, '_>,
    a: Node,
    b: Node,
    function: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
) -> Result<Node, Error> {
    call.strict(vec![a, b], DataType::Double.single(), move |args| {
        Ok(args.map2::<_, _, types::Float64Type>(args.doubles(0)?, args.doubles(1)?, &function))
    })
}

/// Computes with decimals: sums keep the finer scale, products add the scales, quotients have
/// [`COMPUTED_SCALE`] digits and are null where the divisor is zero.
fn decimals(
    call: &mut Call<'_, '_>,
    operation: Operation,
    a: Node,
    b: Node,
) -> Result<Node, Error> {
    let (a, a_scale) = as_decimal(call, a)?;
    let (b, b_scale) = as_decimal(call, b)?;
    let scale = match operation {
        Operation::Plus | Operation::Minus => a_scale.max(b_scale),
        Operation::Times => (a_scale + b_scale).min(a_scale.max(b_scale).max(COMPUTED_SCALE)),
        Operation::Divide => a_scale.max(b_scale).max(COMPUTED_SCALE),
    };
    let text = call.text();
    let column_type = DataType::BigDecimal { scale }.single();
    call.strict(vec![a, b], column_type, move |args| {
        let a = args.primitive::<types::Decimal128Type>(0)?;
        let b = args.primitive::<types::Decimal128Type>(1)?;
        let array = args.collect::<types::Decimal128Type>(|row| {
            let a = Decimal {
                unscaled: a.at(row),
                scale: a_scale,
            };
            let b = Decimal {
                unscaled: b.at(row),
                scale: b_scale,
            };
            if operation == Operation::Divide && b.unscaled == 0 {
                return Ok(None);
            }
            let computed = compute(operation, a, b, scale);
            computed.map(Some).ok_or_else(|| too_large(&text))
        })?;
        with_scale(&array, scale)
    })
}

fn compute(operation: Operation, a: Decimal, b: Decimal, scale: i8) -> Option<i128> {
    let unscaled = match operation {
        Operation::Plus | Operation::Minus => {
            let (a, b) = (a.rescale_exact(scale)?, b.rescale_exact(scale)?);
            if operation == Operation::Plus {
                a.checked_add(b)?
            } else {
                a.checked_sub(b)?
            }
        }
        Operation::Times => {
            let product = a.unscaled.checked_mul(b.unscaled)?;
            let excess = i32::from(a.scale) + i32::from(b.scale) - i32::from(scale);
            match u32::try_from(excess) {
                Ok(excess) => divide(product, power_of_ten(excess)?, Rounding::HalfUp),
                Err(_) => product,
            }
        }
        Operation::Divide => {
            let shift = i32::from(scale) + i32::from(b.scale) - i32::from(a.scale);
            let factor = power_of_ten(u32::try_from(shift).ok()?)?;
            let dividend = a.unscaled.checked_mul(factor)?;
            let sign = b.unscaled.signum();
            divide(
                dividend.checked_mul(sign)?,
                b.unscaled.checked_abs()?,
                Rounding::HalfUp,
            )
        }
    };
    Decimal::try_new(unscaled, scale).map(|decimal| decimal.unscaled)
}

/// Converts to a decimal of the value's own scale.
fn as_decimal(call: &mut Call<'_, '_>, node: Node) -> Result<(Node, i8), Error> {
    use crate::sql::ast::Literal;
    let scale = match (node.column_type.data_type, node.as_literal()) {
        (DataType::BigDecimal { scale }, _) => scale,
        (_, Some(Literal::Double(_, text))) => Decimal::parse(text)
            .map(Decimal::normalized)
            .map_or(COMPUTED_SCALE, |n| n.scale),
        (_, Some(Literal::String(text))) => {
            Decimal::parse(text).map_or(COMPUTED_SCALE, |n| n.scale)
        }
        _ => 0,
    };
    Ok((call.cast(node, DataType::BigDecimal { scale })?, scale))
}

/// Gives a decimal array its precision and scale.
pub(super) fn with_scale(array: &ArrayRef, scale: i8) -> Result<ArrayRef, Error> {
    use arrow_array::cast::AsArray;
    let array = array.as_primitive::<types::Decimal128Type>().clone();
    let scaled =
        array.with_precision_and_scale(growler_schema::data_type::DECIMAL_PRECISION, scale);
    Ok(Arc::new(scaled.map_err(internal)?))
}

fn too_large(text: &str) -> Error {
    Error::Execution(format!(
        "decimal has more than 38 digits, expression={text}"
    ))
}

fn negate(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.double(0)?;
    call.strict(vec![node], DataType::Double.single(), |args: &Args<'_>| {
        Ok(args.map::<_, types::Float64Type>(args.doubles(0)?, |a| -a))
    })
}

/// The whole part of a quotient; null where the divisor is zero.
fn int_div(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let (a, b) = (
        call.single(0, KeyView::Number)?,
        call.single(1, KeyView::Number)?,
    );
    let whole = |node: &Node| matches!(node.column_type.data_type, DataType::Int | DataType::Long);
    let long = DataType::Long.single();
    if whole(&a) && whole(&b) {
        let (a, b) = (call.cast(a, DataType::Long)?, call.cast(b, DataType::Long)?);
        return call.strict(vec![a, b], long, |args| {
            let (a, b) = (args.longs(0)?, args.longs(1)?);
            args.collect::<types::Int64Type>(|row| {
                Ok((b.at(row) != 0).then(|| a.at(row).saturating_div(b.at(row))))
            })
        });
    }
    let (a, b) = (
        call.cast(a, DataType::Double)?,
        call.cast(b, DataType::Double)?,
    );
    call.strict(vec![a, b], long, |args| {
        let (a, b) = (args.doubles(0)?, args.doubles(1)?);
        args.collect::<types::Int64Type>(|row| {
            let quotient = (a.at(row) / b.at(row)).trunc();
            Ok(quotient
                .is_finite()
                .then(|| truncate(quotient).unwrap_or(saturate_i64(quotient))))
        })
    })
}
