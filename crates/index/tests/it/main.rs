//! Indexes, built and read back.
