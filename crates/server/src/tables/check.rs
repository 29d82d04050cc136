//! What is checked before a table is served: its config, its schema, its files.

use std::path::{Component, Path, PathBuf};

use growler_schema::convert::{external_table, schema_to_json};
use growler_schema::wire::{SchemaJson, TableConfigJson};
use growler_schema::{Field, TableConfig, TableSchema};

use super::catalog::Catalog;
use crate::Error;

/// A table that may be served.
pub(super) struct Checked {
    pub(super) config: TableConfig,
    /// Where its files are.
    pub(super) path: PathBuf,
    pub(super) schema: TableSchema,
    /// The schema as clients see it: as declared where it is.
    pub(super) shown: SchemaJson,
}

impl Catalog {
    /// Reads the files' columns and checks the config and the schema against them.
    pub(super) fn check(
        &self,
        json: &TableConfigJson,
        declared: Option<&SchemaJson>,
        roots: Option<&[PathBuf]>,
    ) -> Result<Checked, Error> {
        let stored = self.read().schemas.get(json.raw_name()).cloned();
        let declared = declared.or(stored.as_ref());
        let source = json
            .source
            .as_ref()
            .and_then(|source| source.path.as_deref());
        let path = self.base_dir.join(source.unwrap_or_default());
        let inferred = match source {
            None | Some("") => Err("Requires a file, folder or glob in 'source.path'".to_owned()),
            Some(source) => self.infer(source, &path, roots),
        };
        let (config, schema) = external_table(json, declared, inferred)?;
        let shown = json.schema.as_ref().or(declared).cloned();
        let shown = shown.unwrap_or_else(|| schema_to_json(&schema));
        Ok(Checked {
            config,
            path,
            schema,
            shown,
        })
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
