//! Moments plus and minus spans, and spans between moments.

use arrow_array::types::{Int64Type, TimestampMillisecondType};
use growler_schema::{DataType, TimeUnit, Value};

use super::{calendar::time_unit, registry::Entry};
use crate::{
    error::Error,
    expr::{
        call::Call,
        date::{calendar::CalendarUnit, duration},
        node::Node,
    },
    sql::ast::Expr,
};

pub(super) const TABLE: &[Entry] = &[
    ("timestampadd", add),
    ("dateadd", add),
    ("timestampdiff", diff),
    ("datediff", diff),
    ("ago", ago),
    ("timeconvert", time_convert),
    ("datebin", date_bin),
];

/// Reads the unit: a literal or a bare name.
fn unit(call: &mut Call<'_, '_>) -> Result<CalendarUnit, Error> {
    let name = match call.arg(0)? {
        Expr::Column(name) => name.clone(),
        _ => call.constant_text(0)?,
    };
    CalendarUnit::parse(&name)
        .ok_or_else(|| call.invalid(format!("'{name}' is not a valid Timestamp field")))
}

/// `timestampAdd(unit, count, millis)`.
fn add(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(3..=3)?;
    let unit = unit(call)?;
    let args = vec![call.long(1)?, call.millis(2)?];
    call.strict(args, DataType::Long.single(), move |args| {
        let (count, ms) = (args.longs(0)?, args.longs(1)?);
        Ok(args.map2::<_, _, Int64Type>(count, ms, |count, ms| unit.add(ms, count)))
    })
}

/// `timestampDiff(unit, from, to)`: whole units.
fn diff(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(3..=3)?;
    let unit = unit(call)?;
    let args = vec![call.millis(1)?, call.millis(2)?];
    call.strict(args, DataType::Long.single(), move |args| {
        let (from, to) = (args.longs(0)?, args.longs(1)?);
        Ok(args.map2::<_, _, Int64Type>(from, to, |from, to| unit.between(from, to)))
    })
}

/// `ago('PT1H')`: milliseconds that span before the query's start.
fn ago(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let text = call.constant_text(0)?;
    let span = duration::parse(&text)
        .ok_or_else(|| call.invalid(format!("not an ISO-8601 span: {text}")))?;
    let moment = call.compiler.now_ms.saturating_sub(span);
    Node::constant(Some(Value::Long(moment)), DataType::Long.single())
}

/// `timeConvert(count, 'MILLISECONDS', 'DAYS')`.
fn time_convert(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(3..=3)?;
    let units = (time_unit(call, 1)?, time_unit(call, 2)?);
    let (Some(from), Some(to)) = units else {
        return Err(call.invalid("time units are missing"));
    };
    let node = call.long(0)?;
    call.strict(vec![node], DataType::Long.single(), move |args| {
        Ok(args.map::<_, Int64Type>(args.longs(0)?, |count| from.convert(count, to)))
    })
}

/// `dateBin(width, millis, origin)`: the start of the bin, bins being counted from the origin. The
/// width is an ISO-8601 span or `15 minutes`.
fn date_bin(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(3..=3)?;
    let text = call.constant_text(0)?;
    let words = || {
        let (count, unit) = text.trim().split_once(' ')?;
        let unit = crate::expr::date::unit::Unit::parse(unit)?;
        Some(unit.to_millis(count.parse().ok()?))
    };
    let width = duration::parse(&text)
        .or_else(words)
        .filter(|width| *width > 0);
    let width = width.ok_or_else(|| call.invalid(format!("not a bin width: {text}")))?;
    let args = vec![call.millis(1)?, call.millis(2)?];
    let column_type = DataType::Timestamp {
        unit: TimeUnit::Millis,
    }
    .single();
    call.strict(args, column_type, move |args| {
        let (ms, origin) = (args.longs(0)?, args.longs(1)?);
        Ok(
            args.map2::<_, _, TimestampMillisecondType>(ms, origin, |ms, origin| {
                ms.saturating_sub(ms.saturating_sub(origin).rem_euclid(width))
            }),
        )
    })
}
