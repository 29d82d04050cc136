//! Integration tests of the `growler` binary and of the workspace around it.

mod copies;
mod dependencies;
mod errors;
mod external;
mod growler;
mod iceberg;
mod index;
mod inspect;
mod query;
mod quickstart;
mod reload;
#[cfg(target_os = "linux")]
mod reload_full;
mod reload_killed;
mod reload_queried;
mod seed_indexes;
mod serve;
mod server;
#[cfg(target_os = "linux")]
mod sync_full;
mod verify;
