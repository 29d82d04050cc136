//! An engine that knows the words of these tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use arrow_array::{ArrayRef, Int64Array};
use growler_base::ErrorKind;
use growler_exec::response::{BrokerResponse, QueryException, ResultTable};
use growler_exec::run::CancelFlag;
use growler_schema::{DataType, Field, SourceType, TableConfig, TableSchema};
use growler_server::{Backend, Error, QueryRequest};

/// Answers 1 to everything, but: `block` runs until cancelled, `panic` panics, `fail` fails with
/// 700, `from X` needs a table X.
#[derive(Default)]
pub struct Double {
    pub tables: Mutex<BTreeMap<String, (PathBuf, TableSchema)>>,
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
            _ => one(),
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

    fn register(
        &self,
        config: &TableConfig,
        path: &Path,
        schema: TableSchema,
    ) -> Result<(), Error> {
        self.tables
            .lock()
            .unwrap()
            .insert(config.name.clone(), (path.to_owned(), schema));
        Ok(())
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

    fn segments(&self, table: &str) -> Option<Vec<String>> {
        self.tables
            .lock()
            .unwrap()
            .contains_key(table)
            .then(|| vec!["s1".to_owned()])
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

fn one() -> BrokerResponse {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let types = vec![DataType::Long.single()];
    let table = ResultTable::try_new(vec!["n".to_owned()], types, vec![column]).unwrap();
    BrokerResponse {
        result_table: Some(table),
        ..BrokerResponse::default()
    }
}
