//! From files to a view.

use std::collections::HashMap;
use std::sync::Arc;

use growler_base::ErrorKind;
use growler_catalog::table::DataFile;
use growler_catalog::{IcebergTable, Plan};
use growler_exec::View;
use growler_segment::Segment;

use crate::evolve::ServedSchema;

/// Reads the files of a table.
pub trait Views: Send + Sync {
    /// Opens a data file and reads its footer.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn open(&self, file: &DataFile) -> Result<Segment, FileError>;

    /// Makes a view. Files that are among the opened ones are not opened again.
    ///
    /// # Errors
    /// What is wrong with which file.
    fn view(&self, content: &Content, opened: &Opened) -> Result<View, FileError>;
}

/// Segments by the locations of their files.
pub type Opened = HashMap<String, Segment>;

/// What a view is made of.
#[derive(Debug, Clone)]
pub struct Content {
    /// Name of the table.
    pub name: String,
    /// What queries see.
    pub schema: Arc<ServedSchema>,
    /// The table; none for plain files.
    pub table: Option<IcebergTable>,
    /// Its files, and the schema to read them with: it has every column that is served.
    pub plan: Arc<Plan>,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FileError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What happened, with the file's location.
    pub text: String,
}
