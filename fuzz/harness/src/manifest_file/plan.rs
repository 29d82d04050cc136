//! What holds of the plans of any table.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use growler_base::FieldId;
use growler_catalog::prune::{Comparison, Test, VariantPath};
use growler_catalog::table::DataFile;
use growler_catalog::{
    Datum, FileFilter, FileIndex, IcebergTable, ManifestCache, Plan, Predicate, ScanOptions,
};

use crate::table_metadata::blames_bytes;

/// Most memory for manifests, in bytes.
const KEPT: usize = 1 << 20;

pub(super) fn check(table: &IcebergTable) {
    let everything = match table.scan_plan(&ScanOptions::default()) {
        Ok(plan) => plan,
        Err(error) => return blames_bytes(&error, "path="),
    };
    let order = |file: &DataFile| (file.sequence_number, file.recorded_path.clone());
    assert!(everything.files.is_sorted_by_key(order));
    everything.files.iter().for_each(stored);
    let everything = Arc::new(everything);
    let index = FileIndex::new(table.clone(), Arc::clone(&everything));
    for predicate in predicates() {
        left_out(table, &everything, &index, predicate);
    }
    let kept = Arc::new(ManifestCache::new(KEPT));
    let kept = table.clone().with_manifests(&kept, "t");
    for _ in 0..2 {
        let plan = kept
            .scan_plan(&ScanOptions::default())
            .expect("planned before");
        assert_eq!(texts(&plan.files), texts(&everything.files));
    }
}

/// A file is kept as JSON between processes. Compared by its text: a partition may be NaN.
fn stored(file: &DataFile) {
    let text = serde_json::to_string(file).expect("a file as JSON");
    let again: DataFile = serde_json::from_str(&text).expect("what was written reads again");
    assert_eq!(serde_json::to_string(&again).ok(), Some(text));
}

fn texts(files: &[DataFile]) -> Vec<String> {
    let text = |file: &DataFile| serde_json::to_string(file).expect("a file as JSON");
    files.iter().map(text).collect()
}

/// One file by itself, all files at once, and a plan leave out the same; a plan also leaves whole
/// manifests out.
fn left_out(table: &IcebergTable, everything: &Plan, index: &FileIndex, predicate: &Predicate) {
    let filter = FileFilter::new(predicate.clone(), &everything.schema);
    let matching = index.matching(predicate);
    let mut kept = HashSet::new();
    for (position, file) in (0..).zip(&everything.files) {
        let may_match = filter.may_match(&file.facts(table));
        assert_eq!(
            may_match,
            matching.contains(position),
            "{predicate:?} {file:?}"
        );
        if may_match {
            kept.insert(file.recorded_path.as_str());
        }
    }
    let options = ScanOptions {
        predicate: Some(predicate.clone()),
        ..ScanOptions::default()
    };
    let planned = table.scan_plan(&options).expect("planned before");
    for file in &planned.files {
        assert!(kept.contains(file.recorded_path.as_str()), "{predicate:?}");
    }
    let all = planned.stats.files_pruned + planned.files.len();
    assert!(all <= everything.files.len());
    if planned.stats.manifests_pruned == everything.stats.manifests_pruned {
        assert_eq!(all, everything.files.len());
    }
}

fn predicates() -> &'static [Predicate] {
    static PREDICATES: OnceLock<Vec<Predicate>> = OnceLock::new();
    PREDICATES.get_or_init(|| {
        let day = 86_400_000_000;
        let literals = [
            (1, Datum::Long(7)),
            (2, Datum::Timestamp(20_000 * day + 5)),
            (3, Datum::String("ab".into())),
            (5, Datum::Double(1.5)),
            (
                6,
                Datum::Decimal {
                    unscaled: 150,
                    scale: 2,
                },
            ),
            (7, Datum::Int(7)),
            (8, Datum::Binary([1, 2].into())),
        ];
        let mut predicates = Vec::new();
        for (id, literal) in literals {
            for test in tests(&literal) {
                let id = FieldId(id);
                predicates.push(Predicate::Field { id, test });
            }
        }
        for literal in [
            Datum::Int(7),
            Datum::String("ab".into()),
            Datum::Double(0.5),
        ] {
            for test in tests(&literal) {
                predicates.push(Predicate::Variant {
                    id: FieldId(4),
                    paths: VariantPath::of_dotted("a.b").expect("a short path"),
                    test,
                });
            }
        }
        predicates
    })
}

fn tests(literal: &Datum) -> Vec<Test> {
    let compare = |comparison| Test::Compare(comparison, literal.clone());
    let mut tests = vec![
        Test::IsNull,
        Test::IsNotNull,
        compare(Comparison::Eq),
        compare(Comparison::Lt),
        compare(Comparison::GtEq),
        Test::In(vec![literal.clone()]),
        Test::NotIn(vec![literal.clone()]),
    ];
    if let Datum::String(text) = literal {
        tests.push(Test::StartsWith(text.clone()));
    }
    tests
}
