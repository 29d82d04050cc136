//! Shredding: typed_value, widths, decimals, timestamps.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Decimal128Array, FixedSizeBinaryArray, Int32Array, StructArray,
    Time32MillisecondArray, Time64NanosecondArray, TimestampMillisecondArray, UInt8Array,
    UInt16Array, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use tempfile::TempDir;

use crate::bytes::{decimal, metadata, object as object_bytes, primitive, string};
use crate::cases::{SOFT, owned, table_of, table_with};
use crate::layouts::{Case, NOTHING, agree, list, object};
use crate::parquet_files::{
    Leaf, LeafValues, Row, bytes, group, of_json, unshredded, write_batches, write_leaves,
};
use crate::sql::Table;

/// Rows with one key `k` of the given bytes.
fn keyed(values: &[Vec<u8>]) -> StructArray {
    let row = |value: &Vec<u8>| -> Row {
        Some((
            metadata(&["k"], 1, true),
            object_bytes(&[(0, value.clone())], 1, 1),
        ))
    };
    unshredded(&values.iter().map(row).collect::<Vec<_>>())
}

/// A file of a leaf `v.typed_value.k.typed_value` of a physical type, none of them in a residual.
fn leaf_file(annotated: &str, values: LeafValues, rows: usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leaf.parquet");
    let message = format!(
        "message m {{ required group v {{ required binary metadata; optional binary value; \
         optional group typed_value {{ required group k {{ optional binary value; \
         optional {annotated}; }} }} }} }}"
    );
    let names = vec![metadata(&["k"], 1, true); rows];
    let leaves = [
        Leaf {
            values: LeafValues::Bytes(names),
            defs: vec![0; rows],
        },
        Leaf {
            values: LeafValues::Bytes(vec![]),
            defs: vec![0; rows],
        },
        Leaf {
            values: LeafValues::Bytes(vec![]),
            defs: vec![1; rows],
        },
        Leaf {
            defs: vec![if values.is_empty() { 1 } else { 2 }; rows],
            values,
        },
    ];
    write_leaves(
        &path,
        &message,
        &leaves,
        WriterProperties::builder().build(),
    );
    (folder, path)
}

impl LeafValues {
    fn is_empty(&self) -> bool {
        match self {
            Self::Int32(values) => values.is_empty(),
            Self::Int64(values) => values.is_empty(),
            Self::Int96(values) => values.is_empty(),
            Self::Bytes(values) | Self::Fixed(values) => values.is_empty(),
        }
    }
}

/// An object root is an object, whichever way it is shredded.
#[test]
fn b02() {
    let documents = [
        Some(r#"{"a":{"b":[1,{"c":null}]},"d":"x"}"#),
        Some("{}"),
        None,
    ];
    let nested = object(&[("b", list(object(&[("c", ArrowType::Int64)])))]);
    Case::of_json(
        &documents,
        vec![
            object(&[("a", nested), ("d", ArrowType::Utf8)]),
            object(&[("a", NOTHING)]),
        ],
    )
    .text("a", &[Some(r#"{"b":[1,{"c":null}]}"#), None, None])
    .text("d", &[Some("x"), None, None])
    .check();
}

/// Types that shredding does not allow are refused when the column is opened, also if no row is
/// typed; other columns of the file still read.
fn refuse(typed: ArrayRef, name: &str) {
    let rows = typed.len();
    let names = bytes(&vec![Some(metadata(&["k"], 1, true)); rows]);
    let none = bytes(&vec![None; rows]);
    let good = of_json(&vec![Some("{}"); rows]);
    let root = group(
        vec![
            ("metadata", Arc::clone(&names)),
            ("value", Arc::clone(&none)),
            ("typed_value", Arc::clone(&typed)),
        ],
        None,
    );
    let k = group(
        vec![("value", Arc::clone(&none)), ("typed_value", typed)],
        None,
    );
    let fields: ArrayRef = Arc::new(group(vec![("k", Arc::new(k) as ArrayRef)], None));
    let field = group(
        vec![
            ("metadata", names),
            ("value", none),
            ("typed_value", fields),
        ],
        None,
    );
    for (place, column) in [
        ("v.typed_value", root),
        ("v.typed_value.k.typed_value", field),
    ] {
        let columns: Vec<(&str, ArrayRef)> =
            vec![("v", Arc::new(column)), ("w", Arc::new(good.clone()))];
        let (_folder, table) = table_with(columns, WriterProperties::default());
        assert_refused(&table, place, name);
        assert_eq!(table.rows("SELECT w FROM t").len(), rows, "{name}");
    }
}

fn assert_refused(table: &Table, place: &str, name: &str) {
    for sql in [
        "SELECT v FROM t",
        "SELECT v['k'] FROM t",
        "SELECT v['other'] FROM t",
        "SELECT COUNT(*) FROM t WHERE v['k'] IS NULL",
    ] {
        for soft in ["", SOFT] {
            let error = table.failure(&format!("{soft} {sql}"));
            assert!(
                error.contains("unsupported") && error.contains(place),
                "{name} {sql}: {error}"
            );
        }
    }
}

#[test]
fn b03() {
    refuse(Arc::new(UInt32Array::from(vec![None::<u32>; 2])), "UINT_32");
    refuse(Arc::new(UInt8Array::from(vec![None::<u8>; 2])), "UINT_8");
    refuse(Arc::new(UInt16Array::from(vec![None::<u16>; 2])), "UINT_16");
    refuse(Arc::new(UInt64Array::from(vec![Some(7), None])), "UINT_64");
    refuse(
        Arc::new(TimestampMillisecondArray::from(vec![None::<i64>; 2])),
        "TIMESTAMP millis",
    );
    refuse(
        Arc::new(Time64NanosecondArray::from(vec![None::<i64>; 2])),
        "TIME nanos",
    );
    refuse(
        Arc::new(Time32MillisecondArray::from(vec![Some(1), None])),
        "TIME millis",
    );
    let four = [None, Some([1u8, 2, 3, 4])].into_iter();
    let four = FixedSizeBinaryArray::try_from_sparse_iter_with_size(four, 4).unwrap();
    refuse(Arc::new(four), "FIXED(4)");
    let (_folder, path) = leaf_file("int96 typed_value", LeafValues::Int96(vec![]), 2);
    assert_refused(
        &Table::open(&path).unwrap(),
        "v.typed_value.k.typed_value",
        "INT96",
    );
}

/// A decimal of any width that holds it, sign-extended and big-endian.
#[test]
fn b05() {
    let numbers: [i128; 4] = [12345678901234567890, -12345678901234567890, 1, -1];
    let texts = ["12345678901234567890", "-12345678901234567890", "1", "-1"];
    let cut = |number: i128, width: usize| number.to_be_bytes()[16 - width..].to_vec();
    for width in [9, 12, 15, 16] {
        let values = numbers.iter().map(|number| cut(*number, width)).collect();
        let leaf = format!("fixed_len_byte_array({width}) typed_value (DECIMAL(20, 0))");
        check_decimals(&leaf, LeafValues::Fixed(values), &texts);
    }
    let lengths = [9, 16, 1, 3];
    let values = numbers
        .iter()
        .zip(lengths)
        .map(|(number, width)| cut(*number, width))
        .collect();
    check_decimals(
        "binary typed_value (DECIMAL(20, 0))",
        LeafValues::Bytes(values),
        &texts,
    );
    let large = 10_i128.pow(34) - 1;
    for number in [large, -large] {
        let text = number.to_string();
        let value = LeafValues::Fixed(vec![number.to_be_bytes().to_vec()]);
        check_decimals(
            "fixed_len_byte_array(16) typed_value (DECIMAL(38, 0))",
            value,
            &[&text],
        );
        let value = LeafValues::Bytes(vec![cut(number, 15)]);
        check_decimals("binary typed_value (DECIMAL(35, 0))", value, &[&text]);
        let document = format!(r#"{{"k":{text}}}"#);
        let case = Case::of_rows(
            keyed(&[decimal(16, 0, number)]),
            vec![object(&[("k", ArrowType::Decimal128(38, 0))])],
            &[Some(&document)],
        );
        case.text("k", &[Some(&text)]).check();
    }
}

fn check_decimals(leaf: &str, values: LeafValues, texts: &[&str]) {
    let (_folder, path) = leaf_file(leaf, values, texts.len());
    let table = Table::open(&path).unwrap();
    let documents: Vec<_> = texts
        .iter()
        .map(|text| Some(format!(r#"{{"k":{text}}}"#)))
        .collect();
    assert_eq!(table.texts("SELECT v FROM t"), documents, "{leaf}");
    for (row, text) in texts.iter().enumerate() {
        assert_eq!(
            table.count(&format!("SELECT COUNT(*) FROM t WHERE v['k'] = {text}")),
            1,
            "{leaf} {row}"
        );
    }
    let found = table.texts("SELECT CAST(v['k'] AS STRING) FROM t");
    assert_eq!(
        found,
        owned(&texts.iter().map(|text| Some(*text)).collect::<Vec<_>>()),
        "{leaf}"
    );
}

/// The class of a decimal never changes its value, not even where its digits are too many for it.
#[test]
fn b06() {
    let cases: [(usize, u8, i128, &str); 9] = [
        (8, 2, 1234567890, "12345678.90"),
        (4, 2, 1234567890, "12345678.90"),
        (4, 0, 999999999, "999999999"),
        (4, 0, 1000000000, "1000000000"),
        (4, 1, 2000000000, "200000000.0"),
        (8, 0, 999999999999999999, "999999999999999999"),
        (8, 0, 1000000000000000000, "1000000000000000000"),
        (16, 0, -1000000000000000000, "-1000000000000000000"),
        (16, 18, 999999999999999999, "0.999999999999999999"),
    ];
    let rows = keyed(&cases.map(|(width, scale, unscaled, _)| decimal(width, scale, unscaled)));
    let documents = cases.map(|case| format!(r#"{{"k":{}}}"#, case.3));
    let documents: Vec<_> = documents.iter().map(|text| Some(text.as_str())).collect();
    let texts: Vec<_> = cases.iter().map(|case| Some(case.3)).collect();
    let (_folder, table) = table_of(rows);
    assert_eq!(table.texts("SELECT v FROM t"), owned(&documents));
    agree(&table, "v['k']", &owned(&texts), "classes");
}

/// What follows a float lies where it should.
#[test]
fn b08() {
    let float = primitive(14, &1.5f32.to_le_bytes());
    let value = object_bytes(
        &[(0, float), (1, primitive(3, &[2])), (2, string("x"))],
        1,
        1,
    );
    // Header and count, three ids, four offsets, values of 5, 2 and 2 bytes.
    assert_eq!(value.len(), 2 + 3 + 4 + 9);
    let rows = unshredded(&[Some((metadata(&["a", "b", "c"], 1, true), value))]);
    Case::of_rows(
        rows,
        vec![
            object(&[("a", ArrowType::Float32)]),
            object(&[("b", ArrowType::Int8)]),
        ],
        &[Some(r#"{"a":1.5,"b":2,"c":"x"}"#)],
    )
    .text("a", &[Some("1.5")])
    .text("b", &[Some("2")])
    .text("c", &[Some("x")])
    .check();
}

/// Casts of decimals that were extracted are those of a plain column.
#[test]
fn b09() {
    let unscaled: [i128; 6] = [123456, 7000, 99999000, -123500, 1, -999];
    let plain = Decimal128Array::from_iter_values(unscaled)
        .with_precision_and_scale(18, 3)
        .unwrap();
    let rows = keyed(&unscaled.map(|number| decimal(8, 3, number)));
    for (layout, column) in Case::of_rows(
        rows,
        vec![object(&[("k", ArrowType::Decimal128(18, 3))])],
        &[],
    )
    .layouts()
    {
        let columns: Vec<(&str, ArrayRef)> =
            vec![("v", Arc::new(column)), ("d", Arc::new(plain.clone()))];
        let (_folder, table) = table_with(columns, WriterProperties::default());
        table.declare(
            "v",
            &[("k", growler_schema::DataType::BigDecimal { scale: 3 })],
        );
        for target in ["INT", "LONG", "DOUBLE", "BIG_DECIMAL", "STRING", "BOOLEAN"] {
            let cast =
                |source: &str| table.rows(&format!("SELECT CAST({source} AS {target}) FROM t"));
            assert_eq!(cast("v['k']"), cast("d"), "{layout} {target}");
        }
        for test in [
            "= 7",
            "> 7",
            "= 123.456",
            "BETWEEN -123.5 AND 0",
            "<> 0.001",
        ] {
            let count = |source: &str| {
                table.count(&format!("SELECT COUNT(*) FROM t WHERE {source} {test}"))
            };
            assert_eq!(count("v['k']"), count("d"), "{layout} {test}");
        }
    }
}

/// Each file's layout comes from its own footer, bounds or no bounds.
#[test]
fn b11() {
    let case = Case::of_json(
        &[
            Some(r#"{"a":1,"b":"x"}"#),
            Some(r#"{"a":"n/a"}"#),
            Some("{}"),
        ],
        vec![
            object(&[("a", ArrowType::Int64)]),
            object(&[("b", ArrowType::Utf8)]),
            object(&[("a", NOTHING)]),
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let layouts = case.layouts();
    for (at, (_, column)) in layouts.iter().enumerate() {
        let batch = crate::parquet_files::batch(vec![("v", Arc::new(column.clone()) as ArrayRef)]);
        let properties = WriterProperties::builder()
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        write_batches(
            &folder.path().join(format!("{at}.parquet")),
            &[batch],
            properties,
        );
    }
    let table = Table::open(folder.path()).unwrap();
    table.declare("v", &[("a", growler_schema::DataType::Long)]);
    let files = layouts.len() as i64;
    for (test, count) in [
        ("v['a'] = 1", files),
        ("v['b'] = 'x'", files),
        ("v['a'] IS NULL", 2 * files),
        ("v['a'] > 1", 0),
    ] {
        assert_eq!(
            table.count(&format!("SELECT COUNT(*) FROM t WHERE {test}")),
            count,
            "{test}"
        );
    }
    let once = owned(&case.documents);
    assert_eq!(
        table.texts("SELECT v FROM t LIMIT 100"),
        vec![once; layouts.len()].concat()
    );
}

/// A fully shredded object is whole everywhere.
#[test]
fn b12() {
    let documents = [Some(r#"{"a":1,"b":"x"}"#), Some(r#"{"a":2,"b":"y"}"#)];
    let case = Case::of_json(
        &documents,
        vec![object(&[("a", ArrowType::Int64), ("b", ArrowType::Utf8)])],
    )
    .text("a", &[Some("1"), Some("2")])
    .text("b", &[Some("x"), Some("y")]);
    case.check();
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        assert_eq!(
            table.texts("SELECT CAST(v AS STRING) FROM t"),
            owned(&documents),
            "{layout}"
        );
        assert_eq!(
            table.texts("SELECT v FROM t WHERE v['b'] = 'y'"),
            owned(&[documents[1]]),
            "{layout}"
        );
        assert_eq!(
            table.count("SELECT COUNT(*) FROM t WHERE v IS NOT NULL"),
            2,
            "{layout}"
        );
    }
}

/// What the whole document shows, keys find.
#[test]
fn b14() {
    let imei = object(&[("imei", object(&[("d", ArrowType::Utf8)]))]);
    Case::of_json(
        &[Some(r#"{"imei":{"d":"865"}}"#)],
        vec![imei, object(&[("imei", NOTHING)])],
    )
    .text("imei", &[Some(r#"{"d":"865"}"#)])
    .text("imei.d", &[Some("865")])
    .check();
}

/// Binary, time, date and timestamp leaves have the text that residual values have.
#[test]
fn b15() {
    let values = [
        (
            "binary",
            primitive(15, &[3, 0, 0, 0, 1, 2, 0xff]),
            ArrowType::BinaryView,
            "\"AQL/\"",
        ),
        (
            "time",
            primitive(17, &45_234_123_456i64.to_le_bytes()),
            ArrowType::Time64(TimeUnit::Microsecond),
            "\"12:33:54.123456\"",
        ),
        (
            "date",
            primitive(11, &20_194i32.to_le_bytes()),
            ArrowType::Date32,
            "\"2025-04-16\"",
        ),
        (
            "ntz",
            primitive(13, &1_744_806_896_780_000i64.to_le_bytes()),
            ArrowType::Timestamp(TimeUnit::Microsecond, None),
            "\"2025-04-16T12:34:56.780000\"",
        ),
        (
            "tz",
            primitive(12, &1_744_806_896_780_000i64.to_le_bytes()),
            ArrowType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            "\"2025-04-16T12:34:56.780000+00:00\"",
        ),
        (
            "ntz nanos",
            primitive(19, &1_730_982_834_123_456_789i64.to_le_bytes()),
            ArrowType::Timestamp(TimeUnit::Nanosecond, None),
            "\"2024-11-07T12:33:54.123456789\"",
        ),
    ];
    for (name, value, arrow, json) in values {
        let document = format!(r#"{{"k":{json}}}"#);
        let schemas = vec![
            object(&[("k", arrow)]),
            object(&[("k", ArrowType::Boolean)]),
        ];
        let case = Case::of_rows(keyed(&[value]), schemas, &[Some(&document)]);
        let text = json.trim_matches('"');
        case.text("k", &[Some(text)]).check();
        eprintln!("B15 {name} {text}");
    }
    let uuid: Vec<u8> = (0..16).map(|at| at * 17).collect();
    let text = "00112233-4455-6677-8899-aabbccddeeff";
    let (_folder, path) = leaf_file(
        "fixed_len_byte_array(16) typed_value (UUID)",
        LeafValues::Fixed(vec![uuid.clone()]),
        1,
    );
    let shredded = Table::open(&path).unwrap();
    let (_folder, plain) = table_of(keyed(&[primitive(20, &uuid)]));
    for table in [shredded, plain] {
        assert_eq!(
            table.texts("SELECT v FROM t"),
            [Some(format!(r#"{{"k":"{text}"}}"#))]
        );
        agree(&table, "v['k']", &owned(&[Some(text)]), "uuid");
    }
}

/// Timestamps in INT96 or millis are refused, never misread.
#[test]
fn b17() {
    let (_folder, path) = leaf_file(
        "int96 typed_value",
        LeafValues::Int96(vec![[1, 2, 2_457_000]]),
        1,
    );
    assert_refused(
        &Table::open(&path).unwrap(),
        "v.typed_value.k.typed_value",
        "INT96",
    );
    let (_folder, path) = leaf_file(
        "int64 typed_value (TIMESTAMP(MILLIS, true))",
        LeafValues::Int64(vec![1]),
        1,
    );
    assert_refused(
        &Table::open(&path).unwrap(),
        "v.typed_value.k.typed_value",
        "millis",
    );
}

/// Children are found by name: three of them, in any order, and unknown ones beside them.
#[test]
fn b18() {
    let case = Case::of_json(
        &[Some(r#"{"a":1,"b":"x"}"#)],
        vec![object(&[("a", ArrowType::Int64)])],
    );
    let mut tables = Vec::new();
    for (layout, column) in case.layouts() {
        let mut children: Vec<_> = column
            .column_names()
            .into_iter()
            .zip(column.columns().to_vec())
            .collect();
        children.reverse();
        tables.push((layout, table_of(group(children, None))));
    }
    // An annotated group may have children of other names; one that is not is then a struct.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("annotated.parquet");
    let message = "message m { required group v (VARIANT) { optional group typed_value { required group a { \
                   optional binary value; optional int64 typed_value; } } optional int32 extra; \
                   optional binary value; required binary metadata; } }";
    let residual = object_bytes(&[(1, string("x"))], 1, 1);
    let leaves = [
        Leaf {
            values: LeafValues::Bytes(vec![]),
            defs: vec![1],
        },
        Leaf {
            values: LeafValues::Int64(vec![1]),
            defs: vec![2],
        },
        Leaf {
            values: LeafValues::Int32(vec![7]),
            defs: vec![1],
        },
        Leaf {
            values: LeafValues::Bytes(vec![residual]),
            defs: vec![1],
        },
        Leaf {
            values: LeafValues::Bytes(vec![metadata(&["a", "b"], 1, true)]),
            defs: vec![0],
        },
    ];
    write_leaves(&path, message, &leaves, WriterProperties::builder().build());
    let table = Table::open(&path).unwrap();
    tables.push(("annotated".to_owned(), (folder, table)));
    for (layout, (_folder, table)) in &tables {
        assert_eq!(
            table.texts("SELECT v FROM t"),
            owned(&[Some(r#"{"a":1,"b":"x"}"#)]),
            "{layout}"
        );
        assert_eq!(
            table.texts("SELECT v['b'] FROM t"),
            owned(&[Some("x")]),
            "{layout}"
        );
        assert_eq!(
            table.count("SELECT COUNT(*) FROM t WHERE v['a'] = 1"),
            1,
            "{layout}"
        );
    }
}

/// Scales beyond the digits of the class are legal up to 38.
#[test]
fn b20() {
    let small = format!("0.{}1", "0".repeat(37));
    let texts = [
        small.as_str(),
        "0.0000000001",
        "0.00000000000000000001",
        "-0.0000000005",
    ];
    let rows = keyed(&[
        decimal(4, 38, 1),
        decimal(4, 10, 1),
        decimal(8, 20, 1),
        decimal(4, 10, -5),
    ]);
    let documents = texts
        .map(|text| Some(format!(r#"{{"k":{text}}}"#)))
        .to_vec();
    let (_folder, table) = table_of(rows);
    assert_eq!(table.texts("SELECT v FROM t"), documents);
    agree(&table, "v['k']", &owned(&texts.map(Some)), "scales");
    // 39 is none: those bytes decode as nothing.
    let (_folder, table) = table_of(keyed(&[decimal(4, 39, 1), decimal(16, 38, 1)]));
    assert_eq!(
        table.texts("SELECT v FROM t"),
        [None, Some(format!(r#"{{"k":{small}}}"#))]
    );
}

/// Groups of only a typed_value read, with statistics.
#[test]
fn b21() {
    let ints: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
    let only = |typed: ArrayRef| Arc::new(group(vec![("typed_value", typed)], None)) as ArrayRef;
    let offsets = arrow_buffer::OffsetBuffer::new(vec![0, 2, 2, 3].into());
    let element = only(Arc::clone(&ints));
    let item = Arc::new(arrow_schema::Field::new(
        "element",
        element.data_type().clone(),
        false,
    ));
    let lists: ArrayRef = Arc::new(arrow_array::ListArray::new(item, offsets, element, None));
    let fields: ArrayRef = Arc::new(group(vec![("a", only(ints)), ("l", only(lists))], None));
    let names = bytes(&vec![Some(metadata(&["a", "l"], 1, true)); 3]);
    for value in [Some(bytes(&[None, None, None])), None] {
        let mut children = vec![
            ("metadata", Arc::clone(&names)),
            ("typed_value", Arc::clone(&fields)),
        ];
        children.extend(value.map(|value| ("value", value)));
        let (_folder, table) = table_of(group(children, None));
        let documents = [
            r#"{"a":1,"l":[1,null]}"#,
            r#"{"l":[]}"#,
            r#"{"a":3,"l":[3]}"#,
        ];
        assert_eq!(table.texts("SELECT v FROM t"), owned(&documents.map(Some)));
        agree(
            &table,
            "v['a']",
            &owned(&[Some("1"), None, Some("3")]),
            "field",
        );
        agree(
            &table,
            "v['l']",
            &owned(&[Some("[1,null]"), Some("[]"), Some("[3]")]),
            "list",
        );
        assert_eq!(table.count("SELECT COUNT(*) FROM t WHERE v['a'] > 3"), 0);
    }
}
