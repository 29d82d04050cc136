//! Files left out of a plan, and files that must not be.

use std::sync::Arc;

use apache_avro::types::Value as Avro;
use growler_base::FieldId;
use growler_catalog::prune::{Comparison, Test, VariantPath};
use growler_catalog::table::DataFile;
use growler_catalog::{Datum, FileIndex, IcebergTable, Plan, Predicate, ScanOptions};
use growler_variant::KeyPath;
use growler_variant::build::NameTable;
use growler_variant::build::json::encode_json;
use serde_json::{Value, json};

use crate::made::{self, Made, MadeManifest};
use crate::samples::sample;

/// Plans with a predicate, and checks that an index over all files keeps the same ones.
fn plan(table: &IcebergTable, predicate: Predicate) -> Plan {
    let everything = table.scan_plan(&ScanOptions::default()).unwrap();
    let options = ScanOptions {
        predicate: Some(predicate.clone()),
        ..ScanOptions::default()
    };
    let planned = table.scan_plan(&options).unwrap();
    let index = FileIndex::new(table.clone(), Arc::new(everything));
    let matching = index.matching(&predicate);
    let paths = |files: &[DataFile]| -> Vec<String> {
        files.iter().map(|file| file.path.clone()).collect()
    };
    let kept: Vec<DataFile> = (0..)
        .zip(&index.plan().files)
        .filter(|(position, _)| matching.contains(*position))
        .map(|(_, file)| file.clone())
        .collect();
    assert_eq!(paths(&kept), paths(&planned.files), "{predicate:?}");
    planned
}

fn kept(table: &IcebergTable, predicate: Predicate) -> Vec<String> {
    let plan = plan(table, predicate);
    let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    plan.files.iter().map(|file| name(&file.path)).collect()
}

fn compare(id: i32, comparison: Comparison, literal: Datum) -> Predicate {
    Predicate::Field {
        id: FieldId(id),
        test: Test::Compare(comparison, literal),
    }
}

fn eq(id: i32, literal: Datum) -> Predicate {
    compare(id, Comparison::Eq, literal)
}

fn text(text: &str) -> Datum {
    Datum::String(text.into())
}

#[test]
fn l15_l16_l18_every_manifest_is_filtered_by_its_own_spec() {
    let region =
        json!({"source-id": 2, "field-id": 1000, "name": "region", "transform": "identity"});
    let bucket = json!({"source-id": 1, "field-id": 1001, "name": "b", "transform": "bucket[16]"});
    let mystery = json!({"source-id": 1, "field-id": 1002, "name": "z", "transform": "mystery"});
    let specs = json!([
        {"spec-id": 0, "fields": [region]},
        {"spec-id": 1, "fields": [bucket]},
        {"spec-id": 2, "fields": []},
        {"spec-id": 3, "fields": [mystery]}
    ]);
    let columns = json!([{"id": 1, "name": "id", "type": "long"}, {"id": 2, "name": "region", "type": "string"}]);
    let of_region = |name: &str, region: Avro| Made::data(name).partition(&[("region", region)]);
    let of_bucket = |name: &str, b: i32| Made::data(name).partition(&[("b", Avro::Int(b))]);
    let manifest = |spec, partition, files| MadeManifest {
        spec,
        partition,
        ..MadeManifest::new(1, files)
    };
    let manifests = [
        manifest(
            0,
            vec![("region", 1000, json!("string"))],
            vec![
                of_region("/lake/t/0_east", Avro::String("East".into())),
                of_region("/lake/t/0_empty", Avro::String(String::new())),
                of_region("/lake/t/0_null", Avro::Null),
            ],
        ),
        // The bucket of 34 is 3.
        manifest(
            1,
            vec![("b", 1001, json!("int"))],
            vec![
                of_bucket("/lake/t/1_bucket3", 3),
                of_bucket("/lake/t/1_bucket4", 4),
            ],
        ),
        manifest(2, vec![], vec![Made::data("/lake/t/2")]),
        manifest(
            3,
            vec![("z", 1002, json!("string"))],
            vec![Made::data("/lake/t/3").partition(&[("z", Avro::String("x".into()))])],
        ),
    ];
    let table = made::table(columns, specs, &manifests);
    let others = ["1_bucket3", "1_bucket4", "2", "3"];
    let with = |first: &[&str]| -> Vec<String> {
        first
            .iter()
            .chain(&others)
            .map(|name| (*name).to_owned())
            .collect()
    };
    assert_eq!(kept(&table, eq(2, text("East"))), with(&["0_east"]));
    assert_eq!(kept(&table, eq(2, text(""))), with(&["0_empty"]));
    let is_null = Predicate::Field {
        id: FieldId(2),
        test: Test::IsNull,
    };
    assert_eq!(kept(&table, is_null), with(&["0_null"]));
    assert_eq!(
        kept(&table, compare(2, Comparison::NotEq, text("East"))),
        with(&["0_empty"])
    );
    let no_bucket4 = ["0_east", "0_empty", "0_null", "1_bucket3", "2", "3"];
    assert_eq!(kept(&table, eq(1, Datum::Long(34))), no_bucket4);
    assert_eq!(kept(&table, eq(1, Datum::Int(34))), no_bucket4);
    let both = Predicate::And(vec![eq(2, text("West")), eq(1, Datum::Long(34))]);
    assert_eq!(kept(&table, both), ["1_bucket3", "2", "3"]);
    let either = Predicate::Or(vec![eq(2, text("East")), eq(1, Datum::Long(34))]);
    assert_eq!(kept(&table, either).len(), 7);
}

#[test]
fn whole_manifests_are_left_closed() {
    let specs = json!([{"spec-id": 0, "fields": [
        {"source-id": 1, "field-id": 1000, "name": "day", "transform": "day"}]}]);
    let columns = json!([{"id": 1, "name": "ts", "type": "timestamp"}]);
    let manifest = |day: i32| MadeManifest {
        // A day may be written as an int.
        partition: vec![("day", 1000, json!("int"))],
        summaries: vec![(day.to_le_bytes().to_vec(), day.to_le_bytes().to_vec())],
        ..MadeManifest::new(
            1,
            vec![Made::data(&format!("/lake/t/{day}")).partition(&[("day", Avro::Int(day))])],
        )
    };
    let days: Vec<MadeManifest> = (100..110).map(manifest).collect();
    let (files, _) = made::files(columns, specs, &days);
    let files = Arc::new(files);
    let table = IcebergTable::open(Arc::clone(&files) as _, "/lake/t").unwrap();
    let day_micros = 86_400_000_000_i64;
    let at_noon = Datum::Timestamp(105 * day_micros + day_micros / 2);
    files.reads.lock().unwrap().clear();
    let options = ScanOptions {
        predicate: Some(eq(1, at_noon.clone())),
        ..ScanOptions::default()
    };
    let plan = table.scan_plan(&options).unwrap();
    assert_eq!(plan.files.len(), 1);
    assert_eq!(
        (plan.stats.manifests_read, plan.stats.manifests_pruned),
        (1, 9)
    );
    assert_eq!(files.reads.lock().unwrap().len(), 2);
    assert_eq!(
        kept(&table, compare(1, Comparison::Gt, at_noon.clone())).len(),
        5
    );
    assert_eq!(kept(&table, compare(1, Comparison::Lt, at_noon)).len(), 6);
    assert_eq!(
        kept(&table, eq(1, Datum::TimestampNs(105 * day_micros * 1000))),
        ["105"]
    );
}

#[test]
fn k09_t36_bounds_of_promoted_columns_are_read_by_their_length() {
    let columns = json!([
        {"id": 1, "name": "n", "type": "long"}, {"id": 2, "name": "x", "type": "double"},
        {"id": 3, "name": "d", "type": "decimal(18,2)"}]);
    let with = |name: &str, lower: [Vec<u8>; 3], upper: [Vec<u8>; 3]| Made {
        lower: (1..).zip(lower).collect(),
        upper: (1..).zip(upper).collect(),
        nulls: vec![(1, 0)],
        ..Made::data(name)
    };
    let le = |value: i32| value.to_le_bytes().to_vec();
    let old = with(
        "/lake/t/old",
        [le(1), 0.5_f32.to_le_bytes().to_vec(), vec![100]],
        [le(5), 1.5_f32.to_le_bytes().to_vec(), vec![0, 150]],
    );
    let long = |value: i64| value.to_le_bytes().to_vec();
    let new = with(
        "/lake/t/new",
        [long(1 << 40), 0.1_f64.to_le_bytes().to_vec(), vec![1, 0]],
        [long(1 << 40), 0.1_f64.to_le_bytes().to_vec(), vec![2, 0]],
    );
    let broken = Made {
        lower: vec![(1, vec![1, 2, 3])],
        ..Made::data("/lake/t/odd")
    };
    let manifests = [MadeManifest::new(1, vec![old, new, broken])];
    let table = made::table(columns, json!([{"spec-id": 0, "fields": []}]), &manifests);
    let decimal = |unscaled| Datum::Decimal { unscaled, scale: 2 };
    assert_eq!(kept(&table, eq(1, Datum::Long(3))), ["odd", "old"]);
    assert_eq!(kept(&table, eq(1, Datum::Long(1 << 40))), ["new", "odd"]);
    // K12: a literal that the old type cannot hold is true of all its rows, or of none.
    assert_eq!(
        kept(&table, compare(1, Comparison::Lt, Datum::Long(i64::MAX))).len(),
        3
    );
    assert_eq!(kept(&table, eq(1, Datum::Long(5_000_000_000))), ["odd"]);
    assert_eq!(kept(&table, eq(2, Datum::Double(1.0))), ["odd", "old"]);
    // K06: 1.50 in the old precision.
    assert_eq!(kept(&table, eq(3, decimal(150))), ["odd", "old"]);
    assert_eq!(kept(&table, eq(3, Datum::Int(5))), ["new", "odd"]);
    let is_null = Predicate::Field {
        id: FieldId(1),
        test: Test::IsNull,
    };
    assert_eq!(kept(&table, is_null), ["odd"]);
}

#[test]
fn k01_files_without_a_column_are_kept_for_its_default() {
    let columns = json!([{"id": 1, "name": "a", "type": "int"},
        {"id": 2, "name": "c", "type": "int", "initial-default": 5}]);
    let manifests = [MadeManifest::new(1, vec![Made::data("/lake/t/old")])];
    let table = made::table(columns, json!([{"spec-id": 0, "fields": []}]), &manifests);
    for test in [
        Test::IsNull,
        Test::IsNotNull,
        Test::Compare(Comparison::Eq, Datum::Int(5)),
    ] {
        let predicate = Predicate::Field {
            id: FieldId(2),
            test,
        };
        assert_eq!(kept(&table, predicate), ["old"]);
    }
}

#[test]
fn t54_a_sample_with_three_specs_is_pruned_by_each() {
    let table = sample("spark35", "part_evo").open();
    let all = plan(&table, Predicate::Always).files.len();
    assert_eq!(all, 8);
    for id in 0..20 {
        let wanted = plan(&table, eq(1, Datum::Int(id)));
        // Nothing that may hold the row is missing: by bounds every file says which ids it has.
        for file in plan(&table, Predicate::Always).files {
            let stats = file.columns.get(FieldId(1)).unwrap();
            let bound = |bytes: &Option<Box<[u8]>>| {
                i32::from_le_bytes(bytes.as_deref().unwrap().try_into().unwrap())
            };
            let holds = (bound(&stats.lower_bound)..=bound(&stats.upper_bound)).contains(&id);
            let is_kept = wanted.files.iter().any(|kept| kept.path == file.path);
            assert!(
                is_kept || !holds || file.spec_id.0 > 0,
                "{id} {}",
                file.path
            );
        }
        assert!(wanted.files.len() < all);
    }
    let id = |name: &str| table.metadata().current_schema().column(name).unwrap().id.0;
    let later = Datum::Timestamp(i64::MAX);
    assert_eq!(
        plan(&table, compare(id("ts"), Comparison::GtEq, later))
            .files
            .len(),
        0
    );
}

/// Bounds of a variant column: metadata, then an object of paths.
pub fn variant_bound(paths: &Value) -> Vec<u8> {
    let mut names = NameTable::default();
    let value = encode_json(&paths.to_string(), &mut names).unwrap();
    let mut bytes = names.to_bytes();
    bytes.extend(value);
    bytes
}

fn of_key(key: &str, test: Test) -> Predicate {
    KeyPath::parse(key).unwrap();
    Predicate::Variant {
        id: FieldId(1),
        paths: VariantPath::of_dotted(key).unwrap(),
        test,
    }
}

#[test]
fn variant_keys_are_pruned_by_the_bounds_of_their_paths() {
    let file = |name: &str, lower: Value, upper: Value| Made {
        lower: vec![(1, variant_bound(&lower))],
        upper: vec![(1, variant_bound(&upper))],
        ..Made::data(name)
    };
    let manifests = [MadeManifest::new(
        1,
        vec![
            file(
                "/lake/t/low",
                json!({"$['n']": 1, "$['s']": "a", "$['a.b']": 1, "$['a']['b']": 1}),
                json!({"$['n']": 9, "$['s']": "f", "$['a.b']": 9, "$['a']['b']": 9}),
            ),
            file(
                "/lake/t/high",
                json!({"$['n']": 10, "$['s']": "m", "$['a']['b']": 10}),
                json!({"$['n']": 19, "$['a']['b']": 19}),
            ),
            Made::data("/lake/t/none"),
            Made {
                lower: vec![(1, vec![1, 2, 3])],
                ..Made::data("/lake/t/odd")
            },
        ],
    )];
    let columns = json!([{"id": 1, "name": "props", "type": "variant"}]);
    let table = made::table(columns, json!([{"spec-id": 0, "fields": []}]), &manifests);
    let eq = |literal: Datum| Test::Compare(Comparison::Eq, literal);
    let kept = |key: &str, test: Test| -> Vec<String> {
        let all = kept(&table, of_key(key, test));
        all.into_iter()
            .filter(|name| name != "none" && name != "odd")
            .collect()
    };
    assert_eq!(kept("n", eq(Datum::Int(5))), ["low"]);
    assert_eq!(kept("n", eq(Datum::Double(10.5))), ["high"]);
    assert_eq!(
        kept("n", Test::Compare(Comparison::Gt, Datum::Int(9))),
        ["high"]
    );
    // Read as text, numbers are in another order: no evidence.
    assert_eq!(kept("n", eq(text("5"))), ["high", "low"]);
    assert_eq!(kept("s", eq(text("c"))), ["low"]);
    assert_eq!(kept("s", eq(text("z"))), ["high"]);
    // The bounds of a list's elements are under the same path, and a list reads as its text.
    assert_eq!(kept("s", eq(text("[\"a\"]"))), ["high", "low"]);
    assert_eq!(kept("other", eq(Datum::Int(5))), ["high", "low"]);
    assert_eq!(kept("n", Test::IsNull), ["high", "low"]);
    // A key with a dot may be in two places; only where both are bound is the file ruled out.
    assert_eq!(kept("a.b", eq(Datum::Int(50))), ["high"]);
    let all = plan(&table, of_key("n", eq(Datum::Int(5))));
    assert_eq!((all.files.len(), all.stats.files_pruned), (3, 1));
}

#[test]
fn variant_bounds_of_sample_tables_are_understood() {
    let mut bounded = 0;
    for sample in crate::samples::samples() {
        let table = sample.open();
        let schema = table.metadata().current_schema();
        let is_variant = |field: &&growler_catalog::metadata::NestedField| {
            matches!(field.field_type, growler_catalog::metadata::Type::Variant)
        };
        for field in schema.fields.iter().filter(is_variant) {
            let all = plan(&table, Predicate::Always);
            for file in &all.files {
                let Some(bytes) = file
                    .columns
                    .get(field.id)
                    .and_then(|s| s.lower_bound.as_deref())
                else {
                    continue;
                };
                bounded += 1;
                let metadata = growler_variant::Metadata::try_new(bytes).unwrap();
                for id in 0..metadata.len() {
                    let path = metadata.name(id).unwrap();
                    assert!(path.starts_with("$["), "{path}");
                }
            }
        }
    }
    assert!(bounded > 0);
    // Four files of one row: HOME is bound in one, CART in another, the others say nothing.
    let table = sample("java", "events_variant_perfile").open();
    let id = table
        .metadata()
        .current_schema()
        .column("props")
        .unwrap()
        .id;
    let of_page = |page: &str| {
        let predicate = Predicate::Variant {
            id,
            paths: VariantPath::of_dotted("page_type").unwrap(),
            test: Test::Compare(Comparison::Eq, text(page)),
        };
        plan(&table, predicate).stats.files_pruned
    };
    assert_eq!(
        (of_page("HOME"), of_page("CART"), of_page("NONE")),
        (1, 1, 2)
    );
}
