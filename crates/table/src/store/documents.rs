//! Schemas and table configs, as accepted.

use rusqlite::{OptionalExtension, params};

use super::{Error, Reader, Writer};

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// A schema.
    Schema,
    /// A table config.
    Table,
}

impl DocumentKind {
    fn table(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Table => "table_config",
        }
    }
}

impl Reader<'_> {
    /// Returns a document.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn document(&self, kind: DocumentKind, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let sql = format!("SELECT json FROM {} WHERE name = ?1", kind.table());
        let mut found = self.db.prepare_cached(&sql)?;
        Ok(found.query_row([name], |row| row.get(0)).optional()?)
    }

    /// Returns all documents of a kind, by name.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn documents(&self, kind: DocumentKind) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let sql = format!("SELECT name, json FROM {} ORDER BY name", kind.table());
        let mut found = self.db.prepare_cached(&sql)?;
        let rows = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Keeps a document in place of the one before, and returns how often it was kept.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn put_document(&self, kind: DocumentKind, name: &str, json: &[u8]) -> Result<i64, Error> {
        let sql = format!(
            "INSERT INTO {} (name, json, version) VALUES (?1, ?2, 1)
             ON CONFLICT (name) DO UPDATE SET json = excluded.json, version = version + 1
             RETURNING version",
            kind.table()
        );
        let mut kept = self.db.prepare_cached(&sql)?;
        Ok(kept.query_row(params![name, json], |row| row.get(0))?)
    }

    /// Takes a document away, and tells whether there was one.
    ///
    /// # Errors
    /// `Unavailable`.
    pub fn delete_document(&self, kind: DocumentKind, name: &str) -> Result<bool, Error> {
        let sql = format!("DELETE FROM {} WHERE name = ?1", kind.table());
        Ok(self.db.prepare_cached(&sql)?.execute([name])? > 0)
    }
}
