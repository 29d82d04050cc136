//! One data file of a snapshot, with all that is kept of it.

use std::sync::Arc;

use growler_catalog::table::DataFile;
use growler_segment::Layouts;
use serde::{Deserialize, Serialize};

/// One data file of a snapshot as it is served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Where it lies, its partition, bounds, constants and deletes.
    pub file: DataFile,
    /// Layouts of its VARIANT columns, once somebody has looked into its footer.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "shared")]
    pub layouts: Option<Arc<Layouts>>,
}

impl Member {
    /// Makes a member of a file that nobody has opened yet.
    pub fn new(file: DataFile) -> Self {
        Self {
            file,
            layouts: None,
        }
    }
}

/// Layouts as they are written down: each file has its own.
mod shared {
    use std::sync::Arc;

    use growler_segment::Layouts;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde hands the member over so")]
    pub(super) fn serialize<S: Serializer>(
        layouts: &Option<Arc<Layouts>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        layouts.as_deref().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Arc<Layouts>>, D::Error> {
        Ok(Option::<Layouts>::deserialize(deserializer)?.map(Arc::new))
    }
}
