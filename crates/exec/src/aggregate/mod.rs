//! Aggregate functions: one accumulator holds the states of all groups.
//!
//! Every accumulator gives the same result for the same rows, however they were split into batches,
//! row groups and threads: integers add up in 128 bits, floats exactly, sketches by counts, and what
//! depends on the order of rows is merged in the order of rows.
//!
//! Rooms, in reading order: [`accumulator`] the contract; [`function`] names to functions, their
//! argument and result types; [`count`]; [`number`] values seen as numbers, with their states in
//! [`sum`], [`extreme`], [`moments`], [`quantile`]; [`distinct`] what needs distinct values;
//! [`sketch`] approximate distinct counts; [`text_extreme`]; [`with_time`]; [`array_agg`]; the
//! arithmetic of [`exact_sum`], `double_double`, [`hyper_log_log`], [`quantile_sketch`].

pub mod accumulator;
mod array_agg;
mod boolean;
mod count;
mod distinct;
mod double_double;
pub mod exact_sum;
mod extreme;
pub mod function;
pub mod hyper_log_log;
mod moments;
mod number;
mod picked;
mod quantile;
pub mod quantile_sketch;
mod sketch;
mod sum;
mod text_extreme;
mod with_time;

pub use accumulator::{Accumulator, Assigned, GroupMap, Repeated};
pub use function::{Argument, Function};
pub(crate) use picked::compact;
