//! Tables and queries.

use std::path::Path;
use std::sync::Arc;

use growler_exec::reload::{IndexPlan, IndexStore, needs_reload, uses_stored};
use growler_exec::run::CancelFlag;
use growler_exec::{BrokerResponse, Engine, Request, View};
use growler_schema::{Field, TableConfig, TableSchema};
use growler_segment::{FooterCache, PageCache, PageCounts, Segment};
use growler_table::iceberg;
use serde_json::Value;

use super::serving::Serving;
use super::sources::EngineSources;
use super::table_reload::Pinned;
use super::{leftovers, segment_metadata};
use crate::backend::{Backend, QueryRequest, SegmentInfo, Swap, TableReload};
use crate::external::{ExternalParts, ExternalTables};
use crate::{Error, IndexSettings};

/// An engine, the footers of the files it serves, and their indexes.
#[derive(Debug)]
pub struct EngineBackend {
    serving: Serving,
    footers: Arc<FooterCache>,
    budget_bytes: usize,
}

impl EngineBackend {
    /// Wraps an engine; tables that it has already are served too. Indexes are kept nowhere.
    pub fn new(engine: Engine) -> Self {
        Self {
            serving: Serving::new(engine),
            footers: Arc::default(),
            budget_bytes: IndexSettings::default().budget_bytes,
        }
    }

    /// Gives indexes a place, and bounds the memory of their builds.
    #[must_use]
    pub fn with_indexes(mut self, store: IndexStore, settings: &IndexSettings) -> Self {
        self.serving.store = store;
        self.budget_bytes = settings.budget_bytes;
        self
    }

    /// Bounds the inflated pages that are kept; before any table is opened.
    #[must_use]
    pub fn with_page_cache(mut self, most_len_bytes: usize) -> Self {
        let pages = Arc::new(PageCache::new(most_len_bytes));
        self.footers = Arc::new(FooterCache::default().with_pages(pages));
        self
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        self.serving.publisher.engine()
    }

    fn open(&self, name: &str, path: &Path, schema: Option<&TableSchema>) -> Result<View, Error> {
        let location = path
            .to_str()
            .ok_or_else(|| Error::Invalid(format!("path is not UTF-8: path={}", path.display())))?;
        iceberg::open(name, location, schema, &self.footers).map_err(Error::from)
    }
}

impl Backend for EngineBackend {
    fn query(&self, request: &QueryRequest, cancel: &CancelFlag) -> BrokerResponse {
        let asked = Request {
            query_options: request.options.clone(),
            cancel: cancel.clone(),
            ..Request::default()
        };
        self.engine().query(&request.sql, &asked).response
    }

    fn infer(&self, path: &Path) -> Result<Vec<Field>, Error> {
        Ok(self.open("", path, None)?.schema().fields().to_vec())
    }

    fn prepare(
        &self,
        config: &TableConfig,
        path: &Path,
        schema: TableSchema,
    ) -> Result<Swap, Error> {
        let view = self.open(&config.name, path, Some(&schema))?;
        let plan = IndexPlan::new(config, view.schema());
        for note in plan.notes() {
            tracing::warn!(table = config.name, "{note}");
        }
        let serving = self.serving.clone();
        Ok(Box::new(move || serving.swap(view, plan)))
    }

    fn external_tables(
        &self,
        parts: ExternalParts,
    ) -> Result<Option<Arc<dyn ExternalTables>>, Error> {
        let footers = Arc::clone(&self.footers);
        let sources = EngineSources::new(self.serving.clone(), footers, parts)?;
        Ok(Some(Arc::new(sources)))
    }

    fn remove(&self, table: &str) {
        self.serving.remove(table);
    }

    fn clean_up(&self) {
        // Beside the files another process may be writing.
        if let IndexStore::Folder(root) = &self.serving.store {
            leftovers::remove(root);
        }
    }

    fn remove_indexes(&self, table: &str) {
        // Beside the files they may be another table's too, or another server's.
        let IndexStore::Folder(root) = &self.serving.store else {
            return;
        };
        let folder = root.join(table);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => tracing::warn!(
                table, %error, folder = %folder.display(), "indexes of a dropped table stay"
            ),
            _ => {}
        }
    }

    fn tables(&self) -> Vec<String> {
        self.engine().tables()
    }

    fn schema(&self, table: &str) -> Option<TableSchema> {
        Some(self.engine().view(table)?.schema().clone())
    }

    fn segments(&self, table: &str) -> Option<Vec<SegmentInfo>> {
        let view = self.engine().view(table)?;
        Some(view.segments().iter().map(info).collect())
    }

    fn segment_metadata(&self, table: &str, segment: &str) -> Vec<Value> {
        let Some(view) = self.engine().view(table) else {
            return Vec::new();
        };
        let segments = view.segments().iter().enumerate();
        segments
            .filter(|(_, found)| &*found.id().to_string() == segment)
            .map(|(idx, found)| segment_metadata::of(table, found, view.indexes(idx)))
            .collect()
    }

    fn begin_reload(&self, table: &str) -> Result<Arc<dyn TableReload>, Error> {
        let view = self.engine().view(table);
        let view = view.ok_or_else(|| Error::NotFound(format!("Table {table} does not exist")))?;
        let plan = self.serving.plan(table);
        if self.serving.store == IndexStore::None && !plan.is_empty() {
            return Err(Error::Conflict(format!(
                "Indexes of table {table} cannot be kept: the server has no data directory, and its \
                 config does not set indexes.besideFiles"
            )));
        }
        Ok(Arc::new(Pinned {
            publisher: Arc::clone(&self.serving.publisher),
            view,
            plan,
            store: self.serving.store.clone(),
            budget_bytes: self.budget_bytes,
        }))
    }

    fn need_reload(&self, table: &str) -> Option<Vec<SegmentInfo>> {
        let (view, plan) = (self.engine().view(table)?, self.serving.plan(table));
        let segments = view.segments().iter().enumerate();
        Some(
            segments
                .filter(|(idx, _)| {
                    needs_reload(&view, *idx, &plan, &self.serving.store)
                        || !uses_stored(&view, *idx, &self.serving.store)
                })
                .map(|(_, segment)| info(segment))
                .collect(),
        )
    }

    fn page_counts(&self) -> Option<PageCounts> {
        Some(self.footers.pages().counts())
    }

    fn index_bytes(&self, table: &str) -> u64 {
        let Some(view) = self.engine().view(table) else {
            return 0;
        };
        (0..view.segments().len())
            .filter_map(|idx| Some(view.indexes(idx)?.file_len()))
            .sum()
    }

    fn version(&self) -> u64 {
        self.serving.publisher.version()
    }
}

fn info(segment: &Segment) -> SegmentInfo {
    SegmentInfo {
        name: segment.id().to_string(),
        path: segment.path().to_owned(),
        row_count: segment.row_count() as u64,
    }
}

impl From<iceberg::Error> for Error {
    fn from(error: iceberg::Error) -> Self {
        Self::Files {
            text: match error.hint() {
                Some(hint) => format!("{error}; {hint}"),
                None => error.to_string(),
            },
            kind: error.kind(),
        }
    }
}
