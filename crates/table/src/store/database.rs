//! Opening the database, and its transactions.

use std::fs::{self, File};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::{Error, migrations};

const FILE: &str = "growler.db";
const LOCK: &str = "growler.lock";
/// How long a statement waits for another program that looks into the file.
const BUSY: Duration = Duration::from_secs(5);

/// The data directory's database.
pub struct Store {
    folder: PathBuf,
    writing: Mutex<Connection>,
    reading: Mutex<Connection>,
    hook: Option<Arc<dyn CommitHook>>,
    /// Held until the store is dropped.
    _lock: File,
}

/// Looks at commits as they happen; tests stop the process, or the change, at any of them.
pub trait CommitHook: Send + Sync {
    /// Is called before a change is committed; an error takes the change back.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    fn before_commit(&self, point: &'static str) -> Result<(), Error>;

    /// Is called once a change is on disk; an error is returned to who made the change.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    fn after_commit(&self, point: &'static str) -> Result<(), Error>;
}

/// Reads, all of one moment.
pub struct Reader<'c> {
    pub(super) db: &'c Connection,
}

/// A change that is being made: what was read and written so far is one transaction.
pub struct Writer<'c> {
    reader: Reader<'c>,
}

impl<'c> Deref for Writer<'c> {
    type Target = Reader<'c>;

    fn deref(&self) -> &Reader<'c> {
        &self.reader
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the database of a data directory, making both where needed.
    ///
    /// # Errors
    /// `Unavailable` when another process has the directory or it cannot be written; `Corrupt` for a
    /// damaged database or one of another program; `Unsupported` for one of a later version.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Unreadable { path, source }
        };
        fs::create_dir_all(folder).map_err(unreadable(folder))?;
        let lock_path = folder.join(LOCK);
        let lock = File::create(&lock_path).map_err(unreadable(&lock_path))?;
        lock.try_lock().map_err(|error| Error::InUse {
            path: folder.to_owned(),
            cause: error.to_string(),
        })?;
        let path = folder.join(FILE);
        let writing = open(&path).map_err(|error| naming(error, &path))?;
        let reading = connect(&path).map_err(|error| naming(error.into(), &path))?;
        Ok(Self {
            folder: folder.to_owned(),
            writing: Mutex::new(writing),
            reading: Mutex::new(reading),
            hook: None,
            _lock: lock,
        })
    }

    /// Returns the store with a hook on its commits.
    #[must_use]
    pub fn with_hook(mut self, hook: Arc<dyn CommitHook>) -> Self {
        self.hook = Some(hook);
        self
    }

    /// Returns the data directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads; what is read is all of one moment.
    ///
    /// # Errors
    /// Those of `read`, and `Unavailable`.
    pub fn read<T, E: From<Error>>(
        &self,
        read: impl FnOnce(&Reader<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut db = locked(&self.reading);
        let moment = db.transaction().map_err(Error::from)?;
        read(&Reader { db: &moment })
    }

    /// Makes a change: all of it is on disk when this returns, or nothing of it. `point` names it to
    /// the [`CommitHook`].
    ///
    /// # Errors
    /// Those of `change`, and `Unavailable`.
    pub fn write<T, E: From<Error>>(
        &self,
        point: &'static str,
        change: impl FnOnce(&Writer<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut db = locked(&self.writing);
        let transaction = db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Error::from)?;
        let reader = Reader { db: &transaction };
        let made = change(&Writer { reader })?;
        if let Some(hook) = &self.hook {
            hook.before_commit(point)?;
        }
        transaction.commit().map_err(Error::from)?;
        if let Some(hook) = &self.hook {
            hook.after_commit(point)?;
        }
        Ok(made)
    }
}

/// A panic elsewhere rolled its transaction back, so the connection is as good as before.
fn locked(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(path: &Path) -> Result<Connection, Error> {
    let mut db = connect(path)?;
    let application: i64 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables > 0 && application != migrations::APPLICATION_ID {
        return Err(Error::Foreign {
            path: path.to_owned(),
        });
    }
    let (version, latest) = (migrations::version(&db)?, migrations::latest());
    if version > latest {
        return Err(Error::Newer {
            path: path.to_owned(),
            version,
            latest,
        });
    }
    let check: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        return Err(Error::Damaged {
            path: path.to_owned(),
            cause: check,
        });
    }
    db.pragma_update(None, "journal_mode", "WAL")?;
    migrations::migrate(&mut db, version)?;
    Ok(db)
}

fn connect(path: &Path) -> Result<Connection, rusqlite::Error> {
    let db = Connection::open(path)?;
    db.busy_timeout(BUSY)?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(db)
}

/// Says which file it was that SQLite found broken.
fn naming(error: Error, path: &Path) -> Error {
    use rusqlite::ErrorCode as Code;
    match error {
        Error::Database(cause)
            if matches!(
                cause.sqlite_error_code(),
                Some(Code::NotADatabase | Code::DatabaseCorrupt)
            ) =>
        {
            Error::Damaged {
                path: path.to_owned(),
                cause: cause.to_string(),
            }
        }
        other => other,
    }
}
