//! All schemas and tables.
//!
//! Here is what it holds and what can be read of it; `load` has how it comes about at the start, `changes`
//! the changes, `check` what is checked before one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use growler_schema::convert::schema_to_json;
use growler_schema::table_config::raw_table_name;
use growler_schema::wire::{SchemaJson, TableConfigJson};
use growler_table::config::{ExternalConfig, task};
use growler_table::store::Store;

use super::external::External;
use crate::backend::{Backend, SegmentInfo};
use crate::{Error, ServerConfig};

/// The server's schemas and tables.
pub struct Catalog {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) store: Option<Arc<Store>>,
    pub(super) external: Option<External>,
    pub(super) base_dir: PathBuf,
    pub(super) table_roots: Option<Vec<PathBuf>>,
    state: RwLock<State>,
    pub(super) changes: Mutex<()>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) schemas: BTreeMap<String, SchemaJson>,
    pub(super) tables: BTreeMap<String, Table>,
}

/// A table, served or not.
#[derive(Clone)]
pub(super) struct Table {
    pub(super) config: TableConfigJson,
    /// What the client declared, else what the files have; none when they could not be read.
    pub(super) schema: Option<SchemaJson>,
    /// Whether the server's configuration or its embedder declares it; clients cannot change it.
    pub(super) is_fixed: bool,
    /// Why it is not served.
    pub(super) failure: Option<String>,
    /// What it is told, if it follows a source.
    pub(super) external: Option<Arc<ExternalConfig>>,
}

impl Catalog {
    /// Loads the tables of the configuration and of the data directory. One whose files cannot be
    /// read is logged and kept, unserved; the others are not affected.
    ///
    /// # Errors
    /// `Unavailable` when the data directory cannot be used.
    pub fn open(
        config: &ServerConfig,
        backend: Arc<dyn Backend>,
        store: Option<Arc<Store>>,
        external: Option<External>,
    ) -> Result<Self, Error> {
        let catalog = Self {
            backend,
            store,
            external,
            base_dir: config.base_dir.clone(),
            table_roots: config.table_roots.clone(),
            state: RwLock::default(),
            changes: Mutex::default(),
        };
        catalog.load(&config.tables)?;
        Ok(catalog)
    }

    /// Returns the names of all tables.
    pub fn table_names(&self) -> Vec<String> {
        self.read().tables.keys().cloned().collect()
    }

    /// Returns how many tables are served, and how many are not.
    pub fn table_counts(&self) -> (usize, usize) {
        let state = self.read();
        let is_served = |name: &str, table: &Table| self.why_unserved(name, table).is_none();
        let served = state.tables.iter();
        let served = served
            .filter(|(name, table)| is_served(name, table))
            .count();
        (served, state.tables.len() - served)
    }

    /// Returns a table's config, its secrets hidden.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn table_config(&self, table: &str) -> Result<TableConfigJson, Error> {
        let mut config = self.table(table)?.config;
        task::hide_secrets(&mut config);
        Ok(config)
    }

    /// Returns a table's config, its secrets included.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn full_config(&self, table: &str) -> Result<TableConfigJson, Error> {
        Ok(self.table(table)?.config)
    }

    /// Says which columns a table that is made again would name otherwise.
    pub fn renamed_columns(&self, table: &str) -> Option<String> {
        let schema = self.backend.schema(raw_table_name(table))?;
        let renamed = schema
            .fields()
            .iter()
            .filter(|field| !field.aliases.is_empty());
        let renamed: Vec<&str> = renamed.map(|field| field.name.as_str()).collect();
        (!renamed.is_empty()).then(|| {
            format!(
                "Columns that the source renamed keep their first name here; a new table has the \
                 present one: {}",
                renamed.join(", ")
            )
        })
    }

    /// Returns whether there is a table.
    pub fn has_table(&self, table: &str) -> bool {
        self.read().tables.contains_key(raw_table_name(table))
    }

    /// Returns a table's schema.
    ///
    /// # Errors
    /// `NotFound` for an unknown table, `Unavailable` for one whose files could not be read.
    pub fn table_schema(&self, table: &str) -> Result<SchemaJson, Error> {
        let found = self.table(table)?;
        let why = || self.why_unserved(raw_table_name(table), &found);
        self.shown_schema(raw_table_name(table), &found)
            .ok_or_else(|| Error::Io(unserved(table, why().as_deref())))
    }

    /// Returns a table's segments.
    ///
    /// # Errors
    /// As [`Self::table_schema`].
    pub fn segments(&self, table: &str) -> Result<Vec<SegmentInfo>, Error> {
        let found = self.table(table)?;
        let segments = self.backend.segments(raw_table_name(table));
        let why = || self.why_unserved(raw_table_name(table), &found);
        segments.ok_or_else(|| Error::Io(unserved(table, why().as_deref())))
    }

    /// Returns why a table that is known is not served.
    pub fn failure(&self, table: &str) -> Option<String> {
        let found = self.table(table).ok()?;
        let why = self.why_unserved(raw_table_name(table), &found)?;
        Some(unserved(table, Some(&why)))
    }

    fn why_unserved(&self, name: &str, table: &Table) -> Option<String> {
        if table.external.is_some() && table.failure.is_none() {
            if self.backend.segments(name).is_some() {
                return None;
            }
            let restoring = self.external.as_ref();
            let restoring = restoring.and_then(|external| external.watchers.restoring(name));
            return Some(if let Some(restoring) = restoring {
                restoring.text(name)
            } else {
                format!(
                    "its first sync run has not published anything yet, see \
                     /tables/{name}/externalTable/status"
                )
            });
        }
        table.failure.clone()
    }

    /// Returns a table's schema as clients see it: that of one that follows a source is the engine's.
    fn shown_schema(&self, name: &str, table: &Table) -> Option<SchemaJson> {
        let served = table
            .external
            .as_ref()
            .and_then(|_| self.backend.schema(name));
        served
            .map(|schema| schema_to_json(&schema))
            .or_else(|| table.schema.clone())
    }

    /// Returns the names of all schemas, those of tables included.
    pub fn schema_names(&self) -> Vec<String> {
        let state = self.read();
        let of_tables = state
            .tables
            .iter()
            .filter(|(name, table)| self.shown_schema(name, table).is_some());
        let mut names: Vec<String> = state
            .schemas
            .keys()
            .chain(of_tables.map(|(name, _)| name))
            .cloned()
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns a schema as it was declared, or as the files of the table of that name have it.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn schema(&self, name: &str) -> Result<SchemaJson, Error> {
        let state = self.read();
        let table = state.tables.get(name);
        let shown = table.and_then(|table| self.shown_schema(name, table));
        // What follows a source may have gone further than what was declared.
        let follows = table.is_some_and(|table| table.external.is_some());
        let declared = state.schemas.get(name).cloned();
        let found = if follows {
            shown.or(declared)
        } else {
            declared.or(shown)
        };
        found.ok_or_else(|| Error::NotFound("Schema not found".to_owned()))
    }

    pub(super) fn table(&self, table: &str) -> Result<Table, Error> {
        let found = self.read().tables.get(raw_table_name(table)).cloned();
        found.ok_or_else(|| no_table(table))
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn no_table(table: &str) -> Error {
    Error::NotFound(format!("Table {table} does not exist"))
}

fn unserved(table: &str, failure: Option<&str>) -> String {
    let failure = failure.unwrap_or("it was dropped");
    format!("Table {} is not served: {failure}", raw_table_name(table))
}
