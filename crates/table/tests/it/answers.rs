//! Tables in an engine, and what it answers.

use std::sync::Arc;

use growler_catalog::{IcebergTable, SnapshotSelector};
use growler_exec::reload::{IndexPlan, IndexStore, ReloadOptions, load_indexes, reload_segment};
use growler_exec::{Engine, EngineOptions, QueryStatistics, Request, View};
use growler_schema::DataType;
use growler_schema::convert::table_config_from_json;
use growler_schema::wire::TableConfigJson;
use growler_segment::FooterCache;
use growler_table::iceberg::{LocalSegments, SegmentAccess, open_table};
use serde_json::{Value, json};

pub type Rows = Vec<Vec<Value>>;

/// An engine with one table `t`.
pub struct Table {
    pub engine: Engine,
}

impl Table {
    pub fn of(view: View) -> Self {
        let engine = Engine::new(EngineOptions {
            threads: 2,
            ..EngineOptions::default()
        })
        .unwrap();
        engine.register(view);
        Self { engine }
    }

    /// Runs a query with null handling; returns its rows or its message.
    pub fn ask(&self, sql: &str) -> Result<Rows, String> {
        self.answer(sql).map(|(rows, _)| rows)
    }

    pub fn answer(&self, sql: &str) -> Result<(Rows, QueryStatistics), String> {
        let request = Request {
            query_options: "enableNullHandling=true".to_owned(),
            ..Request::default()
        };
        let outcome = self.engine.query(sql, &request);
        if let Some(error) = outcome.error {
            return Err(error.to_string());
        }
        let mut json = Vec::new();
        let table = outcome.response.result_table.ok_or("no rows")?;
        table.write_json_rows(&mut json).unwrap();
        Ok((
            serde_json::from_slice(&json).unwrap(),
            outcome.response.statistics,
        ))
    }

    pub fn rows(&self, sql: &str) -> Rows {
        self.ask(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// The one number of an answer.
    pub fn number(&self, sql: &str) -> i64 {
        let rows = self.rows(sql);
        rows[0][0]
            .as_i64()
            .unwrap_or_else(|| panic!("{sql}: {rows:?}"))
    }

    pub fn view(&self) -> Arc<View> {
        self.engine.view("t").unwrap()
    }
}

pub fn local() -> Arc<dyn SegmentAccess> {
    Arc::new(LocalSegments::new(Arc::new(FooterCache::default())))
}

/// The view of a table at a state.
pub fn view(table: &IcebergTable, snapshot: SnapshotSelector) -> View {
    open_table("t", table, snapshot, None, &local()).unwrap()
}

/// Builds an index of every kind that a column can have, on every column but those that `skip` says.
pub fn index(view: View, folder: &std::path::Path, skip: impl Fn(usize) -> bool) -> View {
    let fields = view.schema().fields().iter().enumerate();
    let fields = fields.filter(|(at, _)| !skip(*at)).map(|(_, field)| field);
    let configs = fields.filter_map(|field| {
        if field.column_type.multi_value {
            return None;
        }
        let indexes = match field.column_type.data_type {
            DataType::Map | DataType::Json | DataType::Bytes => return None,
            DataType::OpenStruct => json!({"open_struct": {
                "defaultValueFieldConfig": {"indexes": {"dictionary": {}, "inverted": {}}},
                "sparseFieldConfig": {"name": format!("{}$__sparse__", field.name), "indexes": {"json": {}}}}}),
            DataType::Boolean => json!({"dictionary": {}, "inverted": {}}),
            _ => json!({"dictionary": {}, "inverted": {}, "range": {}, "bloom": {}}),
        };
        Some(json!({"name": field.name, "encodingType": "RAW", "indexes": indexes}))
    });
    let configs: Vec<Value> = configs.collect();
    let json = json!({"tableName": "t", "fieldConfigList": configs}).to_string();
    let json = TableConfigJson::parse(json.as_bytes()).unwrap();
    let config = table_config_from_json(&json, Some(view.schema())).unwrap();
    let plan = IndexPlan::new(&config, view.schema());
    let store = IndexStore::Folder(folder.to_owned());
    let options = ReloadOptions::default();
    let indexes = (0..view.segments().len()).map(|idx| {
        let reloaded = reload_segment(&view, idx, &plan, &store, &options).unwrap();
        let loaded = load_indexes(&view.segments()[idx], "t", &store);
        assert_eq!(
            loaded.is_some(),
            !plan.is_empty(),
            "{:?} {reloaded:?}",
            plan.notes()
        );
        loaded
    });
    let indexes = indexes.collect();
    view.with_indexes(indexes)
}
