//! Time to text and back, and between Pinot's date-time formats.

use arrow_array::types::Int64Type;
use growler_schema::{DataType, TimeUnit};

use super::{calendar::zone, registry::Entry};
use crate::{
    error::Error,
    expr::{
        args::Args,
        call::Call,
        date::{
            calendar::CalendarUnit,
            format::{Format, parse_granularity},
            pattern::Pattern,
            zone::{UTC, Zone},
        },
        node::Node,
    },
};

pub(super) const TABLE: &[Entry] = &[
    ("todatetime", to_date_time),
    ("fromdatetime", from_date_time),
    ("toiso8601", to_iso8601),
    ("fromiso8601", from_iso8601),
    ("datetimeconvert", date_time_convert),
];

fn pattern(call: &mut Call<'_, '_>, idx: usize) -> Result<Pattern, Error> {
    let text = call.constant_text(idx)?;
    Pattern::parse(&text).ok_or_else(|| call.invalid(format!("Illegal pattern: {text}")))
}

/// `toDateTime(millis, pattern[, zone])`.
fn to_date_time(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=3)?;
    let (pattern, zone) = (pattern(call, 1)?, zone(call, 2)?);
    let node = call.millis(0)?;
    formatted(call, node, pattern, zone)
}

fn formatted(
    call: &mut Call<'_, '_>,
    node: Node,
    pattern: Pattern,
    zone: Zone,
) -> Result<Node, Error> {
    call.strict(vec![node], DataType::String.single(), move |args| {
        let millis = args.longs(0)?;
        args.collect_text(|row, out| {
            pattern.format(millis.at(row), zone, out);
            Ok(true)
        })
    })
}

/// `fromDateTime(text, pattern[, zone[, default]])`.
fn from_date_time(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=4)?;
    let (pattern, zone) = (pattern(call, 1)?, zone(call, 2)?);
    let default = if call.args.len() == 4 {
        Some(call.constant_long(3)?)
    } else {
        None
    };
    let node = call.string(0)?;
    let shown = call.text();
    call.strict(vec![node], DataType::Long.single(), move |args| {
        let texts = args.texts(0)?;
        args.collect::<Int64Type>(|row| {
            let text = texts.at(row);
            let moment = pattern.read(text, zone).or(default);
            moment.map(Some).ok_or_else(|| bad_text(text, &shown))
        })
    })
}

fn bad_text(text: &str, shown: &str) -> Error {
    let text: String = text.chars().take(100).collect();
    Error::Execution(format!("Invalid format: '{text}', expression={shown}"))
}

fn to_iso8601(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let pattern = Pattern::parse("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'");
    let pattern = pattern.ok_or_else(|| call.invalid("the pattern does not compile"))?;
    let node = call.millis(0)?;
    formatted(call, node, pattern, UTC)
}

fn from_iso8601(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    call.millis(0)
}

/// `dateTimeConvert(value, inputFormat, outputFormat, granularity[, zone])`: times are cut to the
/// granularity, in the zone's local time for whole days.
fn date_time_convert(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(4..=5)?;
    let (input, output) = (format(call, 1)?, format(call, 2)?);
    let text = call.constant_text(3)?;
    let granularity = parse_granularity(&text)
        .ok_or_else(|| call.invalid(format!("not a granularity: {text}")))?;
    let bucket_zone = zone(call, 4)?;
    let millis = to_millis(call, input)?;
    let bucketed = bucket(call, millis, granularity, bucket_zone)?;
    match output {
        Format::Pattern(pattern, zone) => formatted(call, bucketed, pattern, zone),
        Format::Timestamp => call.cast(
            bucketed,
            DataType::Timestamp {
                unit: TimeUnit::Millis,
            },
        ),
        Format::Epoch(size, unit) => {
            call.strict(vec![bucketed], DataType::Long.single(), move |args| {
                let millis = args.longs(0)?;
                Ok(
                    args.map::<_, Int64Type>(millis, |ms| {
                        unit.count_of_millis(ms).div_euclid(size)
                    }),
                )
            })
        }
    }
}

fn format(call: &mut Call<'_, '_>, idx: usize) -> Result<Format, Error> {
    let text = call.constant_text(idx)?;
    Format::parse(&text).ok_or_else(|| call.invalid(format!("not a date-time format: {text}")))
}

fn to_millis(call: &mut Call<'_, '_>, format: Format) -> Result<Node, Error> {
    let long = DataType::Long.single();
    match format {
        Format::Timestamp => call.millis(0),
        Format::Epoch(size, unit) => {
            let node = call.long(0)?;
            call.strict(vec![node], long, move |args| {
                let counts = args.longs(0)?;
                Ok(args.map::<_, Int64Type>(counts, |n| unit.to_millis(n.saturating_mul(size))))
            })
        }
        Format::Pattern(pattern, zone) => {
            let node = call.string(0)?;
            let shown = call.text();
            call.strict(vec![node], long, move |args| {
                let texts = args.texts(0)?;
                args.collect::<Int64Type>(|row| {
                    let moment = pattern.read(texts.at(row), zone);
                    moment
                        .map(Some)
                        .ok_or_else(|| bad_text(texts.at(row), &shown))
                })
            })
        }
    }
}

/// Cuts milliseconds to a multiple of a granularity.
fn bucket(
    call: &mut Call<'_, '_>,
    node: Node,
    granularity: i64,
    zone: Zone,
) -> Result<Node, Error> {
    call.strict(
        vec![node],
        DataType::Long.single(),
        move |args: &Args<'_>| {
            let millis = args.longs(0)?;
            Ok(args.map::<_, Int64Type>(millis, |ms| {
                if zone == UTC {
                    return ms.saturating_sub(ms.rem_euclid(granularity));
                }
                if granularity == growler_base::civil::DAY_MS {
                    return CalendarUnit::Day.truncate(ms, zone);
                }
                let local = zone.to_local(ms);
                zone.resolve_local(local.saturating_sub(local.rem_euclid(granularity)))
            }))
        },
    )
}
