//! What is served of a table, and what it was read from.

use rusqlite::{OptionalExtension, Row, params};

use super::served::SchemaVersion;
use super::{Error, Reader, Writer};

/// Counts what was published of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ViewVersion(pub i64);

/// One table that follows a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateRow {
    /// The view that is served; 0 before the first one.
    pub view_version: ViewVersion,
    /// The schema that is served; none before the first one.
    pub schema_version: Option<SchemaVersion>,
    /// What the view was made of, as JSON.
    pub checkpoint: Option<String>,
    /// Why the table follows its source no more, as JSON.
    pub detached: Option<String>,
    /// The last schema change that was refused, as JSON.
    pub rejection: Option<String>,
    /// Files that the view lacks because they cannot be read, as JSON.
    pub skipped: Option<String>,
}

impl Reader<'_> {
    /// Returns the state of a table; none for one that follows no source.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn state(&self, table: &str) -> Result<Option<StateRow>, Error> {
        let mut found = self.db.prepare_cached(
            "SELECT view_version, schema_version, checkpoint, detached, rejection, skipped
             FROM sync_state WHERE table_name = ?1",
        )?;
        Ok(found.query_row([table], row).optional()?)
    }

    /// Returns the metadata document that the view was made of.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn source_metadata(&self, table: &str) -> Result<Option<Vec<u8>>, Error> {
        let mut found = self
            .db
            .prepare_cached("SELECT document FROM source_metadata WHERE table_name = ?1")?;
        Ok(found.query_row([table], |row| row.get(0)).optional()?)
    }

    /// Returns the tables that follow a source, by name.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn followed_tables(&self) -> Result<Vec<String>, Error> {
        let mut found = self
            .db
            .prepare_cached("SELECT table_name FROM sync_state ORDER BY table_name")?;
        let rows = found.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Adds a table that follows a source; one that is there stays as it is.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn follow(&self, table: &str) -> Result<(), Error> {
        let mut added = self.db.prepare_cached(
            "INSERT INTO sync_state (table_name, view_version) VALUES (?1, 0)
             ON CONFLICT DO NOTHING",
        )?;
        added.execute([table])?;
        Ok(())
    }

    /// Forgets a table: its state, schema versions, members, runs and lease.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn unfollow(&self, table: &str) -> Result<(), Error> {
        let mut gone = self
            .db
            .prepare_cached("DELETE FROM sync_state WHERE table_name = ?1")?;
        gone.execute([table])?;
        Ok(())
    }

    /// Keeps the metadata document that the view is made of.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn put_source_metadata(&self, table: &str, document: &[u8]) -> Result<(), Error> {
        let mut kept = self.db.prepare_cached(
            "INSERT INTO source_metadata (table_name, document) VALUES (?1, ?2)
             ON CONFLICT (table_name) DO UPDATE SET document = excluded.document",
        )?;
        kept.execute(params![table, document])?;
        Ok(())
    }

    /// Keeps the state of a table.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn put_state(&self, table: &str, state: &StateRow) -> Result<(), Error> {
        let mut kept = self.db.prepare_cached(
            "UPDATE sync_state SET view_version = ?2, schema_version = ?3, checkpoint = ?4,
             detached = ?5, rejection = ?6, skipped = ?7 WHERE table_name = ?1",
        )?;
        kept.execute(params![
            table,
            state.view_version.0,
            state.schema_version.map(|version| version.0),
            state.checkpoint,
            state.detached,
            state.rejection,
            state.skipped,
        ])?;
        Ok(())
    }
}

fn row(row: &Row<'_>) -> Result<StateRow, rusqlite::Error> {
    Ok(StateRow {
        view_version: ViewVersion(row.get(0)?),
        schema_version: row.get::<_, Option<i64>>(1)?.map(SchemaVersion),
        checkpoint: row.get(2)?,
        detached: row.get(3)?,
        rejection: row.get(4)?,
        skipped: row.get(5)?,
    })
}
