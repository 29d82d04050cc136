//! Every change of schemas and tables.
//!
//! Changes are made one after another; readers never wait for one. A change is checked, its files are
//! opened, it is kept on disk, and only then served: one that fails is not served, and one that is
//! served outlives a kill.

use std::sync::PoisonError;

use growler_schema::TableSchema;
use growler_schema::convert::schema_from_json;
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use growler_schema::wire::{SchemaJson, TableConfigJson};

use growler_table::config::task;
use growler_table::store::{DocumentKind, Error as StoreError};

use super::catalog::{Catalog, Table, no_table};
use super::check::Checked;
use super::compatibility::incompatibility;
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
    pub fn write_table(
        &self,
        mut json: TableConfigJson,
        write: TableWrite,
    ) -> Result<String, Error> {
        let name = json.raw_name().to_owned();
        if let Some(old) = self.read().tables.get(&name) {
            task::restore_secrets(&mut json, &old.config);
        }
        let asked = self.ask_source(&name, &json, write)?;
        let _change = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        if write == TableWrite::Update && self.is_same_fixed(&name, &json) {
            return self.read_anew(name, json);
        }
        self.check_name(&name, write)?;
        self.check_kind(&name, &json)?;
        let checked = match asked {
            Some(checked) => checked,
            None => self.check(&json, None, self.table_roots.as_deref())?,
        };
        let swap = self.prepare(&checked)?;
        self.keep_table(&name, &json, write)?;
        // Known before it is served: the first run of a source may end at once.
        let table = checked.into_table(json, false);
        self.write().tables.insert(name.clone(), table);
        swap();
        Ok(name)
    }

    /// Checks a table that follows a source before its turn comes: one that is away must not hold up the
    /// changes of others. None for other tables.
    fn ask_source(
        &self,
        name: &str,
        json: &TableConfigJson,
        write: TableWrite,
    ) -> Result<Option<Checked>, Error> {
        if !task::is_external(json) || self.is_same_fixed(name, json) {
            return Ok(None);
        }
        self.check_name(name, write)?;
        self.check_kind(name, json)?;
        let checked = self.check(json, None, self.table_roots.as_deref())?;
        Ok(Some(checked))
    }

    /// Refuses to make a table that follows a source one over files, or the other way round.
    fn check_kind(&self, name: &str, json: &TableConfigJson) -> Result<(), Error> {
        let state = self.read();
        let Some(old) = state.tables.get(name) else {
            return Ok(());
        };
        if task::is_external(&old.config) == task::is_external(json) {
            return Ok(());
        }
        Err(Error::Invalid(format!(
            "Table {name}{OFFLINE_SUFFIX} cannot be turned into an External Table or back. Drop it first"
        )))
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
        let swap = self.prepare(&checked)?;
        let table = checked.into_table(config, true);
        self.write().tables.insert(name.clone(), table);
        swap();
        Ok(name)
    }

    /// Checks that a table may be dropped.
    ///
    /// # Errors
    /// As dropping it.
    pub fn check_removal(&self, table: &str) -> Result<(), Error> {
        let name = raw_table_name(table);
        if self.table(name)?.is_fixed {
            return Err(fixed(name));
        }
        Ok(())
    }

    /// Drops a table, and the schema of one that follows a source; its files stay, its indexes go once `end_reloads` has seen to it that none is
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
        let is_external = self.table(&name)?.external.is_some();
        self.unkeep_table(&name, is_external)?;
        self.write().tables.remove(&name);
        if is_external {
            self.write().schemas.remove(&name);
        }
        if let Some(external) = self.external.as_ref().filter(|_| is_external) {
            external.watchers.forget(&name);
            if let Err(error) = external.tables.forget(&name) {
                tracing::warn!(table = name, %error, "what was kept of a dropped table stays");
            }
        }
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
        let schema = schema_from_json(&json)?;
        let name = schema.name.clone();
        self.check_replacing(&schema, write)?;
        let asked = self.ask_declared(&name, &json)?;
        let _change = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_replacing(&schema, write)?;
        let prepared = match self.declared_apart(&name) {
            Some(table) => {
                let same = asked.filter(|(of, _)| of.to_json() == table.config.to_json());
                let checked = match same {
                    Some((_, checked)) => checked,
                    None => self.check(&table.config, Some(&json), None)?,
                };
                Some((self.prepare(&checked)?, checked, table))
            }
            None => None,
        };
        self.keep(DocumentKind::Schema, &name, &json.to_json())?;
        if let Some((swap, checked, table)) = prepared {
            let table = checked.into_table(table.config, table.is_fixed);
            self.write().tables.insert(name.clone(), table);
            swap();
        }
        self.write().schemas.insert(name.clone(), json);
        Ok(name)
    }

    /// Returns the table that has a schema of its name.
    fn declared_apart(&self, name: &str) -> Option<Table> {
        let table = self.read().tables.get(name).cloned();
        table.filter(|table| table.config.schema.is_none())
    }

    /// Checks a schema against the source that its table follows, before its turn comes; with the config
    /// that it was checked with.
    fn ask_declared(
        &self,
        name: &str,
        json: &SchemaJson,
    ) -> Result<Option<(TableConfigJson, Checked)>, Error> {
        let table = self.declared_apart(name);
        let Some(table) = table.filter(|table| table.external.is_some()) else {
            return Ok(None);
        };
        let checked = self.check(&table.config, Some(json), None)?;
        Ok(Some((table.config, checked)))
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
        self.unkeep(DocumentKind::Schema, name)?;
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

    fn keep(&self, kind: DocumentKind, name: &str, json: &serde_json::Value) -> Result<(), Error> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let text = to_text(json)?;
        store.write("document", |writer| {
            writer.put_document(kind, name, &text)?;
            Ok::<_, StoreError>(())
        })?;
        Ok(())
    }

    /// Keeps a table config. What is known of the source of an older table of that name goes with it.
    fn keep_table(
        &self,
        name: &str,
        json: &TableConfigJson,
        write: TableWrite,
    ) -> Result<(), Error> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let text = to_text(&json.to_json())?;
        store.write("document", |writer| {
            if write == TableWrite::Add {
                writer.unfollow(name)?;
            }
            writer.put_document(DocumentKind::Table, name, &text)?;
            Ok::<_, StoreError>(())
        })?;
        Ok(())
    }

    /// Takes a table config away, and of one that followed a source what was known of that: its schema is
    /// the one that its runs came to, which another table of that name must not begin with.
    fn unkeep_table(&self, name: &str, is_external: bool) -> Result<(), Error> {
        if let Some(store) = &self.store {
            store.write("document", |writer| {
                if is_external {
                    writer.unfollow(name)?;
                    writer.delete_document(DocumentKind::Schema, name)?;
                }
                writer.delete_document(DocumentKind::Table, name)
            })?;
        }
        Ok(())
    }

    fn unkeep(&self, kind: DocumentKind, name: &str) -> Result<(), Error> {
        if let Some(store) = &self.store {
            store.write("document", |writer| writer.delete_document(kind, name))?;
        }
        Ok(())
    }

    pub(super) fn check_name(&self, name: &str, write: TableWrite) -> Result<(), Error> {
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

fn to_text(json: &serde_json::Value) -> Result<Vec<u8>, Error> {
    serde_json::to_vec_pretty(json).map_err(|error| Error::Internal(error.to_string()))
}

fn fixed(name: &str) -> Error {
    Error::Conflict(format!(
        "Table {name}{OFFLINE_SUFFIX} is declared in the server's config and can be changed there only"
    ))
}
