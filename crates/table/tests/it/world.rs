//! A server in small: a store, a sync engine with doubles around it, and a query engine.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use growler_catalog::{Error as CatalogError, Files, IcebergTable, LocalFiles};
use growler_exec::{Engine, EngineOptions, Request};
use growler_schema::TableSchema;
use growler_schema::convert::schema_from_json;
use growler_schema::wire::SchemaJson;
use growler_segment::{FooterCache, Segment};
use growler_table::config::settings::Form;
use growler_table::config::{ExternalConfig, Settings};
use growler_table::iceberg::{LocalSegments, SegmentAccess};
use growler_table::store::{CommitHook, DocumentKind, Error as StoreError, Store};
use growler_table::sync::{
    Backoff, CatalogSource, Clock, Followed, Loaded, Published, Publisher, RunReport, SegmentViews,
    SourceError, StatusJson, SyncEngine, Tables,
};
use serde_json::Value;

pub type Rows = Vec<Vec<Value>>;

pub const TABLE: &str = "orders_ext";

/// Where the double finds its table, and what goes wrong before.
#[derive(Default)]
pub struct Script {
    pub metadata_file: Mutex<String>,
    pub failures: Mutex<VecDeque<SourceError>>,
    pub loads: AtomicUsize,
    pub renewals: AtomicUsize,
    /// What is read of the table's own files.
    pub read: Arc<ReadFiles>,
}

/// Local files; notes which are read.
#[derive(Default)]
pub struct ReadFiles(Mutex<Vec<String>>);

impl ReadFiles {
    /// How many files with such names were read since the last question.
    pub fn count(&self, name: &str) -> usize {
        let read = std::mem::take(&mut *self.0.lock().unwrap());
        read.iter().filter(|path| path.contains(name)).count()
    }
}

impl Files for ReadFiles {
    fn len_bytes(&self, path: &str) -> Result<u64, CatalogError> {
        LocalFiles.len_bytes(path)
    }

    fn read(&self, path: &str, range: Range<u64>) -> Result<Bytes, CatalogError> {
        self.0.lock().unwrap().push(path.to_owned());
        LocalFiles.read(path, range)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, CatalogError> {
        LocalFiles.list(folder)
    }
}

impl CatalogSource for Script {
    fn load(&self) -> Result<Loaded, SourceError> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        if let Some(failure) = self.failures.lock().unwrap().pop_front() {
            return Err(failure);
        }
        let file = self.metadata_file.lock().unwrap().clone();
        let table = IcebergTable::open(self.read.clone(), &file)?;
        Ok(Loaded::Iceberg {
            table,
            metadata_location: Some(file),
        })
    }

    fn renew(&self) -> Result<(), SourceError> {
        self.renewals.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// Counts which files are opened.
#[derive(Debug)]
pub struct Counting {
    inner: LocalSegments,
    pub opens: Mutex<HashMap<String, usize>>,
}

impl SegmentAccess for Counting {
    fn open(&self, location: &str) -> Result<Segment, growler_segment::Error> {
        *self
            .opens
            .lock()
            .unwrap()
            .entry(location.to_owned())
            .or_default() += 1;
        self.inner.open(location)
    }
}

/// One table's config, read anew at every run.
pub struct Config {
    pub settings: Mutex<BTreeMap<String, String>>,
    pub source: Arc<dyn CatalogSource>,
    pub access: Arc<Counting>,
    pub store: Arc<Store>,
    /// What was declared once, goes before the stored document until it is adopted.
    pub pinned: Mutex<Option<TableSchema>>,
}

impl Tables for Config {
    fn names(&self) -> Vec<String> {
        vec![TABLE.to_owned()]
    }

    fn followed(&self, table: &str) -> Result<Option<Followed>, String> {
        if table != TABLE {
            return Ok(None);
        }
        let settings = self.settings.lock().unwrap().clone();
        let mut errors = Vec::new();
        let settings = Settings::new(
            Form::Json,
            settings
                .iter()
                .map(|(key, value)| (key.as_str(), value.clone())),
            &mut errors,
        );
        assert!(errors.is_empty(), "{errors:?}");
        let config = ExternalConfig::try_new(table, settings).map_err(|error| error.to_string())?;
        let access: Arc<dyn SegmentAccess> = self.access.clone();
        Ok(Some(Followed {
            config: Arc::new(config),
            declared: self.pinned.lock().unwrap().clone().or(self.declared()),
            source: Arc::clone(&self.source),
            views: Arc::new(SegmentViews::new(access)),
        }))
    }

    fn adopted(&self, _table: &str, declared: &TableSchema) {
        let mut pinned = self.pinned.lock().unwrap();
        *pinned = pinned.take().filter(|pinned| pinned != declared);
    }
}

impl Config {
    pub fn declared(&self) -> Option<TableSchema> {
        let read = |r: &growler_table::store::Reader<'_>| r.document(DocumentKind::Schema, TABLE);
        let json = self.store.read(read).unwrap()?;
        Some(schema_from_json(&SchemaJson::parse(&json).unwrap()).unwrap())
    }
}

/// Gives views to a query engine.
pub struct Serving {
    pub exec: Arc<Engine>,
    pub published: AtomicUsize,
    pub reloads: AtomicUsize,
}

impl Publisher for Serving {
    fn publish(&self, published: Published) {
        self.published.fetch_add(1, Ordering::Relaxed);
        self.exec.register(published.view);
    }

    fn reload(&self, _table: &str) {
        self.reloads.fetch_add(1, Ordering::Relaxed);
    }
}

/// Time that passes when somebody says so.
#[derive(Default)]
pub struct Hands {
    pub now_ms: AtomicI64,
    pub slept_ms: AtomicI64,
}

impl Clock for Hands {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::Relaxed)
    }

    fn sleep(&self, duration: Duration) {
        let slept = i64::try_from(duration.as_millis()).unwrap();
        self.slept_ms.fetch_add(slept, Ordering::Relaxed);
        self.now_ms.fetch_add(slept, Ordering::Relaxed);
    }
}

/// All of it.
pub struct World {
    pub store: Arc<Store>,
    pub config: Arc<Config>,
    pub serving: Arc<Serving>,
    pub clock: Arc<Hands>,
    pub access: Arc<Counting>,
    pub sync: SyncEngine,
}

impl World {
    pub fn new(folder: &Path, source: Arc<dyn CatalogSource>) -> Self {
        Self::hooked(folder, source, None)
    }

    pub fn hooked(
        folder: &Path,
        source: Arc<dyn CatalogSource>,
        hook: Option<Arc<dyn CommitHook>>,
    ) -> Self {
        let store = opened(folder);
        let store = Arc::new(match hook {
            Some(hook) => store.with_hook(hook),
            None => store,
        });
        let access = Arc::new(Counting {
            inner: LocalSegments::new(Arc::new(FooterCache::new(0))),
            opens: Mutex::default(),
        });
        let settings = [
            ("catalogType", "iceberg-folder"),
            ("path", "/not/used"),
            ("executor", "controller"),
            ("enabled", "true"),
        ];
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let config = Arc::new(Config {
            settings: Mutex::new(settings.into()),
            source,
            access: access.clone(),
            store: store.clone(),
            pinned: Mutex::default(),
        });
        let exec = Engine::new(EngineOptions {
            threads: 2,
            ..EngineOptions::default()
        });
        let serving = Arc::new(Serving {
            exec: Arc::new(exec.unwrap()),
            published: AtomicUsize::new(0),
            reloads: AtomicUsize::new(0),
        });
        let clock = Arc::new(Hands::default());
        let sync = SyncEngine::new(store.clone(), config.clone(), serving.clone()).unwrap();
        let sync = sync
            .with_clock(clock.clone())
            .with_backoff(Backoff::default());
        sync.give_up_runs().unwrap();
        // What cannot be served is left to the next run.
        let _ = sync.recover(TABLE);
        Self {
            store,
            config,
            serving,
            clock,
            access,
            sync,
        }
    }

    pub fn set(&self, key: &str, value: &str) {
        self.config
            .settings
            .lock()
            .unwrap()
            .insert(key.to_owned(), value.to_owned());
    }

    pub fn unset(&self, key: &str) {
        self.config.settings.lock().unwrap().remove(key);
    }

    pub fn evolve(&self) {
        self.set("schemaEvolution.enabled", "true");
        self.set("schemaEvolution.typeWidening.enabled", "true");
    }

    pub fn run(&self) -> RunReport {
        self.sync.run(TABLE).unwrap()
    }

    /// Runs, and returns the lines of its log without the request's id.
    pub fn run_logged(&self) -> (RunReport, Vec<String>) {
        let (report, log) = logged(|| self.run());
        let prefix = format!("[{}] ", report.record.request_id);
        let lines = log.lines().filter_map(|line| {
            let at = line.find(&prefix)?;
            let text = line[at + prefix.len()..].trim_end();
            Some(text.split(" table=").next().unwrap().to_owned())
        });
        (report, lines.collect())
    }

    pub fn status(&self) -> StatusJson {
        self.sync.status(TABLE).unwrap().unwrap()
    }

    /// Asks the query engine; no partial answer passes.
    pub fn ask(&self, sql: &str) -> Result<Rows, String> {
        ask(&self.serving.exec, sql)
    }

    pub fn rows(&self, sql: &str) -> Rows {
        self.ask(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// The columns of one answer, as JSON text.
    pub fn text(&self, sql: &str) -> String {
        serde_json::to_string(&self.rows(sql)).unwrap()
    }

    pub fn columns(&self) -> Vec<String> {
        let view = self.serving.exec.view(TABLE).unwrap();
        let fields = view.schema().fields().iter();
        fields
            .map(|field| format!("{} {}", field.name, field.column_type.name()))
            .collect()
    }

    /// How often files were opened since the last question.
    pub fn opens(&self) -> usize {
        std::mem::take(&mut *self.access.opens.lock().unwrap())
            .values()
            .sum()
    }
}

/// Opens a data directory. A process that another test is just starting has our lock for a moment.
fn opened(folder: &Path) -> Store {
    for _ in 0..200 {
        match Store::open(folder) {
            Err(StoreError::InUse { .. }) => std::thread::sleep(Duration::from_millis(25)),
            done => return done.unwrap(),
        }
    }
    panic!("data directory stays in use");
}

pub fn ask(exec: &Engine, sql: &str) -> Result<Rows, String> {
    let outcome = exec.query(sql, &Request::default());
    if let Some(error) = outcome.error {
        return Err(error.to_string());
    }
    let mut json = Vec::new();
    let table = outcome.response.result_table.ok_or("no rows")?;
    table.write_json_rows(&mut json).unwrap();
    Ok(serde_json::from_slice(&json).unwrap())
}

/// Runs something and returns what it logged.
pub fn logged<T>(work: impl FnOnce() -> T) -> (T, String) {
    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let buffer = Buffer::default();
    let sink = buffer.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || sink.clone())
        .finish();
    let done = tracing::subscriber::with_default(subscriber, work);
    let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
    (done, text)
}

/// Stops one commit, as if the process had been killed there.
pub struct KillAt {
    pub commit: usize,
    pub after: bool,
    pub seen: AtomicUsize,
}

impl CommitHook for KillAt {
    fn before_commit(&self, point: &'static str) -> Result<(), StoreError> {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        match !self.after && seen >= self.commit {
            true => Err(StoreError::Stopped(point)),
            false => Ok(()),
        }
    }

    fn after_commit(&self, point: &'static str) -> Result<(), StoreError> {
        match self.after && self.seen.load(Ordering::Relaxed) > self.commit {
            true => Err(StoreError::Stopped(point)),
            false => Ok(()),
        }
    }
}

/// Stops every commit at one point.
pub struct KillBefore(pub &'static str);

impl CommitHook for KillBefore {
    fn before_commit(&self, point: &'static str) -> Result<(), StoreError> {
        match point == self.0 {
            true => Err(StoreError::Stopped(point)),
            false => Ok(()),
        }
    }

    fn after_commit(&self, _point: &'static str) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Passes on what happens at one point only, once.
pub struct Once {
    pub point: &'static str,
    pub done: AtomicUsize,
}

impl CommitHook for Once {
    fn before_commit(&self, _point: &'static str) -> Result<(), StoreError> {
        Ok(())
    }

    fn after_commit(&self, point: &'static str) -> Result<(), StoreError> {
        match point == self.point && self.done.fetch_add(1, Ordering::Relaxed) == 0 {
            true => Err(StoreError::Stopped(point)),
            false => Ok(()),
        }
    }
}
