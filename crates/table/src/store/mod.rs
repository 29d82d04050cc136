//! What a server keeps: one embedded SQLite file, `growler.db`, in the data directory.
//!
//! ```text
//! schema, table_config      JSON as accepted              documents
//! sync_state                checkpoint, versions served   state
//! served_schema             append-only versions          served
//! member                    STAGED -> ACTIVE -> RETIRED   members
//! sync_run                  one row a run                 runs
//! lease                     who may write, by fence       leases
//! ```
//!
//! Every change is one transaction ([`Store::write`]) that is on disk when it returns: a kill at any
//! point leaves what was before it or what is after it. One process at a time has the data directory.

pub mod database;
pub mod documents;
pub mod error;
pub mod leases;
pub mod members;
mod migrations;
pub mod runs;
pub mod served;
pub mod state;

pub use database::{CommitHook, Reader, Store, Writer};
pub use documents::DocumentKind;
pub use error::Error;
pub use leases::{Fence, Lease};
pub use members::{MemberId, MemberKey, MemberRow, MemberState, NewMember};
pub use runs::{RunId, RunRow, RunState};
pub use served::{SchemaVersion, ServedRow};
pub use state::{StateRow, ViewVersion};
