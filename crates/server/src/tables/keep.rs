//! Where accepted schemas and table configs are kept, and how those of older versions get there.
//!
//! `growler_table::store` has them in one SQLite file. Before it there were `schemas/NAME.json` and
//! `tables/NAME.json`: they are taken over once, in one transaction, and their folders renamed to
//! `schemas.imported` and `tables.imported`.

use std::fs;
use std::path::Path;

use growler_base::limits;
use growler_table::store::{DocumentKind, Store};

use crate::Error;

/// What is taken over, and where it was.
const FOLDERS: [(DocumentKind, &str); 2] = [
    (DocumentKind::Schema, "schemas"),
    (DocumentKind::Table, "tables"),
];

/// Opens the store of a data directory, and takes over what an older version left there.
///
/// # Errors
/// `Unavailable` when the data directory cannot be used or another server uses it, `Corrupt` when
/// the store is damaged.
pub fn open(folder: &Path) -> Result<Store, Error> {
    let store = Store::open(folder)?;
    import(&store)?;
    Ok(store)
}

fn import(store: &Store) -> Result<(), Error> {
    let mut found = Vec::new();
    for (kind, name) in FOLDERS {
        let folder = store.folder().join(name);
        if folder.is_dir() {
            found.extend(
                read_folder(&folder)?
                    .into_iter()
                    .map(|(name, text)| (kind, name, text)),
            );
        }
    }
    store.write("import", |writer| {
        for (kind, name, text) in &found {
            // A run that was killed before it renamed the folders has taken them over already.
            if writer.document(*kind, name)?.is_none() {
                writer.put_document(*kind, name, text)?;
            }
        }
        Ok::<_, Error>(())
    })?;
    for (_, name) in FOLDERS {
        let folder = store.folder().join(name);
        if folder.is_dir() {
            let renamed = store.folder().join(format!("{name}.imported"));
            fs::rename(&folder, &renamed).map_err(|error| Error::io("rename", &folder, &error))?;
            tracing::info!(folder = %folder.display(), "files of an older version were taken over");
        }
    }
    Ok(())
}

/// Reads all documents of a folder, with their names. One that cannot be read is logged and left there.
fn read_folder(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let refused = |error: std::io::Error| Error::io("list", folder, &error);
    let mut documents = Vec::new();
    for entry in fs::read_dir(folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let is_json = path
            .extension()
            .is_some_and(|extension| extension == "json");
        if !is_json || name.is_empty() || name.starts_with('.') {
            continue;
        }
        match read(&path) {
            Ok(text) => documents.push((name.to_owned(), text)),
            Err(error) => tracing::error!(%error, "a stored file is left out"),
        }
    }
    Ok(documents)
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |error| Error::io("read", path, &error);
    let len = fs::metadata(path).map_err(failed)?.len();
    if usize::try_from(len).map_or(true, |len| len > limits::HTTP_BODY_BYTES) {
        return Err(Error::Io(format!(
            "file is too long: lenBytes={len} path={}",
            path.display()
        )));
    }
    fs::read(path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(store: &Store, kind: DocumentKind) -> Vec<(String, Vec<u8>)> {
        store.read(|reader| reader.documents(kind)).unwrap()
    }

    #[test]
    fn files_of_older_versions_are_taken_over_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("tables")).unwrap();
        fs::create_dir_all(at("schemas")).unwrap();
        for (name, text) in [
            ("tables/b.json", "two"),
            ("tables/a.json", "one"),
            ("tables/.c.json.new", "half"),
            ("tables/.d.json", "hidden"),
            ("schemas/s.json", "schema"),
        ] {
            fs::write(at(name), text).unwrap();
        }
        let store = open(folder.path()).unwrap();
        let tables = [
            ("a".to_owned(), b"one".to_vec()),
            ("b".to_owned(), b"two".to_vec()),
        ];
        assert_eq!(names(&store, DocumentKind::Table), tables);
        assert_eq!(names(&store, DocumentKind::Schema).len(), 1);
        assert!(!at("tables").exists() && at("tables.imported/a.json").exists());

        // As if a kill had come before the rename: what changed since stays.
        store
            .write("test", |writer| {
                writer.put_document(DocumentKind::Table, "a", b"new")
            })
            .unwrap();
        drop(store);
        fs::rename(at("tables.imported"), at("tables")).unwrap();
        let store = open(folder.path()).unwrap();
        assert_eq!(names(&store, DocumentKind::Table)[0].1, b"new");
    }

    #[test]
    fn one_server_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let _store = open(folder.path()).unwrap();
        let error = open(folder.path()).unwrap_err().to_string();
        assert!(
            error.starts_with("data directory is in use by another server"),
            "{error}"
        );
    }
}
