//! Integration tests of the `growler` binary and of the workspace around it.

mod dependencies;
mod errors;
mod growler;
mod index;
mod inspect;
mod query;
mod quickstart;
mod serve;
