//! Numbers: one in, one out; rounding; the least and the greatest.

use arrow_array::{Array, ArrayRef, BooleanArray, cast::AsArray, types};
use growler_schema::DataType;

use super::{
    arithmetic::{doubles, with_scale},
    compare::comparer,
    registry::Entry,
    unify::unify,
};
use crate::{
    error::Error,
    expr::{
        KeyView,
        call::Call,
        convert::{
            decimal::{Decimal, Rounding, power_of_ten},
            number::i64_to_f64,
        },
        node::{Node, internal},
    },
};

pub(super) const TABLE: &[Entry] = &[
    ("abs", |call| {
        exact_or(call, |n| n.unscaled.checked_abs(), f64::abs)
    }),
    ("ceil", ceil),
    ("ceiling", ceil),
    ("floor", |call| {
        exact_or(call, |n| whole(n, Rounding::Floor), f64::floor)
    }),
    ("sign", |call| {
        unary(call, |a| if a == 0.0 { a } else { a.signum() })
    }),
    ("exp", |call| unary(call, f64::exp)),
    ("ln", |call| unary(call, f64::ln)),
    ("log", |call| unary(call, f64::ln)),
    ("log2", |call| unary(call, f64::log2)),
    ("log10", |call| unary(call, f64::log10)),
    ("sqrt", |call| unary(call, f64::sqrt)),
    ("cbrt", |call| unary(call, f64::cbrt)),
    ("sin", |call| unary(call, f64::sin)),
    ("cos", |call| unary(call, f64::cos)),
    ("tan", |call| unary(call, f64::tan)),
    ("cot", |call| unary(call, |a| 1.0 / a.tan())),
    ("asin", |call| unary(call, f64::asin)),
    ("acos", |call| unary(call, f64::acos)),
    ("atan", |call| unary(call, f64::atan)),
    ("sinh", |call| unary(call, f64::sinh)),
    ("cosh", |call| unary(call, f64::cosh)),
    ("tanh", |call| unary(call, f64::tanh)),
    ("degrees", |call| unary(call, f64::to_degrees)),
    ("radians", |call| unary(call, f64::to_radians)),
    ("atan2", |call| doubles(call, f64::atan2)),
    ("power", |call| doubles(call, f64::powf)),
    ("pow", |call| doubles(call, f64::powf)),
    ("round", round),
    ("rounddecimal", |call| to_scale(call, Rounding::HalfUp)),
    ("truncate", |call| to_scale(call, Rounding::Down)),
    ("truncatedecimal", |call| to_scale(call, Rounding::Down)),
    ("least", |call| extreme(call, true)),
    ("greatest", |call| extreme(call, false)),
];

fn unary(call: &mut Call<'_, '_>, function: fn(f64) -> f64) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.double(0)?;
    of_double(call, node, function)
}

fn of_double(call: &mut Call<'_, '_>, node: Node, function: fn(f64) -> f64) -> Result<Node, Error> {
    call.strict(vec![node], DataType::Double.single(), move |args| {
        Ok(args.map::<_, types::Float64Type>(args.doubles(0)?, function))
    })
}

fn ceil(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    exact_or(call, |n| whole(n, Rounding::Ceiling), f64::ceil)
}

/// Rounds to a whole number, at the number's own scale.
fn whole(number: Decimal, rounding: Rounding) -> Option<i128> {
    let whole = number.rescale(0, rounding)?;
    Decimal {
        unscaled: whole,
        scale: 0,
    }
    .rescale_exact(number.scale)
}

/// Makes a function that keeps decimals exact and takes other numbers as doubles.
fn exact_or(
    call: &mut Call<'_, '_>,
    exact: fn(Decimal) -> Option<i128>,
    double: fn(f64) -> f64,
) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.single(0, KeyView::Number)?;
    let DataType::BigDecimal { scale } = node.column_type.data_type else {
        let node = call.cast(node, DataType::Double)?;
        return of_double(call, node, double);
    };
    let column_type = node.column_type;
    let text = call.text();
    call.strict(vec![node], column_type, move |args| {
        let lane = args.primitive::<types::Decimal128Type>(0)?;
        let array = args.collect::<types::Decimal128Type>(|row| {
            let value = exact(Decimal {
                unscaled: lane.at(row),
                scale,
            });
            value.map(Some).ok_or_else(|| {
                Error::Execution(format!(
                    "decimal has more than 38 digits, expression={text}"
                ))
            })
        })?;
        with_scale(&array, scale)
    })
}

/// `round(x)` to the nearest whole number; `round(x, n)`, in spite of its name, toward zero to a
/// multiple of `n`: it buckets times.
fn round(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=2)?;
    if call.args.len() == 1 {
        return to_scale(call, Rounding::HalfUp);
    }
    let (value, step) = (call.millis(0)?, call.long(1)?);
    call.strict(vec![value, step], DataType::Long.single(), |args| {
        let (value, step) = (args.longs(0)?, args.longs(1)?);
        args.collect::<types::Int64Type>(|row| {
            let (value, step) = (value.at(row), step.at(row));
            // The product is never further from zero than the value.
            Ok(value
                .checked_div(step)
                .map(|count| count.wrapping_mul(step)))
        })
    })
}

/// `roundDecimal(x[, scale])` and `truncate(x[, scale])`.
fn to_scale(call: &mut Call<'_, '_>, rounding: Rounding) -> Result<Node, Error> {
    call.arity(1..=2)?;
    let value = call.double(0)?;
    let scale = if call.args.len() == 2 {
        call.long(1)?
    } else {
        Node::constant(
            Some(growler_schema::Value::Long(0)),
            DataType::Long.single(),
        )?
    };
    call.strict(vec![value, scale], DataType::Double.single(), move |args| {
        Ok(args.map2::<_, _, types::Float64Type>(
            args.doubles(0)?,
            args.longs(1)?,
            |value, scale| at_scale(value, scale, rounding),
        ))
    })
}

/// Rounds the shortest decimal text of a double.
fn at_scale(value: f64, scale: i64, rounding: Rounding) -> f64 {
    let whole = if rounding == Rounding::Down {
        value.trunc()
    } else {
        value.round()
    };
    if scale == 0 {
        return whole;
    }
    if scale < 0 {
        let Some(step) = u32::try_from(-scale).ok().and_then(power_of_ten) else {
            return 0.0;
        };
        let step = i64_to_f64(i64::try_from(step).unwrap_or(i64::MAX));
        let count = value / step;
        return step
            * if rounding == Rounding::Down {
                count.trunc()
            } else {
                count.round()
            };
    }
    let Some(exact) = Decimal::from_f64(value) else {
        return value;
    };
    match i8::try_from(scale) {
        Ok(scale) if scale < exact.scale => exact
            .rescale(scale, rounding)
            .map_or(value, |unscaled| Decimal { unscaled, scale }.to_f64()),
        _ => value,
    }
}

/// The least or greatest argument; null when any is.
fn extreme(call: &mut Call<'_, '_>, least: bool) -> Result<Node, Error> {
    call.arity(1..=usize::MAX)?;
    let mut nodes = Vec::new();
    for idx in 0..call.args.len() {
        nodes.push(call.single(idx, call.view)?);
    }
    let mut nodes = unify(call, nodes)?.into_iter();
    let mut result = nodes.next().ok_or_else(|| internal("no arguments"))?;
    for next in nodes {
        result = extreme_of_two(call, result, next, least)?;
    }
    Ok(result)
}

fn extreme_of_two(call: &mut Call<'_, '_>, a: Node, b: Node, least: bool) -> Result<Node, Error> {
    let column_type = a.column_type;
    let data_type = column_type.data_type;
    let compare = comparer(data_type, data_type)
        .ok_or_else(|| call.invalid("values of this type do not compare"))?;
    call.strict(vec![a, b], column_type, move |args| {
        // NaN wins, as in Java: it has no order, so the first argument is kept only if it is NaN.
        let keep = compare(args, &|order| {
            order.is_some_and(|order| if least { order.is_le() } else { order.is_ge() })
        })?;
        let (a, b) = (args.array(0)?, args.array(1)?);
        let keep = keep
            .as_boolean_opt()
            .ok_or_else(|| internal("not a boolean array"))?;
        let values = keep.values() | &is_nan(&a);
        let chosen: ArrayRef =
            arrow_select::zip::zip(&BooleanArray::new(values, None), &a, &b).map_err(internal)?;
        nulled(chosen, args.nulls())
    })
}

fn is_nan(array: &ArrayRef) -> arrow_buffer::BooleanBuffer {
    use arrow_buffer::BooleanBuffer;
    if let Some(array) = array.as_primitive_opt::<types::Float64Type>() {
        return BooleanBuffer::collect_bool(array.len(), |row| array.value(row).is_nan());
    }
    match array.as_primitive_opt::<types::Float32Type>() {
        Some(array) => BooleanBuffer::collect_bool(array.len(), |row| array.value(row).is_nan()),
        None => BooleanBuffer::new_unset(array.len()),
    }
}

/// Makes rows null where an argument was.
fn nulled(array: ArrayRef, nulls: Option<&arrow_buffer::NullBuffer>) -> Result<ArrayRef, Error> {
    match nulls {
        Some(nulls) => {
            let null = BooleanArray::new(!nulls.inner(), None);
            arrow::compute::nullif(&array, &null).map_err(internal)
        }
        None => Ok(array),
    }
}
