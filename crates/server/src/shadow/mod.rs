//! Shadow verification: a share of the queries is asked again without any index, once they are
//! answered, and the two answers are compared.
//!
//! ```text
//! query -> answer -> client
//!             \-> picked? -> bounded queue -> one thread: same query, skipIndexes=* -> compare
//!                                              counted; a difference is logged with the SQL
//! ```
//! Rooms, in reading order: [`share`] which queries; [`question`] whether an answer can be compared,
//! and what of it; [`compare`] two answers; [`verifier`] the queue and the thread.
//!
//! Invariants: no answer waits for it; what cannot be compared fairly is not compared, and counted
//! as that; it takes one thread of the pool at a time.

pub mod compare;
pub mod question;
pub mod share;
pub mod verifier;

pub use verifier::Verifier;
