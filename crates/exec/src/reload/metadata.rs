//! What is kept of a segment's columns: types and default null values.
