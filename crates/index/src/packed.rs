//! Numbers in few bits.
