//! Rules that schemas and table configs must keep; every breach is collected before anything is
//! refused.

pub mod errors;

pub use errors::ValidationErrors;
