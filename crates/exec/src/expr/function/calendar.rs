//! Fields of dates, and truncation to calendar units.

use arrow_array::types::{Int32Type, Int64Type};
use growler_schema::DataType;

use super::registry::Entry;
use crate::{
    error::Error,
    expr::{
        call::Call,
        convert::number::clamp_i32,
        date::{
            calendar::{CalendarUnit, DateField},
            unit::Unit,
            zone::{UTC, Zone},
        },
        node::Node,
    },
    sql::ast::Expr,
};

pub(super) const TABLE: &[Entry] = &[
    ("year", |call| field(call, DateField::Year)),
    ("yearofweek", |call| field(call, DateField::YearOfWeek)),
    ("yow", |call| field(call, DateField::YearOfWeek)),
    ("quarter", |call| field(call, DateField::Quarter)),
    ("month", |call| field(call, DateField::Month)),
    ("monthofyear", |call| field(call, DateField::Month)),
    ("week", |call| field(call, DateField::Week)),
    ("weekofyear", |call| field(call, DateField::Week)),
    ("dayofyear", |call| field(call, DateField::DayOfYear)),
    ("doy", |call| field(call, DateField::DayOfYear)),
    ("day", |call| field(call, DateField::DayOfMonth)),
    ("dayofmonth", |call| field(call, DateField::DayOfMonth)),
    ("dayofweek", |call| field(call, DateField::DayOfWeek)),
    ("dow", |call| field(call, DateField::DayOfWeek)),
    ("hour", |call| field(call, DateField::Hour)),
    ("minute", |call| field(call, DateField::Minute)),
    ("second", |call| field(call, DateField::Second)),
    ("millisecond", |call| field(call, DateField::Millisecond)),
    ("extract", extract),
    ("datetrunc", date_trunc),
];

/// `year(millis[, zone])` and its like.
fn field(call: &mut Call<'_, '_>, field: DateField) -> Result<Node, Error> {
    call.arity(1..=2)?;
    let zone = zone(call, 1)?;
    let node = call.millis(0)?;
    field_of(call, node, field, zone)
}

/// `extract(FIELD, millis)`; the field is a literal or a bare name.
fn extract(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let name = match call.arg(0)? {
        Expr::Column(name) => name.clone(),
        _ => call.constant_text(0)?,
    };
    let field = DateField::parse(&name)
        .ok_or_else(|| call.invalid(format!("Unsupported EXTRACT field: {name}")))?;
    let zone = zone(call, 2)?;
    let node = call.millis(1)?;
    field_of(call, node, field, zone)
}

fn field_of(
    call: &mut Call<'_, '_>,
    node: Node,
    field: DateField,
    zone: Zone,
) -> Result<Node, Error> {
    call.strict(vec![node], DataType::Int.single(), move |args| {
        Ok(args.map::<_, Int32Type>(args.longs(0)?, |ms| clamp_i32(field.of(ms, zone))))
    })
}

/// `dateTrunc(unit, value[, unitOfValue[, zone[, unitOfResult]]])`.
fn date_trunc(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=5)?;
    let name = call.constant_text(0)?;
    let unit = CalendarUnit::parse(&name)
        .ok_or_else(|| call.invalid(format!("'{name}' is not a valid Timestamp field")))?;
    let zone = zone(call, 3)?;
    let input = time_unit(call, 2)?.unwrap_or(Unit::MILLIS);
    let output = time_unit(call, 4)?.unwrap_or(input);
    let node = if input == Unit::MILLIS {
        call.millis(1)?
    } else {
        call.long(1)?
    };
    call.strict(vec![node], DataType::Long.single(), move |args| {
        let values = args.longs(0)?;
        Ok(args.map::<_, Int64Type>(values, |value| {
            output.count_of_millis(unit.truncate(input.to_millis(value), zone))
        }))
    })
}

/// Reads an optional argument that names a zone.
pub(super) fn zone(call: &mut Call<'_, '_>, idx: usize) -> Result<Zone, Error> {
    match call.optional_text(idx)? {
        None => Ok(UTC),
        Some(name) => Zone::parse(&name).ok_or_else(|| {
            call.invalid(format!("The datetime zone id '{name}' is not recognised"))
        }),
    }
}

/// Reads an optional argument that names a unit of time.
pub(super) fn time_unit(call: &mut Call<'_, '_>, idx: usize) -> Result<Option<Unit>, Error> {
    match call.optional_text(idx)? {
        None => Ok(None),
        Some(name) => match Unit::parse(&name) {
            Some(unit) => Ok(Some(unit)),
            None => Err(call.invalid(format!("unknown time unit: {name}"))),
        },
    }
}
