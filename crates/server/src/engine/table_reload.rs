//! A table pinned to be reloaded, and how its segments are published.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use growler_exec::reload::{
    Error as ReloadError, IndexPlan, IndexStore, ReloadOptions, Reloaded, reload_segment,
    same_columns,
    store::{identity, sweep_gone},
};
use growler_exec::{Engine, View};

use crate::Error;
use crate::backend::{ReloadControl, TableReload};

/// An engine whose tables change one at a time, so that no change undoes another.
#[derive(Debug)]
pub(super) struct Publisher {
    engine: Engine,
    changes: Mutex<()>,
    version: AtomicU64,
}

/// A table's plan and files at one moment.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) publisher: Arc<Publisher>,
    pub(super) view: Arc<View>,
    pub(super) plan: Arc<IndexPlan>,
    pub(super) store: IndexStore,
    pub(super) budget_bytes: usize,
}

impl Publisher {
    pub(super) fn new(engine: Engine) -> Self {
        Self {
            engine,
            changes: Mutex::default(),
            version: AtomicU64::new(0),
        }
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Makes a view known, with the indexes that `load` finds for it. An index file that is renamed
    /// meanwhile is found by `load`, or published on this view after it.
    pub(super) fn register(
        &self,
        view: View,
        load: impl FnOnce(&View) -> Vec<Option<growler_index::SegmentIndexes>>,
    ) {
        let _change = self.lock();
        let indexes = load(&view);
        let view = view.with_indexes(indexes);
        self.changing_rows(|engine| {
            engine.register(view);
        });
    }

    pub(super) fn remove(&self, table: &str) {
        let _change = self.lock();
        self.changing_rows(|engine| {
            engine.remove(table);
        });
    }

    /// Returns a number that is another one before and after each change of any table's rows.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::SeqCst)
    }

    /// Counts on both sides of a change: a query that began in between is told from later ones too.
    fn changing_rows(&self, change: impl FnOnce(&Engine)) {
        self.version.fetch_add(1, Ordering::SeqCst);
        change(&self.engine);
        self.version.fetch_add(1, Ordering::SeqCst);
    }

    /// Gives a segment of the table's present view the indexes that were built of it. Tells whether
    /// the table still has the segment, and with the same data.
    fn publish(&self, built_of: &View, idx: usize, reloaded: &Reloaded) -> bool {
        let _change = self.lock();
        let Some(segment) = built_of.segments().get(idx) else {
            return false;
        };
        let Some(now) = self.engine.view(built_of.name()) else {
            return false;
        };
        let is_it = |at: &usize| {
            let there = now.segments().get(*at);
            there.is_some_and(|there| there.path() == segment.path())
        };
        let at = Some(idx)
            .filter(is_it)
            .or_else(|| (0..now.segments().len()).find(is_it));
        let Some((at, there)) = at.and_then(|at| Some((at, now.segments().get(at)?))) else {
            return false;
        };
        let (Ok(built), Ok(data)) = (segment.opened(), there.opened()) else {
            return false;
        };
        if identity(&data) != identity(&built) {
            return false;
        }
        // The table's columns may have changed meanwhile, and the file is the one it was.
        let indexes = reloaded.indexes.as_ref();
        if !indexes.is_none_or(|indexes| same_columns(indexes, segment, there)) {
            return false;
        }
        self.engine
            .register(now.with_segment_indexes(at, reloaded.indexes.clone()));
        true
    }

    /// Removes what is kept of files that a table has no more, while none can come to it.
    fn sweep(&self, table: &str, store: &IndexStore) -> usize {
        let _change = self.lock();
        let view = self.engine.view(table);
        view.map_or(0, |view| sweep_gone(&view, store))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ()> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TableReload for Pinned {
    fn reload(&self, segment: &Path, control: &ReloadControl) -> Result<Reloaded, Error> {
        let mut segments = self.view.segments().iter();
        let idx = segments.position(|found| found.path() == segment);
        let idx = idx.ok_or_else(gone)?;
        let options = ReloadOptions {
            budget_bytes: self.budget_bytes,
            rebuild: control.rebuild,
            cancel: control.cancel.clone(),
            progress: Some(Arc::clone(&control.progress)),
        };
        let reloaded = reload_segment(&self.view, idx, &self.plan, &self.store, &options)?;
        if !self.publisher.publish(&self.view, idx, &reloaded) {
            return Err(gone());
        }
        Ok(reloaded)
    }

    fn sweep(&self) {
        let removed = self.publisher.sweep(self.view.name(), &self.store);
        if removed > 0 {
            tracing::info!(
                removed,
                table = self.view.name(),
                "indexes of files that are gone were removed"
            );
        }
    }
}

fn gone() -> Error {
    Error::NotFound("the table has this segment no more".to_owned())
}

impl From<ReloadError> for Error {
    fn from(error: ReloadError) -> Self {
        Self::Files {
            text: error.to_string(),
            kind: error.kind(),
        }
    }
}
