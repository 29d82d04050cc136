//! Reads that fail: they have no index, and fail as before.

use arrow_array::{Array, RecordBatch};

use super::harness::{Indexed, all_kinds};
use crate::engine::variants;
use crate::generate::{Cut, Files, batch, ints};
use crate::indexing::Wanted;
use crate::support::{expected, failure, rows};

#[test]
fn a_key_that_cannot_be_read_has_no_index() {
    let object: &[u8] = &[2, 0, 0];
    let props: RecordBatch = variants(&[object, object, &[0x0c, 5], object]);
    let ids = ints(&[Some(0), Some(1), Some(2), None]);
    let files = batch(vec![("id", ids), ("props", props.column(0).slice(0, 4))]);
    let cut = Cut {
        row_group_rows: 1,
        ..Cut::default()
    };
    let files = Files::new(&[files], cut);
    let wanted = [
        Wanted::new("id", None, all_kinds()),
        Wanted::new("props", Some("a"), all_kinds()),
    ];
    let table = Indexed::new(files.view("t"), |_| (wanted.to_vec(), Vec::new()));
    let view = table.engine.view("t").unwrap();
    let entries = view.indexes(0).unwrap().entries();
    assert!(entries.iter().all(|entry| &*entry.subject.column == "id"));
    let (code, text) = failure(
        &table.engine,
        "SELECT COUNT(*) FROM t WHERE props['a'] = 'x'",
    );
    assert_eq!(code, 200, "{text}");
    assert!(text.contains("non-object root at docId 2"), "{text}");
    // What the index of another column excludes is not read.
    for (filter, count) in [("id < 2", "[[3]]"), ("id IS NULL", "[[1]]")] {
        let sql = format!("SELECT COUNT(*) FROM t WHERE props['a'] IS NULL AND {filter}");
        assert_eq!(rows(&table.engine, &sql), expected(count), "{sql}");
    }
    let soft = "SET variantNonObjectRoot = 'null'; SELECT COUNT(*) FROM t WHERE props['a'] IS NULL";
    assert_eq!(table.check(soft).0, expected("[[4]]"));
}
