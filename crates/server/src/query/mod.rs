//! From a query's text over HTTP to Pinot's answer.
//!
//! ```text
//! request -> admission (run, wait, refuse) -> blocking pool: engine -> JSON -> response
//!                 running queries: list, cancel --^
//! ```

pub mod admission;
pub mod answer;
pub mod request;
pub mod running;

pub use admission::Admission;
pub use answer::answer;
pub use request::QueryBody;
pub use running::RunningQueries;
