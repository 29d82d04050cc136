//! A file that is opened when it is needed.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use growler_base::{FieldId, SegmentId};
use growler_schema::{DataType, Field};
use growler_variant::shred::KeyPlan;
use serde::{Deserialize, Serialize};

use crate::segment::Inner;
use crate::{Error, KeyPath, Layout, Place, Segment};

/// Opens a file; asked again and again, it had better know what it opened before.
type Opener = dyn Fn() -> Result<Segment, Error> + Send + Sync;

/// A file that a table lists, closed.
pub struct Closed {
    pub(crate) id: SegmentId,
    pub(crate) path: Arc<Path>,
    pub(crate) row_count: usize,
    pub(crate) len_bytes: u64,
    pub(crate) is_remote: bool,
    pub(crate) layouts: Option<Arc<Layouts>>,
    opener: Box<Opener>,
    opened: OnceLock<Arc<Inner>>,
}

/// The layouts of a file's VARIANT columns, by the columns' identities in the table; what a query
/// has to know of all files before it is planned. Files that are written alike share one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Layouts(pub BTreeMap<FieldId, Layout>);

impl Closed {
    /// Makes a closed file of what its table knows of it.
    pub fn new(
        path: &Path,
        row_count: usize,
        len_bytes: u64,
        opener: impl Fn() -> Result<Segment, Error> + Send + Sync + 'static,
    ) -> Self {
        let name = path.file_name().unwrap_or(path.as_os_str());
        Self {
            id: SegmentId::new(name.to_string_lossy().as_ref()),
            path: path.into(),
            row_count,
            len_bytes,
            is_remote: false,
            layouts: None,
            opener: Box::new(opener),
            opened: OnceLock::new(),
        }
    }

    /// Says that the file's bytes are fetched.
    #[must_use]
    pub fn remote(mut self) -> Self {
        self.is_remote = true;
        self
    }

    /// Says what the layouts of the file are, so that it need not be opened for them.
    #[must_use]
    pub fn with_layouts(mut self, layouts: Arc<Layouts>) -> Self {
        self.layouts = Some(layouts);
        self
    }

    /// Opens the file.
    pub(crate) fn open(&self) -> Result<Arc<Inner>, Error> {
        if let Some(inner) = self.opened.get() {
            return Ok(inner.clone());
        }
        let segment = (self.opener)()?;
        let found = segment.row_count();
        if found != self.row_count {
            return Err(Error::Corrupt {
                place: Box::new(Place {
                    segment: self.id.clone(),
                    row_group: None,
                    column: None,
                }),
                cause: format!(
                    "file has other rows than its table says: expected={} found={found}",
                    self.row_count
                )
                .into(),
            });
        }
        segment.into_inner()
    }

    /// Opens the file and keeps it open.
    pub(crate) fn opened_for_good(&self) -> Result<&Arc<Inner>, Error> {
        if let Some(inner) = self.opened.get() {
            return Ok(inner);
        }
        let inner = self.open()?;
        Ok(self.opened.get_or_init(|| inner))
    }
}

impl fmt::Debug for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Closed")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Layouts {
    /// Returns the layouts of some VARIANT columns of a file.
    ///
    /// # Errors
    /// As [`Segment::field_layout`].
    pub fn of<'f>(
        segment: &Segment,
        fields: impl IntoIterator<Item = &'f Field>,
    ) -> Result<Self, Error> {
        let mut layouts = BTreeMap::new();
        for field in fields {
            let layout = segment.field_layout(field)?;
            if let Some((id, layout)) = field.field_id.zip(layout) {
                layouts.insert(id, layout.as_ref().clone());
            }
        }
        Ok(Self(layouts))
    }

    /// Returns the type of a key's typed leaf.
    pub(crate) fn key_type(&self, field: &Field, path: &KeyPath) -> Option<DataType> {
        let layout = self.0.get(&field.field_id?)?;
        KeyPlan::compile(layout, path).key_type()
    }
}
