//! The data directory: accepted schemas and table configs, one JSON file each.
//!
//! `schemas/NAME.json` and `tables/NAME.json`, exactly as accepted. A file is written under a
//! temporary name, flushed and renamed, so a kill at any point leaves the old one or the new one.
//! `growler.lock` is held while a server uses the folder.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use growler_base::limits;

use crate::Error;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A schema.
    Schema,
    /// A table config.
    Table,
}

/// An opened data directory.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// Held until the store is dropped.
    _lock: File,
}

/// A file written but not yet published; dropping it takes it away.
#[derive(Debug)]
pub struct Staged {
    temporary: PathBuf,
    published: PathBuf,
}

impl Store {
    /// Opens a data directory, making it where needed.
    ///
    /// # Errors
    /// `Unavailable` when it cannot be written, or another server uses it.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        for kind in [Kind::Schema, Kind::Table] {
            let inner = folder.join(kind.folder());
            fs::create_dir_all(&inner).map_err(|error| Error::io("make", &inner, &error))?;
        }
        let path = folder.join("growler.lock");
        let lock = File::create(&path).map_err(|error| Error::io("make", &path, &error))?;
        lock.try_lock().map_err(|error| {
            Error::Io(format!(
                "data directory is in use by another server: {error}: path={}",
                folder.display()
            ))
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// Reads all files of a kind, in the order of their names. A file that cannot be read is
    /// logged and left where it is.
    ///
    /// # Errors
    /// `Unavailable` when the folder cannot be listed.
    pub fn load(&self, kind: Kind) -> Result<Vec<Vec<u8>>, Error> {
        let folder = self.folder.join(kind.folder());
        let refused = |error: std::io::Error| Error::io("list", &folder, &error);
        let mut paths = Vec::new();
        for entry in fs::read_dir(&folder).map_err(refused)? {
            let path = entry.map_err(refused)?.path();
            let is_temporary = path
                .file_name()
                .is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
                && !is_temporary
            {
                paths.push(path);
            }
        }
        paths.sort();
        let mut texts = Vec::new();
        for path in paths {
            match read(&path) {
                Ok(text) => texts.push(text),
                Err(error) => tracing::error!(%error, "a stored file is left out"),
            }
        }
        Ok(texts)
    }

    /// Writes a file without publishing it.
    ///
    /// # Errors
    /// `Unavailable` when it cannot be written.
    pub fn stage(&self, kind: Kind, name: &str, text: &[u8]) -> Result<Staged, Error> {
        let folder = self.folder.join(kind.folder());
        let staged = Staged {
            temporary: folder.join(format!(".{name}.json.new")),
            published: folder.join(format!("{name}.json")),
        };
        let written = File::create(&staged.temporary)
            .and_then(|mut file| file.write_all(text).and_then(|()| file.sync_all()));
        written.map_err(|error| Error::io("write", &staged.temporary, &error))?;
        Ok(staged)
    }

    /// Takes a file away; none is fine.
    ///
    /// # Errors
    /// `Unavailable` when that fails.
    pub fn remove(&self, kind: Kind, name: &str) -> Result<(), Error> {
        let path = self.folder.join(kind.folder()).join(format!("{name}.json"));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("remove", &path, &error))
            }
            _ => sync_parent(&path),
        }
    }
}

impl Staged {
    /// Publishes the file in place of the one before.
    ///
    /// # Errors
    /// `Unavailable` when that fails; the one before is still there.
    pub fn publish(self) -> Result<(), Error> {
        fs::rename(&self.temporary, &self.published)
            .map_err(|error| Error::io("rename", &self.temporary, &error))?;
        sync_parent(&self.published)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After publishing there is nothing to remove, and that is fine.
        let _ = fs::remove_file(&self.temporary);
    }
}

impl Kind {
    fn folder(self) -> &'static str {
        match self {
            Self::Schema => "schemas",
            Self::Table => "tables",
        }
    }
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

/// Makes a rename or a removal outlive a crash of the machine.
fn sync_parent(path: &Path) -> Result<(), Error> {
    let Some(folder) = path.parent() else {
        return Ok(());
    };
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| Error::io("flush", folder, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_files_come_back_and_staged_ones_do_not() -> Result<(), Error> {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path())?;
        store.stage(Kind::Table, "b", b"old")?.publish()?;
        store.stage(Kind::Table, "b", b"new")?.publish()?;
        store.stage(Kind::Table, "a", b"first")?.publish()?;
        store.stage(Kind::Schema, "s", b"schema")?.publish()?;
        drop(store.stage(Kind::Table, "c", b"given up")?);
        let killed = folder.path().join("tables/.d.json.new");
        std::fs::write(killed, b"half").unwrap();
        assert_eq!(
            store.load(Kind::Table)?,
            [b"first".to_vec(), b"new".to_vec()]
        );
        store.remove(Kind::Table, "a")?;
        store.remove(Kind::Table, "a")?;
        drop(store);
        let again = Store::open(folder.path())?;
        assert_eq!(again.load(Kind::Table)?, [b"new".to_vec()]);
        assert_eq!(again.load(Kind::Schema)?, [b"schema".to_vec()]);
        Ok(())
    }

    #[test]
    fn one_server_at_a_time() -> Result<(), Error> {
        let folder = tempfile::tempdir().unwrap();
        let _store = Store::open(folder.path())?;
        let error = Store::open(folder.path()).unwrap_err().to_string();
        assert!(
            error.starts_with("data directory is in use by another server"),
            "{error}"
        );
        Ok(())
    }
}
