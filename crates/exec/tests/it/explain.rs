//! Response tests.
