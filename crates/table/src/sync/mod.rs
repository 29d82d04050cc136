//! Keeping tables in step with their sources.
//!
//! ```text
//! due, trigger -> SyncEngine::run -> LOADING_METADATA      CatalogSource::load, with retries
//!                                    RESOLVING_SNAPSHOT    the state to serve; is it still our table?
//!                                    UPDATING_SCHEMA       evolve::unite -> a version, served at once
//!                                    PLANNING              files of the state against files served
//!                                    INGESTING             footers read, members STAGED, by batches
//!                                    PUBLISHING            one transaction; then Publisher::publish
//! ```
//!
//! What is served changes in one transaction, so that a kill at any point leaves the old view or the
//! new one. A failure leaves the old one, and says its phase, code and text. The engine starts no
//! threads of its own but those that read footers: whoever owns it calls [`SyncEngine::due`] and
//! [`SyncEngine::run`].
//!
//! Rooms, in reading order: [`source`] where metadata comes from; [`tables`] what is followed, as a
//! config says; [`views`] files to views; [`publish`] where views go; [`clock`], [`metrics`];
//! [`engine`] the way in; [`run`] one run, its steps in `load`, `schema`, `plan`, `ingest`, `commit`; [`layouts`] of VARIANT columns;
//! [`record`] what is kept of a run; [`status`] what is shown of it.

pub mod clock;
mod commit;
pub mod engine;
pub mod failure;
mod ingest;
pub mod layouts;
mod load;
pub mod metrics;
mod plan;
pub mod publish;
pub mod record;
pub mod retry;
pub mod run;
mod schema;
mod snapshot;
pub mod source;
pub mod status;
pub mod tables;
pub mod views;

pub use clock::{Clock, SystemClock};
pub use engine::{Engine as SyncEngine, RunRequest, Trigger};
pub use failure::{Code, Failure};
pub use metrics::{NoMetrics, SyncMetrics};
pub use publish::{Published, Publisher, ReloadProgress};
pub use record::{Phase, RunRecord};
pub use retry::Backoff;
pub use run::RunReport;
pub use source::{CatalogSource, IcebergFolder, Loaded, ParquetFiles, SourceError, SourceFault};
pub use status::{CheckpointJson, StatusJson};
pub use tables::{Followed, Tables};
pub use views::{Content, FileError, Opened, SegmentViews, Views};
