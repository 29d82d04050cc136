//! Asking the engine.

use growler_exec::reload::IndexStore;
use growler_exec::{EngineOptions, Request};
use growler_segment::KeyPath;
use serde_json::Value;

use crate::failure::Failure;
use crate::query::Tables;
use crate::quickstart::questions::{Rows, TYPED_KEY};
use crate::quickstart::samples::Samples;

/// The VARIANT column of the samples.
const VARIANT: &str = "props";
/// Stands for the type of a key that no file types.
const UNTYPED: &str = "untyped";

/// An answer: names of columns, and rows of JSON cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Rows,
}

/// An answer, or the text of an error.
pub type Outcome = Result<Answer, String>;

/// An engine over the sample tables.
#[derive(Debug)]
pub struct Asker {
    tables: Tables,
}

impl Asker {
    /// Opens the sample tables.
    ///
    /// # Errors
    /// A table cannot be opened; the system gives no threads.
    pub fn try_new(samples: &Samples) -> Result<Self, Failure> {
        let tables = samples.tables().cloned().collect();
        let tables = Tables::open(tables, None, &IndexStore::None, EngineOptions::default())?;
        match tables.unopened.first() {
            Some((name, error)) => Err(Failure::new(
                error.kind(),
                format_args!("sample table {name}: {error}"),
            )),
            None => Ok(Self { tables }),
        }
    }

    /// Asks one question.
    pub fn ask(&self, sql: &str) -> Outcome {
        let outcome = self.tables.engine.query(sql, &Request::default());
        if let Some(error) = outcome.error {
            return Err(error.to_string());
        }
        let table = outcome
            .response
            .result_table
            .ok_or("an answer without a table")?;
        let mut json = Vec::new();
        table
            .write_json_rows(&mut json)
            .map_err(|error| error.to_string())?;
        let rows: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        let rows = rows.as_array().into_iter().flatten();
        let rows = rows
            .map(|row| row.as_array().cloned().unwrap_or_default())
            .collect();
        Ok(Answer {
            columns: table.names,
            rows,
        })
    }

    /// Returns the type of the key whose type the sample layouts choose, or that it has none.
    pub fn key_type(&self, table: &str) -> String {
        let key_type = self.tables.engine.view(table).and_then(|view| {
            let field = view.schema().field(VARIANT)?;
            view.key_type(field, &KeyPath::parse(TYPED_KEY).ok()?).ok()
        });
        match key_type {
            Some(key_type) if key_type.typed => key_type.data_type.name().to_owned(),
            _ => UNTYPED.to_owned(),
        }
    }
}
