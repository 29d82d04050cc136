//! Statistics, pruning, pages.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, Decimal128Array, Int32Array, Int64Array, ListArray, RecordBatch,
    StringArray, StructArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType as ArrowType, Field};
use growler_schema::DataType;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use tempfile::TempDir;

use crate::bytes::{metadata, primitive};
use crate::cases::{owned, table_cut};
use crate::layouts::{Case, NOTHING, list, object};
use crate::parquet_files::{Cut, batch, bytes, group, ids, unshredded, write_batches};
use crate::sql::Table;

/// One row and page a row group.
const SINGLE: Cut = Cut {
    row_group_rows: 1,
    page_rows: 1,
    dictionary: false,
    dictionary_bytes: 1 << 20,
};

#[track_caller]
fn counts(table: &Table, what: &str, tests: &[(&str, i64)]) {
    for (test, count) in tests {
        for mode in ["false", "true"] {
            let sql =
                format!("SET enableNullHandling = {mode}; SELECT COUNT(*) FROM t WHERE {test}");
            assert_eq!(table.count(&sql), *count, "{what}: {sql}");
        }
    }
}

fn shredded(documents: &[Option<&str>], schema: ArrowType) -> StructArray {
    Case::of_json(documents, vec![schema]).layouts().remove(1).1
}

fn path(leaf: &str) -> ColumnPath {
    ColumnPath::from(leaf.split('.').map(str::to_owned).collect::<Vec<_>>())
}

fn open(batches: &[RecordBatch], properties: WriterProperties) -> (TempDir, Table) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.parquet");
    write_batches(&path, batches, properties);
    let table = Table::open(&path).unwrap();
    (folder, table)
}

/// A residual without statistics is not taken for one that is all null.
#[test]
fn i02() {
    let documents = [
        Some(r#"{"a":1}"#),
        Some(r#"{"a":7.0}"#),
        Some(r#"{"a":"x"}"#),
        Some(r#"{"a":2}"#),
    ];
    let column = shredded(&documents, object(&[("a", ArrowType::Int64)]));
    for leaves in [
        vec!["v.value"],
        vec!["v.typed_value.a.value"],
        vec!["v.typed_value.a.typed_value"],
        vec!["v.value", "v.typed_value.a.value"],
    ] {
        for cut in [Cut::default(), SINGLE] {
            let mut properties = cut.properties();
            for leaf in &leaves {
                properties =
                    properties.set_column_statistics_enabled(path(leaf), EnabledStatistics::None);
            }
            let column: ArrayRef = Arc::new(column.clone());
            let (_folder, table) = open(&[batch(vec![("v", column)])], properties.build());
            counts(
                &table,
                &leaves.concat(),
                &[
                    ("v['a'] = 7", 1),
                    ("v['a'] > 5", 1),
                    ("v['a'] = 1", 1),
                    ("v['a'] IS NULL", 1),
                    ("v['a'] BETWEEN 1 AND 7", 3),
                ],
            );
        }
    }
}

/// An upper bound that was cut off is still above every value.
#[test]
fn i03() {
    let value = |tail: u8| [vec![0xFF; 16], vec![tail; 4]].concat();
    let values = [value(0x01), value(0xFE), vec![0xFF; 20], vec![0x01]];
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let rows: Vec<_> = values
        .iter()
        .map(|value| {
            let len = u32::try_from(value.len()).unwrap().to_le_bytes();
            let binary = primitive(15, &[&len[..], value].concat());
            Some((
                metadata(&["k"], 1, true),
                crate::bytes::object(&[(0, binary)], 1, 1),
            ))
        })
        .collect();
    let case = Case::of_rows(
        unshredded(&rows),
        vec![object(&[("k", ArrowType::BinaryView)])],
        &[],
    );
    let plain: ArrayRef = Arc::new(BinaryArray::from_iter_values(&values));
    for (layout, column) in case.layouts() {
        for cut in [Cut::default(), SINGLE] {
            let properties = cut
                .properties()
                .set_statistics_truncate_length(Some(16))
                .set_column_index_truncate_length(Some(16))
                .build();
            let columns: Vec<(&str, ArrayRef)> =
                vec![("v", Arc::new(column.clone())), ("p", Arc::clone(&plain))];
            let (_folder, table) = open(&[batch(columns)], properties);
            table.declare("v", &[("k", DataType::Bytes)]);
            for value in &values {
                for source in ["v['k']", "p"] {
                    let sql = format!("SELECT COUNT(*) FROM t WHERE {source} = '{}'", hex(value));
                    assert_eq!(table.count(&sql), 1, "{layout} {sql}");
                    let sql = format!("SELECT COUNT(*) FROM t WHERE {source} >= '{}'", hex(value));
                    let above = values.iter().filter(|other| *other >= value).count();
                    assert_eq!(table.count(&sql), above as i64, "{layout} {sql}");
                }
            }
        }
    }
    // Text whose last letters cannot be raised.
    let texts = [
        "\u{10FFFF}".repeat(5),
        format!("{}x", "\u{10FFFF}".repeat(4)),
        "a".repeat(40),
    ];
    let documents: Vec<_> = texts
        .iter()
        .map(|text| format!(r#"{{"k":"{text}"}}"#))
        .collect();
    let documents: Vec<_> = documents.iter().map(|text| Some(text.as_str())).collect();
    let column = shredded(&documents, object(&[("k", ArrowType::Utf8)]));
    for cut in [Cut::default(), SINGLE] {
        let properties = cut
            .properties()
            .set_statistics_truncate_length(Some(16))
            .set_column_index_truncate_length(Some(16))
            .build();
        let (_folder, table) = open(
            &[batch(vec![("v", Arc::new(column.clone()) as ArrayRef)])],
            properties,
        );
        for text in &texts {
            counts(&table, "text", &[(&format!("v['k'] = '{text}'"), 1)]);
            let above = texts.iter().filter(|other| *other >= text).count() as i64;
            counts(&table, "text", &[(&format!("v['k'] >= '{text}'"), above)]);
        }
    }
}

/// A leaf prunes although its ancestor is sometimes no object, and finds what is there.
#[test]
fn i05() {
    let documents = [
        Some(r#"{"a":{"b":1}}"#),
        Some(r#"{"a":"str"}"#),
        Some(r#"{"a":{"b":2,"z":1}}"#),
    ];
    let case = Case::of_json(
        &documents,
        vec![
            object(&[("a", object(&[("b", ArrowType::Int64)]))]),
            object(&[("a", NOTHING)]),
            object(&[("a", object(&[("z", ArrowType::Int64), ("b", NOTHING)]))]),
        ],
    )
    .typed("a.b", DataType::Long, &[Some("1"), None, Some("2")])
    .text("a.z", &[None, None, Some("1")]);
    case.check();
    for (layout, column) in case.layouts() {
        for cut in [Cut::default(), SINGLE] {
            let (_folder, table) = table_cut(column.clone(), cut);
            table.declare("v", &[("a.b", DataType::Long)]);
            counts(
                &table,
                &layout,
                &[
                    ("v['a.b'] > 5", 0),
                    ("v['a.b'] = 1", 1),
                    ("v['a.b'] >= 1", 2),
                    ("v['a.b'] IS NULL", 1),
                    ("v['a.b'] IS NOT NULL", 2),
                ],
            );
        }
    }
}

/// A hundred rows of two keys, `b` text in one row of ten.
fn hundred() -> (Vec<Option<String>>, ArrowType) {
    let document = |at: usize| match at % 10 {
        3 => format!(r#"{{"a":{at},"b":"t{at}"}}"#),
        7 => r#"{"z":1}"#.to_owned(),
        _ => format!(r#"{{"a":{at},"b":{}}}"#, 1000 - at),
    };
    let schema = object(&[("a", ArrowType::Int64), ("b", ArrowType::Int64)]);
    ((0..100).map(|at| Some(document(at))).collect(), schema)
}

/// Leaves without a page index beside leaves that have one.
#[test]
fn i08() {
    let (documents, schema) = hundred();
    let documents: Vec<_> = documents.iter().map(Option::as_deref).collect();
    let column: ArrayRef = Arc::new(shredded(&documents, schema));
    let columns = || batch(vec![("id", ids(100)), ("v", Arc::clone(&column))]);
    let cut = Cut {
        page_rows: 10,
        row_group_rows: 50,
        ..Cut::default()
    };
    let leaves = [
        "v.metadata",
        "v.value",
        "v.typed_value.a.value",
        "v.typed_value.a.typed_value",
        "v.typed_value.b.value",
    ];
    let mut some = cut.properties();
    for leaf in leaves {
        some = some.set_column_statistics_enabled(path(leaf), EnabledStatistics::Chunk);
    }
    let chunk = cut
        .properties()
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let none = cut
        .properties()
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true);
    for (what, properties) in [
        ("page", cut.properties()),
        ("some", some),
        ("chunk", chunk),
        ("none", none),
    ] {
        let (_folder, table) = open(&[columns()], properties.build());
        counts(
            &table,
            what,
            &[
                ("id > 50 AND v['a'] = 60", 1),
                ("id < 50 AND v['a'] = 60", 0),
                ("v['a'] BETWEEN 11 AND 19", 8),
                ("v['b'] = 940", 1),
                ("v['b'] IS NULL", 20),
                ("id >= 42 AND v['a'] IS NULL", 6),
                ("v['z'] = '1'", 10),
            ],
        );
        assert_eq!(
            table.texts("SELECT v['b'] FROM t WHERE v['a'] = 61"),
            owned(&[Some("939")]),
            "{what}"
        );
    }
}

/// Bounds of decimals in INT32, INT64 and FIXED columns, plain and shredded.
#[test]
fn i09() {
    let unscaled: [i128; 4] = [150, -225, 100_000, 1];
    for precision in [9, 18, 38] {
        let plain = Decimal128Array::from_iter_values(unscaled)
            .with_precision_and_scale(precision, 2)
            .unwrap();
        let plain: ArrayRef = Arc::new(plain);
        let k = group(
            vec![
                ("value", bytes(&vec![None; 4])),
                ("typed_value", Arc::clone(&plain)),
            ],
            None,
        );
        let typed: ArrayRef = Arc::new(group(vec![("k", Arc::new(k) as ArrayRef)], None));
        let names = bytes(&vec![Some(metadata(&["k"], 1, true)); 4]);
        let column = group(
            vec![
                ("metadata", names),
                ("value", bytes(&vec![None; 4])),
                ("typed_value", typed),
            ],
            None,
        );
        for cut in [Cut::default(), SINGLE] {
            let columns: Vec<(&str, ArrayRef)> =
                vec![("v", Arc::new(column.clone())), ("d", Arc::clone(&plain))];
            let (_folder, table) = open(&[batch(columns)], cut.properties().build());
            for source in ["d", "v['k']"] {
                for (test, count) in [
                    ("= 1.50", 1),
                    ("= 1.5", 1),
                    ("= -2.25", 1),
                    ("> 1", 2),
                    ("< 0", 1),
                    ("BETWEEN 0 AND 2", 2),
                    ("= 1000", 1),
                    ("= 0.01", 1),
                    ("= 150", 0),
                    ("<> 1.50", 3),
                ] {
                    counts(
                        &table,
                        &precision.to_string(),
                        &[(&format!("{source} {test}"), count)],
                    );
                }
            }
        }
    }
}

/// A residual of the root does not stand in the way of a leaf, nor does the leaf hide its own.
#[test]
fn i11() {
    let documents = [
        Some(r#"{"a":{"b":1},"z":0}"#),
        Some(r#"{"a":{"b":"x"},"z":1}"#),
        Some(r#"{"z":2}"#),
        Some(r#"{"a":{"b":3}}"#),
        Some(r#"{"a":{"c":[1]},"z":3}"#),
    ];
    let case = Case::of_json(
        &documents,
        vec![
            object(&[("a", object(&[("b", ArrowType::Int64)]))]),
            object(&[(
                "a",
                object(&[("b", ArrowType::Utf8), ("c", list(ArrowType::Int64))]),
            )]),
            object(&[("z", ArrowType::Int64), ("a", NOTHING)]),
        ],
    )
    .text("a.b", &[Some("1"), Some("x"), None, Some("3"), None])
    .text("z", &[Some("0"), Some("1"), Some("2"), None, Some("3")])
    .text("a.c", &[None, None, None, None, Some("[1]")])
    .typed(
        "a.b",
        DataType::Long,
        &[Some("1"), None, None, Some("3"), None],
    );
    // A key has one type a table: text first, then numbers.
    let mut numbers = Case::of_json(&documents, case.schemas.clone());
    numbers.keys.extend(
        case.keys
            .iter()
            .filter(|key| key.1 == DataType::Long)
            .cloned(),
    );
    let mut texts = Case::of_json(&documents, case.schemas.clone());
    texts.keys.extend(
        case.keys
            .iter()
            .filter(|key| key.1 == DataType::String)
            .cloned(),
    );
    texts.check();
    numbers.check();
}

/// A filter on an expression does not prune by the column within.
#[test]
fn i12() {
    let folder = tempfile::tempdir().unwrap();
    for file in 0..3 {
        let x: Vec<i32> = (1..=10).map(|at| file * 10 + at).collect();
        let documents: Vec<_> = x.iter().map(|x| format!(r#"{{"a":{x}}}"#)).collect();
        let documents: Vec<_> = documents.iter().map(|text| Some(text.as_str())).collect();
        let column = shredded(&documents, object(&[("a", ArrowType::Int64)]));
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("x", Arc::new(Int32Array::from(x))),
            ("v", Arc::new(column)),
        ];
        write_batches(
            &folder.path().join(format!("{file}.parquet")),
            &[batch(columns)],
            SINGLE.properties().build(),
        );
    }
    let table = Table::open(folder.path()).unwrap();
    for source in ["x", "v['a']"] {
        for (test, count) in [
            ("0 - {} > -3", 2),
            ("{} * -1 >= -2", 2),
            ("MOD({}, 5) = 0", 6),
            ("CAST({} AS STRING) > '5'", 4),
            ("ABS({}) = 25", 1),
            ("{} + 1 IN (2, 31)", 2),
            ("NOT ({} > 2)", 2),
        ] {
            counts(&table, source, &[(&test.replace("{}", source), count)]);
        }
    }
}

/// Columns that are null in a whole file.
#[test]
fn i14() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        vec![None, None],
        vec![Some(5), Some(6)],
        vec![None, Some(5)],
    ];
    for (at, x) in files.iter().enumerate() {
        let documents: Vec<_> = x
            .iter()
            .map(|x| x.map_or("{}".to_owned(), |x: i32| format!(r#"{{"a":{x}}}"#)))
            .collect();
        let documents: Vec<_> = documents.iter().map(|text| Some(text.as_str())).collect();
        let column = shredded(&documents, object(&[("a", ArrowType::Int64)]));
        let columns: Vec<(&str, ArrayRef)> = vec![
            (
                "x",
                Arc::new(Int64Array::from(
                    x.iter().map(|x| x.map(i64::from)).collect::<Vec<_>>(),
                )),
            ),
            ("v", Arc::new(column)),
        ];
        write_batches(
            &folder.path().join(format!("{at}.parquet")),
            &[batch(columns)],
            WriterProperties::default(),
        );
    }
    let table = Table::open(folder.path()).unwrap();
    for source in ["x", "v['a']"] {
        counts(
            &table,
            source,
            &[
                (&format!("{source} = 5"), 2),
                (&format!("{source} IS NULL"), 3),
                (&format!("{source} IS NOT NULL"), 3),
                (&format!("{source} > 5"), 1),
            ],
        );
        let count = |on: bool, test: &str| {
            table.count(&format!(
                "SET enableNullHandling = {on}; SELECT COUNT(*) FROM t WHERE {source} {test}"
            ))
        };
        // Without null handling a null is the default, which is not 5.
        assert_eq!(
            (count(true, "<> 5"), count(false, "<> 5")),
            (1, 4),
            "{source}"
        );
        assert_eq!(
            (count(true, "NOT IN (5, 6)"), count(false, "NOT IN (5, 6)")),
            (0, 3),
            "{source}"
        );
        assert_eq!(
            (
                count(true, "= -9223372036854775808"),
                count(false, "= -9223372036854775808")
            ),
            (0, 3),
            "{source}"
        );
    }
}

/// Pages of two filters that do not meet in one row group end nothing in the next.
#[test]
fn i15() {
    // In the first group the rows of a and of b lie in different pages, later in the same.
    let document = |at: i32| match at {
        0..10 => r#"{"a":1,"b":0}"#,
        10..20 => r#"{"a":0,"b":1}"#,
        20..30 | 50..60 | 80..90 => r#"{"a":1,"b":1}"#,
        _ => r#"{"a":0,"b":0}"#,
    };
    let documents: Vec<_> = (-10..80).map(|at| Some(document(at))).collect();
    let column: ArrayRef = Arc::new(shredded(
        &documents,
        object(&[("a", ArrowType::Int64), ("b", ArrowType::Int64)]),
    ));
    let part = |of: usize| -> ArrayRef {
        let number =
            |text: &&str| i32::from(text.contains(if of == 0 { r#""a":1"# } else { r#""b":1"# }));
        Arc::new(
            documents
                .iter()
                .flatten()
                .map(number)
                .collect::<Int32Array>(),
        )
    };
    let cut = Cut {
        row_group_rows: 30,
        page_rows: 10,
        ..Cut::default()
    };
    let (_folder, table) = open(
        &[batch(vec![
            ("id", ids(90)),
            ("x", part(0)),
            ("y", part(1)),
            ("v", column),
        ])],
        cut.properties().build(),
    );
    counts(
        &table,
        "pages",
        &[
            ("v['a'] = 1 AND v['b'] = 1", 20),
            ("x = 1 AND y = 1", 20),
            ("x = 1 AND v['b'] = 1", 20),
            ("v['a'] = 1 AND v['b'] = 1 AND id < 30", 0),
            ("v['a'] = 1 OR v['b'] = 1", 40),
            ("v['a'] = 1 AND NOT v['b'] = 1", 10),
        ],
    );
}

/// Pages that start with nulls, lists with empty rows at the start of a page.
#[test]
fn i17() {
    let document = |at: usize| match at {
        0..10 => "{}".to_owned(),
        at if at % 10 == 0 => r#"{"l":[]}"#.to_owned(),
        at if at % 10 == 1 => "{}".to_owned(),
        at => format!(r#"{{"a":{at},"l":[{at},null,{}]}}"#, at + 1),
    };
    let documents: Vec<_> = (0..60).map(document).collect();
    let documents: Vec<_> = documents.iter().map(|text| Some(text.as_str())).collect();
    let schema = object(&[("a", ArrowType::Int64), ("l", list(ArrowType::Int64))]);
    for (layout, column) in Case::of_json(&documents, vec![schema]).layouts() {
        let cut = Cut {
            page_rows: 10,
            ..Cut::default()
        };
        let columns: Vec<(&str, ArrayRef)> = vec![("id", ids(60)), ("v", Arc::new(column))];
        let (_folder, table) = open(&[batch(columns)], cut.properties().build());
        table.declare("v", &[("a", DataType::Long)]);
        for at in [0, 9, 10, 11, 12, 30, 31, 59] {
            let found = table.texts(&format!("SELECT v FROM t WHERE id = {at}"));
            assert_eq!(found, owned(&[documents[at]]), "{layout} {at}");
            let sql = format!("SELECT v FROM t WHERE v['a'] = {at}");
            let expected = documents[at]
                .filter(|text| text.contains("\"a\""))
                .map(|text| Some(text.to_owned()));
            assert_eq!(
                table.texts(&sql),
                expected.into_iter().collect::<Vec<_>>(),
                "{layout} {at}"
            );
        }
        let found = table.texts("SELECT v['l'] FROM t WHERE id IN (10, 20, 22) LIMIT 10");
        assert_eq!(
            found,
            owned(&[Some("[]"), Some("[]"), Some("[22,null,23]")]),
            "{layout}"
        );
    }
}

/// Rows of a shredded list that are longer than a page stay in step with the other columns.
#[test]
fn i18() {
    let document = |at: usize| {
        let elements: Vec<_> = (0..at % 40)
            .map(|element| (at * 100 + element).to_string())
            .collect();
        format!(r#"{{"l":[{}]}}"#, elements.join(","))
    };
    let documents: Vec<_> = (0..80).map(document).collect();
    let documents: Vec<_> = documents.iter().map(|text| Some(text.as_str())).collect();
    let column = shredded(&documents, object(&[("l", list(ArrowType::Int64))]));
    for version in [
        parquet::file::properties::WriterVersion::PARQUET_1_0,
        parquet::file::properties::WriterVersion::PARQUET_2_0,
    ] {
        let cut = Cut {
            page_rows: 3,
            dictionary: false,
            ..Cut::default()
        };
        let properties = cut
            .properties()
            .set_data_page_size_limit(64)
            .set_writer_version(version)
            .build();
        let columns: Vec<(&str, ArrayRef)> = vec![("id", ids(80)), ("v", Arc::new(column.clone()))];
        let (_folder, table) = open(&[batch(columns)], properties);
        for at in [0, 1, 38, 39, 40, 41, 79] {
            let found = table.texts(&format!("SELECT v FROM t WHERE id = {at}"));
            assert_eq!(found, owned(&[documents[at]]), "{at}");
        }
        assert_eq!(table.texts("SELECT v FROM t LIMIT 100"), owned(&documents));
    }
}

/// The first row after a long run of nulls, in a shredded list of objects whose dictionary was
/// given up.
#[test]
fn i20() {
    const ROWS: usize = 20_000;
    const NULLS: std::ops::Range<usize> = 6_000..15_000;
    let present: Vec<bool> = (0..ROWS).map(|row| !NULLS.contains(&row)).collect();
    let lengths = present.iter().map(|present| usize::from(*present));
    let texts: Vec<String> = (0..ROWS)
        .filter(|row| !NULLS.contains(row))
        .map(|row| format!("sku-{row}"))
        .collect();
    let only = |typed: ArrayRef| {
        Arc::new(group(
            vec![
                ("value", bytes(&vec![None; typed.len()])),
                ("typed_value", typed),
            ],
            None,
        )) as ArrayRef
    };
    let sku = only(Arc::new(StringArray::from(texts)));
    let element = only(Arc::new(group(vec![("sku", sku)], None)));
    let item = Arc::new(Field::new("element", element.data_type().clone(), false));
    let lists = ListArray::new(
        item,
        OffsetBuffer::from_lengths(lengths),
        element,
        Some(present.clone().into()),
    );
    let items = only(Arc::new(lists));
    let typed: ArrayRef = Arc::new(group(vec![("items", items)], None));
    let names = bytes(&vec![Some(metadata(&["items", "sku"], 1, true)); ROWS]);
    let column = group(
        vec![
            ("metadata", names),
            ("value", bytes(&vec![None; ROWS])),
            ("typed_value", typed),
        ],
        None,
    );
    let properties = WriterProperties::builder()
        .set_dictionary_page_size_limit(4096)
        .set_data_page_row_count_limit(1000)
        .set_write_batch_size(500)
        .build();
    let columns: Vec<(&str, ArrayRef)> = vec![("id", ids(ROWS)), ("v", Arc::new(column))];
    let (_folder, table) = open(&[batch(columns)], properties);
    for row in [
        0,
        NULLS.start - 1,
        NULLS.start,
        NULLS.end - 1,
        NULLS.end,
        ROWS - 1,
    ] {
        let document = match NULLS.contains(&row) {
            true => "{}".to_owned(),
            false => format!(r#"{{"items":[{{"sku":"sku-{row}"}}]}}"#),
        };
        assert_eq!(
            table.texts(&format!("SELECT v FROM t WHERE id = {row}")),
            [Some(document)],
            "{row}"
        );
    }
    let sql = format!(
        "SELECT v['items'] FROM t WHERE id BETWEEN {} AND {}",
        NULLS.end,
        NULLS.end + 1
    );
    let expected =
        [NULLS.end, NULLS.end + 1].map(|row| Some(format!(r#"[{{"sku":"sku-{row}"}}]"#)));
    assert_eq!(table.texts(&sql), expected);
    assert_eq!(
        table.count("SELECT COUNT(*) FROM t WHERE v['items'] IS NULL"),
        NULLS.len() as i64
    );
    let sku = "JSON_EXTRACT_SCALAR(v['items'], '$[0].sku', 'STRING', 'none')";
    assert_eq!(
        table.count(&format!(
            "SELECT COUNT(*) FROM t WHERE id > 14990 AND {sku} = 'sku-15000'"
        )),
        1
    );
}
