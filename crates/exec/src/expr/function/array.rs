//! Multi-value functions.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, ListArray, cast::AsArray, types};
use arrow_buffer::{BooleanBuffer, OffsetBuffer};
use arrow_schema::Field;
use growler_schema::{ColumnType, DataType};

use super::{registry::Entry, unify::literal_of};
use crate::{
    error::Error,
    expr::{
        KeyView,
        args::Args,
        call::Call,
        convert::number::i64_to_f64,
        describe::describe,
        node::{Node, internal},
        test::Test,
    },
    sql::ast::Literal,
};

pub(super) const TABLE: &[Entry] = &[
    ("arraylength", length),
    ("cardinality", length),
    ("arraymin", |call| extreme(call, true)),
    ("arraymax", |call| extreme(call, false)),
    ("arraysum", |call| fold(call, |values| values.iter().sum())),
    ("arrayaverage", |call| fold(call, average)),
    ("valuein", value_in),
    ("arraydistinct", |call| reorder(call, Order::Distinct)),
    ("arrayreverse", |call| reorder(call, Order::Reverse)),
    ("arraysort", |call| reorder(call, Order::Sort)),
    ("arraycontains", contains),
    ("arraytomv", to_mv),
    ("mapvalue", map_value),
];

/// Compiles the first argument, which must be multi-value.
fn list(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    list_at(call, 0)
}

fn list_at(call: &mut Call<'_, '_>, idx: usize) -> Result<Node, Error> {
    let node = call.viewed(idx, KeyView::Own)?;
    if node.column_type.multi_value {
        return Ok(node);
    }
    Err(call.invalid(format!("argument {} must be multi-value", idx + 1)))
}

fn length(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = list(call)?;
    call.strict(vec![node], DataType::Int.single(), |args| {
        let lists = args.lists(0)?;
        args.collect::<types::Int32Type>(|row| Ok(Some(lists.value_length(row))))
    })
}

/// The least or greatest element; null for an empty list.
fn extreme(call: &mut Call<'_, '_>, least: bool) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = list(call)?;
    let data_type = node.column_type.data_type;
    call.strict(vec![node], data_type.single(), move |args| {
        let lists = args.lists(0)?;
        let compare = comparator(lists.values())?;
        let mut indices: Vec<Option<u32>> = Vec::with_capacity(lists.len());
        for row in 0..lists.len() {
            let best = bounds(&lists, row, args)
                .filter(|idx| lists.values().is_valid(*idx))
                .reduce(|best, idx| {
                    if compare(idx, best).is_lt() == least {
                        idx
                    } else {
                        best
                    }
                });
            indices.push(best.and_then(|idx| u32::try_from(idx).ok()));
        }
        let indices = arrow_array::UInt32Array::from(indices);
        arrow_select::take::take(lists.values(), &indices, None).map_err(internal)
    })
}

type Comparator = Box<dyn Fn(usize, usize) -> std::cmp::Ordering + Send + Sync>;

fn comparator(values: &ArrayRef) -> Result<Comparator, Error> {
    let options = arrow_schema::SortOptions::default();
    arrow_ord::ord::make_comparator(values, values, options).map_err(internal)
}

/// Returns the positions of a row's elements.
fn bounds(lists: &ListArray, row: usize, args: &Args<'_>) -> std::ops::Range<usize> {
    if !args.is_valid(row) {
        return 0..0;
    }
    let at = |idx: usize| {
        lists
            .value_offsets()
            .get(idx)
            .and_then(|at| usize::try_from(*at).ok())
            .unwrap_or(0)
    };
    at(row)..at(row + 1)
}

fn average(values: &[f64]) -> f64 {
    let count = i64::try_from(values.len()).unwrap_or(i64::MAX);
    values.iter().sum::<f64>() / i64_to_f64(count)
}

fn fold(call: &mut Call<'_, '_>, function: fn(&[f64]) -> f64) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = list(call)?;
    let node = call.cast(node, DataType::Double)?;
    call.strict(vec![node], DataType::Double.single(), move |args| {
        let lists = args.lists(0)?;
        let values = lists.values().as_primitive_opt::<types::Float64Type>();
        let values = values
            .ok_or_else(|| internal("not a list of doubles"))?
            .values();
        args.collect::<types::Float64Type>(|row| {
            Ok(Some(function(
                values.get(bounds(&lists, row, args)).unwrap_or_default(),
            )))
        })
    })
}

/// `valueIn(list, a, b, ..)`: the elements that are among the values.
fn value_in(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=usize::MAX)?;
    let node = list(call)?;
    let column_type = node.column_type;
    let literals = literals(call)?;
    let subject = describe(call.arg(0)?);
    let test = Test::compile("in", &literals, column_type.data_type.single(), &subject)?;
    call.strict(vec![node], column_type, move |args| {
        let lists = args.lists(0)?;
        let passes = test.evaluate(lists.values())?;
        let kept = |row: usize| {
            bounds(&lists, row, args)
                .filter(|idx| passes.value(*idx))
                .collect()
        };
        gather(&lists, column_type, args, kept)
    })
}

fn literals(call: &mut Call<'_, '_>) -> Result<Vec<Literal>, Error> {
    let mut literals = Vec::new();
    for idx in 1..call.args.len() {
        let node = call.node(idx)?;
        let literal = literal_of(&node);
        literals.push(literal.ok_or_else(|| call.invalid("values must be literals"))?);
    }
    Ok(literals)
}

/// Makes lists of chosen elements.
fn gather(
    lists: &ListArray,
    column_type: ColumnType,
    args: &Args<'_>,
    chosen: impl Fn(usize) -> Vec<usize>,
) -> Result<ArrayRef, Error> {
    let mut indices = Vec::new();
    let mut lengths = Vec::with_capacity(lists.len());
    for row in 0..lists.len() {
        let chosen = chosen(row);
        lengths.push(chosen.len());
        indices.extend(chosen.into_iter().filter_map(|idx| u32::try_from(idx).ok()));
    }
    let indices = arrow_array::UInt32Array::from(indices);
    let values = arrow_select::take::take(lists.values(), &indices, None).map_err(internal)?;
    let field = Arc::new(Field::new_list_field(
        column_type.data_type.arrow_type(),
        true,
    ));
    let offsets = OffsetBuffer::from_lengths(lengths);
    let nulls = args.nulls().cloned();
    Ok(Arc::new(
        ListArray::try_new(field, offsets, values, nulls).map_err(internal)?,
    ))
}

#[derive(Debug, Clone, Copy)]
enum Order {
    Distinct,
    Reverse,
    Sort,
}

fn reorder(call: &mut Call<'_, '_>, order: Order) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = list(call)?;
    let column_type = node.column_type;
    call.strict(vec![node], column_type, move |args| {
        let lists = args.lists(0)?;
        let compare = comparator(lists.values())?;
        gather(&lists, column_type, args, |row| {
            let mut elements: Vec<usize> = bounds(&lists, row, args).collect();
            match order {
                Order::Reverse => elements.reverse(),
                Order::Sort => elements.sort_by(|a, b| compare(*a, *b)),
                Order::Distinct => {
                    // Sorted by value, the first of equals stays; then back in place.
                    elements.sort_by(|a, b| compare(*a, *b).then(a.cmp(b)));
                    elements.dedup_by(|b, a| compare(*a, *b).is_eq());
                    elements.sort_unstable();
                }
            }
            elements
        })
    })
}

fn contains(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let node = list(call)?;
    let literals = literals(call)?;
    let subject = describe(call.arg(0)?);
    let test = Test::compile("equals", &literals, node.column_type, &subject)?;
    call.strict(vec![node], DataType::Boolean.single(), move |args| {
        let passes = test.evaluate(&args.array(0)?)?;
        Ok(Arc::new(BooleanArray::new(passes, args.nulls().cloned())))
    })
}

/// `arrayToMv(x)`: a multi-value argument is one already.
fn to_mv(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    list(call)
}

/// `mapValue(keys, 'key', values)`: the value at the key's position; null without the key.
fn map_value(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(3..=3)?;
    let keys = list(call)?;
    let values = list_at(call, 2)?;
    let key = call.node(1)?;
    let key = literal_of(&key).ok_or_else(|| call.invalid("the key must be a literal"))?;
    let subject = describe(call.arg(0)?);
    let test = Test::compile(
        "equals",
        &[key],
        keys.column_type.data_type.single(),
        &subject,
    )?;
    let data_type = values.column_type.data_type;
    call.strict(vec![keys, values], data_type.single(), move |args| {
        let (keys, values) = (args.lists(0)?, args.lists(1)?);
        let passes: BooleanBuffer = test.evaluate(keys.values())?;
        let mut indices: Vec<Option<u32>> = Vec::with_capacity(keys.len());
        for row in 0..keys.len() {
            let place = bounds(&keys, row, args).position(|idx| passes.value(idx));
            let at = place.and_then(|place| bounds(&values, row, args).nth(place));
            indices.push(at.and_then(|at| u32::try_from(at).ok()));
        }
        let indices = arrow_array::UInt32Array::from(indices);
        arrow_select::take::take(values.values(), &indices, None).map_err(internal)
    })
}
