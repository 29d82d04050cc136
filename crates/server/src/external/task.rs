//! Runs by name, as Pinot's task calls have them.

use serde_json::{Value, json};

/// How far a task is, in Pinot's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskState {
    /// It waits for its turn.
    NotStarted,
    /// It runs.
    InProgress,
    /// The table is in step.
    Completed,
    /// The table serves on as it was.
    Failed(String),
    /// It was given up: the table is gone, or the server stopped.
    Aborted,
}

/// One run of a table, asked for by somebody or due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Name, different from any other's.
    pub name: String,
    /// Table, without `_OFFLINE`.
    pub table: String,
    /// How far it is.
    pub state: TaskState,
    /// When it began.
    pub started_ms: Option<i64>,
    /// When it ended.
    pub ended_ms: Option<i64>,
}

impl TaskState {
    /// Returns Pinot's word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotStarted => "NOT_STARTED",
            Self::InProgress => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Failed(_) => "FAILED",
            Self::Aborted => "ABORTED",
        }
    }

    /// Tells whether nothing is left to do.
    pub fn is_over(&self) -> bool {
        !matches!(self, Self::NotStarted | Self::InProgress)
    }
}

impl Task {
    /// Returns what clients may know of it.
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "taskName": self.name,
            "tableName": format!("{}{}", self.table, growler_schema::table_config::OFFLINE_SUFFIX),
            "taskState": self.state.name(),
        });
        if let Some(started) = self.started_ms {
            json["executionStartTimeMs"] = json!(started);
        }
        if let Some(ended) = self.ended_ms {
            json["finishTimeMs"] = json!(ended);
        }
        if let TaskState::Failed(text) = &self.state {
            json["error"] = json!(text);
        }
        json
    }
}
