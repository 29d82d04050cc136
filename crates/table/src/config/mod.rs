//! What an External Table is told: where its source is, how it follows it, what it may change.
//!
//! ```text
//! WITH (catalog_type = 'rest', ...)            \
//!                                               settings (one text a key) -> ExternalConfig
//! taskTypeConfigsMap.ExternalTableSyncTask {}  /
//! ```
//! Both spellings name the same keys: `catalogUri` in a table config is `catalog_uri` in SQL, and
//! either place takes either form. [`Settings`] keeps them as they were given, so that a config
//! goes back to SQL and to JSON without loss; [`ExternalConfig`] is what they mean, with every
//! breach of the rules listed at once.
//!
//! A credential is a [`Secret`]: nothing prints it. `env:GROWLER_NAME` as its value names an environment
//! variable of the server, which keeps it out of configs altogether.
//!
//! Rooms, in reading order: [`key`] the keys; [`settings`] the texts; [`external`] the whole;
//! [`source`], [`storage`], [`evolution`] its parts; [`task`] the place in a table config;
//! [`schedule`] and [`cron`] when a run is due; [`secret`]; [`properties`] what catalogs and stores are told; `read`
//! how a text becomes a value; `suggest` what a mistyped key was meant to be.

pub mod cron;
pub mod evolution;
pub mod external;
pub mod key;
pub mod properties;
mod read;
pub mod schedule;
pub mod secret;
pub mod settings;
pub mod source;
pub mod storage;
mod suggest;
pub mod task;

pub use cron::Cron;
pub use evolution::{DropColumns, SchemaEvolution};
pub use external::{BatchLimits, Deletes, ExternalConfig, SyncMode, Visibility};
pub use key::Key;
pub use schedule::Schedule;
pub use secret::Secret;
pub use settings::Settings;
pub use source::{AwsService, RestCatalog, Source};
pub use storage::{Provider, Storage};
