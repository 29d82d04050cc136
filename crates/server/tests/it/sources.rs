//! Sources that tables follow, without any files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use growler_base::ErrorKind;
use growler_schema::{DataType, SourceType, TableConfig, TableSchema};
use growler_server::{Error, ExternalParts, ExternalTables, Preview, RunAsked, RunDone};
use growler_table::browse::{Listing, Place};
use growler_table::config::{ExternalConfig, Source};
use serde_json::{Value, json};

use crate::double::Tables;

/// A source has the columns ts, user_id and props, and `extra` once `widened`. One whose namespace is
/// `down` is away; one of `secret` echoes what it was told; the run of one of `hold` goes on until it is
/// told to end; that of one of `panic` panics.
#[derive(Default)]
pub struct Sources {
    pub widened: AtomicBool,
    /// A table of `slow` is not served again as long as this is set.
    pub slow: AtomicBool,
    pub down: AtomicBool,
    pub previews: AtomicUsize,
    pub runs: AtomicUsize,
    pub forgotten: Mutex<Vec<String>>,
    pub followed: Mutex<BTreeMap<String, (ExternalConfig, Option<TableSchema>)>>,
    served: Mutex<Option<(ExternalParts, Tables)>>,
}

impl Sources {
    pub fn started(&self, parts: ExternalParts, tables: Tables) {
        *self.served.lock().unwrap() = Some((parts, tables));
    }

    fn namespace(config: &ExternalConfig) -> String {
        match &config.source {
            Source::IcebergRest { namespace, .. } => namespace.join("."),
            _ => String::new(),
        }
    }

    fn check(&self, config: &ExternalConfig) -> Result<(), Error> {
        let text = "catalog cannot be reached: connection refused url=http://c/v1/config";
        if self.down.load(Ordering::SeqCst) || Self::namespace(config) == "down" {
            return Err(Error::Files {
                text: text.to_owned(),
                kind: ErrorKind::Unavailable,
            });
        }
        Ok(())
    }

    fn schema(&self, name: &str) -> TableSchema {
        let mut fields = vec![
            SourceType::Int64.field("ts").unwrap(),
            SourceType::String.field("user_id").unwrap(),
            SourceType::Variant.field("props").unwrap(),
        ];
        if self.widened.load(Ordering::SeqCst) {
            fields.push(SourceType::Int64.field("extra").unwrap());
        }
        assert_eq!(fields[0].column_type.data_type, DataType::Long);
        TableSchema::new(name, fields)
    }
}

impl ExternalTables for Sources {
    fn preview(&self, table: &str, config: &ExternalConfig) -> Result<Preview, Error> {
        self.previews.fetch_add(1, Ordering::SeqCst);
        self.check(config)?;
        Ok(Preview {
            schema: self.schema(table),
            warnings: Vec::new(),
        })
    }

    fn browse(&self, place: &Place) -> Result<Listing, Error> {
        self.check(place.config())?;
        Ok(Listing {
            namespaces: vec!["analytics.eu".to_owned()],
            tables: vec![("analytics".to_owned(), "events".to_owned())],
            ..Listing::default()
        })
    }

    fn follow(
        &self,
        table: &TableConfig,
        config: &ExternalConfig,
        declared: Option<&TableSchema>,
    ) -> Result<(), Error> {
        let taken = (config.clone(), declared.cloned());
        self.followed
            .lock()
            .unwrap()
            .insert(table.name.clone(), taken);
        Ok(())
    }

    fn forget(&self, table: &str) -> Result<(), Error> {
        self.followed.lock().unwrap().remove(table);
        self.forgotten.lock().unwrap().push(table.to_owned());
        Ok(())
    }

    fn restore(&self, table: &str) -> Result<bool, Error> {
        let config = self.followed.lock().unwrap().get(table).cloned();
        if config.is_none_or(|(config, _)| Self::namespace(&config) != "slow") {
            return Ok(false);
        }
        while self.slow.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        let schema = self.schema(table);
        let served = self.served.lock().unwrap();
        let mut tables = served.as_ref().unwrap().1.lock().unwrap();
        tables.insert(table.to_owned(), (PathBuf::new(), schema));
        Ok(true)
    }

    fn run(&self, table: &str, asked: &RunAsked<'_>) -> Result<RunDone, Error> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        let (config, _) = self.followed.lock().unwrap().get(table).cloned().unwrap();
        match Self::namespace(&config).as_str() {
            "hold" => {
                while !asked.cancel.is_cancelled() {
                    thread::sleep(Duration::from_millis(1));
                }
                return Err(Error::Io("cancelled".to_owned()));
            }
            "panic" => panic!("as asked"),
            _ => self.check(&config)?,
        }
        let served = self.served.lock().unwrap();
        let (parts, tables) = served.as_ref().unwrap();
        let schema = self.schema(table);
        tables
            .lock()
            .unwrap()
            .insert(table.to_owned(), (PathBuf::new(), schema));
        if self.widened.load(Ordering::SeqCst) {
            (parts.reload)(table);
        }
        Ok(RunDone {
            ingested: 2,
            removed: 1,
        })
    }

    fn reattach(&self, _table: &str) -> Result<(), Error> {
        Ok(())
    }

    fn status(&self, table: &str) -> Result<Value, Error> {
        let runs = self.runs.load(Ordering::SeqCst);
        Ok(json!({"status": "COMPLETED", "state": "IDLE", "runId": runs, "table": table}))
    }

    fn checkpoint(&self, table: &str) -> Result<Value, Error> {
        Ok(json!({"snapshotId": 7, "table": table}))
    }
}
