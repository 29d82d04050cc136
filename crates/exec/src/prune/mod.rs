//! What is known of rows before they are read: [`verdict`] what statistics prove about a filter,
//! [`question`] the filter as a question to whoever knows something of files that are not even open.

pub mod question;
pub mod verdict;

pub use question::{Question, Subject};
pub use verdict::{Extent, Verdict};
