//! What is checked before a table is served: its config, its schema, its files.

use std::path::{Component, Path, PathBuf};

use std::sync::Arc;

use growler_schema::convert::{
    external_table, schema_from_json, schema_to_json, table_config_from_json,
};
use growler_schema::validate::ValidationErrors;
use growler_schema::wire::{SchemaJson, TableConfigJson};
use growler_schema::{Field, TableConfig, TableSchema};
use growler_table::config::ExternalConfig;

use super::catalog::{Catalog, Table};
use crate::Error;

/// A table that may be served.
#[derive(Clone)]
pub(super) struct Checked {
    pub(super) config: TableConfig,
    pub(super) served: Served,
    pub(super) schema: TableSchema,
    /// Whether a client declared the schema.
    pub(super) is_declared: bool,
    /// The schema as clients see it: as declared where it is.
    pub(super) shown: SchemaJson,
}

/// What a table serves.
#[derive(Clone)]
pub(super) enum Served {
    /// Files at a path.
    Files(PathBuf),
    /// What a source has.
    Source(Arc<ExternalConfig>),
}

impl Checked {
    /// Takes a config that was checked when it was kept, without asking the source again.
    pub(super) fn kept(
        json: &TableConfigJson,
        external: ExternalConfig,
        declared: Option<&SchemaJson>,
    ) -> Result<Self, Error> {
        let schema = declared.map(schema_from_json).transpose()?;
        Ok(Self {
            config: table_config_from_json(json, None)?,
            served: Served::Source(Arc::new(external)),
            is_declared: schema.is_some(),
            schema: schema.unwrap_or_default(),
            shown: declared.cloned().unwrap_or_default(),
        })
    }

    pub(super) fn into_table(self, config: TableConfigJson, is_fixed: bool) -> Table {
        let external = match self.served {
            Served::Files(_) => None,
            Served::Source(config) => Some(config),
        };
        // Of a source whose columns nobody declared only its runs say which it has.
        let is_known = external.is_none() || self.shown.schema_name.is_some();
        Table {
            config,
            schema: is_known.then_some(self.shown),
            is_fixed,
            failure: None,
            external,
        }
    }
}

impl Catalog {
    /// Reads the columns of the files or the source, and checks the config and the schema against them.
    pub(super) fn check(
        &self,
        json: &TableConfigJson,
        declared: Option<&SchemaJson>,
        roots: Option<&[PathBuf]>,
    ) -> Result<Checked, Error> {
        let served = match declared {
            None => self.served_on(json),
            Some(_) => None,
        };
        let is_news = served.is_none();
        // What a table has come to goes before what it began with.
        let without = match is_news {
            true => json.clone(),
            false => TableConfigJson {
                schema: None,
                ..json.clone()
            },
        };
        let json = &without;
        let stored = served.or_else(|| self.read().schemas.get(json.raw_name()).cloned());
        let declared = declared.or(stored.as_ref());
        let mut errors = Vec::new();
        let external = ExternalConfig::find(json, &mut errors).map(Arc::new);
        let (served, inferred) = match external {
            Some(external) => {
                let inferred = self.infer_source(json, &external, roots);
                (Served::Source(external), inferred)
            }
            None if !errors.is_empty() => (Served::Files(PathBuf::new()), Ok(Vec::new())),
            None => {
                let (path, inferred) = self.infer_files(json, roots);
                (Served::Files(path), inferred)
            }
        };
        let (config, schema) = if errors.is_empty() {
            external_table(json, declared, inferred)?
        } else {
            return Err(self.all_breaches(json, declared, errors).into());
        };
        let declared = json.schema.as_ref().or(declared);
        let shown = declared.cloned().unwrap_or_else(|| schema_to_json(&schema));
        Ok(Checked {
            config,
            served,
            schema,
            is_declared: is_news && declared.is_some(),
            shown,
        })
    }

    /// Returns the schema that a table which follows a source has come to; none where the config
    /// declares another one.
    fn served_on(&self, json: &TableConfigJson) -> Option<SchemaJson> {
        let old = self.read().tables.get(json.raw_name()).cloned()?;
        old.external?;
        if json.schema.is_some() && json.schema != old.config.schema {
            return None;
        }
        let served = self.backend.schema(json.raw_name())?;
        Some(schema_to_json(&served))
    }

    /// Adds the breaches that are to be found without the source.
    fn all_breaches(
        &self,
        json: &TableConfigJson,
        declared: Option<&SchemaJson>,
        mut errors: Vec<String>,
    ) -> ValidationErrors {
        let schema = declared.and_then(|schema| schema_from_json(schema).ok());
        if let Err(growler_schema::Error::Validation(more)) =
            table_config_from_json(json, schema.as_ref())
        {
            errors.extend(more.errors);
        }
        ValidationErrors {
            table: json.raw_name().to_owned(),
            errors,
        }
    }

    /// Returns the columns of a source: those that are served of it, else what the source says.
    fn infer_source(
        &self,
        json: &TableConfigJson,
        external: &ExternalConfig,
        roots: Option<&[PathBuf]>,
    ) -> Result<Vec<Field>, String> {
        let known = self.read().tables.get(json.raw_name()).cloned();
        let before = known.and_then(|table| table.external);
        let is_followed = before.is_some();
        let served = self.backend.schema(json.raw_name());
        let served = served.map(|schema| schema.fields().to_vec());
        // A source that is away must not hold up a change of indexes or of the schedule.
        if before.is_some_and(|before| before.source == external.source)
            && let Some(served) = &served
        {
            return Ok(served.clone());
        }
        self.check_place(external, roots)
            .map_err(|error| error.to_string())?;
        let tables = &self.external().map_err(|error| error.to_string())?.tables;
        let preview = tables.preview(json.raw_name(), external);
        let found = preview.map_err(|error| error.to_string())?;
        // The same table elsewhere: its columns are those that it has come to.
        match served.filter(|_| is_followed) {
            Some(served) => Ok(served),
            None => Ok(found.schema.fields().to_vec()),
        }
    }

    /// Refuses a folder outside of the roots.
    ///
    /// # Errors
    /// `InvalidInput`.
    pub fn check_place(
        &self,
        external: &ExternalConfig,
        roots: Option<&[PathBuf]>,
    ) -> Result<(), Error> {
        let Some(path) = external.source.local_path() else {
            return Ok(());
        };
        if roots.is_some_and(|roots| !is_below(Path::new(path), roots)) {
            return Err(Error::Invalid(format!(
                "Does not allow files outside of tableRoots. Found {path}"
            )));
        }
        Ok(())
    }

    fn infer_files(
        &self,
        json: &TableConfigJson,
        roots: Option<&[PathBuf]>,
    ) -> (PathBuf, Result<Vec<Field>, String>) {
        let source = json
            .source
            .as_ref()
            .and_then(|source| source.path.as_deref());
        let path = self.base_dir.join(source.unwrap_or_default());
        let inferred = match source {
            None | Some("") => Err("Requires a file, folder or glob in 'source.path'".to_owned()),
            Some(source) => self.infer(source, &path, roots),
        };
        (path, inferred)
    }

    fn infer(
        &self,
        source: &str,
        path: &Path,
        roots: Option<&[PathBuf]>,
    ) -> Result<Vec<Field>, String> {
        if roots.is_some_and(|roots| !is_below(path, roots)) {
            return Err(format!(
                "Does not allow files outside of tableRoots. Found {source}"
            ));
        }
        self.backend.infer(path).map_err(|error| error.to_string())
    }
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
    let steps_up = pattern
        .components()
        .any(|part| part == Component::ParentDir);
    let Ok(folder) = folder.canonicalize() else {
        return false;
    };
    let below = |root: &PathBuf| {
        root.canonicalize()
            .is_ok_and(|root| folder.starts_with(root))
    };
    !steps_up && roots.iter().any(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leads_out_of_the_roots() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("inner")).unwrap();
        let roots = [root.clone()];
        for (path, expected) in [
            ("", true),
            ("inner", true),
            ("inner/*.parquet", true),
            ("*/x/*.parquet", true),
            ("absent", false),
            ("..", false),
            ("inner/../..", false),
            ("*/../../secret/*", false),
        ] {
            assert_eq!(is_below(&root.join(path), &roots), expected, "{path}");
        }
        assert!(!is_below(&folder.path().join("*"), &roots));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path(), root.join("out")).unwrap();
            assert!(!is_below(&root.join("out/*"), &roots));
        }
    }
}
