//! A status for people.

use growler_base::civil::{Civil, DAY_MS};
use serde_json::Value;

use crate::style::Style;

/// One line of a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it is about.
    pub label: &'static str,
    /// What it says.
    pub text: String,
    /// Whether somebody should look at it.
    pub is_wrong: bool,
}

impl Line {
    fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self {
            label,
            text: text.into(),
            is_wrong: false,
        }
    }

    fn wrong(label: &'static str, text: impl Into<String>) -> Self {
        Self {
            is_wrong: true,
            ..Self::new(label, text)
        }
    }

    /// Returns what it says, in its colour.
    pub fn paint(&self, style: Style) -> String {
        if self.is_wrong {
            style.red(&self.text).to_string()
        } else {
            self.text.clone()
        }
    }
}

/// Says in one line what a run that went well has done.
pub fn one_line(table: &str, status: &Value) -> String {
    let table = status["tableName"].as_str().unwrap_or(table);
    let mut text = format!("{table}, {}", files(status));
    if let Some(snapshot) = number(&status["target"]["snapshotId"]) {
        text += &format!(", snapshot {snapshot}");
    }
    if let Some(took) = took(status) {
        text += &format!(", {took}");
    }
    text
}

/// Says in several lines how far a table is.
pub fn lines(status: &Value, checkpoint: &Value) -> Vec<Line> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_ascii_lowercase();
    let mode = word(&status["mode"]);
    let mode = if mode.is_empty() {
        mode
    } else {
        format!(", {mode} path")
    };
    let name = status["tableName"].as_str().unwrap_or_default();
    let mut lines = vec![
        Line::new("table", format!("{name}: {}{mode}", word(&status["state"]))),
        Line::new("serving", serving(checkpoint)),
        last_run(status),
    ];
    if let Some(next) = status["nextRunAtMs"].as_i64() {
        lines.push(Line::new("next run", time(next)));
    }
    for change in strings(&status["schemaChanges"]) {
        lines.push(Line::new("schema", change));
    }
    lines.extend(troubles(status));
    lines
}

fn serving(checkpoint: &Value) -> String {
    let Some(published) = checkpoint["publishedAtMs"].as_i64() else {
        return "nothing yet".to_owned();
    };
    let mut parts = Vec::new();
    if let Some(snapshot) = number(&checkpoint["snapshotId"]) {
        parts.push(format!("snapshot {snapshot}"));
    }
    parts.push(format!(
        "{} files",
        number(&checkpoint["files"]).unwrap_or_default()
    ));
    if let Some(schema) = number(&checkpoint["servedSchemaVersion"]) {
        parts.push(format!("schema version {schema}"));
    }
    format!("{} since {}", parts.join(", "), time(published))
}

fn last_run(status: &Value) -> Line {
    let ended = status["status"].as_str().unwrap_or("NEVER_RUN");
    let word = ended.to_ascii_lowercase().replace('_', " ");
    let mut text = word;
    if let Some(started) = status["startedAtMs"].as_i64() {
        text += &format!(", began {}", time(started));
    }
    if let Some(took) = took(status) {
        text += &format!(", {took}");
    }
    if ended == "RUNNING" {
        let phase = status["phase"].as_str().unwrap_or_default();
        text += &format!(", {}", phase.to_ascii_lowercase().replace('_', " "));
    }
    text += &format!(", {}", files(status));
    if ended != "FAILED" {
        return Line::new("last run", text);
    }
    let phase = status["failurePhase"].as_str().unwrap_or_default();
    let message = status["failureMessage"].as_str().unwrap_or_default();
    Line::wrong("last run", format!("{text}\n           {phase}: {message}"))
}

fn troubles(status: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    let rejection = &status["lastSchemaRejection"];
    if rejection.is_object() {
        let snapshot = number(&rejection["snapshotId"]).unwrap_or_default();
        let reasons = strings(&rejection["reasons"]).join("; ");
        lines.push(Line::wrong(
            "schema",
            format!("refused at snapshot {snapshot}: {reasons}"),
        ));
    }
    let skipped = &status["skippedFiles"];
    if let Some(total) = number(&skipped["total"]).filter(|total| total != "0") {
        let first = &skipped["files"][0];
        let (path, reason) = (first["path"].as_str(), first["reason"].as_str());
        let first = path
            .zip(reason)
            .map(|(path, reason)| format!(": {path}: {reason}"));
        let text = format!("{total} files cannot be read{}", first.unwrap_or_default());
        lines.push(Line::wrong("skipped", text));
    }
    if status["detached"].is_object() {
        let detached = &status["detached"];
        let text = detached["message"].as_str().or(detached["code"].as_str());
        let text = text.unwrap_or("the source is another table");
        lines.push(Line::wrong("detached", text));
    }
    let restore = &status["restore"];
    if let Some(error) = restore["failureMessage"].as_str() {
        lines.push(Line::wrong(
            "restore",
            format!("fails, and is tried again: {error}"),
        ));
    } else if restore.is_object() {
        lines.push(Line::new(
            "restore",
            "being served again after a restart".to_owned(),
        ));
    }
    let reload = &status["reload"];
    if let (Some(total), Some(done)) = (reload["total"].as_u64(), reload["done"].as_u64()) {
        let failed = reload["failed"].as_u64().unwrap_or_default();
        let text = format!("{done} of {total} segments, {failed} failed");
        lines.push(Line {
            is_wrong: failed > 0,
            ..Line::new("reload", text)
        });
    }
    lines
}

fn files(status: &Value) -> String {
    let count = |name: &str| status["files"][name].as_u64().unwrap_or_default();
    format!(
        "{} files came, {} left",
        count("ingested"),
        count("removed")
    )
}

fn took(status: &Value) -> Option<String> {
    let (started, ended) = (
        status["startedAtMs"].as_i64()?,
        status["endedAtMs"].as_i64()?,
    );
    let millis = ended.saturating_sub(started).max(0);
    Some(format!(
        "took {}.{:01} s",
        millis / 1000,
        millis % 1000 / 100
    ))
}

/// Snapshot ids may be written as numbers or as text.
fn number(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn strings(value: &Value) -> Vec<String> {
    let texts = value.as_array().into_iter().flatten();
    texts
        .map(|text| {
            text.as_str()
                .map_or_else(|| text.to_string(), str::to_owned)
        })
        .collect()
}

/// Writes milliseconds since 1970 as a time in UTC.
pub fn time(millis: i64) -> String {
    let Civil { year, month, day } = Civil::from_days(millis.div_euclid(DAY_MS));
    let seconds = millis.rem_euclid(DAY_MS) / 1000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failed_run_says_where_and_why() {
        let status = json!({
            "tableName": "t_OFFLINE", "state": "IDLE", "mode": "WATCHER", "status": "FAILED",
            "startedAtMs": 1_790_000_000_000_i64, "endedAtMs": 1_790_000_001_250_i64,
            "failurePhase": "UPDATING_SCHEMA", "failureMessage": "column x is gone",
            "files": {"planned": 3, "ingested": 1, "removed": 0},
            "nextRunAtMs": 1_790_000_600_000_i64,
            "lastSchemaRejection": {"snapshotId": 9_007_199_254_740_993_i64, "reasons": ["a", "b"]},
            "skippedFiles": {"total": 2, "files": [{"path": "p", "reason": "cut off"}]}, "detached": {"code": "TABLE_REPLACED"},
            "reload": {"total": 3, "done": 2, "failed": 1}
        });
        let checkpoint =
            json!({"snapshotId": 5, "files": 2, "publishedAtMs": 0, "servedSchemaVersion": 1});
        let lines: Vec<String> = lines(&status, &checkpoint)
            .iter()
            .map(|line| {
                format!(
                    "{}{} {}",
                    if line.is_wrong { "!" } else { "" },
                    line.label,
                    line.text
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                "table t_OFFLINE: idle, watcher path",
                "serving snapshot 5, 2 files, schema version 1 since 1970-01-01 00:00:00 UTC",
                "!last run failed, began 2026-09-21 14:13:20 UTC, took 1.2 s, 1 files came, 0 left\n           \
                 UPDATING_SCHEMA: column x is gone",
                "next run 2026-09-21 14:23:20 UTC",
                "!schema refused at snapshot 9007199254740993: a; b",
                "!skipped 2 files cannot be read: p: cut off",
                "!detached TABLE_REPLACED",
                "!reload 2 of 3 segments, 1 failed",
            ]
        );
    }

    #[test]
    fn a_table_that_was_never_run() {
        let lines = lines(
            &json!({"tableName": "t_OFFLINE", "state": "IDLE"}),
            &json!({}),
        );
        assert_eq!(lines[1].text, "nothing yet");
        assert_eq!(lines[2].text, "never run, 0 files came, 0 left");
        let line = one_line(
            "t",
            &json!({"files": {"ingested": 2}, "target": {"snapshotId": "7"}}),
        );
        assert_eq!(line, "t, 2 files came, 0 left, snapshot 7");
    }
}
