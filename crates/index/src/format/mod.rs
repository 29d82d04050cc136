//! The file, byte by byte.
