//! Whole queries, from the SQL text to the response, that no file has rows for: none is opened, or they
//! would fail.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use growler_catalog::{IcebergTable, table::SnapshotSelector};
use growler_exec::{Engine, EngineOptions, Request};
use growler_segment::FooterCache;
use growler_table::iceberg::{LocalSegments, SegmentAccess, open_table};

use crate::TURNS;
use crate::clock::{Cost, cost};

const QUERIES: [&str; 2] = [
    "SELECT COUNT(*) FROM readings WHERE id = 950",
    "SELECT region, SUM(value) FROM readings WHERE id = 950 GROUP BY region LIMIT 5",
];

pub fn print(count: usize, table: &IcebergTable) -> Result<()> {
    let access: Arc<dyn SegmentAccess> =
        Arc::new(LocalSegments::new(Arc::new(FooterCache::default())));
    let engine = Engine::new(EngineOptions::default())?;
    let view = open_table("readings", table, SnapshotSelector::Current, None, &access)?;
    engine.register(view);
    for sql in QUERIES {
        query(&engine, sql)?;
        let mut took = Cost::MOST;
        for _ in 0..TURNS {
            took = took.least(cost(50, || query(&engine, sql))?);
        }
        println!(
            "| {count} | `{sql}` | 0 | | {:.1} ({:.1}) | | {:.2} |",
            took.wall_us,
            took.cpu_us,
            took.wall_us * 1000.0 / count as f64
        );
    }
    Ok(())
}

fn query(engine: &Engine, sql: &str) -> Result<()> {
    let outcome = engine.query(sql, &Request::default());
    outcome
        .error
        .map_or(Ok(()), |error| Err(anyhow!("{error}")))
}
