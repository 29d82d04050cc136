//! One data file of a snapshot, with all that is kept of it.

use growler_catalog::table::DataFile;
use serde::{Deserialize, Serialize};

/// One data file of a snapshot as it is served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Where it lies, its partition, bounds, constants and deletes.
    pub file: DataFile,
}

impl Member {
    /// Makes a member of a file that nobody has opened yet.
    pub fn new(file: DataFile) -> Self {
        Self { file }
    }
}
