//! The functions, one family a file: what each is called, takes and returns.
//!
//! [`registry`] finds a function by its canonical name. A family's table names a builder for each
//! of its functions; the builder compiles the arguments of a [`Call`](super::call::Call) and returns
//! the node that computes.
//!
//! Families, in reading order: [`compare`], [`logic`], [`null`], [`conditional`] what filters are
//! made of; [`convert`] CAST; [`arithmetic`], [`math`] numbers; [`text`], [`slice`], [`regexp`],
//! [`encode`] text; [`epoch`], [`calendar`], [`timeline`], [`time_format`] time; [`json`], [`json_scalar`] JSON;
//! [`array`] lists. [`unify`] finds the type that several arguments share.

mod arithmetic;
mod array;
mod calendar;
mod compare;
mod conditional;
mod convert;
mod encode;
mod epoch;
mod json;
mod json_match;
mod json_scalar;
mod logic;
mod math;
mod null;
mod regexp;
mod registry;
mod slice;
mod text;
mod time_format;
mod timeline;
mod unify;

pub(crate) use registry::find;
