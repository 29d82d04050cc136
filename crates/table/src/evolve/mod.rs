//! How a served schema follows the schemas of its source: pure functions, no file and no clock.
//!
//! ```text
//! onboard   the source's schema, and what a user declared       -> the first served schema
//! adopt     a served schema, and what a user declares now       -> the next, or none
//! followed  metadata, the snapshot to serve                     -> the schema to follow
//! unite     a served schema, the schema to follow, switches     -> an Outcome: the next version, lines
//! ```
//!
//! A column is its field id. Its name in queries is the first it had: a rename adds an alias. What the
//! lines that operators look for say is in [`message`], letter for letter.

pub mod adopt;
pub mod change;
pub mod follow;
pub mod message;
pub mod nested;
pub mod onboard;
pub mod served;
pub mod union;
pub mod wire;

pub use adopt::adopt;
pub use change::{Change, Reason};
pub use follow::{Unresolved, followed};
pub use message::{Level, Line};
pub use onboard::{bind, onboard};
pub use served::{NestedName, ServedColumn, ServedSchema, SourceVersion};
pub use union::{Decision, Outcome, Target, unite};
