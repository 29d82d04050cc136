//! `--config FILE`: a Pinot table config, or a Pinot schema.

use std::path::Path;

use growler_schema::convert::{schema_from_json, table_config_from_json};
use growler_schema::wire::{SchemaJson, TableConfigJson};
use growler_schema::{TableConfig, TableSchema};

use crate::failure::Failure;
use crate::tables::TableAt;

/// What a file declares about one table.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// Name of the table; empty when the file does not tell.
    pub name: String,
    /// Where its files lie, when the file tells.
    pub path: Option<String>,
    /// Its columns, when the file tells.
    pub schema: Option<TableSchema>,
    /// The table config, when the file is one.
    pub config: Option<TableConfigJson>,
}

impl Declared {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, or breaks a rule of schemas or table configs; all breaches are told.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read(path).map_err(|error| {
            Failure::refused(format_args!(
                "cannot read the config: {error}: path={}",
                path.display()
            ))
        })?;
        let mut declared = Self::parse(&text)?;
        declared.path = declared.path.map(|files| match path.parent() {
            // As in a server's configuration, paths count from the folder of the file.
            Some(folder) => folder.join(files).to_string_lossy().into_owned(),
            None => files,
        });
        Ok(declared)
    }

    fn parse(text: &[u8]) -> Result<Self, Failure> {
        let refused = |error: growler_schema::Error| Failure::new(error.kind(), error);
        let json: serde_json::Value = serde_json::from_slice(text).map_err(|error| {
            Failure::refused(format_args!("invalid JSON in the config: {error}"))
        })?;
        if json.get("schemaName").is_some() {
            let json = SchemaJson::parse(text).map_err(refused)?;
            let schema = schema_from_json(&json).map_err(refused)?;
            return Ok(Self {
                name: schema.name.clone(),
                path: None,
                schema: Some(schema),
                config: None,
            });
        }
        let json = TableConfigJson::parse(text).map_err(refused)?;
        let config = table_config_from_json(&json, None).map_err(refused)?;
        Ok(Self {
            name: config.name,
            path: config.source_path,
            schema: config.schema,
            config: Some(json),
        })
    }

    /// Returns the table config, checked against the columns of the table.
    ///
    /// # Errors
    /// The file is a schema, or the config does not fit the table; all breaches are told.
    pub fn table_config(&self, schema: &TableSchema) -> Result<TableConfig, Failure> {
        let json = self.config.as_ref().ok_or_else(|| {
            Failure::refused("the config is a schema: it says nothing about indexes")
                .with_help("give a table config, with a fieldConfigList")
        })?;
        let mut json = json.clone();
        // The columns are those of the table as it was opened, the declared ones completed.
        json.schema = None;
        table_config_from_json(&json, Some(schema))
            .map_err(|error| Failure::new(error.kind(), error))
    }

    /// Finds the table that this is for, and adds it where only this says where its files lie.
    ///
    /// # Errors
    /// There is no such table.
    pub fn place(&self, tables: &mut Vec<TableAt>) -> Result<usize, Failure> {
        if let Some(idx) = tables.iter().position(|table| table.name == self.name) {
            return Ok(idx);
        }
        match (&self.path, tables.len()) {
            (_, 1) if self.path.is_none() || self.name.is_empty() => Ok(0),
            (Some(path), _) if !self.name.is_empty() => {
                tables.push(TableAt {
                    name: self.name.clone(),
                    path: path.clone(),
                });
                Ok(tables.len() - 1)
            }
            _ => {
                let message = format_args!(
                    "the config is for no table that is given: name={:?}",
                    self.name
                )
                .to_string();
                Err(Failure::refused(message)
                    .with_help("add --table NAME=PATH for the table that it names"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> Option<Declared> {
        Declared::parse(text.as_bytes()).ok()
    }

    #[test]
    fn reads_schemas_and_table_configs() {
        let schema =
            r#"{"schemaName": "t", "dimensionFieldSpecs": [{"name": "a", "dataType": "INT"}]}"#;
        let found = declared(schema);
        let names = found
            .as_ref()
            .map(|found| (found.name.as_str(), found.schema.is_some()));
        assert_eq!(names, Some(("t", true)));
        let config = r#"{"tableName": "t_OFFLINE", "source": {"path": "t/*.parquet"}}"#;
        let found = declared(config);
        let parts = found
            .as_ref()
            .map(|found| (found.name.as_str(), found.path.as_deref()));
        assert_eq!(parts, Some(("t", Some("t/*.parquet"))));
        for text in [
            "",
            "[]",
            r#"{"schemaName": "t", "dimensionFieldSpecs": [{"name": "a", "dataType": "X"}]}"#,
        ] {
            assert_eq!(declared(text), None, "{text}");
        }
    }

    #[test]
    fn finds_the_table_it_is_for() {
        let table = |name: &str| TableAt {
            name: name.to_owned(),
            path: "p".to_owned(),
        };
        let of = |name: &str, path: Option<&str>| Declared {
            name: name.to_owned(),
            path: path.map(str::to_owned),
            schema: None,
            config: None,
        };
        let cases = [
            (of("b", None), vec!["a", "b"], Some(1)),
            (of("x", None), vec!["a"], Some(0)),
            (of("x", None), vec!["a", "b"], None),
            (of("x", Some("q")), vec!["a"], Some(1)),
            (of("x", Some("q")), vec![], Some(0)),
            (of("", Some("q")), vec!["a"], Some(0)),
        ];
        for (declared, names, expected) in cases {
            let mut tables = names.iter().map(|name| table(name)).collect();
            assert_eq!(
                declared.place(&mut tables).ok(),
                expected,
                "{declared:?} {names:?}"
            );
        }
    }
}
