//! Malformed bytes: panic, overflow, memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use serde_json::Value as Json;

use crate::bytes::{int, list, metadata, nest, object, primitive, shared, string};
use crate::cases::{owned, table_cut, table_of};
use crate::layouts::{agree, cuts};
use crate::parquet_files::{Row, bytes, group, unshredded};

/// Far above what a debug build under load takes, far below what an expansion would.
const SOON: Duration = Duration::from_secs(5);

/// Checks that every row but the last reads as absent, at once; the last is `{"a":"ok"}`.
#[track_caller]
fn absent(mut rows: Vec<Row>) {
    let start = Instant::now();
    let bad = rows.len();
    rows.push(Some((
        metadata(&["a", "b"], 1, true),
        object(&[(0, string("ok"))], 1, 1),
    )));
    let documents = [vec![None; bad], owned(&[Some(r#"{"a":"ok"}"#)])].concat();
    let values = [vec![None; bad], owned(&[Some("ok")])].concat();
    for (name, cut) in cuts() {
        let (_folder, table) = table_cut(unshredded(&rows), cut);
        assert_eq!(
            table.texts("SELECT v FROM t LIMIT 100"),
            documents,
            "{name}"
        );
        agree(&table, "v['a']", &values, name);
    }
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

/// Counts and lengths that overflow or exceed the bytes.
#[test]
fn f02() {
    let names = metadata(&["a", "b"], 1, true);
    let counted = |header: u8, count: u32| [&[header][..], &count.to_le_bytes()].concat();
    let values = [
        // Arrays and objects of four-byte counts and offsets.
        counted(0x1F, 0x2000_0000),
        counted(0x1F, 0xFFFF_FFFF),
        counted(0x4E, 0x3333_3333),
        counted(0x7E, 0x3333_3333),
        counted(0x7E, 0xFFFF_FFFF),
        [counted(0x7E, 0x2000_0000), vec![0; 3]].concat(),
        // Strings and binaries of long lengths.
        counted(0x40, 0x7FFF_FFFF),
        counted(0x40, 0xFFFF_FFFF),
        counted(0x3C, 0xFFFF_FFFF),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for value in values {
        let root_is_object = value[0] & 3 == 2;
        rows.push(Some((names.clone(), object(&[(0, value.clone())], 1, 1))));
        if root_is_object {
            rows.push(Some((names.clone(), value)));
        }
    }
    let good = object(&[(0, int(1))], 1, 1);
    for count in [0x2000_0000u32, 0xFFFF_FFFF, 0x4000_0000] {
        rows.push(Some((
            [&[0xD1][..], &count.to_le_bytes()].concat(),
            good.clone(),
        )));
        rows.push(Some((
            [&[0xC1][..], &count.to_le_bytes(), &[0; 3]].concat(),
            good.clone(),
        )));
    }
    absent(rows);
}

/// Dictionaries that are short, fall, or start elsewhere.
#[test]
fn f03() {
    let good = object(&[(0, int(1))], 1, 1);
    let dictionaries: [&[u8]; 5] = [
        &[1, 2, 0, 5, 3, b'A', b'B', b'C', b'D', b'E'],
        &[1, 1, 0],
        &[1, 1, 1, 2, b'a', b'b'],
        &[1, 2, 0, 1],
        &[],
    ];
    absent(
        dictionaries
            .map(|names| Some((names.to_vec(), good.clone())))
            .to_vec(),
    );
}

/// Nesting reads down to a limit and is refused below it, without an end of the stack.
#[test]
fn f05() {
    let row = |value: Vec<u8>| -> Row {
        Some((
            metadata(&["a", "b"], 1, true),
            object(&[(0, value), (1, string("x"))], 1, 4),
        ))
    };
    let depths = [1, 50, 100, 127, 500, 1000, 1001, 100_000];
    let rows: Vec<_> = depths.iter().map(|depth| row(nest(*depth))).collect();
    let (_folder, table) = table_of(unshredded(&rows));
    let documents = table.texts("SELECT v FROM t");
    let arrays = table.texts("SET enableNullHandling = true; SELECT v['a'] FROM t");
    for (at, depth) in depths.into_iter().enumerate() {
        let array = format!("{}null{}", "[".repeat(depth), "]".repeat(depth));
        let reads = depth <= 100;
        if reads || documents[at].is_some() {
            assert_eq!(
                documents[at],
                Some(format!(r#"{{"a":{array},"b":"x"}}"#)),
                "{depth}"
            );
        }
        if reads || arrays[at].is_some() {
            assert_eq!(arrays[at], Some(array), "{depth}");
        }
        assert_eq!(documents[at].is_some(), depth <= 127, "{depth}");
    }
    // A sibling does not mind.
    agree(&table, "v['b']", &vec![Some("x".to_owned()); 8], "sibling");
}

/// An element without a byte.
#[test]
fn f06() {
    let empty = vec![0x03, 1, 0, 0];
    let row = Some((
        metadata(&["a", "b"], 1, true),
        object(&[(0, empty), (1, int(2))], 1, 1),
    ));
    let (_folder, table) = table_of(unshredded(&[row]));
    assert_eq!(table.texts("SELECT v FROM t"), owned(&[None]));
    agree(&table, "v['a']", &owned(&[None]), "empty element");
    agree(&table, "v['b']", &owned(&[Some("2")]), "sibling");
}

/// Values are read where they lie in a larger buffer, at odd offsets.
#[test]
fn f08() {
    let value = |at: usize| object(&[(0, string(&"x".repeat(at))), (1, int(at as i32))], 1, 1);
    let rows: Vec<_> = (0..23).map(value).collect();
    let mut buffer = vec![0xFF; 3];
    let mut ends = vec![3i32];
    for row in &rows {
        buffer.extend(row);
        ends.push(i32::try_from(buffer.len()).unwrap());
    }
    buffer.extend([0xFF; 5]);
    let binary = BinaryArray::new(
        OffsetBuffer::new(ends.into()),
        Buffer::from_vec(buffer),
        None,
    );
    let views: BinaryViewArray = binary.iter().collect();
    let names = bytes(&vec![Some(metadata(&["a", "b"], 1, true)); rows.len()]);
    for (name, values) in [
        ("binary", Arc::new(binary) as ArrayRef),
        ("views", Arc::new(views)),
    ] {
        for (cut_name, cut) in cuts() {
            let column = group(
                vec![("metadata", names.clone()), ("value", values.clone())],
                None,
            );
            let (_folder, table) = table_cut(column, cut);
            let documents: Vec<_> = (0..23)
                .map(|at| Some(format!(r#"{{"a":"{}","b":{at}}}"#, "x".repeat(at))))
                .collect();
            assert_eq!(
                table.texts("SELECT v FROM t LIMIT 100"),
                documents,
                "{name} {cut_name}"
            );
            assert_eq!(
                table.count("SELECT COUNT(*) FROM t WHERE v['b'] = 17"),
                1,
                "{name} {cut_name}"
            );
        }
    }
    assert_eq!(names.len(), 23);
}

/// Days beyond any calendar are values or absent, and JSON either way.
#[test]
fn f09() {
    let days = [i32::MAX, i32::MIN, 0, -719_529, 2_932_897];
    let row = |days: i32| -> Row {
        let date = primitive(11, &days.to_le_bytes());
        Some((
            metadata(&["a", "b"], 1, true),
            object(&[(0, date), (1, list(&[int(1)], 1))], 1, 1),
        ))
    };
    let (_folder, table) = table_of(unshredded(&days.map(row)));
    let documents = table.texts("SELECT v FROM t");
    let texts = table.texts("SET enableNullHandling = true; SELECT v['a'] FROM t");
    for (document, text) in documents.iter().zip(&texts) {
        let date = document
            .as_ref()
            .map(|document| serde_json::from_str::<Json>(document).unwrap()["a"].clone());
        assert_eq!(date.as_ref().and_then(Json::as_str), text.as_deref());
    }
    assert_eq!(texts[2].as_deref(), Some("1970-01-01"));
    agree(&table, "v['a']", &texts, "dates");
    // The same for times beyond a day and timestamps at the ends.
    let ends = [
        (17u8, i64::MAX),
        (17, -1),
        (17, 86_400_000_000),
        (12, i64::MAX),
        (12, i64::MIN),
        (19, i64::MIN),
        (18, i64::MAX),
    ];
    let row = |(id, value): (u8, i64)| -> Row {
        Some((
            metadata(&["a"], 1, true),
            object(&[(0, primitive(id, &value.to_le_bytes()))], 1, 1),
        ))
    };
    let (_folder, table) = table_of(unshredded(&ends.map(row)));
    for document in table.texts("SELECT v FROM t").into_iter().flatten() {
        serde_json::from_str::<Json>(&document).unwrap();
    }
    let texts = table.texts("SET enableNullHandling = true; SELECT v['a'] FROM t");
    agree(&table, "v['a']", &texts, "ends");
}

/// Deep values are compared, grouped and printed without an end of the stack.
#[test]
fn f11() {
    let row =
        |value: Vec<u8>| -> Row { Some((metadata(&["a"], 1, true), object(&[(0, value)], 1, 4))) };
    let rows = [
        row(nest(50_000)),
        row(nest(50_000)),
        row(nest(5)),
        row(nest(5)),
    ];
    let (_folder, table) = table_of(unshredded(&rows));
    let five = Some("[[[[[null]]]]]");
    agree(&table, "v['a']", &owned(&[None, None, five, five]), "deep");
    assert_eq!(
        table.texts("SELECT COUNT(DISTINCT v['a']) FROM t"),
        owned(&[Some("2")])
    );
    assert_eq!(
        table
            .rows("SELECT v['a'], COUNT(*) FROM t GROUP BY 1 ORDER BY 1 LIMIT 10")
            .len(),
        2
    );
}

/// Fields that share a value, nested, are a small value or refused; look-ups need no walk.
#[test]
fn f14() {
    let row = |value: Vec<u8>| -> Row { Some((metadata(&["a", "b"], 1, true), value)) };
    let rows = [
        row(shared(2)),
        row(shared(10)),
        row(shared(24)),
        row(shared(40)),
    ];
    let start = Instant::now();
    let (_folder, table) = table_of(unshredded(&rows));
    let documents = table.texts("SELECT v FROM t");
    assert_eq!(
        documents[0].as_deref(),
        Some(r#"{"a":{"a":null,"b":null},"b":{"a":null,"b":null}}"#)
    );
    assert_eq!(
        documents[1]
            .as_ref()
            .map(|text| text.matches("null").count()),
        Some(1024)
    );
    assert_eq!(documents[2..], [None, None]);
    let deep = "a.b.a.b.a.b.a.b.a";
    let found = table.texts(&format!(
        "SET enableNullHandling = true; SELECT v['{deep}'] FROM t"
    ));
    assert_eq!(found[..2], owned(&[None, Some(r#"{"a":null,"b":null}"#)]));
    agree(&table, &format!("v['{deep}']"), &found, "shared");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}
