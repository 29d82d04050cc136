//! Every change of schemas and tables.
//!
//! Changes are made one after another; readers never wait for one. A change is checked, written
//! under a temporary name, given to the engine, and only then published on disk.

use std::sync::PoisonError;

use growler_schema::TableSchema;
use growler_schema::convert::schema_from_json;
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use growler_schema::wire::{SchemaJson, TableConfigJson};

use super::catalog::{Catalog, Table, no_table};
use super::compatibility::incompatibility;
use super::store::{Kind, Staged};
use crate::Error;

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
    /// Checks a table config without keeping anything.
    ///
    /// # Errors
    /// `InvalidInput` with every breach of the rules.
    pub fn check_table(&self, json: &TableConfigJson) -> Result<(), Error> {
        self.check(json, None, self.table_roots.as_deref())
            .map(|_| ())
    }

    /// Adds or changes a table, and reads anew which files it has. A table of the server's
    /// configuration takes only the config it has, to be read anew.
    ///
    /// # Errors
    /// `InvalidInput` with every breach of the rules, `Conflict` or `NotFound` about the name,
    /// `Unavailable` when it cannot be kept.
    pub fn write_table(&self, json: TableConfigJson, write: TableWrite) -> Result<String, Error> {
        let _change = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let name = json.raw_name().to_owned();
        if write == TableWrite::Update && self.is_same_fixed(&name, &json) {
            return self.read_anew(name, json);
        }
        self.check_name(&name, write)?;
        let checked = self.check(&json, None, self.table_roots.as_deref())?;
        let staged = self.stage(Kind::Table, &name, &json.to_json())?;
        self.backend
            .register(&checked.config, &checked.path, checked.schema)?;
        if let Err(error) = publish(staged) {
            if write == TableWrite::Add {
                self.backend.remove(&name);
            }
            return Err(error);
        }
        let schema = Some(checked.shown);
        let table = Table {
            config: json,
            schema,
            is_fixed: false,
            failure: None,
        };
        self.write().tables.insert(name.clone(), table);
        Ok(name)
    }

    /// Tells whether a table of the server's configuration has just this config.
    fn is_same_fixed(&self, name: &str, json: &TableConfigJson) -> bool {
        let state = self.read();
        let table = state.tables.get(name);
        table.is_some_and(|table| table.is_fixed && table.config.to_json() == json.to_json())
    }

    /// Reads the files of a table of the server's configuration anew.
    fn read_anew(&self, name: String, config: TableConfigJson) -> Result<String, Error> {
        let checked = self.check(&config, None, None)?;
        self.backend
            .register(&checked.config, &checked.path, checked.schema)?;
        let table = Table {
            config,
            schema: Some(checked.shown),
            is_fixed: true,
            failure: None,
        };
        self.write().tables.insert(name.clone(), table);
        Ok(name)
    }

    /// Drops a table; its files stay, its indexes go once `end_reloads` has seen to it that none is
    /// being built.
    ///
    /// # Errors
    /// `NotFound`, or `Conflict` for a table of the server's configuration.
    pub fn remove_table(
        &self,
        table: &str,
        end_reloads: impl FnOnce(&str),
    ) -> Result<String, Error> {
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
        end_reloads(&name);
        self.backend.remove_indexes(&name);
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
        self.check_replacing(&schema, write)?;
        let staged = self.stage(Kind::Schema, &name, &json.to_json())?;
        let table = self.read().tables.get(&name).cloned();
        if let Some(table) = table.filter(|table| table.config.schema.is_none()) {
            let checked = self.check(&table.config, Some(&json), None)?;
            self.backend
                .register(&checked.config, &checked.path, checked.schema)?;
            let table = Table {
                schema: Some(checked.shown),
                failure: None,
                ..table
            };
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

    fn check_replacing(&self, schema: &TableSchema, write: SchemaWrite) -> Result<(), Error> {
        let name = &schema.name;
        let old = self.read().schemas.get(name).cloned();
        match &old {
            None if write.must_exist => {
                Err(Error::NotFound(format!("Failed to find schema: {name}")))
            }
            Some(_) if !write.replace => {
                Err(Error::Conflict(format!("Schema: {name} already exists")))
            }
            Some(old) if !write.force => {
                let reason = incompatibility(&schema_from_json(old)?, schema);
                reason.map_or(Ok(()), |reason| Err(Error::Invalid(reason)))
            }
            _ => Ok(()),
        }
    }

    fn stage(
        &self,
        kind: Kind,
        name: &str,
        json: &serde_json::Value,
    ) -> Result<Option<Staged>, Error> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
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
}

fn publish(staged: Option<Staged>) -> Result<(), Error> {
    staged.map_or(Ok(()), Staged::publish)
}

fn fixed(name: &str) -> Error {
    Error::Conflict(format!(
        "Table {name}{OFFLINE_SUFFIX} is declared in the server's config and can be changed there only"
    ))
}
