//! What every request goes through: its connection, its id, its log line, its body, the shape of
//! its errors.

pub mod body;
pub mod connections;
pub mod failure;
mod patience;
pub mod request_id;
pub mod trace;

pub use body::read_body;
pub use failure::Failure;
pub use request_id::RequestId;
