//! Calendar arithmetic on milliseconds since 1970.
//!
//! Rooms, in reading order: [`zone`] time zones; [`unit`] spans
//! with a fixed length; [`calendar`] fields of a date, truncation, spans that have none;
//! [`pattern`] Joda's patterns; [`format`] Pinot's `1:DAYS:EPOCH`; [`duration`] ISO-8601 spans.

pub(crate) mod calendar;
pub(crate) mod duration;
pub(crate) mod format;
pub(crate) mod pattern;
pub(crate) mod unit;
pub(crate) mod zone;
