//! How schemas and tables come about at the start.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use growler_schema::convert::{default_table_config, schema_from_json, schema_to_json};
use growler_schema::table_config::OFFLINE_SUFFIX;
use growler_schema::wire::{SchemaJson, TableConfigJson};
use growler_table::config::ExternalConfig;
use growler_table::store::DocumentKind;

use super::catalog::{Catalog, Table};
use super::check::Checked;
use crate::Error;

/// Time that a server waits at its start for tables to be served again.
const RESTORE_PATIENCE: Duration = Duration::from_secs(2);

impl Catalog {
    /// Loads the tables of the configuration, then the kept ones.
    pub(super) fn load(&self, fixed: &[TableConfigJson]) -> Result<(), Error> {
        if self.store.is_some() {
            self.backend.clean_up();
        }
        self.adopt_engine_tables();
        self.load_schemas()?;
        for json in fixed {
            self.load_table(json.clone(), true);
        }
        for text in self.stored(DocumentKind::Table)? {
            match TableConfigJson::parse(&text) {
                Ok(json) => self.load_table(json, false),
                Err(error) => tracing::error!(%error, "a stored table config is left out"),
            }
        }
        self.start_external()
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
        let stored = self.read().schemas.get(config.raw_name()).cloned();
        let kept = self.came_to(config.raw_name()).and_then(|came_to| {
            if let (true, Some(declared), Some(served)) = (came_to, &config.schema, &stored)
                && let Some(text) = differences(declared, served).filter(|_| is_fixed)
            {
                let table = config.raw_name();
                tracing::warn!(
                    table,
                    "the schema in the server's config is where the table began and is not read \
                     again; PUT /schemas/{table} changes what is served: {text}"
                );
            }
            // The stored schema goes with what is served, or was declared since; the one in the config
            // is where the table began.
            let begins = config.schema.as_ref().filter(|_| !came_to);
            Checked::kept(&config, external, begins.or(stored.as_ref()))
        });
        let checked = match kept {
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

    /// Tells whether a table that follows a source has a schema already.
    fn came_to(&self, name: &str) -> Result<bool, Error> {
        let Some(store) = &self.store else {
            return Ok(false);
        };
        Ok(store
            .read(|reader| reader.last_served_schema(name))?
            .is_some())
    }

    /// Serves what was published of tables that follow a source, and goes on following it. Tables that
    /// take long come later: the others do not wait for them.
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
        external.watchers.wait_restored(RESTORE_PATIENCE);
        Ok(())
    }

    fn stored(&self, kind: DocumentKind) -> Result<Vec<Vec<u8>>, Error> {
        let Some(store) = &self.store else {
            return Ok(Vec::new());
        };
        let kept = store.read(|reader| reader.documents(kind))?;
        Ok(kept.into_iter().map(|(_, text)| text).collect())
    }
}

/// Says in which columns a schema that was declared is not the one that is served; none where it is.
fn differences(declared: &SchemaJson, served: &SchemaJson) -> Option<String> {
    let columns = |schema: &SchemaJson| -> BTreeMap<String, String> {
        let schema = schema_from_json(schema).unwrap_or_default();
        let fields = schema.fields().iter();
        fields
            .map(|field| (field.name.clone(), field.column_type.name().to_owned()))
            .collect()
    };
    let (declared, served) = (columns(declared), columns(served));
    let names: BTreeSet<&String> = declared.keys().chain(served.keys()).collect();
    let other = names
        .into_iter()
        .filter(|name| declared.get(*name) != served.get(*name));
    let of = |column: Option<&String>| column.map_or("not there", String::as_str).to_owned();
    let texts = other.map(|name| {
        let (declared, served) = (of(declared.get(name)), of(served.get(name)));
        format!("column {name} declared={declared} served={served}")
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_both() -> Result<(), Error> {
        let schema = |columns: &str| {
            let text = format!(r#"{{"schemaName": "t", "dimensionFieldSpecs": [{columns}]}}"#);
            SchemaJson::parse(text.as_bytes())
        };
        let declared =
            schema(r#"{"name": "a", "dataType": "INT"}, {"name": "b", "dataType": "STRING"}"#)?;
        let served =
            schema(r#"{"name": "a", "dataType": "LONG"}, {"name": "c", "dataType": "STRING"}"#)?;
        assert_eq!(
            differences(&declared, &served).as_deref(),
            Some(
                "column a declared=INT served=LONG; column b declared=STRING served=not there; \
                 column c declared=not there served=STRING"
            )
        );
        assert_eq!(differences(&declared, &declared), None);
        Ok(())
    }
}
