//! Segments that are answered without their rows: what is counted, and what is read when that fails.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use growler_exec::{Request, View};
use growler_index::SegmentIndexes;

use super::harness::{all_kinds, inverted};
use crate::generate::{Cut, Files, batch, ints};
use crate::indexing::{Wanted, build, identity};
use crate::support::{Rows, engine, rows, run};

const ROWS: i64 = 1_000;

/// Two files of ten row groups; `id` is known to statistics alone, `part` has three values and nulls.
fn files() -> Files {
    let file = |from: i64| {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(from..from + ROWS));
        let part = |id: i64| i32::try_from(id % 4 + from).ok().filter(|_| id % 4 != 3);
        let parts: Vec<_> = (0..ROWS).map(part).collect();
        batch(vec![("id", ids), ("part", ints(&parts))])
    };
    let cut = Cut {
        row_group_rows: 100,
        page_rows: 50,
        ..Cut::default()
    };
    Files::new(&[file(0), file(ROWS)], cut)
}

fn indexed(view: View, folder: &std::path::Path) -> View {
    let wanted = [
        Wanted::new("id", None, all_kinds()),
        Wanted::new("part", None, inverted()),
    ];
    let indexes = (0..2).map(|idx| Some(build(&view, idx, &wanted, Vec::new(), folder)));
    let indexes = indexes.collect();
    view.with_indexes(indexes)
}

#[test]
fn distinct_looks_at_values_rather_than_rows() {
    let (files, folder) = (files(), tempfile::tempdir().unwrap());
    let engine = engine();
    engine.register(indexed(files.view("t"), folder.path()));
    for (most, is_reached) in [(5, true), (100, false)] {
        let sql = format!("SET maxRowsInDistinct = {most}; SELECT DISTINCT part FROM t LIMIT 100");
        let statistics = run(&engine, &sql).response.statistics;
        assert_eq!(
            statistics.max_rows_in_distinct_reached, is_reached,
            "most={most}"
        );
    }
    let sql = "SET maxRowsInDistinct = 100; SELECT DISTINCT part FROM t LIMIT 100";
    assert_eq!(rows(&engine, sql).len(), 7);
}

/// Queries of which each is answered without rows in some segment, part of which statistics exclude.
const QUERIES: [&str; 4] = [
    "SELECT COUNT(*) FROM t WHERE id < 1150 AND part <> 1",
    "SELECT COUNT(*) FROM t WHERE id < 150 AND NOT part = 1",
    "SELECT part, COUNT(*) FROM t GROUP BY part ORDER BY part",
    "SELECT MAX(id), COUNT(part) FROM t",
];

fn answer(view: View, sql: &str) -> Rows {
    let engine = engine();
    engine.register(view);
    let request = Request::default();
    let sql = format!("SET enableNullHandling = true; {sql}");
    let outcome = engine.query(&sql, &request);
    assert_eq!(outcome.error, None, "{sql}");
    let progress = &request.progress;
    assert_eq!(progress.rows_done(), progress.rows_total(), "{sql}");
    let mut json = Vec::new();
    let table = outcome.response.result_table.unwrap();
    table.write_json_rows(&mut json).unwrap();
    serde_json::from_slice(&json).unwrap()
}

#[test]
fn progress_ends_at_all_rows() {
    let (files, folder) = (files(), tempfile::tempdir().unwrap());
    for sql in QUERIES {
        let expected = answer(files.view("t"), sql);
        assert_eq!(
            answer(indexed(files.view("t"), folder.path()), sql),
            expected,
            "{sql}"
        );
    }
}

/// Damages the set of nulls of `part`, which is first looked at when rows are asked for.
fn damaged(
    view: &View,
    idx: usize,
    indexes: &SegmentIndexes,
    folder: &std::path::Path,
) -> SegmentIndexes {
    let bytes = std::fs::read(indexes.path()).unwrap();
    let path = folder.join(format!("damaged-{idx}.gix"));
    for at in (0..bytes.len()).step_by(32) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        std::fs::write(&path, flipped).unwrap();
        let Ok(Some(found)) = SegmentIndexes::open(&path, &identity(view, idx)) else {
            continue;
        };
        if let [error] = found.verify().as_slice()
            && error.to_string().contains("part kind=nulls")
        {
            // Opened anew: what was found damaged is absent from then on.
            let found = SegmentIndexes::open(&path, &identity(view, idx)).unwrap();
            return found.unwrap();
        }
    }
    panic!("no byte of the nulls was found");
}

#[test]
fn a_segment_whose_index_turns_out_damaged_is_read_as_far_as_it_matters() {
    let (files, folder) = (files(), tempfile::tempdir().unwrap());
    for sql in QUERIES {
        let expected = answer(files.view("t"), sql);
        let view = indexed(files.view("t"), folder.path());
        let indexes = (0..2).map(|idx| {
            let whole = view.indexes(idx).unwrap();
            Some(damaged(&view, idx, whole, folder.path()))
        });
        let indexes = indexes.collect();
        assert_eq!(answer(view.with_indexes(indexes), sql), expected, "{sql}");
    }
}
