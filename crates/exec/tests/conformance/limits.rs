//! The promised limits, exactly, on files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{ArrayRef, Int32Array, StructArray};
use growler_base::RowRanges;
use growler_schema::DataType;
use growler_segment::{FooterCache, KeyOutput, KeyPath, NonObjectRoot, ReadOptions, Segment};
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

use crate::bytes::{int, list, metadata, object, primitive, string};
use crate::layouts::{self, Case, NOTHING};
use crate::parquet_files::{
    Cut, Row, batch, bytes, group, ids, of_json, unshredded, write, write_batches,
};
use crate::shared::data;
use crate::sql::Table;

const ON: &str = "SET enableNullHandling = true;";
const SOFT: &str = "SET variantNonObjectRoot = 'null';";

fn file(column: StructArray) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.parquet");
    write(&path, &[column], Cut::default());
    (folder, path)
}

fn table(column: StructArray) -> (TempDir, Table) {
    let (folder, path) = file(column);
    (folder, Table::open(&path).unwrap())
}

fn malformed(name: &str) -> Option<(PathBuf, Table)> {
    let path = data("pack/malformed")?.join(format!("{name}.parquet"));
    let table = Table::open(&path).unwrap();
    Some((path, table))
}

fn owned(texts: &[Option<&str>]) -> Vec<Option<String>> {
    texts.iter().map(|text| text.map(str::to_owned)).collect()
}

#[test]
fn only_object_roots_are_read() {
    for (root, found) in [
        ("[1]", "array"),
        ("[]", "array"),
        ("null", "null"),
        ("5", "int,"),
        ("true", "boolean"),
        (r#""x""#, "string"),
    ] {
        let rows = of_json(&[Some(r#"{"a":1}"#), None, Some("{}"), Some(root), Some("7")]);
        let case = Case::of_rows(rows, layout_schemas(), &[]);
        for (layout, column) in case.layouts() {
            let (_folder, table) = table(column);
            table.declare("v", &[("a", DataType::Long)]);
            let key = format!("{ON} SELECT COUNT(*) FROM t WHERE v['a'] = 1");
            for sql in [
                "SELECT v FROM t",
                "SELECT v['a'] FROM t",
                "SELECT v['zz'] FROM t",
                "SELECT v['a.b'] FROM t",
                "SELECT JSON_EXTRACT_SCALAR(v, '$.a', 'STRING', 'none') FROM t",
                &key,
                "SELECT v['a'], COUNT(*) FROM t GROUP BY 1",
                "SELECT COUNT(*) FROM t WHERE v['a'] IS NULL",
            ] {
                let error = table.failure(sql);
                let message = format!("VARIANT column v has a non-object root at docId 3 ({found}");
                let end = "; OPEN_STRUCT can only represent an object root";
                assert!(
                    error.contains(&message) && error.ends_with(end),
                    "{root} {layout} {sql}: {error}"
                );
                if !sql.contains("JSON_EXTRACT") && !sql.contains("GROUP") {
                    table.rows(&format!("{SOFT} {sql}"));
                }
            }
            let documents = table.texts(&format!("{SOFT} SELECT v FROM t"));
            assert_eq!(
                documents,
                owned(&[Some(r#"{"a":1}"#), None, Some("{}"), None, None]),
                "{layout}"
            );
            assert_eq!(
                table.count(&format!(
                    "{SOFT} SELECT COUNT(*) FROM t WHERE v['a'] IS NULL"
                )),
                4
            );
        }
    }
}

/// A refused root has one name, whether it lies in the residual or in a typed column.
#[test]
fn refused_roots_are_named_alike_in_every_layout() {
    use arrow_schema::DataType::{Int64, Timestamp};
    let micros = arrow_schema::TimeUnit::Microsecond;
    let cases = [
        (int(5), Int64, "int"),
        (primitive(3, &[5]), Int64, "int"),
        (
            primitive(13, &[0; 8]),
            Timestamp(micros, None),
            "timestamp_ntz",
        ),
        (
            primitive(12, &[0; 8]),
            Timestamp(micros, Some("UTC".into())),
            "timestamp",
        ),
    ];
    for (value, schema, name) in cases {
        let rows = unshredded(&[Some((metadata(&[], 1, true), value))]);
        for (layout, column) in Case::of_rows(rows, vec![schema], &[]).layouts() {
            let (_folder, table) = table(column);
            for sql in ["SELECT v FROM t", "SELECT v['a'] FROM t"] {
                let error = table.failure(sql);
                let expected = format!("has a non-object root at docId 0 ({name},");
                assert!(error.contains(&expected), "{layout} {sql}: {error}");
            }
        }
    }
}

/// A value that is no number is below every number, also below those that no double is.
#[test]
fn text_keys_are_below_all_numbers() {
    let (_folder, table) = table(of_json(&[
        Some(r#"{"a":"x"}"#),
        Some(r#"{"a":9007199254740993}"#),
        Some("{}"),
    ]));
    for (filter, expected) in [
        ("v['a'] > -9007199254740993", 1),
        ("v['a'] > -3", 1),
        ("v['a'] < -9007199254740993", 2),
        ("v['a'] < -3", 2),
    ] {
        let sql = format!("SELECT COUNT(*) FROM t WHERE {filter}");
        assert_eq!(table.count(&sql), expected, "{filter}");
        assert_eq!(
            table.count(&format!("{ON} {sql}")),
            expected % 2,
            "{filter}"
        );
    }
}

/// NaN is unequal to every number and in no range, also among numbers that no double is.
#[test]
fn not_a_number_is_unequal_to_all_numbers() {
    let nan = object(&[(0, primitive(7, &f64::NAN.to_le_bytes()))], 1, 1);
    let rows = unshredded(&[Some((metadata(&["a"], 1, true), nan))]);
    let (_folder, table) = table(rows);
    for literal in ["3", "9007199254740993", "-9007199254740993"] {
        for (operator, expected) in [("<>", 1), ("=", 0), ("<", 0), (">", 0), (">=", 0)] {
            let filter = format!("v['a'] {operator} {literal}");
            let sql = format!("{ON} SELECT COUNT(*) FROM t WHERE {filter}");
            assert_eq!(table.count(&sql), expected, "{filter}");
        }
    }
}

fn layout_schemas() -> Vec<arrow_schema::DataType> {
    use arrow_schema::DataType::{Int64, Utf8};
    vec![
        layouts::object(&[("a", Int64)]),
        layouts::object(&[("a", NOTHING), ("b", Utf8)]),
        layouts::object(&[("b", Utf8)]),
    ]
}

/// Counts warnings.
struct Warnings(Arc<AtomicUsize>);

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Reads a key and documents of every row twice; returns counted rows and warnings.
fn read_twice(path: &Path) -> (u64, usize) {
    let warnings = Arc::new(AtomicUsize::new(0));
    let segment = tracing::subscriber::with_default(Warnings(Arc::clone(&warnings)), || {
        let segment = Segment::open(path, &FooterCache::new(0)).unwrap();
        let fields = segment.fields().unwrap();
        let field = fields.iter().find(|field| field.name == "v").unwrap();
        let key = KeyPath::parse("b").unwrap();
        let key = segment
            .bind_key(field, &key, KeyOutput::Json, NonObjectRoot::Fail)
            .unwrap();
        for _ in 0..2 {
            for (row_group, rows) in segment.row_groups() {
                let all = RowRanges::all(rows.row_count);
                let read = segment.read(
                    row_group,
                    std::slice::from_ref(&key),
                    &all,
                    &ReadOptions { batch_rows: 2 },
                );
                read.unwrap().for_each(|batch| drop(batch.unwrap()));
            }
        }
        segment
    });
    (segment.malformed_rows(), warnings.load(Ordering::Relaxed))
}

#[test]
fn malformed_bytes_are_absent_counted_and_logged_once() {
    let names = metadata(&["a", "b"], 1, true);
    let good = object(&[(1, string("ok"))], 1, 1);
    let row = |value: &[u8]| Some((names.clone(), value.to_vec()));
    let rows: Vec<Row> = vec![
        row(&good),
        row(&[0x02, 0x05, 0x00]),
        row(&[0xff, 0xff, 0xff]),
        row(&[]),
        Some((vec![0x11, 0x05], good.clone())),
        row(&good),
    ];
    let (_folder, path) = file(unshredded(&rows));
    // Four rows, counted in each of two reads, logged in the first.
    assert_eq!(read_twice(&path), (8, 1));
    let table = Table::open(&path).unwrap();
    let document = Some(r#"{"b":"ok"}"#);
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[document, None, None, None, None, document])
    );
    let values = owned(&[Some("ok"), None, None, None, None, Some("ok")]);
    layouts::agree(&table, "v['b']", &values, "malformed");
}

#[test]
fn malformed_files_of_the_pack_read_as_absent_beside_good_rows() {
    let Some((path, table)) = malformed("malformed_value_bytes") else {
        return;
    };
    // Rows 1 to 3 have residuals that do not decode; key a has a column of its own.
    assert_eq!(read_twice(&path), (6, 1));
    assert_eq!(
        table.texts("SELECT v['a'] FROM t"),
        owned(&[Some("1"), Some("2"), Some("3"), Some("4"), Some("5")])
    );
    layouts::agree(
        &table,
        "v['b']",
        &owned(&[Some("x"), None, None, None, Some("ok")]),
        "residual",
    );
    let documents = owned(&[
        Some(r#"{"a":1,"b":"x"}"#),
        None,
        None,
        None,
        Some(r#"{"a":5,"b":"ok"}"#),
    ]);
    assert_eq!(table.texts("SELECT v FROM t"), documents);

    let (_, table) = malformed("malformed_metadata").unwrap();
    layouts::agree(
        &table,
        "v['b']",
        &owned(&[None, None, None, Some("fine")]),
        "metadata",
    );
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[None, None, None, Some(r#"{"b":"fine"}"#)])
    );

    let (_, table) = malformed("field_id_out_of_range").unwrap();
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[None, Some(r#"{"a":1}"#)])
    );
    layouts::agree(&table, "v['b']", &owned(&[None, None]), "field id");

    let (_, table) = malformed("offset_out_of_range").unwrap();
    assert_eq!(table.texts("SELECT v FROM t"), owned(&[None, None]));
    layouts::agree(&table, "v['a']", &owned(&[None, None]), "offset");

    // The root of row 0 is of a type that does not exist: it cannot be told from damage.
    let (_, table) = malformed("unknown_primitive_type").unwrap();
    assert_eq!(table.texts("SELECT v FROM t"), owned(&[None, None]));
    // A sibling that offsets reach stays readable.
    layouts::agree(&table, "v['b']", &owned(&[None, Some("x")]), "unknown type");

    let (_, table) = malformed("both_null").unwrap();
    let error = table.failure("SELECT v FROM t");
    assert!(
        error.contains("VARIANT column v has a non-object root at docId 1 (null"),
        "{error}"
    );
    assert_eq!(
        table.texts(&format!("{SOFT} SELECT v['a'] FROM t")),
        owned(&[Some("1"), None, Some("3")])
    );

    let (_, table) = malformed("nested_arrays_3000").unwrap();
    let found = table.try_rows("SELECT v FROM t");
    assert!(
        found
            .as_ref()
            .is_err_and(|e| e.contains("non-object root at docId 0 (array")),
        "{found:?}"
    );

    let (_, table) = malformed("iceberg_1_10_2_corrupt_residual").unwrap();
    assert_eq!(table.count("SELECT COUNT(*) FROM t"), 4);
    let column = table
        .view()
        .schema()
        .fields()
        .iter()
        .find(|f| f.column_type.data_type == DataType::OpenStruct);
    let column = column.unwrap().name.clone();
    let keys =
        format!("SELECT COUNT(*) FROM t WHERE {column}['page_type'] IN ('HOME', 'SEARCH', 'CART')");
    assert_eq!(table.count(&keys), 4);
    assert_eq!(
        table.count(&format!(
            "SELECT COUNT(*) FROM t WHERE {column}['session'] IS NULL"
        )),
        4
    );
}

#[test]
fn a_scalar_that_contradicts_itself_fails_with_its_row() {
    const TEXT: &str = "VARIANT key has both a typed value and a residual at docId 1, which the \
                        shredding spec allows only for an object.";
    let mut tables = Vec::new();
    tables.extend(malformed("contradictory_scalar_in_key").map(|(_, table)| (None, table)));
    let a = group(
        vec![
            ("value", bytes(&[None, Some(int(2)), None])),
            ("typed_value", Arc::new(Int32Array::from(vec![1, 2, 3]))),
        ],
        None,
    );
    let typed = group(vec![("a", Arc::new(a) as ArrayRef)], None);
    let names = bytes(&vec![Some(metadata(&["a"], 1, true)); 3]);
    let column = group(
        vec![
            ("metadata", names),
            ("value", bytes(&[None, None, None])),
            ("typed_value", Arc::new(typed)),
        ],
        None,
    );
    let (folder, generated) = table(column);
    tables.push((Some(folder), generated));
    for (_folder, table) in tables {
        for sql in [
            "SELECT v FROM t",
            "SELECT v['a'] FROM t",
            "SELECT COUNT(*) FROM t WHERE v['a'] = 1",
            "SELECT COUNT(*) FROM t WHERE v['a'] IS NULL",
            "SELECT v['a'], COUNT(*) FROM t GROUP BY 1",
            "SET enableNullHandling = true; SELECT COUNT(v['a']) FROM t",
            "SELECT JSON_EXTRACT_SCALAR(v, '$.a', 'STRING', 'none') FROM t",
        ] {
            assert!(
                table.failure(sql).ends_with(TEXT),
                "{sql}: {}",
                table.failure(sql)
            );
        }
        // Another key is not concerned.
        assert_eq!(
            table.count("SELECT COUNT(*) FROM t WHERE v['b'] IS NULL"),
            3
        );
    }
}

#[test]
fn drifted_values_are_null_unless_they_convert_without_loss_and_stay_in_the_document() {
    let documents = [
        r#"{"k":100}"#,
        r#"{"k":"100"}"#,
        r#"{"k":7.0}"#,
        r#"{"k":7.5}"#,
        r#"{"k":true}"#,
        r#"{"k":[1]}"#,
        r#"{"k":{"x":1}}"#,
        r#"{"k":3000000000}"#,
        r#"{"k":-1}"#,
        r#"{"k":null}"#,
    ];
    let some = documents.map(Some);
    use arrow_schema::DataType::{Boolean, Float64, Utf8};
    let schemas = vec![
        layouts::object(&[("k", Utf8)]),
        layouts::object(&[("k", NOTHING)]),
        layouts::object(&[("z", Float64), ("y", Boolean)]),
    ];
    Case::of_json(&some, schemas)
        .typed(
            "k",
            DataType::Int,
            &[
                Some("100"),
                None,
                Some("7"),
                None,
                None,
                None,
                None,
                None,
                Some("-1"),
                None,
            ],
        )
        .check();
    let long = [
        Some("100"),
        None,
        Some("7"),
        None,
        None,
        None,
        None,
        Some("3000000000"),
        Some("-1"),
        None,
    ];
    let schemas = vec![layouts::object(&[("k", NOTHING)])];
    Case::of_json(&some, schemas.clone())
        .typed("k", DataType::Long, &long)
        .check();
    let double = [
        Some("100.0"),
        None,
        Some("7.0"),
        Some("7.5"),
        None,
        None,
        None,
        Some("3000000000.0"),
        Some("-1.0"),
        None,
    ];
    Case::of_json(&some, schemas.clone())
        .typed("k", DataType::Double, &double)
        .check();
    let boolean = [
        None,
        None,
        None,
        None,
        Some("true"),
        None,
        None,
        None,
        None,
        None,
    ];
    Case::of_json(&some, schemas)
        .typed("k", DataType::Boolean, &boolean)
        .check();
}

#[test]
fn arrays_are_json_text_and_an_empty_one_is_a_value() {
    use arrow_schema::DataType::{Int64, Utf8};
    let documents = [
        Some(r#"{"tags":["a","b"]}"#),
        Some(r#"{"tags":[]}"#),
        Some("{}"),
        Some(r#"{"tags":[{"os":"x"},null,[1]]}"#),
        Some(r#"{"tags":null}"#),
        None,
    ];
    let schemas = vec![
        layouts::object(&[("tags", layouts::list(Utf8))]),
        layouts::object(&[("tags", layouts::list(layouts::object(&[("os", Utf8)])))]),
        layouts::object(&[("tags", Int64)]),
        layouts::object(&[("tags", NOTHING)]),
    ];
    let tags = [
        Some(r#"["a","b"]"#),
        Some("[]"),
        None,
        Some(r#"[{"os":"x"},null,[1]]"#),
        None,
        None,
    ];
    Case::of_json(&documents, schemas.clone())
        .text("tags", &tags)
        // A dotted path never steps into an array.
        .text("tags.os", &[None; 6])
        .text("tags.0", &[None; 6])
        .check();
    for (layout, column) in Case::of_json(&documents, schemas).layouts() {
        let (_folder, table) = table(column);
        table.declare("v", &[("tags", DataType::String)]);
        for (test, count) in [
            ("v['tags'] = '[]'", 1),
            ("v['tags.os'] = 'x'", 0),
            ("v['tags.os'] IS NULL", 6),
            (
                "JSON_EXTRACT_SCALAR(v['tags'], '$[1]', 'STRING', 'none') = 'b'",
                1,
            ),
            (
                "JSON_EXTRACT_SCALAR(v, '$.tags[0].os', 'STRING', 'none') = 'x'",
                1,
            ),
        ] {
            assert_eq!(
                table.count(&format!("SELECT COUNT(*) FROM t WHERE {test}")),
                count,
                "{layout}: {test}"
            );
        }
    }
}

#[test]
fn a_json_null_is_null_for_a_key_but_kept_in_the_document() {
    let documents = [
        Some(r#"{"k":null,"o":{"k":null}}"#),
        Some(r#"{"o":{}}"#),
        Some(r#"{"k":"null","o":null}"#),
    ];
    use arrow_schema::DataType::{Int64, Utf8};
    let schemas = vec![
        layouts::object(&[("k", Utf8), ("o", layouts::object(&[("k", Int64)]))]),
        layouts::object(&[("k", NOTHING), ("o", NOTHING)]),
        layouts::object(&[("o", layouts::object(&[("z", Int64)]))]),
    ];
    Case::of_json(&documents, schemas)
        .text("k", &[None, None, Some("null")])
        .text("o", &[Some(r#"{"k":null}"#), Some("{}"), None])
        .text("o.k", &[None, None, None])
        .check();
}

#[test]
fn a_missing_key_that_no_file_types_reads_as_the_text_null() {
    let (_folder, table) = table(of_json(&[
        Some("{}"),
        Some(r#"{"k":"x"}"#),
        Some(r#"{"k":"null"}"#),
    ]));
    assert_eq!(
        table.texts("SELECT v['k'] FROM t"),
        owned(&[Some("null"), Some("x"), Some("null")])
    );
    assert_eq!(
        table.count("SELECT COUNT(*) FROM t WHERE v['k'] = 'null'"),
        2
    );
    assert_eq!(
        table.count("SELECT COUNT(*) FROM t WHERE v['k'] IS NULL"),
        1
    );
    assert_eq!(
        table.count("SELECT COUNT(*) FROM t WHERE v['no'] = 'null'"),
        0
    );
    assert_eq!(
        table.count("SELECT COUNT(*) FROM t WHERE v['no'] <> 'x'"),
        3
    );
    assert_eq!(
        table.count(&format!("{ON} SELECT COUNT(*) FROM t WHERE v['no'] <> 'x'")),
        0
    );
    let error = table.failure("SELECT COUNT(*) FROM t WHERE JSON_MATCH(v, '\"$.k\" = ''x''')");
    assert!(
        error.ends_with("Cannot apply JSON_MATCH on column: v without json index"),
        "{error}"
    );
}

#[test]
fn a_second_variant_column_has_limits_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.parquet");
    let names = metadata(&[], 1, false);
    let bad = unshredded(&[
        Some((names.clone(), list(&[], 1))),
        Some((names, vec![2, 0, 0])),
    ]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("v", Arc::new(of_json(&[Some("{}"), Some(r#"{"a":1}"#)]))),
        ("w", Arc::new(bad)),
        ("id", ids(2)),
    ];
    write_batches(&path, &[batch(columns)], WriterProperties::default());
    let table = Table::open(&path).unwrap();
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[Some("{}"), Some(r#"{"a":1}"#)])
    );
    assert!(
        table
            .failure("SELECT w FROM t")
            .contains("VARIANT column w has a non-object root at docId 0 (array")
    );
    // Rows that a filter leaves out are not read.
    assert_eq!(
        table.texts("SELECT w FROM t WHERE id = 1"),
        owned(&[Some("{}")])
    );
}
