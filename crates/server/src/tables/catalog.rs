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
use growler_table::config::{ExternalConfig, task};
use growler_table::store::{DocumentKind, Store};

use super::check::{Checked, Served};
use crate::backend::{Backend, SegmentInfo};
use crate::external::{ExternalTables, Watchers};
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

/// Those who keep External Tables in step.
#[derive(Clone)]
pub struct External {
    /// What they do.
    pub tables: Arc<dyn ExternalTables>,
    /// When they do it.
    pub watchers: Arc<Watchers>,
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
        if catalog.store.is_some() {
            catalog.backend.clean_up();
        }
        catalog.adopt_engine_tables();
        catalog.load_schemas()?;
        for json in &config.tables {
            catalog.load_table(json.clone(), true);
        }
        for text in catalog.stored(DocumentKind::Table)? {
            match TableConfigJson::parse(&text) {
                Ok(json) => catalog.load_table(json, false),
                Err(error) => tracing::error!(%error, "a stored table config is left out"),
            }
        }
        catalog.start_external()?;
        Ok(catalog)
    }

    /// Serves what was published of tables that follow a source, and goes on following it.
    fn start_external(&self) -> Result<(), Error> {
        let Some(external) = &self.external else {
            return Ok(());
        };
        external.tables.start()?;
        for (name, table) in &self.read().tables {
            if let Some(config) = &table.external {
                external.watchers.go_on(name, config);
            }
        }
        Ok(())
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

    /// Returns those who keep External Tables in step.
    ///
    /// # Errors
    /// `InvalidInput` when this server has none.
    pub fn external(&self) -> Result<&External, Error> {
        self.external
            .as_ref()
            .ok_or_else(|| Error::Invalid(NO_EXTERNAL.to_owned()))
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
            let is_served = self.backend.segments(name).is_some();
            return (!is_served).then(|| {
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
                external: None,
            };
            self.write().tables.insert(name, table);
        }
    }

    fn load_schemas(&self) -> Result<(), Error> {
        for text in self.stored(DocumentKind::Schema)? {
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
        let table = match ExternalConfig::of_table(&config) {
            Ok(Some(external)) => self.load_external(config, external, is_fixed),
            Ok(None) => self.load_files(config, is_fixed),
            Err(error) => unserved_table(config, is_fixed, &error.into()),
        };
        self.write().tables.insert(name, table);
    }

    fn load_files(&self, config: TableConfigJson, is_fixed: bool) -> Table {
        let loaded = self
            .check(&config, None, None)
            .and_then(|checked| Ok((self.prepare(&checked)?, checked)));
        let (swap, checked) = match loaded {
            Ok(loaded) => loaded,
            Err(error) => return unserved_table(config, is_fixed, &error),
        };
        swap();
        checked.into_table(config, is_fixed)
    }

    /// Takes on a table that was there before; its source is not asked.
    fn load_external(
        &self,
        config: TableConfigJson,
        external: ExternalConfig,
        is_fixed: bool,
    ) -> Table {
        let declared = self.read().schemas.get(config.raw_name()).cloned();
        let checked = match Checked::kept(&config, external, declared.as_ref()) {
            Ok(checked) => checked,
            Err(error) => return unserved_table(config, is_fixed, &error),
        };
        if let Err(error) = self
            .external()
            .and_then(|external| external.take_on(&checked))
        {
            return unserved_table(config, is_fixed, &error);
        }
        checked.into_table(config, is_fixed)
    }

    /// Opens what a checked table serves; it is served once the result is called.
    pub(super) fn prepare(&self, checked: &Checked) -> Result<crate::backend::Swap, Error> {
        match &checked.served {
            Served::Files(path) => {
                let (config, schema) = (&checked.config, checked.schema.clone());
                self.backend.prepare(config, path, schema)
            }
            Served::Source(_) => {
                self.external()?;
                let (catalog, checked) = (self.external.clone(), checked.clone());
                Ok(Box::new(move || {
                    let Some(external) = catalog else { return };
                    if let Err(error) = external.follow(&checked) {
                        let table = checked.config.name;
                        tracing::error!(table, %error, "a table does not follow its source");
                    }
                }))
            }
        }
    }

    fn stored(&self, kind: DocumentKind) -> Result<Vec<Vec<u8>>, Error> {
        let Some(store) = &self.store else {
            return Ok(Vec::new());
        };
        let kept = store.read(|reader| reader.documents(kind))?;
        Ok(kept.into_iter().map(|(_, text)| text).collect())
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

impl External {
    /// Takes on a table or its changed config, and has it run.
    fn follow(&self, checked: &Checked) -> Result<(), Error> {
        self.take_on(checked)?;
        if let Served::Source(config) = &checked.served {
            self.watchers.follow(&checked.config.name, config);
        }
        Ok(())
    }

    fn take_on(&self, checked: &Checked) -> Result<(), Error> {
        let Served::Source(config) = &checked.served else {
            return Ok(());
        };
        let declared = checked.is_declared.then_some(&checked.schema);
        self.tables.follow(&checked.config, config, declared)
    }
}

const NO_EXTERNAL: &str = "External Tables need a data directory to keep their state in. Start the \
                           server with --data-dir FOLDER, or set dataDir in its config";

fn unserved_table(config: TableConfigJson, is_fixed: bool, error: &Error) -> Table {
    let table = config.raw_name();
    tracing::error!(table, %error, "a table is not served");
    Table {
        config,
        schema: None,
        is_fixed,
        failure: Some(error.to_string()),
        external: None,
    }
}

pub(super) fn no_table(table: &str) -> Error {
    Error::NotFound(format!("Table {table} does not exist"))
}

fn unserved(table: &str, failure: Option<&str>) -> String {
    let failure = failure.unwrap_or("it was dropped");
    format!("Table {} is not served: {failure}", raw_table_name(table))
}
