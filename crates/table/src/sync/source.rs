//! Where the metadata of tables comes from.

use std::sync::Arc;

use growler_base::{ErrorKind, limits};
use growler_catalog::objects::FileInfo;
use growler_catalog::rest::RestError;
use growler_catalog::{Error as CatalogError, Files, IcebergTable, ObjectFiles};

/// One table's source.
pub trait CatalogSource: Send + Sync {
    /// Loads the table as it is now.
    ///
    /// # Errors
    /// What went wrong, without any credential in its text.
    fn load(&self) -> Result<Loaded, SourceError>;

    /// Tells whether [`Self::load`] itself tries again what may pass.
    fn tries_again(&self) -> bool {
        false
    }

    /// Renews what the source was reached with; is called once when it was refused.
    ///
    /// # Errors
    /// As [`Self::load`].
    fn renew(&self) -> Result<(), SourceError> {
        Ok(())
    }

    /// Returns the access to the table's files, to be used before it is loaded; none for local ones.
    fn files(&self) -> Option<Arc<dyn Files>> {
        None
    }
}

/// A table as its source has it.
#[derive(Debug, Clone)]
pub enum Loaded {
    /// An Iceberg table.
    Iceberg {
        /// Its metadata, and access to its files.
        table: IcebergTable,
        /// The file that the metadata is from, as the catalog names it.
        metadata_location: Option<String>,
    },
    /// Parquet files that no table keeps: there is no schema history.
    Files(Vec<FileInfo>),
}

/// Why a table could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct SourceError {
    /// What to do about it.
    pub fault: SourceFault,
    /// What happened; it holds no credential.
    pub text: String,
}

/// What to do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceFault {
    /// Try again: it may pass.
    Transient,
    /// Renew credentials, and try once more.
    Unauthorized,
    /// The table is not there.
    NotFound,
    /// Somebody must mend the source or the settings.
    Broken,
}

impl SourceError {
    /// Makes an error.
    pub fn new(fault: SourceFault, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { fault, text }
    }
}

impl From<CatalogError> for SourceError {
    fn from(error: CatalogError) -> Self {
        Self::new(fault(error.kind()), error.to_string())
    }
}

impl From<RestError> for SourceError {
    fn from(error: RestError) -> Self {
        let fault = match &error {
            RestError::Unauthorized { .. } => SourceFault::Unauthorized,
            other => fault(other.kind()),
        };
        Self::new(fault, error.to_string())
    }
}

fn fault(kind: ErrorKind) -> SourceFault {
    match kind {
        ErrorKind::Unavailable => SourceFault::Transient,
        ErrorKind::NotFound => SourceFault::NotFound,
        _ => SourceFault::Broken,
    }
}

/// An Iceberg table by its folder, without a catalog.
pub struct IcebergFolder {
    files: Arc<dyn Files>,
    location: String,
}

impl IcebergFolder {
    /// Makes the source of a folder, or of one of its metadata files.
    pub fn new(files: Arc<dyn Files>, location: impl Into<String>) -> Self {
        let location = location.into();
        Self { files, location }
    }
}

impl CatalogSource for IcebergFolder {
    fn files(&self) -> Option<Arc<dyn Files>> {
        Some(Arc::clone(&self.files))
    }

    fn load(&self) -> Result<Loaded, SourceError> {
        let table = IcebergTable::open(Arc::clone(&self.files), &self.location)?;
        let metadata_location = Some(table.metadata().path().to_owned());
        Ok(Loaded::Iceberg {
            table,
            metadata_location,
        })
    }
}

/// Parquet files below a place.
pub struct ParquetFiles {
    files: ObjectFiles,
    location: String,
}

impl ParquetFiles {
    /// Makes the source of a folder or an address in an object store.
    pub fn new(files: ObjectFiles, location: impl Into<String>) -> Self {
        let location = location.into();
        Self { files, location }
    }
}

impl CatalogSource for ParquetFiles {
    fn files(&self) -> Option<Arc<dyn Files>> {
        Some(Arc::new(self.files.clone()))
    }

    fn load(&self) -> Result<Loaded, SourceError> {
        let most = limits::SNAPSHOT_FILES;
        let mut found = self.files.list_below(&self.location, most)?.files;
        if found.len() > most {
            let location = &self.location;
            let text = format!("too many files below a folder: limit={most} path={location}");
            return Err(SourceError::new(SourceFault::Broken, text));
        }
        found.retain(|file| is_data(&self.location, &file.location));
        found.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(Loaded::Files(found))
    }
}

/// Tells whether a file is data: not one that writers hide by `.` or `_`, and Parquet by its name.
fn is_data(root: &str, location: &str) -> bool {
    let below = location.strip_prefix(root).unwrap_or(location);
    let mut parts = below.split('/').filter(|part| !part.is_empty());
    let is_hidden = |part: &str| part.starts_with(['.', '_']);
    location.ends_with(".parquet") && !parts.any(is_hidden)
}

#[cfg(test)]
mod tests {
    use super::is_data;

    #[test]
    fn hidden_files_are_no_data() {
        for (location, expected) in [
            ("s3://b/_x/t/a.parquet", true),
            ("s3://b/_x/t/day=1/a.parquet", true),
            ("s3://b/_x/t/_delta/a.parquet", false),
            ("s3://b/_x/t/.a.parquet", false),
            ("s3://b/_x/t/a.txt", false),
        ] {
            assert_eq!(is_data("s3://b/_x/t/", location), expected, "{location}");
        }
    }
}
