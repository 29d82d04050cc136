//! A table that was served before a restart, and is not yet again.

use serde_json::{Value, json};

/// First wait before it is tried again.
const FIRST_WAIT_MS: i64 = 2_000;
/// Longest wait.
const LONGEST_WAIT_MS: i64 = 300_000;

/// What keeps a table from being served as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restoring {
    /// When it is tried next, or was begun last.
    pub due_ms: i64,
    /// How often it was tried.
    pub attempts: u32,
    /// Why the last try failed; none before the first has ended.
    pub error: Option<String>,
}

impl Restoring {
    /// Makes one that is due.
    pub fn new(now_ms: i64) -> Self {
        Self {
            due_ms: now_ms,
            attempts: 0,
            error: None,
        }
    }

    /// Notes a failure; each wait is twice the one before.
    pub fn failed(&mut self, error: String, now_ms: i64) {
        let doublings = self.attempts.saturating_sub(1).min(16);
        let wait = FIRST_WAIT_MS.saturating_mul(1_i64.checked_shl(doublings).unwrap_or(1));
        self.due_ms = now_ms.saturating_add(wait.min(LONGEST_WAIT_MS));
        self.error = Some(error);
    }

    /// Returns what clients may know of it.
    pub fn to_json(&self) -> Value {
        match &self.error {
            None => json!({"attempts": self.attempts}),
            Some(error) => json!({
                "attempts": self.attempts, "failureMessage": error, "nextAttemptAtMs": self.due_ms,
            }),
        }
    }

    /// Says why the table is not served.
    pub fn text(&self, table: &str) -> String {
        let state = format!("see /tables/{table}/externalTable/status");
        match &self.error {
            None => format!("it is being served again after a restart, {state}"),
            Some(error) => format!(
                "it could not be served again after a restart, which is tried again, {state}: {error}"
            ),
        }
    }
}
