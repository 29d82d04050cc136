//! "Confirm the index is used" of the VARIANT document, and what a scan counts instead.

use growler_index::{Kind, Kinds};

use super::harness::{Indexed, complete, inverted};
use crate::indexing::Wanted;

/// Makes the indexes of the document's full configuration.
fn configured() -> Vec<Wanted> {
    let range = Kinds::NONE.with(Kind::Dictionary).with(Kind::Range);
    vec![
        Wanted::new("props", Some("page_type"), inverted()),
        Wanted::new("props", Some("latency_ms"), range),
        Wanted::new("props", Some("device.os"), inverted()),
        Wanted::new("props", Some("user_tier"), inverted()),
        Wanted::new("props", Some("session"), inverted()),
    ]
}

fn entries(table: &Indexed, sql: &str) -> u64 {
    table.check(sql).1.num_entries_scanned_in_filter
}

#[test]
fn what_a_scan_found_of_a_key_is_remembered_for_scans() {
    let table = Indexed::sample("spark/seed4_typed.parquet", &configured(), &[complete()]);
    let view = table.engine.view("t").unwrap();
    let field = view.schema().field("props").unwrap();
    let path = growler_segment::KeyPath::parse("nokey").unwrap();
    let known = |by_scan: bool| {
        let mut is_known = true;
        let look = || {
            is_known = false;
            Err(growler_exec::Error::Internal("unknown".to_owned()))
        };
        let found = view.has_values(field, &path, by_scan, look);
        is_known.then(|| found.unwrap())
    };
    let sql = "SELECT COUNT(*) FROM t WHERE props['nokey'] < 'x'";
    table.statistics(&format!("SET skipIndexes = 'props=json'; {sql}"));
    assert_eq!((known(false), known(true)), (None, Some(false)));
    table.statistics(sql);
    assert_eq!((known(false), known(true)), (Some(false), Some(false)));
}

#[test]
fn an_index_scans_no_entry() {
    let table = Indexed::sample("spark/seed4_typed.parquet", &configured(), &[complete()]);
    let none = Indexed::sample("spark/seed4_typed.parquet", &[], &[]);
    for filter in [
        "props['page_type'] = 'HOME'",
        "props['latency_ms'] >= 100",
        "props['latency_ms'] > 100",
        "props['user_tier'] = 'gold'",
        "props['session'] > 's-5'",
        "props['user_tier'] LIKE 'go%'",
    ] {
        let sql = format!("SELECT COUNT(*) FROM t WHERE {filter}");
        assert_eq!(entries(&table, &sql), 0, "{sql}");
        assert_eq!(entries(&none, &sql), 4, "{sql}");
        let skipped = format!("SET skipIndexes = 'props=inverted,range,dictionary,json'; {sql}");
        let skipped = table.statistics(&skipped).num_entries_scanned_in_filter;
        assert_eq!(skipped, 4, "{sql}");
    }
}

#[test]
fn a_scan_beside_an_index_reads_only_the_rows_that_are_left() {
    let table = Indexed::sample("spark/seed4_typed.parquet", &configured(), &[]);
    let left = "SELECT user_id FROM t WHERE user_id <> 'u-9' AND props['page_type'] = 'SEARCH'";
    assert_eq!(entries(&table, left), 2);
    let either = "SELECT user_id FROM t WHERE ts > 1789700000000 AND user_id = 'u-5' \
                  OR props['page_type'] = 'SEARCH'";
    assert!(entries(&table, either) <= 4);
    let in_functions = "SELECT user_id FROM t WHERE UPPER(props['page_type']) = 'HOME'";
    assert_eq!(entries(&table, in_functions), 4);
}

#[test]
fn values_of_another_type_are_scanned() {
    use growler_schema::DataType;
    let location = crate::support::sample("spark/seed4_typed.parquet");
    let location = location.to_str().unwrap();
    let int = crate::support::view("t", location);
    let folder = tempfile::tempdir().unwrap();
    let indexes = crate::indexing::build(&int, 0, &configured(), vec![complete()], folder.path());
    let text =
        crate::support::view_with_key("t", location, "props", "latency_ms", DataType::String);
    let engine = crate::support::engine();
    engine.register(text.with_indexes(vec![Some(indexes)]));
    let sql = "SELECT COUNT(*) FROM t WHERE props['latency_ms'] = '100'";
    let outcome = crate::support::run(&engine, sql);
    assert_eq!(outcome.response.statistics.num_entries_scanned_in_filter, 4);
    assert_eq!(crate::support::rows(&engine, sql)[0][0], 1);
}

#[test]
fn a_view_keeps_its_indexes_when_another_gets_new_ones() {
    let location = crate::support::sample("spark/seed4_typed.parquet");
    let view = crate::support::view("t", location.to_str().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let indexes = crate::indexing::build(&view, 0, &configured(), Vec::new(), folder.path());
    let with = view.with_segment_indexes(0, Some(indexes));
    assert!(view.indexes(0).is_none() && with.indexes(0).is_some());
    assert!(with.with_segment_indexes(0, None).indexes(0).is_none());
    assert!(with.with_segment_indexes(7, None).indexes(0).is_some());
    assert_eq!(with.row_count(), view.row_count());
}
