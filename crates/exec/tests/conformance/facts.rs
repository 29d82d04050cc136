//! What real writers do, each on the writer's own file ("facts a reader must survive").

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType as ArrowType, Field};
use growler_schema::DataType;
use growler_segment::{FooterCache, Segment};
use growler_variant::Metadata;
use growler_variant::shred::{Group, Typed};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Repetition;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::parquet_files::{batch, group, of_json, unshredded, write_batches};
use crate::shared::{data, files, json};
use crate::sql::{Table, key};

const ON: &str = "SET enableNullHandling = true;";

/// Opens a table of the pack; none if there is no pack.
fn pack(name: &str) -> Option<(PathBuf, Table)> {
    let path = data("pack")?.join(name);
    let table = Table::open(&path).unwrap();
    Some((path, table))
}

/// Reads a whole variant column of a file without shredding, as arrays.
fn arrays(path: &Path, column: &str) -> Vec<StructArray> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let batches = builder.build().unwrap();
    batches
        .map(|batch| {
            batch
                .unwrap()
                .column_by_name(column)
                .unwrap()
                .as_struct()
                .clone()
        })
        .collect()
}

/// Whether each dictionary of a file claims an order, and whether it has it, without repeats.
fn dictionaries(path: &Path, column: &str) -> Vec<(bool, bool)> {
    let mut all = Vec::new();
    for array in arrays(path, column) {
        let metadata = array.column_by_name("metadata").unwrap();
        for bytes in metadata.as_binary::<i32>().iter().flatten() {
            let names = Metadata::try_new(bytes).unwrap();
            let listed: Vec<_> = (0..names.len()).map(|id| names.name(id).unwrap()).collect();
            let in_order = listed
                .windows(2)
                .all(|pair| pair[0].as_bytes() < pair[1].as_bytes());
            all.push((names.claims_sorted(), in_order));
        }
    }
    all
}

fn layout(path: &Path, column: &str) -> Group {
    let segment = Segment::open(path, &FooterCache::new(0)).unwrap();
    segment
        .variant_layout(column)
        .unwrap()
        .unwrap()
        .root
        .clone()
}

fn child<'g>(group: &'g Group, name: &str) -> &'g Group {
    let Some(Typed::Object(fields)) = &group.typed else {
        panic!("no object");
    };
    &fields
        .iter()
        .find(|field| field.name == name)
        .unwrap()
        .group
}

#[test]
fn fact_1_keys_in_utf16_order_are_found() {
    for shredding in ["none", "infer", "odd", "typed"] {
        let Some((_, table)) = pack(&format!("spark/unicode_keys__{shredding}.parquet")) else {
            return;
        };
        table.declare(
            "v",
            &[
                ("\u{10348}", DataType::String),
                ("\u{ffff}", DataType::String),
            ],
        );
        for (name, value) in [("\u{10348}", "1"), ("\u{ffff}", "2")] {
            let found = table.texts(&format!("{ON} SELECT {} FROM t", key("v", name)));
            let found: Vec<_> = found.iter().flatten().collect();
            assert_eq!(found, [value], "{shredding} {name}");
            let sql = format!("SELECT COUNT(*) FROM t WHERE {} = {value}", key("v", name));
            assert_eq!(table.count(&sql), 1, "{shredding} {name}");
        }
        // What is written is in byte order, whatever the order read.
        let document = table.texts("SELECT v FROM t").remove(4);
        assert_eq!(
            document.as_deref(),
            Some("{\"z\":3,\"\u{ffff}\":2,\"\u{10348}\":1}")
        );
    }
}

#[test]
fn fact_1_a_sorted_flag_that_lies_hides_no_key() {
    let Some(folder) = data("pack/iceberg_duckdb15/warehouse/analytics/events_variant/data") else {
        return;
    };
    let lies = files(&folder, ".parquet")
        .iter()
        .flat_map(|path| dictionaries(path, "props"))
        .filter(|dictionary| *dictionary == (true, false))
        .count();
    assert!(lies > 0, "the files no longer show it");
    let table = Table::open(&folder).unwrap();
    // Four rows of the seed document and fifty more; deletes are no part of the data files.
    assert_eq!(table.count("SELECT COUNT(*) FROM t"), 54);
    for (test, count) in [
        ("props['device.os'] IS NULL", 0),
        ("props['session'] IS NULL", 0),
        ("props['items'] IS NULL", 50),
        ("props['tags'] IS NOT NULL", 4),
        ("props['user_tier'] = 'gold'", 1),
        ("props['device.os'] = 'ios'", 52),
        (
            "JSON_EXTRACT_SCALAR(props, '$.items[0].promo.code', 'STRING', 'none') = 'P0'",
            2,
        ),
        (
            "JSON_EXTRACT_SCALAR(props['items'], '$[1].promo.code', 'STRING', 'none') = 'P41'",
            1,
        ),
        ("props['latency_ms'] >= 140", 10),
    ] {
        assert_eq!(
            table.count(&format!("SELECT COUNT(*) FROM t WHERE {test}")),
            count,
            "{test}"
        );
    }
    let expected = json(&folder.ancestors().nth(4).unwrap().join("expected.json"));
    let answer = expected.as_array().unwrap().iter().find(|answer| {
        answer["sql"]
            .as_str()
            .is_some_and(|sql| sql.contains("props::json::varchar"))
    });
    for row in answer.unwrap()["result"].as_array().unwrap() {
        let user = row[1].as_str().unwrap();
        let found = table.texts(&format!("SELECT props FROM t WHERE user_id = '{user}'"));
        assert_eq!(found, [row[2].as_str().map(str::to_owned)], "{user}");
    }
}

#[test]
fn fact_1_a_name_with_several_ids_is_one_key() {
    let mut repeats = 0;
    for shredding in ["typed", "none", "infer", "noarr"] {
        let Some((path, table)) = pack(&format!("duckdb/seed4_{shredding}.parquet")) else {
            return;
        };
        for array in arrays(&path, "props") {
            let metadata = array
                .column_by_name("metadata")
                .unwrap()
                .as_binary::<i32>()
                .clone();
            for bytes in metadata.iter().flatten() {
                let names = Metadata::try_new(bytes).unwrap();
                let many = |id| {
                    names
                        .name(id)
                        .is_ok_and(|name| names.ids_of(name).count() > 1)
                };
                repeats += usize::from((0..names.len()).any(many));
            }
        }
        let sql = "SELECT COUNT(*) FROM t WHERE JSON_EXTRACT_SCALAR(props, '$.items[0].promo.code', 'STRING', 'none')";
        assert_eq!(table.count(&format!("{sql} = 'P0'")), 2, "{shredding}");
        assert_eq!(table.count(&format!("{sql} = 'P10'")), 1, "{shredding}");
    }
    assert!(repeats > 0, "the files no longer show it");
}

#[test]
fn fact_2_integers_left_in_the_residual_are_the_keys_values() {
    for (name, column, key, values) in [
        (
            "duckdb/seed4_typed",
            "props",
            "latency_ms",
            [Some("100"), Some("110"), None, None],
        ),
        (
            "duckdb/seed4_bigint",
            "props",
            "latency_ms",
            [Some("100"), Some("110"), None, None],
        ),
        (
            "duckdb/type_conflict__int",
            "v",
            "k",
            [Some("1"), None, None, None],
        ),
    ] {
        let Some((path, table)) = pack(&format!("{name}.parquet")) else {
            return;
        };
        // The typed column is all null.
        for array in arrays(&path, column) {
            let typed = array.column_by_name("typed_value").unwrap().as_struct();
            let field = typed.column_by_name(key).unwrap().as_struct();
            let leaf = field.column_by_name("typed_value").unwrap();
            assert_eq!(
                leaf.null_count(),
                leaf.len(),
                "{name}: the file no longer shows it"
            );
        }
        let key = self::key(column, key);
        let mut found = table.texts(&format!("{ON} SELECT {key} FROM t"));
        found.truncate(4);
        assert_eq!(
            found,
            values.map(|value| value.map(str::to_owned)),
            "{name}"
        );
        let first = values[0].unwrap();
        let sql = format!("SELECT COUNT(*) FROM t WHERE {key} = {first}");
        assert_eq!(
            table.count(&sql),
            1,
            "{name}: no statistics of the typed column may hide it"
        );
    }
}

#[test]
fn fact_3_numbers_in_another_width_or_type_are_the_same_numbers() {
    // Spark writes 100 as an int8; the key's type is that of the typed column, or declared.
    for layout in ["none", "typed", "bigint", "infer", "partial"] {
        let Some((_, table)) = pack(&format!("spark/seed4_{layout}.parquet")) else {
            return;
        };
        for data_type in [DataType::Int, DataType::Long, DataType::Double] {
            table.declare("props", &[("latency_ms", data_type)]);
            let sql = "SELECT COUNT(*) FROM t WHERE props['latency_ms'] IN (100, 110)";
            assert_eq!(table.count(sql), 2, "{layout} {data_type:?}");
            let sql = format!("{ON} SELECT MAX(props['latency_ms']) FROM t");
            assert_eq!(
                table.rows(&sql)[0][0].as_f64(),
                Some(110.0),
                "{layout} {data_type:?}"
            );
        }
    }
    // Integers went into a decimal column, decimals into an integer one: the same text comes back.
    for layout in ["none", "bigint", "dec18", "dec38", "double"] {
        let Some((_, table)) = pack(&format!("spark/numbers__{layout}.parquet")) else {
            return;
        };
        for (number, count) in [("128", 1), ("100", 2), ("40000", 1), ("-1", 1), ("0", 2)] {
            let sql = format!("{ON} SELECT COUNT(*) FROM t WHERE v['n'] = {number}");
            assert_eq!(table.count(&sql), count, "{layout} {number}");
        }
    }
}

#[test]
fn fact_4_groups_of_only_a_value_and_required_values_read() {
    let mut only_value = 0;
    for name in [
        "missing_null__infer",
        "same_keys__infer",
        "prim__infer",
        "arrays__infer",
        "arrays__variantelem",
    ] {
        let Some((path, table)) = pack(&format!("spark/{name}.parquet")) else {
            return;
        };
        let expected = json(&path.with_extension("expected.json"));
        if let Some(Typed::Object(fields)) = &layout(&path, "v").typed {
            for field in fields.iter().filter(|field| field.group.typed.is_none()) {
                only_value += 1;
                let rows = expected["rows"].as_array().unwrap();
                let document = |row: &serde_json::Value| {
                    serde_json::from_str::<serde_json::Value>(
                        row["json"].as_str().unwrap_or("null"),
                    )
                    .unwrap()
                };
                let missing = rows.iter().filter(|row| {
                    document(row)
                        .get(&field.name)
                        .is_none_or(serde_json::Value::is_null)
                });
                let sql = format!(
                    "SELECT COUNT(*) FROM t WHERE {} IS NULL",
                    key("v", &field.name)
                );
                assert_eq!(
                    table.count(&sql),
                    missing.count() as i64,
                    "{name} {}",
                    field.name
                );
            }
        }
    }
    assert!(only_value > 0, "the files no longer show it");
    // Elements whose value is required, unshredded groups whose value comes first.
    let Some((path, table)) = pack("spark/arrays__variantelem.parquet") else {
        return;
    };
    let root = layout(&path, "v");
    let Some(Typed::List(element)) = &child(&root, "t").typed else {
        panic!("no list");
    };
    assert!(element.typed.is_none() && element.value.is_some());
    let found = table.texts("SELECT v['m'] FROM t").remove(0);
    assert_eq!(found.as_deref(), Some(r#"[1,"two",null,{"k":3},[4]]"#));
    let Some((path, table)) = pack("spark/seed4_none.parquet") else {
        return;
    };
    let names: Vec<_> = arrays(&path, "props")[0]
        .column_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(names, ["value", "metadata"], "the file no longer shows it");
    assert_eq!(
        table.count("SELECT COUNT(*) FROM t WHERE props['user_tier'] = 'gold'"),
        1
    );
}

#[test]
fn fact_5_optional_field_groups_and_groups_without_a_value_read() {
    let Some(folder) = data("pack/iceberg_duckdb15/warehouse/analytics/events_variant/data") else {
        return;
    };
    let mut optional = 0;
    for path in files(&folder, ".parquet") {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        let props = schema
            .root_schema()
            .get_fields()
            .iter()
            .find(|f| f.name() == "props")
            .cloned();
        let typed = props.unwrap();
        let typed = typed
            .get_fields()
            .iter()
            .find(|field| field.name() == "typed_value")
            .cloned();
        let fields = typed.iter().flat_map(|typed| typed.get_fields().to_vec());
        optional += fields
            .filter(|f| f.get_basic_info().repetition() == Repetition::OPTIONAL)
            .count();
    }
    assert!(optional > 0, "the files no longer show it");
    let table = Table::open(&folder).unwrap();
    assert_eq!(
        table.count("SELECT COUNT(*) FROM t WHERE props['page_type'] IS NOT NULL"),
        54
    );
    assert_eq!(
        table.count("SELECT COUNT(*) FROM t WHERE props['user_tier'] IS NULL"),
        53
    );
    let Some(corpus) = data("parquet-testing/shredded_variant") else {
        return;
    };
    for (case, document) in [
        ("case-084-INVALID", r#"{"a":34,"b":"iceberg"}"#),
        ("case-132", r#"{"b":"iceberg"}"#),
        ("case-138", r#"{"a":1234,"b":"iceberg"}"#),
    ] {
        let table = Table::open(&corpus.join(format!("{case}.parquet"))).unwrap();
        assert_eq!(
            table.texts("SELECT var FROM t"),
            [Some(document.to_owned())],
            "{case}"
        );
        let sql = "SELECT COUNT(*) FROM t WHERE var['b'] = 'iceberg' AND var['c'] IS NULL";
        assert_eq!(table.count(sql), 1, "{case}");
    }
}

#[test]
fn fact_6_a_variant_null_is_no_sql_null() {
    for shredding in ["none", "infer", "object"] {
        let Some((_, table)) = pack(&format!("spark/roots__{shredding}.parquet")) else {
            return;
        };
        // Row 9 is SQL NULL, row 5 a variant null: a root like any other that is no object.
        assert_eq!(
            table.texts("SELECT v FROM t WHERE id = 9"),
            [None],
            "{shredding}"
        );
        let error = table.failure("SELECT v FROM t WHERE id = 5");
        let message = "VARIANT column v has a non-object root at docId 5 (null";
        assert!(error.contains(message), "{shredding}: {error}");
    }
}

/// Variants in a struct, a list and a map, some of them null.
#[test]
fn fact_7_variants_inside_structs_lists_and_maps_read() {
    let variants = of_json(&[
        Some(r#"{"k":1}"#),
        None,
        Some("[1,null]"),
        Some("null"),
        Some(r#""x""#),
    ]);
    let shredded = parquet_variant_compute::VariantArray::try_new(&variants).unwrap();
    let schema = crate::layouts::object(&[("k", ArrowType::Int64)]);
    let shredded = parquet_variant_compute::shred_variant(&shredded, &schema)
        .unwrap()
        .into_inner();
    for (name, variants) in [("unshredded", variants), ("shredded", shredded)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nested.parquet");
        let inner: ArrayRef = Arc::new(variants);
        let five = [true, true, false, true, true];
        let structs = group(
            vec![("v", Arc::clone(&inner)), ("w", Arc::clone(&inner))],
            Some(five.to_vec()),
        );
        let item = Arc::new(Field::new("element", inner.data_type().clone(), true));
        let offsets = OffsetBuffer::new(vec![0, 2, 2, 4, 4, 5].into());
        let lists = ListArray::new(
            item,
            offsets.clone(),
            Arc::clone(&inner),
            Some(vec![true, true, true, false, true].into()),
        );
        let keys: ArrayRef = Arc::new(arrow_array::StringArray::from(vec![
            "a", "b", "c", "d", "e",
        ]));
        let entries = vec![
            Arc::new(Field::new("key", ArrowType::Utf8, false)),
            Arc::new(Field::new("value", inner.data_type().clone(), true)),
        ];
        let entries = StructArray::new(entries.into(), vec![keys, inner], None);
        let field = Arc::new(Field::new("key_value", entries.data_type().clone(), false));
        let maps = MapArray::new(
            field,
            offsets,
            entries,
            Some(vec![true, true, true, false, true].into()),
            false,
        );
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("s", Arc::new(structs)),
            ("l", Arc::new(lists)),
            ("m", Arc::new(maps)),
        ];
        write_batches(&path, &[batch(columns)], WriterProperties::default());
        let table = Table::open(&path).unwrap();
        let text = |texts: [Option<&str>; 5]| texts.map(|text| text.map(str::to_owned));
        assert_eq!(
            table.texts("SET enableNullHandling = true; SELECT s FROM t"),
            text([
                Some(r#"{"v":{"k":1},"w":{"k":1}}"#),
                Some(r#"{"v":null,"w":null}"#),
                None,
                Some(r#"{"v":null,"w":null}"#),
                Some(r#"{"v":"x","w":"x"}"#),
            ]),
            "{name}"
        );
        assert_eq!(
            table.texts("SET enableNullHandling = true; SELECT l FROM t"),
            text([
                Some(r#"[{"k":1},null]"#),
                Some("[]"),
                Some("[[1,null],null]"),
                None,
                Some(r#"["x"]"#)
            ]),
            "{name}"
        );
        assert_eq!(
            table.texts("SET enableNullHandling = true; SELECT m FROM t"),
            text([
                Some(r#"{"a":{"k":1},"b":null}"#),
                Some("{}"),
                Some(r#"{"c":[1,null],"d":null}"#),
                None,
                Some(r#"{"e":"x"}"#),
            ]),
            "{name}"
        );
    }
}

#[test]
fn fact_8_keys_that_differ_by_case_are_two_keys() {
    for writer in [
        "spark/unicode_keys__none",
        "spark/unicode_keys__infer",
        "spark/unicode_keys__odd",
        "spark/unicode_keys__typed",
        "arrowrs/unicode_keys__typed-0",
    ] {
        let Some((_, table)) = pack(&format!("{writer}.parquet")) else {
            return;
        };
        let column = table
            .view()
            .schema()
            .fields()
            .iter()
            .find(|field| field.column_type.data_type == DataType::OpenStruct);
        let column = column.unwrap().name.clone();
        for (name, value) in [("A", "upper"), ("a", "lower"), ("Á", "acc")] {
            let found = table.texts(&format!("{ON} SELECT {} FROM t", key(&column, name)));
            let found: Vec<_> = found.iter().flatten().map(String::as_str).collect();
            assert_eq!(found, [value], "{writer} {name}");
        }
    }
}

#[test]
fn fact_9_groups_without_the_annotation_are_variants() {
    for (unannotated, annotated) in [
        ("seed4_none_unannotated", "seed4_none"),
        ("seed4_typed_unannotated", "seed4_typed"),
    ] {
        let (Some((_, found)), Some((_, expected))) = (
            pack(&format!("spark/{unannotated}.parquet")),
            pack(&format!("spark/{annotated}.parquet")),
        ) else {
            return;
        };
        for sql in [
            "SELECT props FROM t",
            "SELECT props['latency_ms'], props['device.os'], props['session'] FROM t",
            "SELECT props['page_type'], COUNT(*) FROM t GROUP BY 1 ORDER BY 1",
        ] {
            assert_eq!(found.rows(sql), expected.rows(sql), "{unannotated}: {sql}");
        }
    }
    // Names alone are not enough.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.parquet");
    let plain = group(
        vec![
            ("metadata", crate::parquet_files::ids(1)),
            ("value", crate::parquet_files::ids(1)),
        ],
        None,
    );
    let variant = unshredded(&[Some((vec![1, 0, 0], vec![2, 0, 0]))]);
    let columns: Vec<(&str, ArrayRef)> = vec![("plain", Arc::new(plain)), ("v", Arc::new(variant))];
    write_batches(&path, &[batch(columns)], WriterProperties::default());
    let table = Table::open(&path).unwrap();
    assert_eq!(
        table.texts("SELECT plain FROM t"),
        [Some(r#"{"metadata":0,"value":0}"#.to_owned())]
    );
    assert_eq!(table.texts("SELECT v FROM t"), [Some("{}".to_owned())]);
}
