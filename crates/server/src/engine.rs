//! The engine as the server's backend.

use std::path::Path;

use growler_exec::run::CancelFlag;
use growler_exec::{BrokerResponse, Engine, OpenError, Request, View};
use growler_schema::{Field, TableConfig, TableSchema};
use growler_segment::FooterCache;

use crate::Error;
use crate::backend::{Backend, QueryRequest};

/// An engine, and the footers of the files it serves.
#[derive(Debug)]
pub struct EngineBackend {
    engine: Engine,
    footers: FooterCache,
}

impl EngineBackend {
    /// Wraps an engine; tables that it has already are served too.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            footers: FooterCache::default(),
        }
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    fn open(&self, name: &str, path: &Path, schema: Option<&TableSchema>) -> Result<View, Error> {
        let location = path
            .to_str()
            .ok_or_else(|| Error::Invalid(format!("path is not UTF-8: path={}", path.display())))?;
        View::open(name, location, schema, &self.footers).map_err(Error::from)
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

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        Self::Files {
            text: error.to_string(),
            kind: error.kind(),
        }
    }
}
