//! Integration tests of the `growler` binary and of the workspace around it.

mod dependencies;
mod errors;
mod growler;
mod inspect;
mod query;
mod quickstart;
mod reload;
mod reload_killed;
mod serve;
mod server;
