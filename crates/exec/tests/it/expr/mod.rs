//! Expressions from SQL text to values: every family of functions, null modes, types, errors.

mod conditions;
mod dates;
mod harness;
mod hostile;
mod json;
mod keys;
mod lists;
mod nulls;
mod numbers;
mod texts;
