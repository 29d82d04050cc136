//! Tables of the command line, opened into an engine.

use std::io::{self, Write};
use std::sync::Arc;

use growler_exec::reload::{IndexStore, load_indexes};
use growler_exec::{Engine, EngineOptions};
use growler_schema::TableSchema;
use growler_segment::FooterCache;
use growler_table::iceberg;

use crate::failure::Failure;
use crate::query::declared::Declared;
use crate::style::Style;
use crate::tables::TableAt;

/// An engine with the tables that could be opened, and why others could not.
#[derive(Debug)]
pub struct Tables {
    /// The engine.
    pub engine: Engine,
    /// Tables that could not be opened.
    pub unopened: Vec<(String, iceberg::Error)>,
}

impl Tables {
    /// Opens tables, with the indexes that the store has of them; one that cannot be opened does not
    /// touch the others.
    ///
    /// # Errors
    /// A name comes twice, or the system gives no threads.
    pub fn open(
        mut tables: Vec<TableAt>,
        declared: Option<&Declared>,
        store: &IndexStore,
        options: EngineOptions,
    ) -> Result<Self, Failure> {
        let place = declared
            .map(|declared| declared.place(&mut tables))
            .transpose()?;
        for (idx, table) in tables.iter().enumerate() {
            if tables
                .iter()
                .skip(idx + 1)
                .any(|other| other.name == table.name)
            {
                let message = format_args!("table is given twice: name={}", table.name).to_string();
                return Err(Failure::refused(message).with_help(
                    "give each table a name of its own; a folder or a glob makes one table of many files",
                ));
            }
        }
        let engine = Engine::new(options).map_err(|error| Failure::new(error.kind(), error))?;
        let mut opened = Self {
            engine,
            unopened: Vec::new(),
        };
        let cache = Arc::new(FooterCache::default());
        for (idx, table) in tables.into_iter().enumerate() {
            let schema = declared
                .filter(|_| place == Some(idx))
                .and_then(|found| found.schema.as_ref());
            opened.add(table, schema, store, &cache);
        }
        Ok(opened)
    }

    fn add(
        &mut self,
        table: TableAt,
        schema: Option<&TableSchema>,
        store: &IndexStore,
        cache: &Arc<FooterCache>,
    ) {
        match iceberg::open(&table.name, &table.path, schema, cache) {
            Ok(view) => {
                let segments = view.segments().iter();
                let indexes = segments.map(|segment| load_indexes(segment, view.name(), store));
                let indexes = indexes.collect();
                self.engine.register(view.with_indexes(indexes));
            }
            Err(error) => self.unopened.push((table.name, error)),
        }
    }

    /// Tells on stderr which tables could not be opened, save for one that is told otherwise.
    pub fn warn(&self, told: Option<&str>) {
        let mut stderr = io::stderr().lock();
        let style = Style::of(&stderr);
        for (name, error) in self.unopened.iter().filter(|(name, _)| told != Some(name)) {
            // A closed stderr has nobody who could be told.
            let _ = writeln!(stderr, "{}: table {name}: {error}", style.yellow("warning"));
        }
    }
}
