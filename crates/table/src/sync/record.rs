//! What is kept of a run, in JSON.

use serde::{Deserialize, Serialize};

use super::failure::Code;

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Phase {
    /// Asking the catalog.
    LoadingMetadata,
    /// Finding the state to serve.
    ResolvingSnapshot,
    /// Following the schema.
    UpdatingSchema,
    /// Comparing files.
    Planning,
    /// Reading footers.
    Ingesting,
    /// Putting the view in place.
    Publishing,
}

impl Phase {
    /// Returns the name that the status shows.
    pub fn name(self) -> &'static str {
        match self {
            Self::LoadingMetadata => "LOADING_METADATA",
            Self::ResolvingSnapshot => "RESOLVING_SNAPSHOT",
            Self::UpdatingSchema => "UPDATING_SCHEMA",
            Self::Planning => "PLANNING",
            Self::Ingesting => "INGESTING",
            Self::Publishing => "PUBLISHING",
        }
    }
}

/// One run, as far as it has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// Identity of the request that caused it; log lines begin with it.
    pub request_id: String,
    /// What caused it.
    pub trigger: String,
    /// What it is doing, or was when it ended.
    pub phase: Phase,
    /// The phase that failed.
    #[serde(default)]
    pub failure_phase: Option<Phase>,
    /// Why.
    #[serde(default)]
    pub failure_code: Option<Code>,
    /// Why, in words.
    #[serde(default)]
    pub failure_message: Option<String>,
    /// When it ended, in milliseconds since 1970.
    #[serde(default)]
    pub ended_at_ms: Option<i64>,
    /// What it was to serve.
    #[serde(default)]
    pub target: Option<TargetRecord>,
    /// Files.
    #[serde(default)]
    pub files: FilesRecord,
    /// Batches.
    #[serde(default)]
    pub batches: BatchesRecord,
    /// What of the schema was followed.
    #[serde(default)]
    pub schema_changes: Vec<String>,
}

/// A state of a source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetRecord {
    /// Identity of the table.
    pub table_uuid: Option<String>,
    /// The state; none before the first, and for plain files.
    pub snapshot_id: Option<i64>,
    /// Its schema.
    pub schema_id: Option<i32>,
    /// The file that the metadata is from.
    pub metadata_location: Option<String>,
    /// When the table was last changed, in milliseconds since 1970.
    #[serde(default)]
    pub last_updated_ms: Option<i64>,
    /// What the files are, where no table says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing: Option<String>,
}

/// Files of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilesRecord {
    /// Files that were not served.
    pub planned: u64,
    /// Of these, those that are ready to be.
    pub ingested: u64,
    /// Files whose footers were read; others were known.
    pub read: u64,
    /// Files that are served no more.
    pub removed: u64,
    /// Files that cannot be read and are left out.
    pub failed: u64,
}

/// Batches of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchesRecord {
    /// Those that are through.
    pub done: u64,
    /// All.
    pub total: u64,
}

/// What a view was made of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRecord {
    /// The state.
    #[serde(flatten)]
    pub target: TargetRecord,
    /// Since when it is served, in milliseconds since 1970.
    pub published_at_ms: i64,
}

/// Why a table follows its source no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DetachedRecord {
    /// Why.
    pub code: Code,
    /// Why, in words.
    pub message: String,
    /// Since when, in milliseconds since 1970.
    pub since_ms: i64,
}

/// A change of the source's schema that is not followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectionRecord {
    /// The snapshot.
    pub snapshot_id: Option<i64>,
    /// Its schema.
    pub schema_id: Option<i32>,
    /// Why.
    pub reasons: Vec<String>,
    /// When it was last seen, in milliseconds since 1970.
    pub at_ms: i64,
}

/// Files that a view lacks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedRecord {
    /// How many.
    pub total: u64,
    /// The first of them.
    pub files: Vec<SkippedFile>,
}

/// A file that a view lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedFile {
    /// Where it should be.
    pub path: String,
    /// Why it is left out.
    pub reason: String,
}

/// Most files named in a [`SkippedRecord`].
pub const SKIPPED_NAMED: usize = 20;
