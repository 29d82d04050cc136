//! Why a run failed.

use serde::{Deserialize, Serialize};

use super::record::Phase;
use crate::store;

/// Stable codes of failures, as the status shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The settings of the table are wrong.
    ConfigInvalid,
    /// Metadata cannot be loaded, or makes no sense.
    CatalogUnreadable,
    /// The source has no such table.
    TableNotFound,
    /// The source has another table of the same name.
    TableReplaced,
    /// The branch or tag that is followed is not there.
    RefNotFound,
    /// The schema of the snapshot is not known.
    SnapshotSchemaUnknown,
    /// A change of the schema is not followed, and `failFast` is on.
    SchemaRejected,
    /// Manifests cannot be read.
    PlanFailed,
    /// The snapshot has deletes, and they are refused.
    DeletesRefused,
    /// A data file cannot be read.
    FileUnreadable,
    /// A view cannot be made, such as of deletes that cannot be read.
    ViewFailed,
    /// The table's state cannot be kept or read.
    StoreFailed,
    /// Another owner has taken the table over.
    LeaseLost,
    /// The server is going down, or the run was told to end.
    Cancelled,
}

/// A run's failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Which one.
    pub code: Code,
    /// What happened; it holds no credential.
    pub message: String,
    /// The phase that is to be blamed; none for the one that was on.
    pub phase: Option<Phase>,
}

impl Failure {
    /// Makes a failure of the phase that is on.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        let phase = None;
        Self {
            code,
            message,
            phase,
        }
    }

    /// Blames another phase.
    #[must_use]
    pub fn of(mut self, phase: Phase) -> Self {
        self.phase = Some(phase);
        self
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        let code = match error {
            store::Error::StaleLease { .. } => Code::LeaseLost,
            _ => Code::StoreFailed,
        };
        Self::new(code, error.to_string())
    }
}
