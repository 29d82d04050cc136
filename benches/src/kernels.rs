//! The hottest loops, each alone: a query that spends its time there, over one small file without
//! compression, on one thread; and the algebra of row sets.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use growler_exec::{Engine, EngineOptions, Request, View};
use growler_index::{RowSet, RowSetBuilder};
use growler_segment::FooterCache;
use growler_segment::write::WriteOptions;
use parquet::basic::Compression;

use crate::generate::{Generation, Layout, Table, generate};
use crate::queries::PATIENCE;
use crate::random::Random;

/// Rows of the file.
pub const ROWS: u64 = 100_000;

/// Name and query, over the table of a layout.
const QUERIES: [(&str, &str); 14] = [
    (
        "dictionary =",
        "SELECT COUNT(*) FROM flat WHERE page_type = 'HOME'",
    ),
    (
        "dictionary IN",
        "SELECT COUNT(*) FROM flat WHERE page_type IN ('CART', 'HELP', 'ITEM')",
    ),
    (
        "number range",
        "SELECT COUNT(*) FROM flat WHERE ts > 1789700050000 AND latency_ms >= 400",
    ),
    (
        "sum, min, max",
        "SELECT SUM(latency_ms), MIN(latency_ms), MAX(latency_ms) FROM flat",
    ),
    (
        "group by",
        "SELECT page_type, COUNT(*) FROM flat GROUP BY page_type",
    ),
    (
        "group by two",
        "SELECT country, device_os, COUNT(*), AVG(latency_ms) FROM flat GROUP BY country, device_os LIMIT 100",
    ),
    ("distinct", "SELECT COUNT(DISTINCT user_id) FROM flat"),
    (
        "top 10",
        "SELECT user_id, latency_ms FROM flat ORDER BY latency_ms DESC LIMIT 10",
    ),
    (
        "text LIKE",
        "SELECT COUNT(*) FROM flat WHERE session LIKE 's-12%'",
    ),
    (
        "shredded key =",
        "SELECT COUNT(*) FROM shredded WHERE props['page_type'] = 'HOME'",
    ),
    (
        "residual key =",
        "SELECT COUNT(*) FROM unshredded WHERE props['user_tier'] = 'gold'",
    ),
    (
        "residual nested key =",
        "SELECT COUNT(*) FROM unshredded WHERE props['device.os'] = 'ios'",
    ),
    (
        "array element",
        "SELECT COUNT(*) FROM shredded WHERE JSON_EXTRACT_SCALAR(props['items'], '$[0].promo.code', 'STRING', 'none') = 'P0'",
    ),
    ("document", "SELECT SUM(LENGTH(props)) FROM shredded"),
];

/// Something to be done over and over; says how much came out, so that it is done.
pub struct Kernel {
    /// Its name.
    pub name: &'static str,
    run: Box<dyn FnMut() -> anyhow::Result<u64>>,
}

impl Kernel {
    /// Does it once.
    ///
    /// # Errors
    /// Those of the query.
    pub fn run(&mut self) -> anyhow::Result<u64> {
        (self.run)()
    }
}

/// Makes all kernels; their file is made in a folder, where it stays.
///
/// # Errors
/// Those of making the file and of opening it.
pub fn all(folder: &Path) -> anyhow::Result<Vec<Kernel>> {
    let what = Generation {
        table: Table::Events,
        seed: 1,
        row_count: ROWS,
        file_rows: ROWS,
        layouts: vec![Layout::Flat, Layout::Shredded, Layout::Unshredded],
        write: WriteOptions {
            codec: Compression::UNCOMPRESSED,
            ..WriteOptions::default()
        },
        threads: 1,
    };
    generate(&what, folder, &|_| ())?;
    let engine = Arc::new(Engine::new(EngineOptions {
        threads: 1,
        ..EngineOptions::default()
    })?);
    let footers = FooterCache::default();
    for layout in &what.layouts {
        let path = folder.join(layout.name());
        let path = path.to_string_lossy();
        engine.register(View::open(layout.name(), &path, None, &footers)?);
    }
    let mut kernels: Vec<Kernel> = QUERIES
        .iter()
        .map(|(name, sql)| of_query(name, &engine, sql))
        .collect();
    kernels.extend(of_row_sets());
    Ok(kernels)
}

fn of_query(name: &'static str, engine: &Arc<Engine>, sql: &'static str) -> Kernel {
    let engine = Arc::clone(engine);
    let sql = format!("{PATIENCE}{sql}");
    let run = move || {
        let outcome = engine.query(&sql, &Request::default());
        if let Some(error) = outcome.error {
            bail!("{error}: sql={sql}");
        }
        let table = outcome.response.result_table;
        let mut rows = Vec::new();
        if let Some(table) = table {
            table.write_json_rows(&mut rows)?;
        }
        Ok(rows.len() as u64)
    };
    Kernel {
        name,
        run: Box::new(run),
    }
}

fn of_row_sets() -> [Kernel; 2] {
    let set = |seed, share| {
        let mut random = Random::of_row(seed, 0);
        let mut builder = RowSetBuilder::new();
        for row in 0..1_000_000 {
            if random.chance(share) {
                builder.push(row);
            }
        }
        builder.finish()
    };
    let (sparse, dense): (RowSet, RowSet) = (set(1, 0.01), set(2, 0.3));
    let (other_sparse, other_dense) = (sparse.clone(), dense.clone());
    [
        Kernel {
            name: "row sets AND",
            run: Box::new(move || Ok(sparse.and(&dense).len())),
        },
        Kernel {
            name: "row sets OR",
            run: Box::new(move || Ok(other_sparse.or(&other_dense).len())),
        },
    ]
}
