//! From a parsed query to what runs on each segment.

pub mod substitute;
