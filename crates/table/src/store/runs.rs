//! Runs of the sync: one row each, the last ones kept.

use rusqlite::{OptionalExtension, Row, params};

use super::{Error, Reader, Writer};

/// Identity of a run; later ones are larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

/// How a run ended, or that it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunState {
    /// It is on.
    Running,
    /// It did what it was to do.
    Completed,
    /// It gave up; what was served before is served on.
    Failed,
    /// The process ended before it did.
    Aborted,
}

/// A run as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Identity.
    pub id: RunId,
    /// How it ended.
    pub state: RunState,
    /// When it started, in milliseconds since 1970.
    pub started_ms: i64,
    /// What it did, as JSON.
    pub body: String,
}

impl RunState {
    fn code(self) -> i64 {
        match self {
            Self::Running => 0,
            Self::Completed => 1,
            Self::Failed => 2,
            Self::Aborted => 3,
        }
    }

    fn of(code: i64) -> Self {
        match code {
            0 => Self::Running,
            1 => Self::Completed,
            2 => Self::Failed,
            _ => Self::Aborted,
        }
    }
}

impl Reader<'_> {
    /// Returns the last run of a table.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn last_run(&self, table: &str) -> Result<Option<RunRow>, Error> {
        let mut found = self.db.prepare_cached(
            "SELECT id, state, started_ms, body FROM sync_run WHERE table_name = ?1
             ORDER BY id DESC LIMIT 1",
        )?;
        Ok(found.query_row([table], row).optional()?)
    }

    /// Returns the runs of all tables that are on.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn running(&self) -> Result<Vec<(String, RunRow)>, Error> {
        let mut found = self.db.prepare_cached(
            "SELECT id, state, started_ms, body, table_name FROM sync_run WHERE state = 0",
        )?;
        let rows = found.query_map([], |found| Ok((found.get(4)?, row(found)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Adds a run that starts now.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn start_run(&self, table: &str, now_ms: i64, body: &str) -> Result<RunId, Error> {
        let mut added = self.db.prepare_cached(
            "INSERT INTO sync_run (table_name, state, started_ms, body) VALUES (?1, 0, ?2, ?3)
             RETURNING id",
        )?;
        let id = added.query_row(params![table, now_ms, body], |row| row.get(0))?;
        Ok(RunId(id))
    }

    /// Keeps what a run has done so far.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn put_run(&self, id: RunId, state: RunState, body: &str) -> Result<(), Error> {
        let mut kept = self
            .db
            .prepare_cached("UPDATE sync_run SET state = ?2, body = ?3 WHERE id = ?1")?;
        kept.execute(params![id.0, state.code(), body])?;
        Ok(())
    }

    /// Forgets all runs of a table but the last ones.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn forget_runs(&self, table: &str, keep: u32) -> Result<(), Error> {
        let mut forgotten = self.db.prepare_cached(
            "DELETE FROM sync_run WHERE table_name = ?1 AND id NOT IN (
                 SELECT id FROM sync_run WHERE table_name = ?1 ORDER BY id DESC LIMIT ?2)",
        )?;
        forgotten.execute(params![table, keep])?;
        Ok(())
    }
}

fn row(row: &Row<'_>) -> Result<RunRow, rusqlite::Error> {
    Ok(RunRow {
        id: RunId(row.get(0)?),
        state: RunState::of(row.get(1)?),
        started_ms: row.get(2)?,
        body: row.get(3)?,
    })
}
