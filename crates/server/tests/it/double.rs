//! An engine that knows the words of these tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use arrow_array::{ArrayRef, Int64Array};
use growler_base::ErrorKind;
use growler_exec::reload::{Advance, Reloaded};
use growler_exec::response::{BrokerResponse, QueryException, ResultTable};
use growler_exec::run::CancelFlag;
use growler_schema::{DataType, Field, SourceType, TableConfig, TableSchema};
use growler_server::{
    Backend, Error, ExternalParts, ExternalTables, QueryRequest, ReloadControl, SegmentInfo, Swap,
    TableReload,
};
use serde_json::{Value, json};

use crate::sources::Sources;

/// Tables that are served.
pub type Tables = Arc<Mutex<BTreeMap<String, (PathBuf, TableSchema)>>>;

/// Answers 1 to everything, but: `block` runs until cancelled, `panic` panics, `fail` fails with
/// 700, `from X` needs a table X, `SELECT lie FROM t` gives 2 when it is asked
/// again without indexes.
///
/// A table has the segment `s1`, or those of `names`. The reload of one fails if its name begins
/// with `bad`, panics with `panic`, and with `hold` goes on until it is cancelled or released. The
/// question whether one is needed has no answer while `need_stuck`.
#[derive(Default)]
pub struct Double {
    pub names: Mutex<Vec<&'static str>>,
    pub holding: Arc<AtomicUsize>,
    pub released: Arc<AtomicBool>,
    pub reloaded: Arc<Mutex<Vec<String>>>,
    pub need: AtomicBool,
    pub need_stuck: AtomicBool,
    pub needing: AtomicUsize,
    pub indexes_removed: Mutex<Vec<String>>,
    pub tables: Tables,
    pub sources: Arc<Sources>,
    pub blocked: AtomicUsize,
    pub last_options: Mutex<String>,
}

impl Double {
    /// Waits until so many queries are inside.
    pub async fn wait_blocked(&self, count: usize) {
        while self.blocked.load(Ordering::SeqCst) != count {
            tokio::task::yield_now().await;
        }
    }
}

impl Backend for Double {
    fn query(&self, request: &QueryRequest, cancel: &CancelFlag) -> BrokerResponse {
        self.last_options
            .lock()
            .unwrap()
            .clone_from(&request.options);
        match request.sql.split_once(' ').unwrap_or((&request.sql, "")) {
            ("block", _) => {
                self.blocked.fetch_add(1, Ordering::SeqCst);
                while !cancel.is_cancelled() {
                    thread::yield_now();
                }
                self.blocked.fetch_sub(1, Ordering::SeqCst);
                failed(503, "QueryCancellationError: query was cancelled")
            }
            ("panic", _) => panic!("as asked"),
            ("fail", _) => failed(700, "QueryValidationError: as asked"),
            ("from", table) if !self.tables.lock().unwrap().contains_key(table) => failed(
                190,
                &format!("TableDoesNotExistError: table '{table}' does not exist"),
            ),
            ("SELECT", "lie FROM t") if request.options.contains("skipIndexes=*") => number(2),
            _ => number(1),
        }
    }

    fn infer(&self, path: &Path) -> Result<Vec<Field>, Error> {
        if !path.exists() {
            let text = format!("no such file: path={}", path.display());
            return Err(Error::Files {
                text,
                kind: ErrorKind::NotFound,
            });
        }
        let columns = [
            ("ts", SourceType::Int64),
            ("user_id", SourceType::String),
            ("props", SourceType::Variant),
        ];
        Ok(columns
            .iter()
            .map(|(name, source)| source.field(*name).unwrap())
            .collect())
    }

    fn prepare(
        &self,
        config: &TableConfig,
        path: &Path,
        schema: TableSchema,
    ) -> Result<Swap, Error> {
        let (tables, name) = (Arc::clone(&self.tables), config.name.clone());
        let path = path.to_owned();
        Ok(Box::new(move || {
            tables.lock().unwrap().insert(name, (path, schema));
        }))
    }

    fn external_tables(
        &self,
        parts: ExternalParts,
    ) -> Result<Option<Arc<dyn ExternalTables>>, Error> {
        let sources = Arc::clone(&self.sources);
        sources.started(parts, Arc::clone(&self.tables));
        Ok(Some(sources))
    }

    fn remove(&self, table: &str) {
        self.tables.lock().unwrap().remove(table);
    }

    fn tables(&self) -> Vec<String> {
        self.tables.lock().unwrap().keys().cloned().collect()
    }

    fn schema(&self, table: &str) -> Option<TableSchema> {
        self.tables
            .lock()
            .unwrap()
            .get(table)
            .map(|(_, schema)| schema.clone())
    }

    fn remove_indexes(&self, table: &str) {
        self.indexes_removed.lock().unwrap().push(table.to_owned());
    }

    fn segments(&self, table: &str) -> Option<Vec<SegmentInfo>> {
        if !self.tables.lock().unwrap().contains_key(table) {
            return None;
        }
        let names = self.names.lock().unwrap();
        let names = if names.is_empty() {
            &["s1"][..]
        } else {
            &names
        };
        let segment = |name: &&str| SegmentInfo {
            name: (*name).to_owned(),
            path: PathBuf::from(name),
            row_count: 100,
        };
        Some(names.iter().map(segment).collect())
    }

    fn segment_metadata(&self, table: &str, segment: &str) -> Vec<Value> {
        let segments = self.segments(table).unwrap_or_default().into_iter();
        segments
            .filter(|found| found.name == segment)
            .map(|found| json!({"segment.name": found.name}))
            .collect()
    }

    fn begin_reload(&self, table: &str) -> Result<Arc<dyn TableReload>, Error> {
        if !self.tables.lock().unwrap().contains_key(table) {
            return Err(Error::NotFound(format!("Table {table} does not exist")));
        }
        Ok(Arc::new(DoubleReload {
            holding: Arc::clone(&self.holding),
            released: Arc::clone(&self.released),
            reloaded: Arc::clone(&self.reloaded),
        }))
    }

    fn need_reload(&self, table: &str) -> Option<Vec<SegmentInfo>> {
        let segments = self.segments(table)?;
        self.needing.fetch_add(1, Ordering::SeqCst);
        while self.need_stuck.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        self.needing.fetch_sub(1, Ordering::SeqCst);
        let need = self.need.load(Ordering::SeqCst);
        Some(if need { segments } else { Vec::new() })
    }
}

struct DoubleReload {
    holding: Arc<AtomicUsize>,
    released: Arc<AtomicBool>,
    reloaded: Arc<Mutex<Vec<String>>>,
}

impl TableReload for DoubleReload {
    fn reload(&self, segment: &Path, control: &ReloadControl) -> Result<Reloaded, Error> {
        let name = segment.to_string_lossy().into_owned();
        match name.as_str() {
            name if name.starts_with("bad") => return Err(Error::Io("as asked".to_owned())),
            name if name.starts_with("panic") => panic!("as asked"),
            name if name.starts_with("hold") => {
                (control.progress)(Advance {
                    rows_done: 25,
                    rows_total: 100,
                });
                self.holding.fetch_add(1, Ordering::SeqCst);
                while !control.cancel.is_cancelled() && !self.released.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
                self.holding.fetch_sub(1, Ordering::SeqCst);
                if control.cancel.is_cancelled() {
                    return Err(Error::Io("cancelled".to_owned()));
                }
            }
            _ => {}
        }
        let how = if control.rebuild { " anew" } else { "" };
        self.reloaded.lock().unwrap().push(name + how);
        Ok(Reloaded {
            changed: true,
            ..Reloaded::default()
        })
    }
}

fn failed(code: u16, message: &str) -> BrokerResponse {
    let exceptions = vec![QueryException {
        code,
        message: message.to_owned(),
    }];
    BrokerResponse {
        exceptions,
        ..BrokerResponse::default()
    }
}

fn number(number: i64) -> BrokerResponse {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![number]));
    let types = vec![DataType::Long.single()];
    let table = ResultTable::try_new(vec!["n".to_owned()], types, vec![column]).unwrap();
    BrokerResponse {
        result_table: Some(table),
        ..BrokerResponse::default()
    }
}
