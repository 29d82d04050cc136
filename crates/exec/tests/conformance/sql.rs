//! Tables of files, and answers to queries over them.

use std::path::Path;
use std::sync::Arc;

use growler_exec::{Engine, EngineOptions, QueryOutcome, Request, View};
use growler_schema::{DataType, Field, FieldRole, TableSchema};
use growler_segment::FooterCache;
use serde_json::Value as Json;

/// Rows of an answer.
pub type Rows = Vec<Vec<Json>>;

/// One table `t` with a VARIANT column.
#[derive(Debug)]
pub struct Table {
    engine: Engine,
    inferred: Arc<View>,
}

impl Table {
    /// Opens a file, or a folder of files.
    pub fn open(location: &Path) -> Result<Self, String> {
        Self::open_in_batches(location, 8192)
    }

    /// Opens files that are read a few rows at a time.
    pub fn open_in_batches(location: &Path, batch_rows: usize) -> Result<Self, String> {
        let location = location.to_str().ok_or("no text")?;
        let inferred = View::open("t", location, None, &FooterCache::default());
        let inferred = inferred.map_err(|error| error.to_string())?;
        let options = EngineOptions {
            threads: 1,
            batch_rows,
            ..EngineOptions::default()
        };
        let engine = Engine::new(options).map_err(|error| error.to_string())?;
        let inferred = engine.register(inferred);
        Ok(Self { engine, inferred })
    }

    /// Declares the type of keys of a column.
    pub fn declare(&self, column: &str, keys: &[(&str, DataType)]) {
        let fields = self.inferred.schema().fields().iter().cloned();
        let fields = fields.map(|mut field| {
            if field.name == column {
                for (key, data_type) in keys {
                    let child = Field::new(*key, FieldRole::Dimension, data_type.single());
                    field.children.insert((*key).to_owned(), child);
                }
            }
            field
        });
        let schema = TableSchema::new("t", fields.collect());
        let segments = self.inferred.segments().to_vec();
        self.engine.register(View::of("t", schema, segments));
    }

    /// Declares nothing: every key has the type that the files give it.
    pub fn infer(&self) {
        let segments = self.inferred.segments().to_vec();
        let schema = self.inferred.schema().clone();
        self.engine.register(View::of("t", schema, segments));
    }

    /// The table with inferred types.
    pub fn view(&self) -> &View {
        &self.inferred
    }

    /// Runs a query.
    pub fn run(&self, sql: &str) -> QueryOutcome {
        self.engine.query(sql, &Request::default())
    }

    /// Runs a query; returns its rows or its message.
    pub fn try_rows(&self, sql: &str) -> Result<Rows, String> {
        let outcome = self.run(sql);
        if let Some(error) = outcome.error {
            return Err(error.to_string());
        }
        let table = outcome.response.result_table.ok_or("no table")?;
        let mut json = Vec::new();
        table
            .write_json_rows(&mut json)
            .map_err(|e| e.to_string())?;
        serde_json::from_slice(&json).map_err(|error| error.to_string())
    }

    /// Runs a query that must not fail.
    #[track_caller]
    pub fn rows(&self, sql: &str) -> Rows {
        self.try_rows(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Runs a query that must fail; returns its message.
    #[track_caller]
    pub fn failure(&self, sql: &str) -> String {
        match self.try_rows(sql) {
            Ok(rows) => panic!("no error: {sql}: {rows:?}"),
            Err(error) => error,
        }
    }

    /// Returns the only cell of an answer as a count.
    #[track_caller]
    pub fn count(&self, sql: &str) -> i64 {
        let rows = self.rows(sql);
        let cell = rows.first().and_then(|row| row.first()).cloned();
        cell.and_then(|cell| cell.as_i64())
            .unwrap_or_else(|| panic!("no count: {sql}: {rows:?}"))
    }

    /// Returns the only column of an answer as text.
    #[track_caller]
    pub fn texts(&self, sql: &str) -> Vec<Option<String>> {
        self.rows(sql).iter().map(|row| text(&row[0])).collect()
    }
}

/// Returns a cell as text: a string bare, everything else as JSON; null is none.
pub fn text(cell: &Json) -> Option<String> {
    match cell {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Quotes text for SQL.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Names a key of a column in SQL.
pub fn key(column: &str, path: &str) -> String {
    format!("{column}[{}]", quoted(path))
}
