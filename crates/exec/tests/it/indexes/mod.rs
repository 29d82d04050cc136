//! Queries answered by indexes: the same answers, and what EXPLAIN and the counters say of them.

mod harness;
mod limits;

mod counters;
mod damage;
mod documents;
mod plain;
mod plans;
mod shortcuts;
mod unreadable;
mod whole_segments;
