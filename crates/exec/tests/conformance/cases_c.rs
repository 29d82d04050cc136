//! Residual objects and conflicts.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array};
use arrow_schema::DataType as ArrowType;

use crate::bytes::{int, metadata, object as object_bytes, string};
use crate::cases::{SOFT, owned, table_of};
use crate::layouts::{Case, NOTHING, agree, object};
use crate::parquet_files::{bytes, group};
use crate::shared::data;
use crate::sql::Table;

/// A column whose `a` is shredded as an integer, with residuals beside the objects.
fn conflicting(a: Vec<Option<i32>>, residuals: &[Option<Vec<u8>>]) -> arrow_array::StructArray {
    let rows = a.len();
    let none = bytes(&vec![None; rows]);
    let a = group(
        vec![
            ("value", none),
            ("typed_value", Arc::new(Int32Array::from(a)) as ArrayRef),
        ],
        None,
    );
    let typed: ArrayRef = Arc::new(group(vec![("a", Arc::new(a) as ArrayRef)], None));
    let names = bytes(&vec![Some(metadata(&["a", "b"], 1, true)); rows]);
    group(
        vec![
            ("metadata", names),
            ("value", bytes(residuals)),
            ("typed_value", typed),
        ],
        None,
    )
}

/// A name on both sides is the shredded one in every form of read, missing included; a residual
/// that is no object fails the read that opens it.
#[test]
fn c02() {
    let residual = |a: i32, b: &str| Some(object_bytes(&[(0, int(a)), (1, string(b))], 1, 1));
    let column = conflicting(
        vec![Some(1), None, Some(3)],
        &[residual(9, "x"), residual(8, "y"), None],
    );
    let (_folder, table) = table_of(column);
    let documents = [r#"{"a":1,"b":"x"}"#, r#"{"b":"y"}"#, r#"{"a":3}"#];
    assert_eq!(table.texts("SELECT v FROM t"), owned(&documents.map(Some)));
    agree(
        &table,
        "v['a']",
        &owned(&[Some("1"), None, Some("3")]),
        "shredded side",
    );
    agree(
        &table,
        "v['b']",
        &owned(&[Some("x"), Some("y"), None]),
        "residual side",
    );
    let extracted = table.texts("SELECT JSON_EXTRACT_SCALAR(v, '$.a', 'STRING', 'none') FROM t");
    assert_eq!(extracted, owned(&[Some("1"), Some("none"), Some("3")]));

    for (residual, found) in [
        (vec![0], "null"),
        (int(5), "int32"),
        (string("s"), "string"),
    ] {
        let column = conflicting(vec![Some(1), Some(2)], &[None, Some(residual)]);
        let (_folder, table) = table_of(column);
        for soft in ["", SOFT] {
            for sql in [
                "SELECT v FROM t",
                "SELECT v['b'] FROM t",
                "SELECT COUNT(*) FROM t WHERE v['b'] = 'x'",
            ] {
                let error = table.failure(&format!("{soft} {sql}"));
                assert!(
                    error.contains("both a typed value and a residual at docId 1"),
                    "{found} {sql}: {error}"
                );
            }
        }
        // Read from its own column, a key has the shredded value; it is never the residual's.
        if let Ok(rows) = table.try_rows("SELECT v['a'] FROM t") {
            assert_eq!(rows, [[1], [2]], "{found}");
        }
    }
}

/// The corpus' errors are errors, and leave the other column readable.
#[test]
fn c03() {
    let Some(folder) = data("parquet-testing/shredded_variant") else {
        return;
    };
    for case in ["040", "042", "087", "127", "128", "137"] {
        let table = Table::open(&folder.join(format!("case-{case}.parquet"))).unwrap();
        let error = table.failure("SELECT var FROM t");
        assert!(!error.is_empty(), "{case}");
        assert_eq!(table.rows("SELECT id FROM t").len(), 1, "{case}");
        assert_eq!(table.count("SELECT COUNT(*) FROM t"), 1, "{case}");
    }
}

/// A shredded name that the dictionary lacks is known from the file's schema.
#[test]
fn c05() {
    let a = group(
        vec![
            ("value", bytes(&[None])),
            (
                "typed_value",
                Arc::new(Int32Array::from(vec![5])) as ArrayRef,
            ),
        ],
        None,
    );
    let typed: ArrayRef = Arc::new(group(vec![("a", Arc::new(a) as ArrayRef)], None));
    let column = group(
        vec![
            ("metadata", bytes(&[Some(vec![1, 0, 0])])),
            ("value", bytes(&[None])),
            ("typed_value", typed),
        ],
        None,
    );
    let (_folder, table) = table_of(column);
    assert_eq!(table.texts("SELECT v FROM t"), owned(&[Some(r#"{"a":5}"#)]));
    agree(&table, "v['a']", &owned(&[Some("5")]), "no such name");
}

/// Residual names resolve by the dictionary they were written with.
#[test]
fn c06() {
    let row = |values: [i32; 5]| {
        // In the order of names a, b, x, y, z; the dictionary is in another.
        let ids = [3, 4, 2, 1, 0];
        let fields: Vec<_> = ids.into_iter().zip(values.map(int)).collect();
        Some((
            metadata(&["z", "y", "x", "a", "b"], 1, false),
            object_bytes(&fields, 1, 1),
        ))
    };
    let rows = crate::parquet_files::unshredded(&[row([1, 2, 3, 4, 5]), row([6, 7, 8, 9, 10])]);
    let documents = [
        Some(r#"{"a":1,"b":2,"x":3,"y":4,"z":5}"#),
        Some(r#"{"a":6,"b":7,"x":8,"y":9,"z":10}"#),
    ];
    Case::of_rows(
        rows,
        vec![
            object(&[("a", ArrowType::Int32)]),
            object(&[("a", NOTHING), ("y", ArrowType::Int32)]),
        ],
        &documents,
    )
    .text("a", &[Some("1"), Some("6")])
    .text("x", &[Some("3"), Some("8")])
    .text("y", &[Some("4"), Some("9")])
    .text("z", &[Some("5"), Some("10")])
    .check();
}
