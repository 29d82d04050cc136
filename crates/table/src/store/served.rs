//! Versions of the schemas that are served; they are added and never change.

use rusqlite::{OptionalExtension, params};

use super::{Error, Reader, Writer};

/// Counts the schemas that a table was served with, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaVersion(pub i64);

/// One version of a served schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedRow {
    /// Which one.
    pub version: SchemaVersion,
    /// What it is, as JSON.
    pub json: String,
    /// Since when, in milliseconds since 1970.
    pub created_ms: i64,
}

impl Reader<'_> {
    /// Returns one version of a table's schema.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn served_schema(
        &self,
        table: &str,
        version: SchemaVersion,
    ) -> Result<Option<ServedRow>, Error> {
        let mut found = self.db.prepare_cached(
            "SELECT json, created_ms FROM served_schema WHERE table_name = ?1 AND version = ?2",
        )?;
        let row = found.query_row(params![table, version.0], |row| {
            Ok(ServedRow {
                version,
                json: row.get(0)?,
                created_ms: row.get(1)?,
            })
        });
        Ok(row.optional()?)
    }

    /// Returns the last version of a table's schema.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn last_served_schema(&self, table: &str) -> Result<Option<ServedRow>, Error> {
        let mut found = self
            .db
            .prepare_cached("SELECT max(version) FROM served_schema WHERE table_name = ?1")?;
        let last: Option<i64> = found.query_row([table], |row| row.get(0))?;
        match last {
            Some(version) => self.served_schema(table, SchemaVersion(version)),
            None => Ok(None),
        }
    }
}

impl Writer<'_> {
    /// Adds a version of a table's schema and returns which it is.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn add_served_schema(
        &self,
        table: &str,
        json: &str,
        now_ms: i64,
    ) -> Result<SchemaVersion, Error> {
        let mut added = self.db.prepare_cached(
            "INSERT INTO served_schema (table_name, version, json, created_ms)
             SELECT ?1, 1 + coalesce(max(version), 0), ?2, ?3
             FROM served_schema WHERE table_name = ?1
             RETURNING version",
        )?;
        let version = added.query_row(params![table, json, now_ms], |row| row.get(0))?;
        Ok(SchemaVersion(version))
    }
}
