//! All schemas and tables.
//!
//! Here is what it holds, how it comes about at the start, and what can be read of it;
//! `changes` has the changes, `check` what is checked before one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use growler_schema::convert::{default_table_config, schema_to_json};
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use growler_schema::wire::{SchemaJson, TableConfigJson};

use super::store::{Kind, Store};
use crate::backend::{Backend, SegmentInfo};
use crate::{Error, ServerConfig};

/// The server's schemas and tables.
pub struct Catalog {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) store: Option<Store>,
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
}

impl Catalog {
    /// Loads the tables of the configuration and of the data directory. One whose files cannot be
    /// read is logged and kept, unserved; the others are not affected.
    ///
    /// # Errors
    /// `Unavailable` when the data directory cannot be used.
    pub fn open(config: &ServerConfig, backend: Arc<dyn Backend>) -> Result<Self, Error> {
        let store = config.data_dir.as_deref().map(Store::open).transpose()?;
        let catalog = Self {
            backend,
            store,
            base_dir: config.base_dir.clone(),
            table_roots: config.table_roots.clone(),
            state: RwLock::default(),
            changes: Mutex::default(),
        };
        if catalog.store.is_some() {
            catalog.backend.clean_up();
        }
        catalog.adopt_engine_tables();
        catalog.load_schemas()?;
        for json in &config.tables {
            catalog.load_table(json.clone(), true);
        }
        for text in catalog.stored(Kind::Table)? {
            match TableConfigJson::parse(&text) {
                Ok(json) => catalog.load_table(json, false),
                Err(error) => tracing::error!(%error, "a stored table config is left out"),
            }
        }
        Ok(catalog)
    }

    /// Returns the names of all tables.
    pub fn table_names(&self) -> Vec<String> {
        self.read().tables.keys().cloned().collect()
    }

    /// Returns how many tables are served, and how many are not.
    pub fn table_counts(&self) -> (usize, usize) {
        let state = self.read();
        let served = state
            .tables
            .values()
            .filter(|table| table.failure.is_none())
            .count();
        (served, state.tables.len() - served)
    }

    /// Returns a table's config.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn table_config(&self, table: &str) -> Result<TableConfigJson, Error> {
        Ok(self.table(table)?.config)
    }

    /// Returns a table's schema.
    ///
    /// # Errors
    /// `NotFound` for an unknown table, `Unavailable` for one whose files could not be read.
    pub fn table_schema(&self, table: &str) -> Result<SchemaJson, Error> {
        let found = self.table(table)?;
        found
            .schema
            .ok_or_else(|| Error::Io(unserved(table, found.failure.as_deref())))
    }

    /// Returns a table's segments.
    ///
    /// # Errors
    /// As [`Self::table_schema`].
    pub fn segments(&self, table: &str) -> Result<Vec<SegmentInfo>, Error> {
        let found = self.table(table)?;
        let segments = self.backend.segments(raw_table_name(table));
        segments.ok_or_else(|| Error::Io(unserved(table, found.failure.as_deref())))
    }

    /// Returns why a table that is known is not served.
    pub fn failure(&self, table: &str) -> Option<String> {
        let found = self.table(table).ok()?;
        found
            .failure
            .as_deref()
            .map(|failure| unserved(table, Some(failure)))
    }

    /// Returns the names of all schemas, those of tables included.
    pub fn schema_names(&self) -> Vec<String> {
        let state = self.read();
        let of_tables = state
            .tables
            .iter()
            .filter(|(_, table)| table.schema.is_some());
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
        let declared = state.schemas.get(name).cloned();
        declared
            .or_else(|| state.tables.get(name)?.schema.clone())
            .ok_or_else(|| Error::NotFound("Schema not found".to_owned()))
    }

    fn adopt_engine_tables(&self) {
        for name in self.backend.tables() {
            let Some(schema) = self.backend.schema(&name) else {
                continue;
            };
            let mut config = default_table_config(&schema);
            config.table_name = Some(format!("{name}{OFFLINE_SUFFIX}"));
            let schema = Some(schema_to_json(&schema));
            let table = Table {
                config,
                schema,
                is_fixed: true,
                failure: None,
            };
            self.write().tables.insert(name, table);
        }
    }

    fn load_schemas(&self) -> Result<(), Error> {
        for text in self.stored(Kind::Schema)? {
            match SchemaJson::parse(&text) {
                Ok(json) => {
                    let name = json.schema_name.clone().unwrap_or_default();
                    self.write().schemas.insert(name, json);
                }
                Err(error) => tracing::error!(%error, "a stored schema is left out"),
            }
        }
        Ok(())
    }

    fn load_table(&self, config: TableConfigJson, is_fixed: bool) {
        let name = config.raw_name().to_owned();
        if !is_fixed && self.read().tables.contains_key(&name) {
            tracing::warn!(table = name, "the server's own table hides the stored one");
            return;
        }
        let loaded = self.check(&config, None, None).and_then(|checked| {
            self.backend
                .register(&checked.config, &checked.path, checked.schema)?;
            Ok(checked.shown)
        });
        let (schema, failure) = match loaded {
            Ok(schema) => (Some(schema), None),
            Err(error) => {
                tracing::error!(table = name, %error, "a table is not served");
                (None, Some(error.to_string()))
            }
        };
        self.write().tables.insert(
            name,
            Table {
                config,
                schema,
                is_fixed,
                failure,
            },
        );
    }

    fn stored(&self, kind: Kind) -> Result<Vec<Vec<u8>>, Error> {
        self.store
            .as_ref()
            .map_or(Ok(Vec::new()), |store| store.load(kind))
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
