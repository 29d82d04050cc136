//! A damaged file of indexes never changes an answer.

use growler_index::SegmentIndexes;

use super::harness::{all_kinds, complete};
use crate::indexing::{Wanted, build, identity};
use crate::support::{engine, rows, sample, view};

const QUERIES: [&str; 8] = [
    "SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'",
    "SELECT COUNT(*) FROM t WHERE props['page_type'] <> 'HOME' AND ts > 1789700000000",
    "SELECT user_id FROM t WHERE props['latency_ms'] >= 100",
    "SELECT user_id FROM t WHERE props['user_tier'] = 'gold' OR user_id LIKE 'u-%'",
    "SELECT props['page_type'], COUNT(*) FROM t GROUP BY props['page_type']",
    "SELECT MIN(ts), MAX(ts), DISTINCTCOUNT(user_id) FROM t",
    "SELECT DISTINCT user_id FROM t",
    "SELECT COUNT(*) FROM t WHERE props['latency_ms'] IS NULL",
];

#[test]
fn every_flipped_byte_leaves_the_answers_right() {
    let wanted = [
        Wanted::new("user_id", None, all_kinds()),
        Wanted::new("ts", None, all_kinds()),
        Wanted::new("props", Some("page_type"), all_kinds()),
        Wanted::new("props", Some("latency_ms"), all_kinds()),
        Wanted::new("props", Some("user_tier"), all_kinds()),
    ];
    let location = sample("spark/seed4_typed.parquet");
    let open = || view("t", location.to_str().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let built = build(&open(), 0, &wanted, vec![complete()], folder.path());
    let path = built.path().to_owned();
    let bytes = std::fs::read(&path).unwrap();
    let engine = engine();
    engine.register(open());
    let expected = QUERIES.map(|sql| rows(&engine, sql));
    let step = (bytes.len() / 150).max(1);
    for at in (0..bytes.len()).step_by(step) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        let file = folder.path().join(format!("{at}.gix"));
        std::fs::write(&file, &damaged).unwrap();
        let view = open();
        // What does not open is not used.
        let Ok(Some(indexes)) = SegmentIndexes::open(&file, &identity(&view, 0)) else {
            continue;
        };
        engine.register(view.with_indexes(vec![Some(indexes)]));
        for (sql, expected) in QUERIES.iter().zip(&expected) {
            assert_eq!(&rows(&engine, sql), expected, "at={at} {sql}");
        }
    }
}
