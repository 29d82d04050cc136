//! What a source would be as a table, before there is one.

use std::sync::Arc;

use growler_schema::TableSchema;
use growler_schema::wire::TableConfigJson;
use growler_table::config::ExternalConfig;
use growler_table::ddl::show;

use super::catalog::Catalog;
use super::changes::TableWrite;
use crate::Error;

/// A table as a source would be it.
pub struct Onboarded {
    /// Its config, secrets included.
    pub config: TableConfigJson,
    /// Its columns.
    pub schema: TableSchema,
    /// What is to be known about them.
    pub warnings: Vec<String>,
}

impl Catalog {
    /// Reads a source and makes the config that a table of it starts with.
    ///
    /// # Errors
    /// Why the source cannot be read or used.
    pub fn onboard(&self, name: &str, config: &ExternalConfig) -> Result<Onboarded, Error> {
        self.check_allowed(config)?;
        let preview = self.external()?.tables.preview(name, config)?;
        Ok(Onboarded {
            config: show::table_config(name, config, &preview.schema),
            schema: preview.schema,
            warnings: preview.warnings,
        })
    }

    /// Checks that a table of a config may be added, without keeping anything.
    ///
    /// # Errors
    /// As adding it.
    pub fn check_new(&self, json: &TableConfigJson) -> Result<(), Error> {
        self.check_name(json.raw_name(), TableWrite::Add)?;
        self.check_table(json)
    }

    /// Refuses sources outside of the folders that tables may be declared in.
    ///
    /// # Errors
    /// `InvalidInput`.
    pub fn check_allowed(&self, config: &ExternalConfig) -> Result<(), Error> {
        self.check_place(config, self.table_roots.as_deref())
    }

    /// Returns what a table is told that follows a source; none for another table.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn external_config(&self, table: &str) -> Result<Option<Arc<ExternalConfig>>, Error> {
        Ok(self.table(table)?.external)
    }
}
