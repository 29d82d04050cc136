//! Milliseconds to counts of seconds, minutes, hours and days since 1970, and back.

use arrow_array::types::Int64Type;
use growler_schema::{DataType, TimeUnit, Value};

use super::registry::Entry;
use crate::{
    error::Error,
    expr::{call::Call, node::Node},
};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

pub(super) const TABLE: &[Entry] = &[
    ("toepochseconds", |call| to_epoch(call, SECOND)),
    ("toepochminutes", |call| to_epoch(call, MINUTE)),
    ("toepochhours", |call| to_epoch(call, HOUR)),
    ("toepochdays", |call| to_epoch(call, DAY)),
    ("toepochsecondsrounded", |call| rounded(call, SECOND)),
    ("toepochminutesrounded", |call| rounded(call, MINUTE)),
    ("toepochhoursrounded", |call| rounded(call, HOUR)),
    ("toepochdaysrounded", |call| rounded(call, DAY)),
    ("toepochsecondsbucket", |call| bucket(call, SECOND)),
    ("toepochminutesbucket", |call| bucket(call, MINUTE)),
    ("toepochhoursbucket", |call| bucket(call, HOUR)),
    ("toepochdaysbucket", |call| bucket(call, DAY)),
    ("fromepochseconds", |call| from_epoch(call, SECOND)),
    ("fromepochminutes", |call| from_epoch(call, MINUTE)),
    ("fromepochhours", |call| from_epoch(call, HOUR)),
    ("fromepochdays", |call| from_epoch(call, DAY)),
    ("fromepochsecondsbucket", |call| from_bucket(call, SECOND)),
    ("fromepochminutesbucket", |call| from_bucket(call, MINUTE)),
    ("fromepochhoursbucket", |call| from_bucket(call, HOUR)),
    ("fromepochdaysbucket", |call| from_bucket(call, DAY)),
    ("totimestamp", to_timestamp),
    ("fromtimestamp", from_timestamp),
    ("now", now),
    ("currenttimestamp", now),
];

fn to_epoch(call: &mut Call<'_, '_>, len: i64) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.millis(0)?;
    call.strict(vec![node], DataType::Long.single(), move |args| {
        Ok(args.map::<_, Int64Type>(args.longs(0)?, |ms| ms.div_euclid(len)))
    })
}

fn from_epoch(call: &mut Call<'_, '_>, len: i64) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.long(0)?;
    call.strict(vec![node], DataType::Long.single(), move |args| {
        Ok(args.map::<_, Int64Type>(args.longs(0)?, |count| count.saturating_mul(len)))
    })
}

/// Units, truncated to a multiple of `n` units.
fn rounded(call: &mut Call<'_, '_>, len: i64) -> Result<Node, Error> {
    with_count(call, true, move |ms, n| {
        let count = ms.div_euclid(len);
        count
            .checked_rem_euclid(n)
            .map(|rest| count.saturating_sub(rest))
    })
}

/// Units divided by `n`.
fn bucket(call: &mut Call<'_, '_>, len: i64) -> Result<Node, Error> {
    with_count(call, true, move |ms, n| {
        ms.div_euclid(len).checked_div_euclid(n)
    })
}

fn from_bucket(call: &mut Call<'_, '_>, len: i64) -> Result<Node, Error> {
    with_count(call, false, move |bucket, n| {
        Some(bucket.saturating_mul(n).saturating_mul(len))
    })
}

fn with_count(
    call: &mut Call<'_, '_>,
    millis: bool,
    function: impl Fn(i64, i64) -> Option<i64> + Send + Sync + 'static,
) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let value = if millis {
        call.millis(0)?
    } else {
        call.long(0)?
    };
    let args = vec![value, call.long(1)?];
    call.strict(args, DataType::Long.single(), move |args| {
        let (value, n) = (args.longs(0)?, args.longs(1)?);
        args.collect::<Int64Type>(|row| Ok(function(value.at(row), n.at(row))))
    })
}

fn to_timestamp(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.node(0)?;
    let to = match node.column_type.data_type {
        from @ DataType::Timestamp { .. } => from,
        _ => DataType::Timestamp {
            unit: TimeUnit::Millis,
        },
    };
    call.cast(node, to)
}

fn from_timestamp(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    call.millis(0)
}

fn now(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(0..=0)?;
    Node::constant(
        Some(Value::Long(call.compiler.now_ms)),
        DataType::Long.single(),
    )
}
