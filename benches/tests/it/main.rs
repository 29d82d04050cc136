//! Tables from a seed: the same bytes again, and one answer to every query in every layout.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use growler_benches::generate::{Generation, Layout, Table, generate};
use growler_benches::queries::of_layout;
use growler_exec::{Engine, EngineOptions, Request, View};
use growler_segment::FooterCache;
use growler_segment::write::WriteOptions;

fn what(table: Table, threads: usize) -> Generation {
    Generation {
        table,
        seed: 5,
        row_count: 900,
        file_rows: 200,
        layouts: Layout::ASKED.to_vec(),
        write: WriteOptions {
            row_group_rows: 90,
            page_rows: 30,
            ..WriteOptions::default()
        },
        threads,
    }
}

fn answers(table: Table, layout: Layout, folder: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let engine = Engine::new(EngineOptions::default())?;
    let path = folder.join(layout.name());
    let path = path.to_str().context("a folder whose name is no text")?;
    engine.register(View::open("t", path, None, &FooterCache::default())?);
    let mut answers = Vec::new();
    for query in of_layout(table, layout)? {
        let outcome = engine.query(&query.sql, &Request::default());
        ensure!(
            outcome.error.is_none(),
            "{:?}: {}",
            outcome.error,
            query.sql
        );
        let result = outcome.response.result_table.context("no table")?;
        let mut rows = Vec::new();
        result.write_json_rows(&mut rows)?;
        answers.push((query.id, String::from_utf8(rows)?));
    }
    Ok(answers)
}

#[test]
fn every_query_has_one_answer() -> anyhow::Result<()> {
    for table in [Table::Events, Table::Bluesky] {
        let folder = tempfile::tempdir()?;
        assert!(generate(&what(table, 2), folder.path(), &|_| ())?);
        let expected = answers(table, Layout::Shredded, folder.path())?;
        assert!(expected.len() >= 5);
        for layout in Layout::ASKED {
            for (id, rows) in answers(table, layout, folder.path())? {
                let twin = expected.iter().find(|(other, _)| *other == id);
                let (_, twin) = twin.with_context(|| format!("only here: query={id}"))?;
                assert_eq!(&rows, twin, "{id} of {} in {layout:?}", table.name());
            }
        }
    }
    Ok(())
}

#[test]
fn a_seed_decides_every_byte() -> anyhow::Result<()> {
    let (one, two) = (tempfile::tempdir()?, tempfile::tempdir()?);
    generate(&what(Table::Events, 1), one.path(), &|_| ())?;
    generate(&what(Table::Events, 3), two.path(), &|_| ())?;
    for layout in Layout::ASKED {
        for part in 0..5 {
            let name = format!("{}/part-{part:03}.parquet", layout.name());
            let bytes = fs::read(one.path().join(&name))?;
            assert_eq!(bytes, fs::read(two.path().join(&name))?, "{name}");
        }
    }
    Ok(())
}

#[test]
fn a_table_that_is_there_stays() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    assert!(generate(&what(Table::Events, 2), folder.path(), &|_| ())?);
    assert!(!generate(&what(Table::Events, 1), folder.path(), &|_| ())?);
    let mut other = what(Table::Events, 1);
    other.seed = 6;
    assert!(generate(&other, folder.path(), &|_| ())?);
    Ok(())
}
