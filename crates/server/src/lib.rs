//! Pinot's HTTP and JSON conventions over the growler engine.
//!
//! Nothing is computed here: [`Backend`] names what is asked of an engine, [`EngineBackend`] is ours.
//! ```text
//! request -> http (id, log, body) -> routes -> query -> backend -> Pinot's JSON
//!                                        \---> tables -> data directory, backend
//! ```
//! Rooms, in reading order: [`config`] the configuration file; `server` start and stop; `routes`
//! which path leads where; `http` what every request goes through; `query` running one; `shadow`
//! asking it again without indexes; `tables` schemas and table configs; `reload` indexes brought to
//! what a config wants; `external` tables that follow a source; `engine` ours as the backend; `metrics`; `convert` kinds and codes as statuses.
//!
//! Invariants: no query and no file access on the asynchronous workers; every wait, queue and body
//! has a bound; a query's failure is an answer, never a dropped connection.

mod app;
mod backend;
pub mod config;
mod convert;
mod engine;
mod error;
mod external;
mod http;
mod metrics;
mod query;
mod reload;
mod routes;
mod server;
mod shadow;
mod tables;

pub use backend::{Backend, QueryRequest, ReloadControl, SegmentInfo, Swap, TableReload};
pub use config::{IndexSettings, ServerConfig, ServerLimits, ShadowShare};
pub use engine::EngineBackend;
pub use error::Error;
pub use external::tables::{ExternalParts, ExternalTables, Preview, RunAsked, RunDone};
pub use server::Server;
