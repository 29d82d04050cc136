//! The engine as a library: a table over Parquet files, one query, its rows. No server.
//!
//! `cargo run -p growler-exec --example embed -- PATH 'SELECT COUNT(*) FROM t'`

use std::io::Write;

use growler_exec::{Engine, EngineOptions, Request, View};
use growler_segment::FooterCache;

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let path = args
        .next()
        .unwrap_or_else(|| "testdata/spark/perfile".to_owned());
    let sql = args.next().unwrap_or_else(|| {
        "SELECT props['page_type'], COUNT(*) FROM t GROUP BY 1 ORDER BY 2 DESC".to_owned()
    });
    let engine = Engine::new(EngineOptions::default())?;
    engine.register(View::open("t", &path, None, &FooterCache::default())?);
    let outcome = engine.query(&sql, &Request::default());
    if let Some(error) = outcome.error {
        anyhow::bail!("{sql}: {error}");
    }
    let mut text = Vec::new();
    if let Some(rows) = outcome.response.result_table {
        rows.write_text(None, &mut text)?;
    }
    Ok(std::io::stdout().write_all(&text)?)
}
