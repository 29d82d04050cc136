//! Which deletes apply to which file, and which rows they take.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use apache_avro::types::Value as Avro;
use growler_base::ErrorKind;
use growler_catalog::table::{DataFile, DeleteKind, KeyColumn, Missing, VisitPosition, VisitRow};
use growler_catalog::{
    Datum, DatumRef, DeleteReader, Error, IcebergTable, Plan, RowDeletes, ScanOptions,
};
use roaring::RoaringBitmap;
use serde_json::{Value, json};

use crate::made::{self, Made, MadeManifest};
use crate::samples::sample;

fn unpartitioned() -> Value {
    json!([{"spec-id": 0, "fields": []}])
}

fn columns() -> Value {
    json!([{"id": 1, "name": "id", "type": "long"}, {"id": 2, "name": "p", "type": "int"}])
}

fn plan(table: &IcebergTable) -> Plan {
    table.scan_plan(&ScanOptions::default()).unwrap()
}

/// Last parts of the paths of the deletes of each file.
fn applied(plan: &Plan) -> Vec<(String, Vec<String>)> {
    let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let of_file = |file: &DataFile| {
        let deletes = file.deletes.iter().map(|delete| name(&delete.path));
        (name(&file.path), deletes.collect())
    };
    plan.files.iter().map(of_file).collect()
}

fn expect(plan: &Plan, expected: &[(&str, &[&str])]) {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let expected: Vec<(String, Vec<String>)> = expected
        .iter()
        .map(|(file, deletes)| ((*file).to_owned(), owned(deletes)))
        .collect();
    assert_eq!(applied(plan), expected);
}

#[test]
fn deletes_apply_by_the_order_of_commits() {
    let data = [("a", 1), ("b", 2), ("c", 3)];
    let data = data.map(|(name, sequence)| Made::data(&format!("/lake/t/{name}")).at(sequence));
    let deletes = vec![
        Made::positions("/lake/t/pos2", None).at(2),
        Made::equality("/lake/t/eq2", &[1]).at(2),
    ];
    let manifests = [
        MadeManifest::new(3, data.to_vec()),
        MadeManifest::new(3, deletes),
    ];
    let table = made::table(columns(), unpartitioned(), &manifests);
    expect(
        &plan(&table),
        &[("a", &["pos2", "eq2"]), ("b", &["pos2"]), ("c", &[])],
    );
}

#[test]
fn l21_a_deletion_vector_replaces_position_deletes_and_belongs_to_one_file() {
    let data = vec![Made::data("/lake/t/a").at(1), Made::data("/lake/t/b").at(1)];
    let deletes = vec![
        Made::positions("/lake/t/pos", None).at(2),
        Made::positions("/lake/t/of_b", Some("file:///lake/t/b")).at(2),
        Made::vector("/lake/t/dv", "file:///lake/t/a", (4, 20), 3).at(3),
        // Of an older commit than the file that was written anew under its name.
        Made::vector("/lake/t/old", "/lake/t/b", (4, 20), 3).at(0),
        Made::equality("/lake/t/eq", &[1]).at(2),
    ];
    let manifests = [MadeManifest::new(3, data), MadeManifest::new(3, deletes)];
    let table = made::table(columns(), unpartitioned(), &manifests);
    let plan = plan(&table);
    expect(
        &plan,
        &[("a", &["dv", "eq"]), ("b", &["of_b", "pos", "eq"])],
    );
    assert_eq!(plan.files[0].live_row_count(), None);
}

#[test]
fn two_deletion_vectors_of_one_file_are_refused() {
    let vector = |path: &str| Made::vector(path, "/lake/t/a", (4, 20), 3).at(2);
    let manifests = [
        MadeManifest::new(1, vec![Made::data("/lake/t/a")]),
        MadeManifest::new(2, vec![vector("/lake/t/dv1"), vector("/lake/t/dv2")]),
    ];
    let table = made::table(columns(), unpartitioned(), &manifests);
    let error = table.scan_plan(&ScanOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
}

#[test]
fn l12_l13_deletes_keep_to_their_partition_and_spec() {
    let identity = |id: i64, source: i64| json!({"source-id": source, "field-id": id, "name": format!("f{id}"), "transform": "identity"});
    let specs = json!([
        {"spec-id": 0, "fields": [identity(1000, 2)]},
        {"spec-id": 1, "fields": [identity(1001, 1), identity(1000, 2)]},
        {"spec-id": 2, "fields": []}
    ]);
    let p = |value: i32| vec![("p", Avro::Int(value))];
    let wide = |id: i64, value: i32| vec![("i", Avro::Long(id)), ("p", Avro::Int(value))];
    let narrow = vec![("p", 1000, json!("int"))];
    // The same fields, in the other order than the spec has them: their ids tell.
    let both = vec![("i", 1001, json!("long")), ("p", 1000, json!("int"))];
    let manifest = |spec, partition: &Vec<_>, files| MadeManifest {
        spec,
        partition: partition.clone(),
        ..MadeManifest::new(2, files)
    };
    let manifests = [
        manifest(
            0,
            &narrow,
            vec![
                Made::data("/lake/t/p1").at(1).partition(&p(1)),
                Made::data("/lake/t/p2").at(1).partition(&p(2)),
                Made::data("/lake/t/pnull")
                    .at(1)
                    .partition(&[("p", Avro::Null)]),
            ],
        ),
        manifest(
            1,
            &both,
            vec![Made::data("/lake/t/w1").at(1).partition(&wide(5, 1))],
        ),
        manifest(
            0,
            &narrow,
            vec![
                Made::equality("/lake/t/eq_p1", &[1]).at(2).partition(&p(1)),
                Made::positions("/lake/t/pos_p2", None)
                    .at(2)
                    .partition(&p(2)),
                Made::equality("/lake/t/eq_null", &[1])
                    .at(2)
                    .partition(&[("p", Avro::Null)]),
            ],
        ),
        manifest(
            1,
            &both,
            vec![
                Made::equality("/lake/t/eq_w1", &[1])
                    .at(2)
                    .partition(&wide(5, 1)),
            ],
        ),
        manifest(
            2,
            &Vec::new(),
            vec![
                Made::equality("/lake/t/global", &[1]).at(2),
                Made::positions("/lake/t/pos_none", None).at(2),
            ],
        ),
    ];
    let table = made::table(columns(), specs, &manifests);
    expect(
        &plan(&table),
        &[
            ("p1", &["eq_p1", "global"]),
            ("p2", &["pos_p2", "global"]),
            ("pnull", &["eq_null", "global"]),
            ("w1", &["eq_w1", "global"]),
        ],
    );
}

#[test]
fn deletes_that_cannot_be_applied_are_never_ignored() {
    let avro = Made {
        format: "avro",
        ..Made::positions("/lake/t/pos", None)
    };
    let cases = [
        (avro, ErrorKind::Unsupported),
        (Made::equality("/lake/t/eq", &[]), ErrorKind::Corrupt),
        (
            Made {
                place: None,
                ..Made::vector("/lake/t/dv", "/lake/t/a", (0, 1), 1)
            },
            ErrorKind::Corrupt,
        ),
        (
            Made {
                referenced: None,
                ..Made::vector("/lake/t/dv", "", (0, 1), 1)
            },
            ErrorKind::Corrupt,
        ),
        (
            Made {
                format: "orc",
                ..Made::data("/lake/t/a")
            },
            ErrorKind::Unsupported,
        ),
    ];
    for (made, expected) in cases {
        let table = made::table(
            columns(),
            unpartitioned(),
            &[MadeManifest::new(1, vec![made])],
        );
        let error = table.scan_plan(&ScanOptions::default()).unwrap_err();
        assert_eq!(error.kind(), expected, "{error}");
    }
}

/// Values of a row, by column; a column that the file lacks is not there.
type Row = Vec<(i32, Option<i64>)>;

/// Delete and data files as rows of values, and how often each was read.
#[derive(Default)]
struct Rows {
    positions: HashMap<&'static str, Vec<(&'static str, i64)>>,
    rows: HashMap<&'static str, Vec<Row>>,
    reads: Mutex<Vec<String>>,
}

impl DeleteReader for Rows {
    fn positions(&self, path: &str, visit: &mut VisitPosition<'_>) -> Result<(), Error> {
        self.reads.lock().unwrap().push(path.to_owned());
        let mut rows = self.positions[path].iter();
        rows.try_for_each(|(path, position)| visit(path, *position))
    }

    fn rows(
        &self,
        path: &str,
        columns: &[KeyColumn],
        visit: &mut VisitRow<'_>,
    ) -> Result<(), Error> {
        self.reads.lock().unwrap().push(path.to_owned());
        for row in &self.rows[path] {
            let mut values = Vec::new();
            for column in columns {
                let found = row.iter().find(|(id, _)| *id == column.id.0);
                values.push(match (found, &column.missing) {
                    (Some((_, value)), _) => value.map(DatumRef::Long),
                    (None, Missing::Value(value)) => Some(value.as_ref()),
                    (None, Missing::Null) => None,
                    (None, Missing::Refuse) => panic!("{path} lacks {column:?}"),
                });
            }
            visit(&values)?;
        }
        Ok(())
    }
}

fn deleted(table: &IcebergTable, reader: &Arc<Rows>) -> Vec<Vec<u32>> {
    let plan = plan(table);
    let deletes = RowDeletes::new(table, &plan, Arc::clone(reader) as Arc<dyn DeleteReader>);
    let rows = |file: &DataFile| -> Vec<u32> { deletes.of(file).unwrap().iter().collect() };
    plan.files.iter().map(rows).collect()
}

#[test]
fn position_deletes_count_from_the_start_of_the_file_they_name() {
    let manifests = [
        MadeManifest::new(
            1,
            vec![Made::data("file:///lake/t/a"), Made::data("/lake/t/b")],
        ),
        MadeManifest::new(
            2,
            vec![
                Made::positions("/lake/t/pos1", None),
                Made::positions("/lake/t/pos2", None),
            ],
        ),
    ];
    let table = made::table(columns(), unpartitioned(), &manifests);
    let reader = Arc::new(Rows {
        positions: HashMap::from([
            (
                "/lake/t/pos1",
                vec![("/lake/t/a", 3), ("/lake/t/b", 0), ("/lake/t/b", 1 << 40)],
            ),
            (
                "/lake/t/pos2",
                vec![("file:///lake/t/a", 1), ("/lake/t/c", 2)],
            ),
        ]),
        ..Rows::default()
    });
    assert_eq!(deleted(&table, &reader), [vec![1, 3], vec![0]]);
    // Each once, for both files.
    assert_eq!(reader.reads.lock().unwrap().len(), 2);
    let reader = Arc::new(Rows {
        positions: HashMap::from([
            ("/lake/t/pos1", vec![("/lake/t/a", -1)]),
            ("/lake/t/pos2", vec![]),
        ]),
        ..Rows::default()
    });
    let plan = plan(&table);
    let error = RowDeletes::new(&table, &plan, reader)
        .of(&plan.files[0])
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
}

#[test]
fn l03_l04_equality_deletes_compare_nulls_and_dropped_columns() {
    let manifests = [
        MadeManifest::new(
            1,
            vec![Made::data("/lake/t/a").at(1), Made::data("/lake/t/b").at(3)],
        ),
        MadeManifest::new(
            4,
            vec![
                Made::equality("/lake/t/eq2", &[9]).at(2),
                Made::equality("/lake/t/eq4", &[9]).at(4),
                Made::equality("/lake/t/both", &[2, 9]).at(4),
            ],
        ),
    ];
    // Column 9 is in an older schema only; column 2 came later, with a default.
    let fields = json!([{"id": 2, "name": "p", "type": "int", "initial-default": 5}]);
    let (mut files, mut metadata) = made::files(fields, unpartitioned(), &manifests);
    let old = json!({"type": "struct", "schema-id": 1, "fields": [{"id": 9, "name": "gone", "type": "long"}]});
    metadata["schemas"].as_array_mut().unwrap().push(old);
    made::put_metadata(&mut files, &metadata);
    let table = IcebergTable::open(Arc::new(files), "/lake/t").unwrap();
    let nine = |value: Option<i64>| vec![(9, value)];
    let reader = Arc::new(Rows {
        rows: HashMap::from([
            ("/lake/t/eq2", vec![nine(Some(1))]),
            ("/lake/t/eq4", vec![nine(None)]),
            (
                "/lake/t/both",
                vec![
                    vec![(2, Some(5)), (9, Some(3))],
                    vec![(2, Some(6)), (9, Some(4))],
                ],
            ),
            (
                "/lake/t/a",
                [Some(1), None, Some(3), Some(4)].map(nine).to_vec(),
            ),
            ("/lake/t/b", [Some(1), None, Some(3)].map(nine).to_vec()),
        ]),
        ..Rows::default()
    });
    assert_eq!(deleted(&table, &reader), [vec![0, 1, 2], vec![1, 2]]);
}

#[test]
fn an_equality_delete_over_a_partition_column_takes_its_constant() {
    let specs = json!([{"spec-id": 0, "fields": [
        {"source-id": 2, "field-id": 1000, "name": "p", "transform": "identity"}]},
        {"spec-id": 1, "fields": []}]);
    let data = |name: &str, p: Avro| Made::data(name).partition(&[("p", p)]);
    let manifests = [
        MadeManifest {
            partition: vec![("p", 1000, json!("int"))],
            ..MadeManifest::new(
                1,
                vec![
                    data("/lake/t/one", Avro::Int(1)),
                    data("/lake/t/zero", Avro::Int(0)),
                    data("/lake/t/null", Avro::Null),
                ],
            )
        },
        MadeManifest {
            spec: 1,
            ..MadeManifest::new(2, vec![Made::equality("/lake/t/eq", &[2])])
        },
    ];
    let table = made::table(columns(), specs, &manifests);
    let rows = |path| (path, vec![vec![(1, Some(1))]; 2]);
    let reader = Arc::new(Rows {
        rows: HashMap::from([
            rows("/lake/t/one"),
            rows("/lake/t/zero"),
            rows("/lake/t/null"),
            ("/lake/t/eq", vec![vec![(2, Some(0))], vec![(2, None)]]),
        ]),
        ..Rows::default()
    });
    // By path: null, one, zero.
    assert_eq!(deleted(&table, &reader), [vec![0, 1], vec![], vec![0, 1]]);
    let plan = plan(&table);
    let constants: Vec<_> = plan
        .files
        .iter()
        .map(|file| file.constants.clone())
        .collect();
    let expected = [None, Some(Datum::Int(1)), Some(Datum::Int(0))];
    for (constants, expected) in constants.iter().zip(expected) {
        assert_eq!(constants.as_slice(), [(growler_base::FieldId(2), expected)]);
    }
}

#[test]
fn l19_deletion_vectors_of_sample_tables_are_read_by_their_place() {
    for (writer, name) in [("spark35", "mor_v3"), ("duckdb15", "v3b")] {
        let table = sample(writer, name).open();
        let plan = plan(&table);
        let deletes = RowDeletes::new(&table, &plan, Arc::new(Rows::default()));
        let mut seen = 0;
        for file in &plan.files {
            let rows: RoaringBitmap = deletes.of(file).unwrap();
            let expected: u64 = file.deletes.iter().map(|delete| delete.row_count).sum();
            assert_eq!(rows.len(), expected, "{}", file.path);
            assert!(rows.max().is_none_or(|row| u64::from(row) < file.row_count));
            seen += file.deletes.len();
        }
        assert!(seen > 0, "{name}");
    }
}

#[test]
fn a_damaged_deletion_vector_is_an_error() {
    let source = sample("spark35", "mor_v3");
    let copy = tempfile::tempdir().unwrap();
    for folder in ["metadata", "data"] {
        std::fs::create_dir(copy.path().join(folder)).unwrap();
        for entry in std::fs::read_dir(source.folder.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            if path
                .extension()
                .is_some_and(|extension| extension == "puffin")
            {
                // Behind the first magic and the length, in the first vector.
                bytes[16] ^= 1;
            }
            std::fs::write(
                copy.path().join(folder).join(path.file_name().unwrap()),
                bytes,
            )
            .unwrap();
        }
    }
    let table = crate::samples::open(copy.path());
    let plan = plan(&table);
    let deletes = RowDeletes::new(&table, &plan, Arc::new(Rows::default()));
    let is_vector = |file: &&DataFile| {
        let mut kinds = file.deletes.iter().map(|delete| &delete.kind);
        kinds.any(|kind| matches!(kind, DeleteKind::Vector { .. }))
    };
    let results = plan
        .files
        .iter()
        .filter(is_vector)
        .map(|file| deletes.of(file));
    let failed: Vec<Error> = results.filter_map(Result::err).collect();
    assert!(!failed.is_empty());
    for error in failed {
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains("is wrong"), "{error}");
    }
}

#[test]
fn l10_row_ids_are_inherited_in_the_order_of_the_manifest() {
    let rows = |name: &str, rows: i64, own: Option<i64>| Made {
        rows,
        first_row_id: own,
        ..Made::data(name)
    };
    let removed = Made {
        status: 2,
        ..rows("/lake/t/removed", 7, None)
    };
    let manifests = [
        MadeManifest {
            first_row_id: Some(100),
            ..MadeManifest::new(
                1,
                vec![
                    rows("/lake/t/a", 5, None),
                    rows("/lake/t/b", 5, Some(3)),
                    removed,
                    rows("/lake/t/c", 5, None).at(1),
                ],
            )
        },
        MadeManifest::new(2, vec![rows("/lake/t/d", 5, None)]),
    ];
    let table = made::table(columns(), unpartitioned(), &manifests);
    let ids: Vec<Option<i64>> = plan(&table)
        .files
        .iter()
        .map(|file| file.first_row_id)
        .collect();
    assert_eq!(ids, [Some(100), Some(3), Some(105), None]);
}
