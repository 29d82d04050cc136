//! A client of Iceberg's REST catalog protocol, for reading.
//!
//! ```text
//! RestConfig --connect--> GET /v1/config --> RestCatalog --namespaces, tables--> names
//!               |                                |--load--> LoadedTable: metadata, storage settings
//!            Tokens (OAuth2 or bearer)            `--TableCredentials--> fresh settings for ObjectFiles
//! ```
//!
//! Rooms: `config` what a client is told; `transport` one request, bounded and retried; `tokens` and
//! `proof` who the client is; `session` addresses and answers; `client` the calls that block. What servers get wrong
//! is borne where nothing is lost by it, and an error elsewhere. No text of an error or log holds a
//! credential.

mod answers;
mod client;
mod config;
mod error;
mod load;
mod names;
mod proof;
mod retry;
mod session;
pub(crate) mod shown;
mod tokens;
mod transport;
mod vend;

pub use client::RestCatalog;
pub use config::{Auth, RestConfig, Retries, Signing, Timeouts};
pub use error::RestError;
pub use load::{LoadedTable, Snapshots};
pub(crate) use names::percent_encoded;
pub use names::{Namespace, TableId};
pub use vend::TableCredentials;
