//! Objects, keys, dictionaries.

use arrow_schema::DataType as ArrowType;
use growler_base::RowRanges;
use growler_schema::DataType;
use growler_segment::{FooterCache, NonObjectRoot, ReadOptions, Segment};
use growler_variant::build::{ColumnBuilder, Dictionary};

use crate::bytes::{int, metadata, object as object_bytes, string};
use crate::cases::{owned, table_of};
use crate::layouts::{Case, NOTHING, agree, object};
use crate::parquet_files::{Cut, of_json, unshredded, write};

/// Every key that is there is found among 1 to 70 and 300, none that is not.
#[test]
fn d01() {
    let sizes: Vec<usize> = (1..=70).chain([300]).collect();
    let document = |size: usize| {
        let fields: Vec<_> = (0..size).map(|at| format!(r#""k{at:03}":{at}"#)).collect();
        format!("{{{}}}", fields.join(","))
    };
    let documents: Vec<_> = sizes.iter().map(|size| document(*size)).collect();
    let documents: Vec<_> = documents
        .iter()
        .map(|document| Some(document.as_str()))
        .collect();
    let rows = of_json(&documents);
    let case = Case::of_rows(
        rows,
        vec![object(&[("k010", ArrowType::Int64), ("k299", NOTHING)])],
        &[],
    );
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        let keys: Vec<String> = (0..72)
            .chain([150, 298, 299, 300])
            .map(|at| format!("k{at:03}"))
            .collect();
        let declared: Vec<_> = keys
            .iter()
            .map(|key| (key.as_str(), DataType::Long))
            .collect();
        table.declare("v", &declared);
        let counts: Vec<String> = keys
            .iter()
            .map(|key| format!("COUNT(v['{key}']), MAX(v['{key}'])"))
            .collect();
        let sql = format!(
            "SET enableNullHandling = true; SELECT {} FROM t",
            counts.join(", ")
        );
        let found = table.rows(&sql).remove(0);
        for (at, key) in keys.iter().enumerate() {
            let number: usize = key[1..].parse().unwrap();
            let expected = sizes.iter().filter(|size| number < **size).count();
            assert_eq!(
                found[2 * at].as_i64(),
                Some(expected as i64),
                "{layout} {key}"
            );
            let max = (expected > 0).then_some(number as f64);
            assert_eq!(found[2 * at + 1].as_f64(), max, "{layout} {key}");
        }
        for absent in ["", "a", "k", "k0000", "k00", "k010x", "k9", "z"] {
            let sql = format!("SELECT COUNT(*) FROM t WHERE v['{absent}'] IS NULL");
            assert_eq!(table.count(&sql), 71, "{layout} {absent}");
        }
    }
}

/// The empty key is a key, in sorted and unsorted dictionaries.
#[test]
fn d02() {
    let fields = |empty: usize, a: usize| object_bytes(&[(empty, int(1)), (a, int(2))], 1, 1);
    let rows = unshredded(&[
        Some((metadata(&["", "a"], 1, true), fields(0, 1))),
        Some((metadata(&["a", ""], 1, false), fields(1, 0))),
    ]);
    let document = Some(r#"{"":1,"a":2}"#);
    Case::of_rows(
        rows,
        vec![
            object(&[("", ArrowType::Int32)]),
            object(&[("", NOTHING), ("a", ArrowType::Int32)]),
        ],
        &[document, document],
    )
    .text("", &[Some("1"), Some("1")])
    .text("a", &[Some("2"), Some("2")])
    .check();
}

/// Shredded and residual fields come out in one order.
#[test]
fn d04() {
    let documents = [
        Some(r#"{"a":1,"b":2,"c":3,"d":4,"e":5}"#),
        Some(r#"{"a":1,"c":3,"d":4}"#),
        Some(r#"{"b":2,"e":{"z":1}}"#),
    ];
    Case::of_json(
        &documents,
        vec![
            object(&[("d", ArrowType::Int64), ("b", ArrowType::Int64)]),
            object(&[("b", NOTHING), ("d", ArrowType::Int64)]),
        ],
    )
    .text("a", &[Some("1"), Some("1"), None])
    .text("b", &[Some("2"), None, Some("2")])
    .text("e", &[Some("5"), None, Some(r#"{"z":1}"#)])
    .text("e.z", &[None, None, Some("1")])
    .check();
}

/// A dictionary that claims an order it does not have hides nothing.
#[test]
fn d05() {
    let names = metadata(&["b", "a"], 1, true);
    let rows = unshredded(&[
        Some((
            names.clone(),
            object_bytes(&[(1, int(1)), (0, int(2))], 1, 1),
        )),
        Some((
            names.clone(),
            object_bytes(&[(0, int(2)), (1, int(1))], 1, 1),
        )),
        // A name twice in the dictionary: either id is it.
        Some((
            metadata(&["b", "a", "b"], 1, true),
            object_bytes(&[(1, int(1)), (2, int(2))], 1, 1),
        )),
    ]);
    let (_folder, table) = table_of(rows);
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[Some(r#"{"a":1,"b":2}"#); 3])
    );
    agree(&table, "v['a']", &owned(&[Some("1"); 3]), "lying flag");
    agree(&table, "v['b']", &owned(&[Some("2"); 3]), "lying flag");
}

/// Rows that failed to parse leave nothing behind: later rows have their own keys.
#[test]
fn d07() {
    let bad = [
        r#"{"b":1,"c":"#,
        r#"{"c":{"x":1,"y":[2,{"b":3}]"#,
        r#"{"d":1,"d":2}"#,
        r#"{"z":1} {"#,
        r#"{"b":tru}"#,
    ];
    let good = [
        r#"{"a":1}"#,
        r#"{"c":3}"#,
        r#"{"b":2,"d":{"x":4,"y":5}}"#,
        r#"{"x":6}"#,
        r#"{"c":7,"z":8}"#,
    ];
    for dictionary in [Dictionary::Shared, Dictionary::PerRow] {
        let mut column = ColumnBuilder::new(dictionary);
        for (good, bad) in good.iter().zip(bad) {
            column.push_json(good).unwrap();
            assert!(column.push_json(bad).is_err(), "{bad}");
        }
        Case::of_rows(
            column.finish().unwrap(),
            vec![
                object(&[("b", ArrowType::Int64), ("c", ArrowType::Int64)]),
                object(&[("d", NOTHING), ("z", ArrowType::Utf8)]),
            ],
            &good.map(Some),
        )
        .text("a", &[Some("1"), None, None, None, None])
        .text("b", &[None, None, Some("2"), None, None])
        .typed(
            "c",
            DataType::Long,
            &[None, Some("3"), None, None, Some("7")],
        )
        .text("d.x", &[None, None, Some("4"), None, None])
        .text("d.y", &[None, None, Some("5"), None, None])
        .text("x", &[None, None, None, Some("6"), None])
        .text("y", &[None; 5])
        .text("z", &[None, None, None, None, Some("8")])
        .check();
    }
}

/// Rows that were read stay as they are while others are read.
#[test]
fn d08() {
    let documents: Vec<_> = (0..60)
        .map(|at| format!(r#"{{"k":"{}","n":{at}}}"#, "x".repeat(at)))
        .collect();
    let documents: Vec<_> = documents
        .iter()
        .map(|document| Some(document.as_str()))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.parquet");
    write(
        &path,
        &[of_json(&documents)],
        Cut {
            page_rows: 7,
            row_group_rows: 25,
            ..Cut::default()
        },
    );
    let segment = Segment::open(&path, &FooterCache::new(0)).unwrap();
    let fields = segment.fields().unwrap();
    let source = segment
        .bind_document(&fields[0], NonObjectRoot::Fail)
        .unwrap();
    let mut kept = Vec::new();
    for (row_group, rows) in segment.row_groups() {
        let all = RowRanges::all(rows.row_count);
        let batches = segment.read(
            row_group,
            std::slice::from_ref(&source),
            &all,
            &ReadOptions { batch_rows: 4 },
        );
        for batch in batches.unwrap() {
            kept.push(batch.unwrap().columns.remove(0));
        }
    }
    let found = kept.iter().flat_map(|array| {
        arrow_array::cast::AsArray::as_string_view(array)
            .iter()
            .map(|text| text.map(str::to_owned))
    });
    assert_eq!(found.collect::<Vec<_>>(), owned(&documents));
}

/// Names differ by case.
#[test]
fn d10() {
    Case::of_json(
        &[Some(r#"{"foo":2}"#)],
        vec![
            object(&[("Foo", ArrowType::Int64)]),
            object(&[("Foo", NOTHING)]),
            object(&[("FOO", ArrowType::Utf8)]),
        ],
    )
    .text("foo", &[Some("2")])
    .text("Foo", &[None])
    .text("FOO", &[None])
    .check();
}

/// Statistics are those of the exact name.
#[test]
fn d11() {
    let case = Case::of_json(
        &[Some(r#"{"Foo":1}"#), Some(r#"{"foo":2}"#)],
        vec![object(&[
            ("Foo", ArrowType::Int64),
            ("foo", ArrowType::Int64),
        ])],
    )
    .typed("Foo", DataType::Long, &[Some("1"), None])
    .typed("foo", DataType::Long, &[None, Some("2")]);
    case.check();
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        for (test, count) in [
            ("v['Foo'] = 1", 1),
            ("v['foo'] = 1", 0),
            ("v['foo'] = 2", 1),
            ("v['Foo'] > 1", 0),
            ("v['foo'] > 1", 1),
        ] {
            assert_eq!(
                table.count(&format!("SELECT COUNT(*) FROM t WHERE {test}")),
                count,
                "{layout} {test}"
            );
        }
    }
}

/// One name twice in an object: the document does not decode.
#[test]
fn d13() {
    let good = (vec![1, 1, 0, 1, b'a'], vec![2, 1, 0, 0, 2, 0x0C, 1]);
    let twice = vec![0x02, 0x02, 0, 0, 0, 2, 4, 0x0C, 0, 0x0C, 1];
    let rows = unshredded(&[
        Some((vec![1, 1, 0, 1, b'a'], twice.clone())),
        Some(good),
        // Two ids of one name.
        Some((
            metadata(&["a", "a"], 1, false),
            object_bytes(&[(0, int(1)), (1, int(2))], 1, 1),
        )),
        Some((
            metadata(&["a", "s"], 1, false),
            object_bytes(&[(1, string("x"))], 1, 1),
        )),
    ]);
    let (_folder, table) = table_of(rows);
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[None, Some(r#"{"a":1}"#), None, Some(r#"{"s":"x"}"#)])
    );
    // A look-up does not check all names of an object; what it says, every form of query says.
    let found = table.texts("SET enableNullHandling = true; SELECT v['a'] FROM t");
    assert_eq!(found[1].as_deref(), Some("1"));
    agree(&table, "v['a']", &found, "twice");
    assert_eq!(table.texts("SELECT v['s'] FROM t")[3].as_deref(), Some("x"));
}
