//! What is served, and with which indexes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use growler_exec::reload::{IndexPlan, IndexStore, load_indexes};
use growler_exec::{Engine, View};
use growler_schema::TableConfig;

use super::table_reload::Publisher;

/// The engine, where its indexes are, and which ones its tables want; cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Serving {
    pub(super) publisher: Arc<Publisher>,
    pub(super) store: IndexStore,
    plans: Arc<Mutex<BTreeMap<String, Arc<IndexPlan>>>>,
}

impl Serving {
    /// Serves the tables that an engine has already; indexes are kept nowhere.
    pub(super) fn new(engine: Engine) -> Self {
        Self {
            publisher: Arc::new(Publisher::new(engine)),
            store: IndexStore::None,
            plans: Arc::default(),
        }
    }

    /// Serves a view in place of the one before, with the indexes that were built of its files.
    pub(super) fn swap(&self, view: View, plan: IndexPlan) {
        let name = view.name().to_owned();
        self.publisher.register(view, |view| {
            let segments = view.segments().iter();
            segments
                .map(|segment| load_indexes(segment, view.name(), &self.store))
                .collect()
        });
        self.plans().insert(name, Arc::new(plan));
    }

    /// Takes a table's changed config, as far as it is served.
    pub(super) fn replan(&self, config: &TableConfig) {
        if let Some(view) = self.publisher.engine().view(&config.name) {
            let plan = IndexPlan::new(config, view.schema());
            self.plans().insert(config.name.clone(), Arc::new(plan));
        }
    }

    pub(super) fn remove(&self, table: &str) {
        self.publisher.remove(table);
        self.plans().remove(table);
    }

    /// Returns which indexes a table wants.
    pub(super) fn plan(&self, table: &str) -> Arc<IndexPlan> {
        self.plans().get(table).cloned().unwrap_or_default()
    }

    fn plans(&self) -> MutexGuard<'_, BTreeMap<String, Arc<IndexPlan>>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
