//! All schemas and tables, and every change to them.
//!
//! Changes are made one after another; readers never wait for one. A change is checked, written
//! under a temporary name, given to the engine, and only then published on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use growler_schema::convert::{default_table_config, external_table, schema_from_json, schema_to_json};
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use growler_schema::wire::{SchemaJson, TableConfigJson};
use growler_schema::{Field, TableConfig, TableSchema};

use super::compatibility::incompatibility;
use super::store::{Kind, Staged, Store};
use crate::backend::Backend;
use crate::{Error, ServerConfig};

/// The server's schemas and tables.
pub struct Catalog {
    backend: Arc<dyn Backend>,
    store: Option<Store>,
    base_dir: PathBuf,
    table_roots: Option<Vec<PathBuf>>,
    state: RwLock<State>,
    changes: Mutex<()>,
}

#[derive(Default)]
struct State {
    schemas: BTreeMap<String, SchemaJson>,
    tables: BTreeMap<String, Table>,
}

/// A table, served or not.
#[derive(Clone)]
struct Table {
    config: TableConfigJson,
    /// What the client declared, else what the files have; none when they could not be read.
    schema: Option<SchemaJson>,
    /// Whether the server's configuration or its embedder declares it; clients cannot change it.
    is_fixed: bool,
    /// Why it is not served.
    failure: Option<String>,
}

/// What a write of a table config is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableWrite {
    /// Add a table; one of the same name is a conflict.
    Add,
    /// Change a table that is there.
    Update,
}

/// What a write of a schema may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaWrite {
    /// Replace one of the same name.
    pub replace: bool,
    /// Require one of the same name.
    pub must_exist: bool,
    /// Replace it though the new one is not compatible.
    pub force: bool,
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
        found.schema.ok_or_else(|| Error::Io(unserved(table, found.failure.as_deref())))
    }

    /// Returns the names of a table's segments.
    ///
    /// # Errors
    /// As [`Self::table_schema`].
    pub fn segments(&self, table: &str) -> Result<Vec<String>, Error> {
        let found = self.table(table)?;
        let segments = self.backend.segments(raw_table_name(table));
        segments.ok_or_else(|| Error::Io(unserved(table, found.failure.as_deref())))
    }

    /// Returns why a table that is known is not served.
    pub fn failure(&self, table: &str) -> Option<String> {
        let found = self.table(table).ok()?;
        found.failure.as_deref().map(|failure| unserved(table, Some(failure)))
    }

    /// Returns the names of all schemas, those of tables included.
    pub fn schema_names(&self) -> Vec<String> {
        let state = self.read();
        let of_tables = state.tables.iter().filter(|(_, table)| table.schema.is_some());
        let mut names: Vec<String> =
            state.schemas.keys().chain(of_tables.map(|(name, _)| name)).cloned().collect();
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

    /// Checks a table config without keeping anything.
    ///
    /// # Errors
    /// `InvalidInput` with every breach of the rules.
    pub fn check_table(&self, json: &TableConfigJson) -> Result<(), Error> {
        self.check(json, None, self.table_roots.as_deref()).map(|_| ())
    }

    /// Adds or changes a table.
    ///
    /// # Errors
    /// `InvalidInput` with every breach of the rules, `Conflict` or `NotFound` about the name,
    /// `Unavailable` when it cannot be kept.
    pub fn write_table(&self, json: TableConfigJson, write: TableWrite) -> Result<String, Error> {
        let _change = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let name = json.raw_name().to_owned();
        self.check_name(&name, write)?;
        let checked = self.check(&json, None, self.table_roots.as_deref())?;
        let staged = self.stage(Kind::Table, &name, &json.to_json())?;
        self.backend.register(&checked.config, &checked.path, checked.schema)?;
        publish(staged)?;
        let schema = Some(checked.shown);
        let table = Table { config: json, schema, is_fixed: false, failure: None };
        self.write().tables.insert(name.clone(), table);
        Ok(name)
    }

    /// Drops a table; its files stay.
    ///
    /// # Errors
    /// `NotFound`, or `Conflict` for a table of the server's configuration.
    pub fn remove_table(&self, table: &str) -> Result<String, Error> {
        let _change = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let name = raw_table_name(table).to_owned();
        if self.table(&name)?.is_fixed {
            return Err(fixed(&name));
        }
        if let Some(store) = &self.store {
            store.remove(Kind::Table, &name)?;
        }
        self.write().tables.remove(&name);
        self.backend.remove(&name);
        Ok(name)
    }

    /// Adds or replaces a schema; a table of that name has it from now on, unless its config holds
    /// one itself.
    ///
    /// # Errors
    /// `InvalidInput` with every breach of the rules or for an incompatible schema, `Conflict` or
    /// `NotFound` about the name, `Unavailable` when it cannot be kept.
    pub fn write_schema(&self, json: SchemaJson, write: SchemaWrite) -> Result<String, Error> {
        let _change = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let schema = schema_from_json(&json)?;
        let name = schema.name.clone();
        let old = self.read().schemas.get(&name).cloned();
        match &old {
            None if write.must_exist => {
                return Err(Error::NotFound(format!("Failed to find schema: {name}")));
            }
            Some(_) if !write.replace => {
                return Err(Error::Conflict(format!("Schema: {name} already exists")));
            }
            Some(old) if !write.force => {
                let reason = incompatibility(&schema_from_json(old)?, &schema);
                reason.map_or(Ok(()), |reason| Err(Error::Invalid(reason)))?;
            }
            _ => {}
        }
        let staged = self.stage(Kind::Schema, &name, &json.to_json())?;
        let table = self.read().tables.get(&name).cloned();
        if let Some(table) = table.filter(|table| table.config.schema.is_none()) {
            let checked = self.check(&table.config, Some(&json), None)?;
            self.backend.register(&checked.config, &checked.path, checked.schema)?;
            let table = Table { schema: Some(checked.shown), failure: None, ..table };
            self.write().tables.insert(name.clone(), table);
        }
        publish(staged)?;
        self.write().schemas.insert(name.clone(), json);
        Ok(name)
    }

    /// Drops a schema that no table has.
    ///
    /// # Errors
    /// `NotFound`, or `Conflict` when a table has it.
    pub fn remove_schema(&self, name: &str) -> Result<(), Error> {
        let _change = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        self.schema(name)?;
        if self.read().tables.contains_key(name) {
            return Err(Error::Conflict(format!(
                "Cannot delete schema {name}, as it is associated with table {name}{OFFLINE_SUFFIX}"
            )));
        }
        if let Some(store) = &self.store {
            store.remove(Kind::Schema, name)?;
        }
        self.write().schemas.remove(name);
        Ok(())
    }

    fn adopt_engine_tables(&self) {
        for name in self.backend.tables() {
            let Some(schema) = self.backend.schema(&name) else { continue };
            let mut config = default_table_config(&schema);
            config.table_name = Some(format!("{name}{OFFLINE_SUFFIX}"));
            let schema = Some(schema_to_json(&schema));
            let table = Table { config, schema, is_fixed: true, failure: None };
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
            self.backend.register(&checked.config, &checked.path, checked.schema)?;
            Ok(checked.shown)
        });
        let (schema, failure) = match loaded {
            Ok(schema) => (Some(schema), None),
            Err(error) => {
                tracing::error!(table = name, %error, "a table is not served");
                (None, Some(error.to_string()))
            }
        };
        self.write().tables.insert(name, Table { config, schema, is_fixed, failure });
    }

    fn stored(&self, kind: Kind) -> Result<Vec<Vec<u8>>, Error> {
        self.store.as_ref().map_or(Ok(Vec::new()), |store| store.load(kind))
    }

    fn stage(
        &self,
        kind: Kind,
        name: &str,
        json: &serde_json::Value,
    ) -> Result<Option<Staged>, Error> {
        let Some(store) = &self.store else { return Ok(None) };
        let text = serde_json::to_vec_pretty(json).map_err(|e| Error::Internal(e.to_string()))?;
        store.stage(kind, name, &text).map(Some)
    }

    fn check_name(&self, name: &str, write: TableWrite) -> Result<(), Error> {
        let state = self.read();
        match (write, state.tables.get(name)) {
            (TableWrite::Add, Some(_)) => Err(Error::Conflict(format!(
                "Table config for {name}{OFFLINE_SUFFIX} already exists. If this is unexpected, try \
                 deleting the table to remove all metadata associated with it."
            ))),
            (TableWrite::Update, None) => Err(no_table(name)),
            (TableWrite::Update, Some(table)) if table.is_fixed => Err(fixed(name)),
            _ => Ok(()),
        }
    }

    /// Reads the files' columns and checks the config and the schema against them.
    fn check(
        &self,
        json: &TableConfigJson,
        declared: Option<&SchemaJson>,
        roots: Option<&[PathBuf]>,
    ) -> Result<Checked, Error> {
        let stored = self.read().schemas.get(json.raw_name()).cloned();
        let declared = declared.or(stored.as_ref());
        let source = json.source.as_ref().and_then(|source| source.path.as_deref());
        let path = self.base_dir.join(source.unwrap_or_default());
        let inferred = match source {
            None | Some("") => {
                Err("Requires a file, folder or glob in 'source.path'".to_owned())
            }
            Some(source) => self.infer(source, &path, roots),
        };
        let (config, schema) = external_table(json, declared, inferred)?;
        let shown = json.schema.as_ref().or(declared).cloned();
        let shown = shown.unwrap_or_else(|| schema_to_json(&schema));
        Ok(Checked { config, path, schema, shown })
    }

    fn infer(
        &self,
        source: &str,
        path: &Path,
        roots: Option<&[PathBuf]>,
    ) -> Result<Vec<Field>, String> {
        if roots.is_some_and(|roots| !is_below(path, roots)) {
            return Err(format!("Does not allow files outside of tableRoots. Found {source}"));
        }
        self.backend.infer(path).map_err(|error| error.to_string())
    }

    fn table(&self, table: &str) -> Result<Table, Error> {
        let found = self.read().tables.get(raw_table_name(table)).cloned();
        found.ok_or_else(|| no_table(table))
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A table that may be served.
struct Checked {
    config: TableConfig,
    path: PathBuf,
    schema: TableSchema,
    shown: SchemaJson,
}

fn publish(staged: Option<Staged>) -> Result<(), Error> {
    staged.map_or(Ok(()), Staged::publish)
}

/// Steps upwards and links could lead out of a root, so the part before any wildcard is resolved.
fn is_below(path: &Path, roots: &[PathBuf]) -> bool {
    let mut folder = PathBuf::new();
    let mut pattern = PathBuf::new();
    for part in path.components() {
        let text = part.as_os_str().to_string_lossy();
        if !pattern.as_os_str().is_empty() || text.contains(['*', '?', '[', '{']) {
            pattern.push(part);
        } else {
            folder.push(part);
        }
    }
    let steps_up = pattern.components().any(|part| part == std::path::Component::ParentDir);
    let Ok(folder) = folder.canonicalize() else { return false };
    let below = |root: &PathBuf| root.canonicalize().is_ok_and(|root| folder.starts_with(root));
    !steps_up && roots.iter().any(below)
}

fn no_table(table: &str) -> Error {
    Error::NotFound(format!("Table {table} does not exist"))
}

fn fixed(name: &str) -> Error {
    Error::Conflict(format!(
        "Table {name}{OFFLINE_SUFFIX} is declared in the server's config and can be changed there only"
    ))
}

fn unserved(table: &str, failure: Option<&str>) -> String {
    let failure = failure.unwrap_or("it was dropped");
    format!("Table {} is not served: {failure}", raw_table_name(table))
}
