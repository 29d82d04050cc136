//! Bug reports of group L, with F12 and I06, and tests T53 and T54: deletes, partitions, pruning.

use apache_avro::types::Value as Avro;
use arrow_array::{ArrayRef, Int32Array, Int64Array, StringArray, StructArray};
use serde_json::{Value, json};

use crate::answers::{Table, index};
use crate::handmade::{Lake, array, bare, bounds, column, fields, unpartitioned};
use crate::made::{Made, MadeManifest};

fn some(values: &[i32]) -> ArrayRef {
    array(Int32Array::from(values.to_vec()))
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    array(StringArray::from(values.to_vec()))
}

fn ids(count: i32) -> ArrayRef {
    some(&(0..count).collect::<Vec<_>>())
}

/// Writes a position delete file.
fn positions(lake: &Lake, name: &str, rows: &[(&Made, i64)]) -> Made {
    let paths: Vec<&str> = rows.iter().map(|(made, _)| made.path.as_str()).collect();
    let positions: Vec<i64> = rows.iter().map(|(_, position)| *position).collect();
    let columns = vec![
        column(2_147_483_546, "file_path", array(StringArray::from(paths))),
        column(2_147_483_545, "pos", array(Int64Array::from(positions))),
    ];
    let rows = lake.data(name, columns).rows;
    Made {
        rows,
        ..Made::positions(&format!("/lake/t/data/{name}"), None)
    }
}

/// Writes an equality delete file.
fn equality(
    lake: &Lake,
    name: &str,
    columns: Vec<(arrow_schema::Field, ArrayRef)>,
    on: &[i32],
) -> Made {
    let rows = lake.data(name, columns).rows;
    Made {
        rows,
        ..Made::equality(&format!("/lake/t/data/{name}"), on)
    }
}

fn id_column() -> Value {
    fields(&[(1, "id", json!("int"))])
}

/// The ids that are left, through every way to ask for them, with indexes and without.
fn left(view: impl Fn() -> growler_exec::View) -> Vec<Option<i64>> {
    let folder = tempfile::tempdir().unwrap();
    let plain = Table::of(view());
    let indexed = Table::of(index(view(), folder.path(), |_| false));
    let rows = plain.rows("SELECT id FROM t ORDER BY id LIMIT 100000");
    let count = i64::try_from(rows.len()).unwrap();
    for table in [&plain, &indexed] {
        assert_eq!(
            table.rows("SELECT id FROM t ORDER BY id LIMIT 100000"),
            rows
        );
        assert_eq!(table.view().row_count(), rows.len() as u64);
        let (counted, statistics) = table.answer("SELECT COUNT(*) FROM t").unwrap();
        assert_eq!(counted, [[json!(count)]]);
        assert_eq!(statistics.total_docs, rows.len() as u64);
        let present = rows.iter().filter(|row| !row[0].is_null()).count() as i64;
        let rest = table.rows("SELECT COUNT(id), DISTINCTCOUNT(id), COUNT(*) FROM t");
        assert_eq!(rest[0][0], json!(present));
        assert_eq!(rest[0][2], json!(count));
        let groups = table.rows("SELECT id, COUNT(*) FROM t GROUP BY id LIMIT 100000");
        assert_eq!(
            groups
                .iter()
                .map(|group| group[1].as_i64().unwrap())
                .sum::<i64>(),
            count
        );
        let some_ids = rows.iter().filter_map(|row| row[0].as_i64());
        let (min, max) = (some_ids.clone().min(), some_ids.clone().max());
        let extremes = table.rows("SELECT MIN(id), MAX(id) FROM t");
        assert_eq!(extremes[0][0].as_f64(), min.map(|id| id as f64));
        assert_eq!(extremes[0][1].as_f64(), max.map(|id| id as f64));
        for id in 0..30 {
            let expected = some_ids.clone().filter(|other| *other == id).count() as i64;
            for filter in [format!("id = {id}"), format!("NOT (id <> {id})")] {
                let sql = format!("SELECT COUNT(*) FROM t WHERE {filter}");
                assert_eq!(table.number(&sql), expected, "{sql}");
            }
            let at_least = some_ids.clone().filter(|other| *other >= id).count() as i64;
            let sql = format!("SELECT COUNT(*) FROM t WHERE id >= {id}");
            assert_eq!(table.number(&sql), at_least, "{sql}");
        }
        assert_eq!(
            table.number("SELECT COUNT(*) FROM t WHERE id IS NULL"),
            count - present
        );
        let first = table.rows("SELECT DISTINCT id FROM t ORDER BY id LIMIT 1");
        assert_eq!(first.first(), rows.first());
    }
    rows.iter().map(|row| row[0].as_i64()).collect()
}

fn numbers(left: Vec<Option<i64>>) -> Vec<i64> {
    left.into_iter().map(|id| id.unwrap_or(-1)).collect()
}

#[test]
fn l06_t53_positions_count_from_the_start_of_the_file() {
    let lake = Lake::new();
    // Three row groups of ten.
    let file = lake.data_cut("f.parquet", vec![column(1, "id", ids(30))], 10);
    let deletes = positions(
        &lake,
        "d.parquet",
        &[
            (&file, 0),
            (&file, 9),
            (&file, 25),
            (&file, 29),
            (&file, 77),
        ],
    );
    let manifests = [
        MadeManifest::new(1, vec![file.at(1)]),
        MadeManifest::new(2, vec![deletes.at(2)]),
    ];
    let table = lake.table(id_column(), unpartitioned(), &manifests, |_| {});
    let view = || lake.view(&table).unwrap();
    let expected: Vec<i64> = (0..30).filter(|id| ![0, 9, 25, 29].contains(id)).collect();
    assert_eq!(numbers(left(view)), expected);
    let table = Table::of(view());
    // The middle group is skipped by its statistics.
    let rows = table.rows("SELECT id, $docId FROM t WHERE id < 2 OR id > 24 ORDER BY id");
    let shown: Vec<i64> = rows.iter().map(|row| row[1].as_i64().unwrap()).collect();
    assert_eq!(shown, [1, 26, 27, 28]);
}

#[test]
fn l19_l21_t53_deletion_vectors_belong_to_one_file_and_replace_positions() {
    let mut lake = Lake::new();
    let files: Vec<Made> = (0..3)
        .map(|part| {
            let ids: Vec<i32> = (part * 10..part * 10 + 10).collect();
            lake.data(
                &format!("f{part}.parquet"),
                vec![column(1, "id", some(&ids))],
            )
        })
        .collect();
    let vectors = lake.vectors("v.puffin", &[(&files[0], &[1, 2]), (&files[1], &[0, 9])]);
    // The vector of the first file counts, positions beside it do not; those of the third do.
    let old = positions(&lake, "d.parquet", &[(&files[0], 5), (&files[2], 5)]);
    let data = files.iter().map(|file| file.clone().at(1)).collect();
    let vectors = vectors.into_iter().map(|vector| vector.at(3)).collect();
    let manifests = [
        MadeManifest::new(1, data),
        MadeManifest::new(2, vec![old.at(2)]),
        MadeManifest::new(3, vectors),
    ];
    let table = lake.table(id_column(), unpartitioned(), &manifests, |_| {});
    let expected: Vec<i64> = (0..30)
        .filter(|id| ![1, 2, 10, 19, 25].contains(id))
        .collect();
    assert_eq!(numbers(left(|| lake.view(&table).unwrap())), expected);
}

/// Changes the bytes of a Puffin file.
type Damage = fn(&mut Vec<u8>);

#[test]
fn f12_t53_a_damaged_deletion_vector_fails_and_takes_no_memory() {
    let damage: [(&str, Damage); 5] = [
        ("checksum", |bytes| *bytes.last_mut().unwrap() ^= 1),
        ("length", |bytes| bytes[7] = bytes[7].wrapping_add(40)),
        ("length", |bytes| bytes[4] = 0xff),
        // 2^31 containers, with a checksum that fits.
        ("", |bytes| {
            bytes[24..28].copy_from_slice(&0x3b30_u32.to_le_bytes());
            let end = bytes.len() - 4;
            bytes[28..32].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
            let crc = crc32fast::hash(&bytes[8..end]);
            bytes[end..].copy_from_slice(&crc.to_be_bytes());
        }),
        ("", |bytes| bytes.truncate(10)),
    ];
    for (text, change) in damage {
        let mut lake = Lake::new();
        let file = lake.data("f.parquet", vec![column(1, "id", ids(10))]);
        let vectors = lake.vectors("v.puffin", &[(&file, &[1, 2, 5])]);
        lake.damage("v.puffin", change);
        let vectors = vectors.into_iter().map(|vector| vector.at(2)).collect();
        let manifests = [
            MadeManifest::new(1, vec![file.at(1)]),
            MadeManifest::new(2, vectors),
        ];
        let table = lake.table(id_column(), unpartitioned(), &manifests, |_| {});
        let error = lake.view(&table).unwrap_err().to_string();
        assert!(
            error.contains("deletion vector") && error.contains("v.puffin"),
            "{error}"
        );
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn l03_l04_t53_equality_deletes_know_nulls_dropped_columns_and_the_order_of_commits() {
    let lake = Lake::new();
    let with_null = || array(Int32Array::from(vec![Some(1), None, Some(3)]));
    let old = lake.data(
        "old.parquet",
        vec![
            column(1, "id", with_null()),
            column(2, "gone", some(&[7, 8, 9])),
        ],
    );
    let same = lake.data(
        "same.parquet",
        vec![
            column(1, "id", some(&[1, 4])),
            column(2, "gone", some(&[9, 9])),
        ],
    );
    let one = equality(
        &lake,
        "one.parquet",
        vec![column(1, "id", some(&[1]))],
        &[1],
    );
    let null = equality(
        &lake,
        "null.parquet",
        vec![column(1, "id", array(Int32Array::from(vec![None])))],
        &[1],
    );
    let gone = equality(
        &lake,
        "gone.parquet",
        vec![column(2, "gone", some(&[9]))],
        &[2],
    );
    let table = |deletes: &[&Made]| {
        let deletes: Vec<Made> = deletes.iter().map(|made| (*made).clone().at(2)).collect();
        let data = MadeManifest::new(1, vec![old.clone().at(1), same.clone().at(2)]);
        let manifests = [data, MadeManifest::new(2, deletes)];
        let manifests = if manifests[1].files.is_empty() {
            &manifests[..1]
        } else {
            &manifests[..]
        };
        lake.table(id_column(), unpartitioned(), manifests, |metadata| {
            let both = fields(&[(1, "id", json!("int")), (2, "gone", json!("int"))]);
            let before = json!({"type": "struct", "schema-id": 1, "fields": both});
            metadata["schemas"]
                .as_array_mut()
                .unwrap()
                .insert(0, before);
        })
    };
    let left_by = |deletes: &[&Made]| {
        let table = table(deletes);
        left(|| lake.view(&table).unwrap())
    };
    let sorted = |ids: &[Option<i64>]| ids.to_vec();
    assert_eq!(
        left_by(&[]),
        sorted(&[Some(1), Some(1), Some(3), Some(4), None])
    );
    // Deletes of a commit do not touch the rows of that commit.
    assert_eq!(left_by(&[&one]), sorted(&[Some(1), Some(3), Some(4), None]));
    assert_eq!(
        left_by(&[&null]),
        sorted(&[Some(1), Some(1), Some(3), Some(4)])
    );
    assert_eq!(
        left_by(&[&gone]),
        sorted(&[Some(1), Some(1), Some(4), None])
    );
    assert_eq!(left_by(&[&one, &null, &gone]), sorted(&[Some(1), Some(4)]));
}

/// A mapped name is looked up in data files alone: the second file has another column under the name
/// that the compared one has now.
#[test]
fn equality_deletes_find_columns_of_data_files_without_ids_by_mapped_names() {
    let lake = Lake::new();
    let old = lake.data("old.parquet", vec![bare("old_id", some(&[1, 2]))]);
    let other = lake.data("other.parquet", vec![bare("id", some(&[2, 3]))]);
    let deleted = equality(&lake, "deleted.parquet", vec![bare("id", some(&[2]))], &[1]);
    let manifests = [
        MadeManifest::new(1, vec![old.at(1), other.at(1)]),
        MadeManifest::new(2, vec![deleted.at(2)]),
    ];
    let table = lake.table(id_column(), unpartitioned(), &manifests, |metadata| {
        let mapping = json!([{"field-id": 1, "names": ["old_id"]}]).to_string();
        metadata["properties"] = json!({"schema.name-mapping.default": mapping});
    });
    let left = left(|| lake.view(&table).unwrap());
    assert_eq!(left, [Some(1), None, None]);
}

/// A column `place` of fields, of which some rows are null.
fn place(inner: Vec<(arrow_schema::Field, ArrayRef)>, present: &[bool]) -> ColumnOf {
    let (fields, arrays): (Vec<_>, Vec<_>) = inner.into_iter().unzip();
    let structs = StructArray::new(fields.into(), arrays, Some(present.to_vec().into()));
    column(2, "place", array(structs))
}

type ColumnOf = (arrow_schema::Field, ArrayRef);

#[test]
fn equality_deletes_compare_fields_of_structs() {
    let lake = Lake::new();
    let lat = |values: Vec<Option<i32>>| column(3, "lat", array(Int32Array::from(values)));
    let far = |values: Vec<Option<i64>>| column(3, "lat", array(Int64Array::from(values)));
    let city = |values: &[Option<&str>]| column(5, "city", texts(values));
    // Of rows 0 to 3 one has no latitude and one no place.
    let first = lake.data(
        "first.parquet",
        vec![
            column(1, "id", some(&[0, 1, 2, 3])),
            place(
                vec![
                    lat(vec![Some(1), None, Some(7), Some(3)]),
                    city(&[Some("a"), Some("b"), Some("c"), Some("d")]),
                ],
                &[true, true, false, true],
            ),
        ],
    );
    // The latitude came later, or the whole column; then it was widened.
    let without = place(vec![city(&[Some("a"), Some("e")])], &[true, true]);
    let older = vec![column(1, "id", some(&[10, 11])), without];
    let older = lake.data("older.parquet", older);
    let oldest = lake.data("oldest.parquet", vec![column(1, "id", some(&[20]))]);
    let wide = vec![
        city(&[Some("a"), Some("x")]),
        far(vec![Some(1), Some(1 << 40)]),
    ];
    let wide = vec![column(1, "id", some(&[30, 31])), place(wide, &[true, true])];
    let wide = lake.data("wide.parquet", wide);
    let deleting = |name: &str, inner: Vec<ColumnOf>, on: &[i32]| {
        let rows = inner[0].1.len();
        equality(&lake, name, vec![place(inner, &vec![true; rows])], on)
    };
    let one = deleting("one.parquet", vec![lat(vec![Some(1)])], &[3]);
    let none = deleting("none.parquet", vec![lat(vec![None])], &[3]);
    let large = deleting("large.parquet", vec![far(vec![Some(1 << 40)])], &[3]);
    let both = vec![lat(vec![Some(1), None]), city(&[Some("a"), Some("a")])];
    let both = deleting("both.parquet", both, &[3, 5]);
    let inner = json!([
        {"id": 3, "name": "lat", "required": false, "type": "long"},
        {"id": 5, "name": "city", "required": false, "type": "string"}
    ]);
    let columns = fields(&[
        (1, "id", json!("int")),
        (2, "place", json!({"type": "struct", "fields": inner})),
    ]);
    let left_by = |deletes: &[&Made]| {
        let data = [&first, &older, &oldest, &wide].map(|made| made.clone().at(1));
        let deletes = deletes.iter().map(|made| (*made).clone().at(2)).collect();
        let manifests = [
            MadeManifest::new(1, data.to_vec()),
            MadeManifest::new(2, deletes),
        ];
        let table = lake.table(columns.clone(), unpartitioned(), &manifests, |_| {});
        let ids = left(|| lake.view(&table).unwrap());
        ids.into_iter().flatten().collect::<Vec<_>>()
    };
    assert_eq!(left_by(&[&one]), [1, 2, 3, 10, 11, 20, 31]);
    // A field of no place is null, as one that the place lacks.
    assert_eq!(left_by(&[&none]), [0, 3, 30, 31]);
    assert_eq!(left_by(&[&large]), [0, 1, 2, 3, 10, 11, 20, 30]);
    assert_eq!(left_by(&[&both]), [1, 2, 3, 11, 20, 31]);
}

#[test]
fn columns_of_earlier_schemas_are_found_when_they_are_asked_for() {
    let lake = Lake::new();
    let old = vec![column(1, "id", some(&[1])), column(2, "a", some(&[7]))];
    let old = lake.data("old.parquet", old);
    let new = vec![column(1, "id", some(&[2])), column(3, "a", some(&[8]))];
    let new = lake.data("new.parquet", new);
    let columns = fields(&[(1, "id", json!("int")), (3, "a", json!("int"))]);
    let manifests = [MadeManifest::new(1, vec![old.at(1), new.at(1)])];
    let table = lake.table(columns, unpartitioned(), &manifests, |metadata| {
        let mut before = fields(&[(1, "id", json!("int")), (2, "a", json!("int"))]);
        before[1]["required"] = json!(true);
        let schemas = metadata["schemas"].as_array_mut().unwrap();
        schemas.insert(
            0,
            json!({"type": "struct", "schema-id": 1, "fields": before}),
        );
    });
    let table = Table::of(lake.view(&table).unwrap());
    let rows = table.rows(
        "SET includeDropped=true; SET enableNullHandling=true; \
         SELECT id, a, \"a$2\" FROM t ORDER BY id",
    );
    let (one, two) = (json!([1, null, 7]), json!([2, 8, null]));
    assert_eq!(json!(rows), json!([one, two]));
    let (error, _) = match table.answer("SELECT \"a$2\" FROM t") {
        Ok(found) => panic!("{found:?}"),
        Err(error) => (error.to_string(), ()),
    };
    assert!(error.contains("SET includeDropped=true"), "{error}");
}

#[test]
fn l12_l13_deletes_keep_to_their_partition_and_spec() {
    let lake = Lake::new();
    let specs = json!([
        {"spec-id": 0, "fields": [{"source-id": 2, "field-id": 1000, "name": "p", "transform": "identity"}]},
        {"spec-id": 1, "fields": []}
    ]);
    let columns = fields(&[(1, "id", json!("int")), (2, "p", json!("int"))]);
    let part = |value: i32| vec![("p", Avro::Int(value))];
    let file = |name: &str, p: i32| {
        let made = lake.data(name, vec![column(1, "id", some(&[5, 6]))]);
        made.at(1).partition(&part(p))
    };
    let delete = |p: i32| {
        let made = equality(&lake, "e.parquet", vec![column(1, "id", some(&[5]))], &[1]);
        made.at(2).partition(&part(p))
    };
    let manifest = |sequence, spec, files: Vec<Made>| {
        let mut manifest = MadeManifest::new(sequence, files);
        manifest.spec = spec;
        if spec == 0 {
            manifest.partition = vec![("p", 1000, json!("int"))];
        }
        manifest
    };
    let data = || manifest(1, 0, vec![file("one.parquet", 1), file("two.parquet", 2)]);
    let scoped = lake.table(
        columns.clone(),
        specs.clone(),
        &[data(), manifest(2, 0, vec![delete(1)])],
        |_| {},
    );
    let table = Table::of(lake.view(&scoped).unwrap());
    let rows = table.rows("SELECT id, p FROM t ORDER BY id, p");
    assert_eq!(
        rows,
        [
            [json!(5), json!(2)],
            [json!(6), json!(1)],
            [json!(6), json!(2)]
        ]
    );
    let mut global = delete(1);
    global.partition.clear();
    let global = lake.table(
        columns,
        specs,
        &[data(), manifest(2, 1, vec![global])],
        |_| {},
    );
    let table = Table::of(lake.view(&global).unwrap());
    assert_eq!(
        table.rows("SELECT id, p FROM t ORDER BY p"),
        [[json!(6), json!(1)], [json!(6), json!(2)]]
    );
}

#[test]
fn l07_l15_t40_partition_values_stand_for_columns_that_files_lack() {
    let lake = Lake::new();
    let specs = json!([
        {"spec-id": 0, "fields": [
            {"source-id": 2, "field-id": 1000, "name": "region", "transform": "identity"},
            {"source-id": 3, "field-id": 1001, "name": "n", "transform": "identity"}]},
        {"spec-id": 1, "fields": []}
    ]);
    let columns = fields(&[
        (1, "id", json!("int")),
        (2, "region", json!("string")),
        (3, "n", json!("long")),
    ]);
    let file = |name: &str, id: i32, region: Option<&str>, n: Option<i32>| {
        let made = lake.data(name, vec![column(1, "id", some(&[id]))]);
        let region = region.map_or(Avro::Null, |text| Avro::String(text.to_owned()));
        made.partition(&[("region", region), ("n", n.map_or(Avro::Null, Avro::Int))])
    };
    let mut old = MadeManifest::new(
        1,
        vec![
            file("east.parquet", 1, Some("East"), Some(0)),
            file("empty.parquet", 2, Some(""), Some(-1)),
            file("null.parquet", 3, None, None),
        ],
    );
    old.partition = vec![("region", 1000, json!("string")), ("n", 1001, json!("int"))];
    let mut new = MadeManifest::new(
        2,
        vec![lake.data(
            "new.parquet",
            vec![
                column(1, "id", some(&[4])),
                column(2, "region", texts(&[Some("West")])),
                column(3, "n", array(Int64Array::from(vec![9]))),
            ],
        )],
    );
    new.spec = 1;
    let table = lake.table(columns, specs, &[old, new], |metadata| {
        metadata["default-spec-id"] = json!(1);
    });
    let folder = tempfile::tempdir().unwrap();
    let view = || lake.view(&table).unwrap();
    for table in [
        Table::of(view()),
        Table::of(index(view(), folder.path(), |_| false)),
    ] {
        let rows = table.rows("SELECT id, region, n FROM t ORDER BY id");
        assert_eq!(
            rows,
            [
                [json!(1), json!("East"), json!(0)],
                [json!(2), json!(""), json!(-1)],
                [json!(3), Value::Null, Value::Null],
                [json!(4), json!("West"), json!(9)]
            ]
        );
        for (filter, expected) in [
            ("region = 'East'", 1),
            ("region = ''", 1),
            ("region IS NULL", 1),
            ("region <> 'East'", 2),
            ("region IN ('', 'West')", 2),
            ("region LIKE 'e%'", 1),
            ("n = 0", 1),
            ("n < 0", 1),
            ("n IS NULL", 1),
            ("n >= 0 AND region = 'East'", 1),
            ("NOT (region = 'East')", 2),
        ] {
            let found = table.number(&format!("SELECT COUNT(*) FROM t WHERE {filter}"));
            assert_eq!(found, expected, "{filter}");
        }
        let rows = table.rows("SELECT region, MAX(n) FROM t GROUP BY region ORDER BY region");
        assert_eq!(rows.len(), 4);
        let (_, statistics) = table
            .answer("SELECT id FROM t WHERE region = 'East'")
            .unwrap();
        assert_eq!(statistics.num_segments_processed, 1);
    }
}

#[test]
fn l16_l18_t54_files_are_pruned_by_the_spec_that_wrote_them() {
    let lake = Lake::new();
    let specs = json!([
        {"spec-id": 0, "fields": []},
        {"spec-id": 1, "fields": [{"source-id": 2, "field-id": 1000, "name": "d", "transform": "day"}]},
        {"spec-id": 2, "fields": [{"source-id": 1, "field-id": 1001, "name": "b", "transform": "bucket[4]"}]},
        {"spec-id": 3, "fields": [{"source-id": 1, "field-id": 1002, "name": "z", "transform": "zorder[7]"}]}
    ]);
    let columns = fields(&[(1, "id", json!("int")), (2, "ts", json!("timestamp"))]);
    let day = 86_400_000_000_i64;
    let file = |name: &str, id: i32, days: i64| {
        let times = arrow_array::TimestampMicrosecondArray::from(vec![days * day + 5]);
        lake.data(
            name,
            vec![column(1, "id", some(&[id])), column(2, "ts", array(times))],
        )
    };
    let manifest = |spec: i32, partition: Vec<(&'static str, i32, Value)>, files| {
        let mut manifest = MadeManifest::new(i64::from(spec) + 1, files);
        (manifest.spec, manifest.partition) = (spec, partition);
        manifest
    };
    // Buckets of 0 to 9 by the hash of the specification.
    let manifests = [
        manifest(0, vec![], vec![file("a.parquet", 34, 100)]),
        manifest(
            1,
            vec![("d", 1000, json!("int"))],
            vec![
                file("b.parquet", 1, 100).partition(&[("d", Avro::Int(100))]),
                file("c.parquet", 2, 101).partition(&[("d", Avro::Int(101))]),
            ],
        ),
        manifest(
            2,
            vec![("b", 1001, json!("int"))],
            vec![
                // The hash of 34 is 2017239379.
                file("d.parquet", 34, 200).partition(&[("b", Avro::Int(2_017_239_379 % 4))]),
                file("e.parquet", 3, 200).partition(&[("b", Avro::Int((2_017_239_379 + 1) % 4))]),
            ],
        ),
        manifest(
            3,
            vec![("z", 1002, json!("string"))],
            vec![file("f.parquet", 34, 300).partition(&[("z", Avro::String("q".to_owned()))])],
        ),
    ];
    let table = lake.table(columns, specs, &manifests, |_| {});
    let table = Table::of(lake.view(&table).unwrap());
    for (filter, rows, pruned_at_least) in [
        (
            "ts >= '1970-04-11 00:00:00' AND ts < '1970-04-12 00:00:00'",
            2,
            1,
        ),
        (
            "ts >= '1970-04-12 00:00:00' AND ts < '1970-04-13 00:00:00'",
            1,
            1,
        ),
        ("id = 34", 3, 1),
        ("id = 2", 1, 1),
        ("id <> 34", 3, 0),
        ("ts > '1970-01-01 00:00:00'", 6, 0),
    ] {
        let (found, statistics) = table
            .answer(&format!("SELECT id FROM t WHERE {filter}"))
            .unwrap();
        assert_eq!(found.len(), rows, "{filter}");
        assert!(
            statistics.num_segments_pruned_by_server >= pruned_at_least,
            "{filter}"
        );
        assert_eq!(statistics.num_segments_queried, 6);
    }
}

#[test]
fn i06_bounds_of_keys_prune_and_broken_ones_do_not() {
    let lake = Lake::new();
    let file = |name: &str, value: u8| {
        let metadata: &[u8] = &[0x01, 1, 0, 1, b'a'];
        let bytes = [0x02, 1, 0, 0, 2, 0x0c, value];
        let children: Vec<ArrayRef> = vec![
            array(arrow_array::BinaryArray::from(vec![metadata])),
            array(arrow_array::BinaryArray::from(vec![&bytes[..]])),
        ];
        let field =
            |name: &str| arrow_schema::Field::new(name, arrow_schema::DataType::Binary, false);
        let fields = arrow_schema::Fields::from(vec![field("metadata"), field("value")]);
        let variant = arrow_array::StructArray::new(fields, children, None);
        lake.data(
            name,
            vec![
                column(1, "id", some(&[i32::from(value)])),
                column(2, "props", array(variant)),
            ],
        )
    };
    // An object of one field, "$['a']", behind the names.
    let bound = |value: u8| {
        let name = b"$['a']";
        let mut bytes = vec![0x01, 1, 0, name.len() as u8];
        bytes.extend(name);
        bytes.extend([0x02, 1, 0, 0, 2, 0x0c, value]);
        bytes
    };
    let good = |name: &str, value| bounds(file(name, value), 2, &bound(value), &bound(value));
    let broken = bounds(file("broken.parquet", 7), 2, &[1, 9, 9], &bound(3)[..9]);
    let columns = fields(&[(1, "id", json!("int")), (2, "props", json!("variant"))]);
    let table = lake.of_files(
        columns,
        vec![good("five.parquet", 5), good("nine.parquet", 9), broken],
    );
    for (filter, expected, pruned) in [
        ("CAST(props['a'] AS INT) = 5", vec![5], 0),
        ("props['a'] = 9", vec![9], 0),
        ("props['a'] = 7", vec![7], 0),
        ("props['a'] IS NOT NULL", vec![5, 7, 9], 0),
    ] {
        let (rows, statistics) = table
            .answer(&format!("SELECT id FROM t WHERE {filter} ORDER BY id"))
            .unwrap();
        let found: Vec<i64> = rows.iter().map(|row| row[0].as_i64().unwrap()).collect();
        assert_eq!(found, expected, "{filter}");
        assert!(
            statistics.num_segments_pruned_by_server >= pruned,
            "{filter}"
        );
    }
}

#[test]
fn planning_opens_no_file_that_bounds_or_partitions_rule_out() {
    let lake = Lake::new();
    let count = 2_000_i32;
    let real = 1234;
    let columns = fields(&[(1, "id", json!("int")), (2, "day", json!("int"))]);
    let specs = json!([{"spec-id": 0, "fields": [
        {"source-id": 2, "field-id": 1000, "name": "day", "transform": "identity"}]}]);
    let file = |id: i32| {
        let name = format!("x{id}.parquet");
        let made = match id == real {
            true => lake.data(
                &name,
                vec![
                    column(1, "id", some(&[id])),
                    column(2, "day", some(&[id / 10])),
                ],
            ),
            // Nothing is there: whoever opens it fails.
            false => Made {
                rows: 1,
                ..Made::data(&format!("/lake/t/data/{name}"))
            },
        };
        let made = made.partition(&[("day", Avro::Int(id / 10))]);
        bounds(made, 1, &id.to_le_bytes(), &id.to_le_bytes())
    };
    let mut manifest = MadeManifest::new(1, (0..count).map(file).collect());
    manifest.partition = vec![("day", 1000, json!("int"))];
    let table = lake.table(columns, specs, &[manifest], |_| {});
    let table = Table::of(lake.view(&table).unwrap());
    assert_eq!(table.number("SELECT COUNT(*) FROM t"), i64::from(count));
    assert!(lake.opened.lock().unwrap().is_empty());
    for filter in [
        "id = 1234",
        "day = 123 AND id BETWEEN 1234 AND 1234",
        "id > 1233 AND id < 1235",
    ] {
        let sql = format!("SELECT id, day FROM t WHERE {filter}");
        let (rows, statistics) = table.answer(&sql).unwrap();
        assert_eq!(rows, [[json!(1234), json!(123)]], "{filter}");
        assert_eq!(statistics.num_segments_pruned_by_server, 1999);
        assert_eq!(statistics.total_docs, 2000);
        let plan = table.rows(&format!("EXPLAIN PLAN FOR {sql}"));
        assert!(!plan.is_empty());
    }
    let opened = lake.opened.lock().unwrap().clone();
    assert!(
        opened.iter().all(|name| name == "x1234.parquet"),
        "{opened:?}"
    );
    // A file that is not there fails the queries that need it, by name.
    let error = table.ask("SELECT id FROM t WHERE id = 7").unwrap_err();
    assert!(error.contains("x7.parquet"), "{error}");
}

#[test]
fn members_come_back_from_their_text() {
    let mut lake = Lake::new();
    let file = lake.data("f.parquet", vec![column(1, "id", ids(10))]);
    let file = bounds(file, 1, &0_i32.to_le_bytes(), &9_i32.to_le_bytes());
    let vectors = lake.vectors("v.puffin", &[(&file, &[1, 2])]);
    let vectors = vectors.into_iter().map(|vector| vector.at(2)).collect();
    let manifests = [
        MadeManifest::new(1, vec![file.at(1)]),
        MadeManifest::new(2, vectors),
    ];
    let table = lake.table(id_column(), unpartitioned(), &manifests, |_| {});
    let plan = table
        .scan_plan(&growler_catalog::ScanOptions::default())
        .unwrap();
    let members = growler_table::iceberg::members(&plan);
    let text = serde_json::to_string(&members).unwrap();
    let back: Vec<growler_table::iceberg::Member> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, members);
    let schema = growler_catalog::convert::to_table_schema("t", &plan.schema, None).schema;
    let view = growler_table::iceberg::view(
        "t",
        growler_table::iceberg::Columns::of(schema),
        &table,
        &plan,
        back,
        &lake.access(),
    );
    let table = Table::of(view.unwrap());
    assert_eq!(table.number("SELECT COUNT(*) FROM t WHERE id < 5"), 3);
}
