//! External Tables over the sync engine: what they follow, and where their views go.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use growler_base::{ErrorKind, Interrupt};
use growler_exec::reload::IndexPlan;
use growler_schema::{TableConfig, TableSchema};
use growler_segment::{BlockCache, FooterCache};
use growler_table::config::ExternalConfig;
use growler_table::connect::{self, Connected, Patience};
use growler_table::store::RunState;
use growler_table::sync::{
    Failure, Followed, Published, Publisher, ReloadProgress, RunRequest, SyncEngine, Tables,
    Trigger,
};
use serde_json::Value;

use super::serving::Serving;
use crate::external::tables::{ExternalParts, ExternalTables, Preview, RunAsked, RunDone};
use crate::{Error, metrics};

/// Tables that follow sources, and what brings them in step.
pub(super) struct EngineSources {
    followed: Arc<FollowedTables>,
    engine: SyncEngine,
}

/// The tables that are followed; the sync engine asks here how, and publishes here.
struct FollowedTables {
    serving: Serving,
    footers: Arc<FooterCache>,
    blocks: Option<Arc<BlockCache>>,
    parts: ExternalParts,
    tables: RwLock<BTreeMap<String, Entry>>,
}

#[derive(Clone)]
struct Entry {
    table: TableConfig,
    followed: Followed,
}

impl EngineSources {
    pub(super) fn new(
        serving: Serving,
        footers: Arc<FooterCache>,
        parts: ExternalParts,
    ) -> Result<Self, Error> {
        let folder = parts.store.folder().join("cache");
        let blocks = match BlockCache::open(&folder, parts.cache_bytes) {
            Ok(blocks) => Some(blocks),
            Err(error) => {
                tracing::warn!(%error, folder = %folder.display(), "remote files are not cached");
                None
            }
        };
        let store = Arc::clone(&parts.store);
        let followed = Arc::new(FollowedTables {
            serving,
            footers,
            blocks,
            parts,
            tables: RwLock::default(),
        });
        let tables: Arc<dyn Tables> = Arc::clone(&followed) as _;
        let publisher: Arc<dyn Publisher> = Arc::clone(&followed) as _;
        let engine = SyncEngine::new(store, tables, publisher)?;
        let engine = engine.with_metrics(Arc::new(metrics::SyncCounters));
        Ok(Self { followed, engine })
    }
}

impl ExternalTables for EngineSources {
    fn preview(&self, table: &str, config: &ExternalConfig) -> Result<Preview, Error> {
        let roots = self.followed.parts.table_roots.as_deref();
        let connected = self.followed.connect(config, Patience::Short, roots)?;
        let found = connect::preview(table, config, &connected).map_err(|error| Error::Files {
            text: error.text,
            kind: error.kind,
        })?;
        Ok(Preview {
            schema: found.schema,
            warnings: found.warnings,
        })
    }

    fn follow(
        &self,
        table: &TableConfig,
        config: &ExternalConfig,
        declared: Option<&TableSchema>,
    ) -> Result<(), Error> {
        let parts = &self.followed.parts;
        let is_own = parts.own.contains(&table.name);
        let roots = parts.table_roots.as_deref().filter(|_| !is_own);
        let connected = self.followed.connect(config, Patience::Long, roots)?;
        let mut entry = Entry {
            table: table.clone(),
            followed: Followed {
                config: Arc::new(config.clone()),
                declared: declared.cloned(),
                views: connected.views(),
                source: connected.source,
            },
        };
        let mut tables = self.followed.write();
        if declared.is_none() {
            // What was declared before and waits for a run goes on waiting.
            let before = tables.remove(&table.name);
            entry.followed.declared = before.and_then(|before| before.followed.declared);
        }
        tables.insert(table.name.clone(), entry);
        drop(tables);
        self.followed.serving.replan(table);
        Ok(())
    }

    fn start(&self) -> Result<(), Error> {
        Ok(self.engine.give_up_runs()?)
    }

    fn restore(&self, table: &str) -> Result<bool, Error> {
        self.engine.recover(table)?;
        let engine = self.followed.serving.publisher.engine();
        Ok(engine.view(table).is_some())
    }

    fn stop(&self) {
        self.engine.cancel();
    }

    fn last_run_ms(&self, table: &str) -> Option<i64> {
        self.engine.status(table).ok()??.started_at_ms
    }

    fn forget(&self, table: &str) -> Result<(), Error> {
        self.followed.write().remove(table);
        Ok(self.engine.forget(table)?)
    }

    fn run(&self, table: &str, asked: &RunAsked<'_>) -> Result<RunDone, Error> {
        let request = RunRequest {
            request_id: Some(asked.task.to_owned()),
            trigger: if asked.by_request {
                Trigger::Request
            } else {
                Trigger::Schedule
            },
        };
        let interrupt = Interrupt::new(asked.cancel.clone(), None);
        let run = || self.engine.run_with(table, request);
        let report = Interrupt::within(Some(&interrupt), run)?;
        let record = report.record;
        if report.state == RunState::Completed {
            return Ok(RunDone {
                ingested: record.files.ingested,
                removed: record.files.removed,
            });
        }
        let text = record
            .failure_message
            .unwrap_or_else(|| "the run was cut short".to_owned());
        Err(Error::Io(text))
    }

    fn reattach(&self, table: &str) -> Result<(), Error> {
        Ok(self.engine.reattach(table)?)
    }

    fn status(&self, table: &str) -> Result<Value, Error> {
        shown(table, self.engine.status(table)?)
    }

    fn contents(&self, table: &str) -> Result<Value, Error> {
        let found = self.engine.contents(table);
        found.ok_or_else(|| Error::NotFound(format!("Table {table} serves nothing yet")))
    }

    fn checkpoint(&self, table: &str) -> Result<Value, Error> {
        shown(table, self.engine.checkpoint(table)?)
    }
}

impl FollowedTables {
    fn connect(
        &self,
        config: &ExternalConfig,
        patience: Patience,
        roots: Option<&[PathBuf]>,
    ) -> Result<Connected, Error> {
        let blocks = self.blocks.as_ref();
        Connected::new(config, &self.footers, blocks, patience, roots).map_err(Error::Invalid)
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<String, Entry>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Entry>> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables for FollowedTables {
    fn names(&self) -> Vec<String> {
        self.read().keys().cloned().collect()
    }

    fn followed(&self, table: &str) -> Result<Option<Followed>, String> {
        Ok(self.read().get(table).map(|entry| entry.followed.clone()))
    }

    fn adopted(&self, table: &str, declared: &TableSchema) {
        let mut tables = self.write();
        let followed = tables.get_mut(table).map(|entry| &mut entry.followed);
        // Another one may have been declared meanwhile.
        if let Some(followed) = followed.filter(|f| f.declared.as_ref() == Some(declared)) {
            followed.declared = None;
        }
    }
}

impl Publisher for FollowedTables {
    fn publish(&self, published: Published) {
        // Held until the view is served: a table that is dropped meanwhile is dropped after it.
        let tables = self.read();
        let Some(entry) = tables.get(&published.table) else {
            return;
        };
        let plan = IndexPlan::new(&entry.table, published.view.schema());
        for note in plan.notes() {
            tracing::warn!(table = published.table, "{note}");
        }
        self.serving.swap(published.view, plan);
    }

    fn reload(&self, table: &str) {
        (self.parts.reload)(table);
    }

    fn reload_progress(&self, table: &str) -> Option<ReloadProgress> {
        (self.parts.reload_progress)(table)
    }
}

fn shown<T: serde::Serialize>(table: &str, found: Option<T>) -> Result<Value, Error> {
    let found = found.ok_or_else(|| Error::NotFound(format!("Table {table} follows no source")))?;
    serde_json::to_value(found).map_err(|error| Error::Internal(error.to_string()))
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Files {
            text: failure.to_string(),
            kind: ErrorKind::Unavailable,
        }
    }
}
