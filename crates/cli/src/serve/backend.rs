//! The engine as the server sees it.

use std::path::Path;

use growler_exec::run::CancelFlag;
use growler_exec::table::{OpenError, View};
use growler_exec::{BrokerResponse, Engine, Request};
use growler_schema::{Field, TableConfig, TableSchema};
use growler_segment::FooterCache;
use growler_server::{Backend, Error, QueryRequest};

/// An engine and the footers it has parsed.
#[derive(Debug)]
pub struct EngineBackend {
    engine: Engine,
    footers: FooterCache,
}

impl EngineBackend {
    /// Wraps an engine.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            footers: FooterCache::default(),
        }
    }

    fn open(&self, name: &str, path: &Path, schema: Option<&TableSchema>) -> Result<View, Error> {
        let location = path
            .to_str()
            .ok_or_else(|| Error::Invalid(format!("path is not UTF-8: path={}", path.display())))?;
        View::open(name, location, schema, &self.footers).map_err(unreadable)
    }
}

fn unreadable(error: OpenError) -> Error {
    Error::Files {
        text: error.to_string(),
        kind: error.kind(),
    }
}

impl Backend for EngineBackend {
    fn query(&self, request: &QueryRequest, cancel: &CancelFlag) -> BrokerResponse {
        let asked = Request {
            query_options: request.options.clone(),
            cancel: cancel.clone(),
            ..Request::default()
        };
        self.engine.query(&request.sql, &asked).response
    }

    fn infer(&self, path: &Path) -> Result<Vec<Field>, Error> {
        Ok(self.open("", path, None)?.schema().fields().to_vec())
    }

    fn register(
        &self,
        config: &TableConfig,
        path: &Path,
        schema: TableSchema,
    ) -> Result<(), Error> {
        let view = self.open(&config.name, path, Some(&schema))?;
        self.engine.register(view);
        Ok(())
    }

    fn remove(&self, table: &str) {
        self.engine.remove(table);
    }

    fn tables(&self) -> Vec<String> {
        self.engine.tables()
    }

    fn schema(&self, table: &str) -> Option<TableSchema> {
        Some(self.engine.view(table)?.schema().clone())
    }

    fn segments(&self, table: &str) -> Option<Vec<String>> {
        let view = self.engine.view(table)?;
        Some(
            view.segments()
                .iter()
                .map(|segment| segment.id().to_string())
                .collect(),
        )
    }
}
