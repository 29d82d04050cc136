//! A source and its files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use growler_catalog::objects::Storage;
use growler_catalog::rest::{Namespace, RestConfig, TableId, Timeouts};
use growler_catalog::{ObjectFiles, Properties};
use growler_segment::{BlockCache, FooterCache};

use super::rest::{LazyCatalog, RestSource};
use super::segments::ObjectSegments;
use crate::access::FileAccess;
use crate::config::{ExternalConfig, Source};
use crate::sync::views::SegmentViews;
use crate::sync::{CatalogSource, IcebergFolder, ParquetFiles, Views};

/// What an answer may take that somebody waits for.
const SHORT_TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(3),
    read: Duration::from_secs(8),
    whole: Duration::from_secs(10),
};

/// How long a source that does not answer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Somebody waits for the answer.
    Short,
    /// A run does, which has time.
    Long,
}

/// Returns what a client of a catalog is told.
pub(crate) fn rest_config(properties: &Properties, patience: Patience) -> RestConfig {
    let mut rest = RestConfig::of_properties(properties);
    if patience == Patience::Short {
        rest.timeouts = SHORT_TIMEOUTS;
        rest.retries.attempts = 2;
        rest.retries.within = SHORT_TIMEOUTS.whole;
    }
    rest
}

/// A source, and what reads its files.
#[derive(Clone)]
pub struct Connected {
    /// Where the table's metadata comes from.
    pub source: Arc<dyn CatalogSource>,
    /// What opens its files.
    pub access: FileAccess,
}

impl Connected {
    /// Connects with the source of a config. What is fetched of files goes through `blocks`, if there
    /// are; local files outside of `roots` are refused, if there are.
    ///
    /// # Errors
    /// What is wrong with the config; the source is not asked.
    pub fn new(
        config: &ExternalConfig,
        footers: &Arc<FooterCache>,
        blocks: Option<&Arc<BlockCache>>,
        patience: Patience,
        roots: Option<&[PathBuf]>,
    ) -> Result<Self, String> {
        let within = |files: ObjectFiles| match roots {
            Some(roots) => files.within(roots),
            None => files,
        };
        let properties = config.properties()?;
        let location = config.location().unwrap_or_default();
        let (source, files): (Arc<dyn CatalogSource>, ObjectFiles) = match &config.source {
            Source::IcebergRest {
                catalog,
                namespace,
                table,
                ..
            } => {
                let mut rest = rest_config(&properties, patience);
                rest.vended_credentials = catalog.vended_credentials;
                let namespace = Namespace::new(namespace.clone());
                let namespace = namespace.ok_or("namespace has an empty level")?;
                let name = table.clone();
                let id = TableId { namespace, name };
                let lazy = Arc::new(LazyCatalog::new(rest, id));
                let storage = Storage::from(properties);
                let files = within(if catalog.vended_credentials {
                    ObjectFiles::vended(storage, Arc::clone(&lazy) as _)
                } else {
                    ObjectFiles::new(storage)
                });
                let source = RestSource::new(lazy, files.clone(), catalog.vended_credentials);
                (Arc::new(source), files)
            }
            Source::IcebergFolder { .. } => {
                let files = within(ObjectFiles::new(Storage::from(properties)));
                let source = IcebergFolder::new(Arc::new(files.clone()), location);
                (Arc::new(source), files)
            }
            Source::Parquet { .. } => {
                let files = within(ObjectFiles::new(Storage::from(properties)));
                (Arc::new(ParquetFiles::new(files.clone(), location)), files)
            }
        };
        let access = FileAccess::new(files, Arc::clone(footers), blocks.cloned());
        Ok(Self { source, access })
    }

    /// Returns what makes views of the source's files.
    pub fn views(&self) -> Arc<dyn Views> {
        let segments = ObjectSegments::new(self.access.clone());
        Arc::new(SegmentViews::new(Arc::new(segments)))
    }
}
