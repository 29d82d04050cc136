//! Answers queries from standard input and says what each cost: one JSON object a line in, one out.
//!
//! In: `{"sql": ".."}`. Out: `cpuSeconds` of this process over all threads, `wallSeconds`, `rows` as
//! Pinot shows them, `peakRssKib` of the process so far, and `error`, empty if there was none.

use std::io::{BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use cpu_time::ProcessTime;
use growler_exec::reload::{IndexStore, load_indexes};
use growler_exec::{Engine, EngineOptions, Request, View};
use growler_segment::FooterCache;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Parser)]
struct Arguments {
    /// Tables to register, each as name=PATH of a file, folder or glob
    #[arg(long, value_name = "NAME=PATH", required = true)]
    table: Vec<String>,
    /// Threads of the compute pool
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Folder of the indexes that `growler index --index-dir` built
    #[arg(long, value_name = "DIR")]
    index_dir: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Question {
    sql: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    cpu_seconds: f64,
    wall_seconds: f64,
    peak_rss_kib: u64,
    rows: Value,
    error: String,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let engine = Engine::new(EngineOptions {
        threads: arguments.threads,
        ..EngineOptions::default()
    })?;
    let store = arguments
        .index_dir
        .map_or(IndexStore::None, IndexStore::Folder);
    let footers = FooterCache::default();
    for table in &arguments.table {
        let (name, path) = table.split_once('=').context("--table wants name=PATH")?;
        let view = View::open(name, path, None, &footers)?;
        let segments = view.segments().iter();
        let indexes = segments.map(|segment| load_indexes(segment, name, &store));
        let indexes = indexes.collect();
        engine.register(view.with_indexes(indexes));
    }
    for line in stdin().lock().lines() {
        let question: Question = serde_json::from_str(&line?)?;
        serde_json::to_writer(stdout().lock(), &ask(&engine, &question.sql)?)?;
        writeln!(stdout())?;
        stdout().flush()?;
    }
    Ok(())
}

fn ask(engine: &Engine, sql: &str) -> anyhow::Result<Answer> {
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let outcome = engine.query(sql, &Request::default());
    let (cpu_seconds, wall_seconds) = (cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
    let mut rows = Vec::new();
    if let Some(table) = &outcome.response.result_table {
        table.write_json_rows(&mut rows)?;
    }
    Ok(Answer {
        cpu_seconds,
        wall_seconds,
        peak_rss_kib: peak_rss_kib().unwrap_or_default(),
        rows: if rows.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&rows)?
        },
        error: outcome
            .error
            .map(|error| error.to_string())
            .unwrap_or_default(),
    })
}

/// Reads the most memory this process ever had, where the system tells.
fn peak_rss_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
