//! Runs of the sync: T41 to T52 and T55 of the plan, over tables made step by step.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use growler_schema::wire::SchemaJson;
use growler_table::store::{DocumentKind, MemberState, RunState};
use growler_table::sync::{Code, Phase, SourceError, SourceFault};
use serde_json::json;

use crate::lake::{Cells, Lake};
use crate::samples::{expectations, find, samples};
use crate::world::{Script, TABLE, World};

/// A lake, and a world that follows it.
struct Case {
    lake: Lake,
    script: Arc<Script>,
    world: World,
    folder: tempfile::TempDir,
}

impl Case {
    fn new() -> Self {
        let mut lake = Lake::new(&[(1, "id", "long"), (2, "qty", "int")]);
        lake.append(&[
            ("id", Cells::Long(vec![1, 2])),
            ("qty", Cells::Int(vec![10, 20])),
        ]);
        Self::over(lake)
    }

    fn over(lake: Lake) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Arc::new(Script::default());
        *script.metadata_file.lock().unwrap() = lake.metadata_file();
        let world = World::new(folder.path(), script.clone());
        Self {
            lake,
            script,
            world,
            folder,
        }
    }

    /// A new process over the same data directory.
    fn restart(self) -> Self {
        let Self {
            lake,
            script,
            world,
            folder,
        } = self;
        let settings = world.config.settings.lock().unwrap().clone();
        drop(world);
        let world = World::new(folder.path(), script.clone());
        *world.config.settings.lock().unwrap() = settings;
        Self {
            lake,
            script,
            world,
            folder,
        }
    }

    fn look(&self) {
        *self.script.metadata_file.lock().unwrap() = self.lake.metadata_file();
    }

    fn run(&self) -> growler_table::sync::RunReport {
        self.look();
        self.world.run()
    }

    fn run_logged(&self) -> (growler_table::sync::RunReport, Vec<String>) {
        self.look();
        self.world.run_logged()
    }

    fn completed(&self) {
        let report = self.run();
        assert_eq!(report.state, RunState::Completed, "{:?}", report.record);
    }

    fn sum(&self, column: &str) -> String {
        self.world
            .text(&format!("SELECT COUNT(*), SUM({column}) FROM {TABLE}"))
    }
}

fn long(ids: &[i64], qty: &[i64]) -> Vec<(&'static str, Cells)> {
    vec![
        ("id", Cells::Long(ids.to_vec())),
        ("qty", Cells::Long(qty.to_vec())),
    ]
}

fn int(ids: &[i64], qty: &[i32]) -> Vec<(&'static str, Cells)> {
    vec![
        ("id", Cells::Long(ids.to_vec())),
        ("qty", Cells::Int(qty.to_vec())),
    ]
}

#[test]
fn t41_without_evolution_files_come_and_the_schema_stays() {
    for enabled in [Some("true"), None] {
        let mut case = Case::new();
        match enabled {
            Some(value) => case.world.set("enabled", value),
            // The snapshot path never updates the schema, whatever the switches say.
            None => {
                case.world.unset("enabled");
                case.world.evolve();
            }
        }
        case.completed();
        case.lake
            .alter(&[(1, "id", "long"), (2, "qty", "long"), (3, "note", "string")]);
        case.lake.append(&[
            ("id", Cells::Long(vec![3])),
            ("qty", Cells::Long(vec![30])),
            ("note", Cells::Text(vec!["x"])),
        ]);
        let (report, lines) = case.run_logged();
        assert_eq!((report.state, lines), (RunState::Completed, vec![]));
        assert_eq!(case.world.columns(), ["id LONG", "qty INT"]);
        assert_eq!(case.sum("qty"), "[[3,60.0]]");
    }
}

#[test]
fn t42_added_and_renamed_columns_are_followed() {
    let mut case = Case::new();
    case.world.evolve();
    case.completed();
    case.lake
        .alter(&[(1, "id", "long"), (2, "qty", "int"), (3, "note", "string")]);
    case.lake.append(&[
        ("id", Cells::Long(vec![3])),
        ("qty", Cells::Int(vec![30])),
        ("note", Cells::Text(vec!["x"])),
    ]);
    case.completed();
    assert_eq!(case.world.columns(), ["id LONG", "note STRING", "qty INT"]);
    case.lake.alter(&[
        (1, "id", "long"),
        (2, "quantity", "int"),
        (3, "note", "string"),
    ]);
    case.lake.append(&[
        ("id", Cells::Long(vec![4])),
        ("quantity", Cells::Int(vec![40])),
        ("note", Cells::Text(vec!["y"])),
    ]);
    let (report, lines) = case.run_logged();
    assert_eq!(
        report.record.schema_changes,
        ["column qty renamed to quantity"]
    );
    assert_eq!(
        lines,
        [
            "Updated Pinot schema for orders_ext_OFFLINE: unioned snapshot 1003 (schema-id 2, forced=false)"
        ]
    );
    assert_eq!(case.world.columns(), ["id LONG", "note STRING", "qty INT"]);
    assert_eq!(case.sum("qty"), "[[4,100.0]]");
    let text = case
        .world
        .text("SELECT note, COUNT(*) FROM orders_ext GROUP BY note ORDER BY note");
    assert_eq!(text, r#"[["null",2],["x",1],["y",1]]"#);
    let schema = case.world.config.declared().unwrap();
    assert_eq!(schema.field("qty").unwrap().aliases, ["quantity"]);
    // What is followed is followed once.
    let versions = case.world.status().served_schema_version;
    case.completed();
    assert_eq!(case.world.status().served_schema_version, versions);
    assert_eq!(case.world.serving.reloads.load(Ordering::Relaxed), 0);
}

#[test]
fn t43_a_widening_waits_for_data_and_reloads() {
    let mut case = Case::new();
    case.world.evolve();
    case.completed();
    case.lake.alter(&[(1, "id", "long"), (2, "qty", "long")]);
    let (report, lines) = case.run_logged();
    assert_eq!((report.state, lines), (RunState::Completed, vec![]));
    assert_eq!(case.world.columns(), ["id LONG", "qty INT"]);
    case.lake.append(&long(&[3], &[5_000_000_000]));
    let (report, lines) = case.run_logged();
    assert_eq!(report.state, RunState::Completed);
    assert_eq!(
        lines,
        [
            "Applying source type widening for orders_ext_OFFLINE on columns [qty] (snapshot 1002, schema-id 1). Segments reload onto the widened type; until every one has, queries spanning both generations of segments may fail or return partial rows.",
            "Updated Pinot schema for orders_ext_OFFLINE: unioned snapshot 1002 (schema-id 1, forced=true)",
        ]
    );
    assert_eq!(case.world.columns(), ["id LONG", "qty LONG"]);
    assert_eq!(case.world.serving.reloads.load(Ordering::Relaxed), 1);
    assert_eq!(
        case.world
            .text("SELECT qty FROM orders_ext ORDER BY qty DESC LIMIT 10"),
        "[[5000000000],[20],[10]]"
    );
    let document = case
        .world
        .store
        .read(|r| r.document(DocumentKind::Schema, TABLE))
        .unwrap();
    let schema = SchemaJson::parse(&document.unwrap()).unwrap();
    let qty = schema
        .field_specs()
        .find(|spec| spec.name.as_deref() == Some("qty"))
        .unwrap();
    assert_eq!(qty.data_type.as_deref(), Some("LONG"));
}

#[test]
fn t45_t46_a_widening_that_is_off_is_refused_until_it_is_on() {
    let mut case = Case::new();
    case.world.set("schemaEvolution.enabled", "true");
    case.completed();
    case.lake
        .alter(&[(1, "id", "long"), (2, "qty", "long"), (3, "note", "string")]);
    case.lake.append(&long(&[3], &[30]));
    let refused = [
        "Not applying the source type widening on columns [qty] for orders_ext_OFFLINE: schemaEvolution.typeWidening.enabled is false.",
        "Schema update rejected for snapshot 1002 (e.g. unsupported type widening): column qty changed type from INT to LONG. Continuing ingestion with the existing schema for orders_ext_OFFLINE (schemaEvolution.failFast=false).",
    ];
    // Every run looks again.
    for _ in 0..2 {
        let (report, lines) = case.run_logged();
        assert_eq!(report.state, RunState::Completed);
        assert_eq!(lines, refused);
        assert_eq!(case.world.columns(), ["id LONG", "qty INT"]);
        assert_eq!(case.sum("qty"), "[[3,60.0]]");
        let rejection = case.world.status().last_schema_rejection.unwrap();
        assert_eq!(
            rejection.reasons,
            ["column qty changed type from INT to LONG"]
        );
        assert_eq!(rejection.snapshot_id, Some(1002));
    }
    // Switched on, the same snapshot is followed.
    case.world.evolve();
    case.completed();
    assert_eq!(case.world.columns(), ["id LONG", "note STRING", "qty LONG"]);
    assert_eq!(case.sum("qty"), "[[3,60.0]]");
    assert_eq!(case.world.status().last_schema_rejection, None);
    assert_eq!(case.world.serving.reloads.load(Ordering::Relaxed), 1);
}

#[test]
fn a_declared_schema_is_adopted_once() {
    let mut case = Case::new();
    case.world.evolve();
    case.completed();
    *case.world.config.pinned.lock().unwrap() = case.world.config.declared();
    case.lake
        .alter(&[(1, "id", "long"), (2, "qty", "long"), (3, "note", "string")]);
    case.lake.append(&long(&[3], &[1 << 40]));
    let wide = ["id LONG", "note STRING", "qty LONG"];
    for most in [2, 0] {
        let published = case.world.serving.published.load(Ordering::Relaxed);
        case.completed();
        let now = case.world.serving.published.load(Ordering::Relaxed);
        assert!(now - published <= most, "{published} {now}");
        let mut columns = case.world.columns();
        columns.sort();
        assert_eq!(columns, wide);
    }
    assert!(case.world.config.pinned.lock().unwrap().is_none());
}

#[test]
fn t45_fail_fast_fails_before_any_segment() {
    let mut case = Case::new();
    case.world.set("schemaEvolution.enabled", "true");
    case.world.set("schemaEvolution.failFast", "true");
    case.completed();
    case.lake.alter(&[(1, "id", "long"), (2, "qty", "long")]);
    case.lake.append(&long(&[3], &[30]));
    for _ in 0..2 {
        let report = case.run();
        assert_eq!(report.state, RunState::Failed);
        let status = case.world.status();
        assert_eq!(
            (status.status, status.failure_phase),
            ("FAILED", Some("UPDATING_SCHEMA"))
        );
        assert_eq!(
            status.failure_message.as_deref(),
            Some(
                "Schema update rejected for snapshot 1002 (e.g. unsupported type widening): column qty changed type from INT to LONG"
            )
        );
        let staged = case
            .world
            .store
            .read(|r| r.count_members(TABLE, MemberState::Staged));
        assert_eq!(staged.unwrap(), 0);
        assert_eq!(case.sum("qty"), "[[2,30.0]]");
    }
}

#[test]
fn t48_schemas_that_are_not_known() {
    for (change, text) in [
        (
            "no id",
            "Could not resolve schema-id for snapshot 1002 from catalog metadata snapshots",
        ),
        (
            "no schema",
            "Could not resolve schema-id 77 for snapshot 1002 from catalog metadata schemas",
        ),
    ] {
        let mut case = Case::new();
        case.world.evolve();
        case.completed();
        case.lake.append(&int(&[3], &[30]));
        let snapshot = case.lake.snapshots.get_mut(&1002).unwrap();
        match change {
            "no id" => drop(snapshot.as_object_mut().unwrap().remove("schema-id")),
            _ => snapshot["schema-id"] = json!(77),
        }
        case.lake.save();
        let (report, lines) = case.run_logged();
        assert_eq!(report.state, RunState::Completed, "{change}");
        assert_eq!(
            lines,
            [format!(
                "{text}. Continuing ingestion with the existing schema for orders_ext_OFFLINE (schemaEvolution.failFast=false)."
            )]
        );
        assert_eq!(case.sum("qty"), "[[3,60.0]]");
        case.world.set("schemaEvolution.failFast", "true");
        let report = case.run();
        let record = report.record;
        assert_eq!(
            record.failure_phase,
            Some(Phase::UpdatingSchema),
            "{change}"
        );
        assert_eq!(record.failure_code, Some(Code::SnapshotSchemaUnknown));
        assert_eq!(record.failure_message.as_deref(), Some(text));
    }
}

#[test]
fn t48_catalogs_that_fail_are_asked_again() {
    let case = Case::new();
    let fails = |faults: &[SourceFault]| {
        let failures = faults
            .iter()
            .map(|fault| SourceError::new(*fault, "status=500"));
        *case.script.failures.lock().unwrap() = failures.collect();
        case.script.loads.store(0, Ordering::Relaxed);
        case.script.renewals.store(0, Ordering::Relaxed);
        let report = case.run();
        let loads = case.script.loads.load(Ordering::Relaxed);
        (report, loads, case.script.renewals.load(Ordering::Relaxed))
    };
    use SourceFault::{Broken, Transient, Unauthorized};
    let (report, loads, renewals) = fails(&[Transient, Transient]);
    assert_eq!((report.state, loads, renewals), (RunState::Completed, 3, 0));
    assert_eq!(case.world.clock.slept_ms.load(Ordering::Relaxed), 750);
    let (report, loads, renewals) = fails(&[Unauthorized]);
    assert_eq!((report.state, loads, renewals), (RunState::Completed, 2, 1));
    let (report, loads, renewals) = fails(&[Unauthorized, Unauthorized]);
    assert_eq!((report.state, loads, renewals), (RunState::Failed, 2, 1));
    let (report, loads, _) = fails(&[Transient; 4]);
    assert_eq!((report.state, loads), (RunState::Failed, 4));
    assert_eq!(report.record.failure_code, Some(Code::CatalogUnreadable));
    assert_eq!(report.record.failure_phase, Some(Phase::LoadingMetadata));
    let (report, loads, _) = fails(&[Broken]);
    assert_eq!((report.state, loads), (RunState::Failed, 1));
    let message = "Failed to load catalog metadata: status=500";
    assert_eq!(report.record.failure_message.as_deref(), Some(message));
    // Where the schema is followed, the line is that of the union, and failFast is to be blamed.
    case.world.evolve();
    let message = "Failed to load catalog metadata for schema union: status=500";
    let (report, ..) = fails(&[Broken]);
    assert_eq!(report.record.failure_message.as_deref(), Some(message));
    assert_eq!(report.record.failure_phase, Some(Phase::LoadingMetadata));
    case.world.set("schemaEvolution.failFast", "true");
    let (report, ..) = fails(&[Broken]);
    assert_eq!(report.record.failure_message.as_deref(), Some(message));
    assert_eq!(report.record.failure_phase, Some(Phase::UpdatingSchema));
    // The old view serves through all of it.
    assert_eq!(case.sum("qty"), "[[2,30.0]]");
}

#[test]
fn t48_documents_that_are_half_there_or_lie() {
    let mut case = Case::new();
    case.completed();
    case.lake.append(&int(&[3], &[30]));
    let whole = case.lake.document();
    type Lie = fn(&mut serde_json::Value);
    let lies: [Lie; 5] = [
        |document| document["current-schema-id"] = json!(55),
        |document| document["current-snapshot-id"] = json!(55),
        |document| drop(document.as_object_mut().unwrap().remove("schemas")),
        |document| document["snapshots"][0]["snapshot-id"] = json!("one"),
        |document| *document = json!({"error": "half"}),
    ];
    for lie in lies {
        let mut document = whole.clone();
        lie(&mut document);
        case.lake.put(&document);
        let report = case.run();
        assert_eq!(report.state, RunState::Failed, "{document}");
        assert_eq!(
            report.record.failure_code,
            Some(Code::CatalogUnreadable),
            "{document}"
        );
        assert_eq!(case.sum("qty"), "[[2,30.0]]");
    }
    case.lake.put(&whole);
    case.completed();
    assert_eq!(case.sum("qty"), "[[3,60.0]]");
}

#[test]
fn t49_columns_that_the_source_lacks_block_every_update() {
    let mut case = Case::new();
    case.world.evolve();
    case.completed();
    let document = case
        .world
        .store
        .read(|r| r.document(DocumentKind::Schema, TABLE))
        .unwrap();
    let mut schema: serde_json::Value = serde_json::from_slice(&document.unwrap()).unwrap();
    let own = json!({"name": "mine", "dataType": "STRING"});
    schema["dimensionFieldSpecs"]
        .as_array_mut()
        .unwrap()
        .push(own);
    let text = schema.to_string();
    case.world
        .store
        .write("t", |w| {
            w.put_document(DocumentKind::Schema, TABLE, text.as_bytes())
        })
        .unwrap();
    case.lake
        .alter(&[(1, "id", "long"), (2, "qty", "int"), (3, "note", "string")]);
    case.lake.append(&int(&[3], &[30]));
    for _ in 0..2 {
        let (_, lines) = case.run_logged();
        let last = lines.last().unwrap();
        assert!(
            last.contains("column mine dropped from the union schema"),
            "{last}"
        );
        assert_eq!(case.world.columns(), ["id LONG", "mine STRING", "qty INT"]);
    }
    assert_eq!(
        case.world
            .text("SELECT mine, COUNT(*) FROM orders_ext GROUP BY mine"),
        r#"[["null",3]]"#
    );
    case.world
        .set("schemaEvolution.ignoreServedOnlyColumns", "true");
    case.completed();
    assert_eq!(
        case.world.columns(),
        ["id LONG", "mine STRING", "note STRING", "qty INT"]
    );
}

#[test]
fn t50_a_table_made_anew_at_the_same_place_is_another_one() {
    let mut case = Case::new();
    case.completed();
    let first = case.lake.uuid.clone();
    case.lake.uuid = "6d1a0000-0000-4000-8000-00000000000f".into();
    case.lake.put(&case.lake.document());
    for _ in 0..2 {
        let report = case.run();
        assert_eq!(report.record.failure_code, Some(Code::TableReplaced));
        assert_eq!(report.record.failure_phase, Some(Phase::ResolvingSnapshot));
        let status = case.world.status();
        assert_eq!((status.state, status.status), ("DETACHED", "FAILED"));
        assert_eq!(case.sum("qty"), "[[2,30.0]]");
    }
    // Restored, it is ours again.
    let second = std::mem::replace(&mut case.lake.uuid, first);
    case.lake.put(&case.lake.document());
    case.completed();
    assert_eq!(
        (case.world.status().state, case.world.status().detached),
        ("IDLE", None)
    );
    // Or the operator takes the new one.
    case.lake.uuid = second;
    case.lake.append(&int(&[3], &[30]));
    assert_eq!(case.run().state, RunState::Failed);
    case.world.sync.reattach(TABLE).unwrap();
    let report = case.run();
    assert_eq!(
        (report.state, report.record.files.planned),
        (RunState::Completed, 2)
    );
    assert_eq!(case.sum("qty"), "[[3,60.0]]");
    assert_eq!(case.world.status().state, "IDLE");
    // Gone, and it is detached too.
    case.script
        .failures
        .lock()
        .unwrap()
        .push_back(SourceError::new(SourceFault::NotFound, "no such table"));
    assert_eq!(case.run().record.failure_code, Some(Code::TableNotFound));
    assert_eq!(case.world.status().state, "DETACHED");
    assert_eq!(case.sum("qty"), "[[3,60.0]]");
}

#[test]
fn columns_of_another_table_are_found_by_their_names() {
    for evolves in [false, true] {
        let mut case = Case::new();
        if evolves {
            case.world.evolve();
        }
        case.completed();
        let mut other = Lake::new(&[(1, "qty", "int"), (2, "id", "long")]);
        other.uuid = "6d1a0000-0000-4000-8000-00000000000f".into();
        other.append(&int(&[7, 8, 9], &[1, 2, 3]));
        case.lake = other;
        assert_eq!(case.run().record.failure_code, Some(Code::TableReplaced));
        case.world.sync.reattach(TABLE).unwrap();
        case.completed();
        let text = case
            .world
            .text("SELECT COUNT(*), SUM(id), SUM(qty) FROM orders_ext");
        assert_eq!(text, "[[3,24.0,6.0]]", "evolves={evolves}");
        let case = case.restart();
        assert_eq!(case.sum("qty"), "[[3,6.0]]");
    }
}

#[test]
fn t52_rollbacks_and_expiries_serve_the_files_of_the_target() {
    let mut case = Case::new();
    case.world.evolve();
    case.completed();
    let old = case.lake.append(&int(&[3], &[30]));
    case.completed();
    let newest = case.lake.commit(|live| drop(live.remove(0)));
    case.completed();
    assert_eq!(case.sum("qty"), "[[1,30.0]]");
    case.world.opens();
    case.lake.rollback(old);
    let report = case.run();
    assert_eq!(
        (report.record.files.planned, report.record.files.removed),
        (1, 0)
    );
    assert_eq!(case.sum("qty"), "[[3,60.0]]");
    case.lake.expire(newest);
    case.lake.expire(1001);
    case.completed();
    assert_eq!(case.sum("qty"), "[[3,60.0]]");
    // Iceberg's files never change: what was known of the file that came back still holds, but for its
    // open handle.
    assert_eq!(report.record.files.read, 0);
}

#[test]
fn a_schema_is_followed_though_the_files_that_are_served_are_gone() {
    let mut case = Case::new();
    case.world.evolve();
    case.completed();
    let old = case.lake.live().remove(0);
    case.lake
        .alter(&[(1, "id", "long"), (2, "qty", "long"), (3, "note", "string")]);
    let file = case.lake.write(&long(&[5], &[50]));
    case.lake.commit(|live| *live = vec![file]);
    std::fs::remove_file(old.path).unwrap();
    let mut case = case.restart();
    case.completed();
    assert_eq!(case.sum("qty"), "[[1,50.0]]");
    case.lake.append(&long(&[6], &[1]));
    case.completed();
    assert_eq!(case.sum("qty"), "[[2,51.0]]");
}

#[test]
fn t55_beyond_modes_are_followed_when_they_are_on() {
    let mut lake = Lake::new(&[(1, "id", "long"), (2, "x", "float"), (3, "gone", "int")]);
    lake.append(&[
        ("id", Cells::Long(vec![1])),
        ("x", Cells::Float(vec![0.5])),
        ("gone", Cells::Int(vec![7])),
    ]);
    let mut case = Case::over(lake);
    case.world.evolve();
    case.completed();
    case.lake.alter(&[(1, "id", "long"), (2, "x", "double")]);
    case.lake.append(&[
        ("id", Cells::Long(vec![2])),
        ("x", Cells::Double(vec![1e300])),
    ]);
    let (report, lines) = case.run_logged();
    assert_eq!(report.state, RunState::Completed);
    assert_eq!(
        lines,
        [
            "Schema update rejected for snapshot 1002 (e.g. unsupported type widening): column gone dropped from the union schema; column x changed type from FLOAT to DOUBLE. Continuing ingestion with the existing schema for orders_ext_OFFLINE (schemaEvolution.failFast=false)."
        ]
    );
    assert_eq!(case.world.columns(), ["gone INT", "id LONG", "x FLOAT"]);
    // What is read that no FLOAT holds says where it is, and what to do.
    let error = case.world.ask("SELECT x FROM orders_ext").unwrap_err();
    for part in [
        "a file has the column as DOUBLE with a value that FLOAT, as the table serves it, does not hold",
        "set schemaEvolution.floatWidening=true to serve DOUBLE",
        "value=1e300",
        "segment=f00002",
        "column=x",
    ] {
        assert!(
            error.contains(&part.replace("1e300", &1e300_f64.to_string())),
            "{part}: {error}"
        );
    }
    assert!(!error.contains("corrupt"), "{error}");
    case.world.set("schemaEvolution.floatWidening", "true");
    case.world.set("schemaEvolution.dropColumns", "tombstone");
    case.completed();
    let error = case.world.ask("SELECT gone FROM orders_ext").unwrap_err();
    assert!(error.contains("SET includeDropped=true"), "{error}");
    let dropped = "SET includeDropped=true; SET enableNullHandling=true; ";
    let old = |column: &str| {
        format!("{dropped}SELECT id, \"{column}\" FROM orders_ext ORDER BY id LIMIT 9")
    };
    assert_eq!(case.world.text(&old("gone")), "[[1,7],[2,null]]");
    let all = format!("{dropped}SELECT * FROM orders_ext WHERE gone = 7");
    assert_eq!(case.world.text(&all), "[[1,0.5]]");
    assert_eq!(case.world.columns(), ["id LONG", "x DOUBLE"]);
    assert_eq!(
        case.world
            .text("SELECT x FROM orders_ext ORDER BY x LIMIT 9"),
        "[[0.5],[1e+300]]"
    );
    // The name comes back as another column: old values never do.
    case.lake
        .alter(&[(1, "id", "long"), (2, "x", "double"), (4, "gone", "int")]);
    case.lake.append(&[
        ("id", Cells::Long(vec![3])),
        ("x", Cells::Double(vec![2.0])),
        ("gone", Cells::Int(vec![9])),
    ]);
    case.completed();
    assert_eq!(case.world.columns(), ["gone INT", "id LONG", "x DOUBLE"]);
    let text = case
        .world
        .text("SELECT id, gone FROM orders_ext WHERE gone > 0 ORDER BY id LIMIT 9");
    assert_eq!(text, "[[3,9]]");
    assert_eq!(case.world.text(&old("gone$3")), "[[1,7],[2,null],[3,null]]");
    assert_eq!(case.world.text(&old("gone")), "[[1,null],[2,null],[3,9]]");
    assert_eq!(case.world.status().served_schema_version, Some(3));
}

#[test]
fn t55_a_schema_that_no_snapshot_has_is_followed_when_that_is_on() {
    let mut case = Case::new();
    case.world.evolve();
    case.world
        .set("schemaEvolution.followCurrentSchema", "true");
    case.completed();
    case.lake
        .alter(&[(1, "id", "long"), (2, "qty", "long"), (3, "note", "string")]);
    case.completed();
    assert_eq!(case.world.columns(), ["id LONG", "note STRING", "qty LONG"]);
    assert_eq!(case.sum("qty"), "[[2,30.0]]");
    let notes = "SELECT note, COUNT(*) FROM orders_ext GROUP BY note";
    assert_eq!(case.world.text(notes), r#"[["null",2]]"#);
    assert_eq!(case.world.serving.reloads.load(Ordering::Relaxed), 1);
    let case = case.restart();
    assert_eq!(case.world.columns(), ["id LONG", "note STRING", "qty LONG"]);
    assert_eq!(case.world.text(notes), r#"[["null",2]]"#);
}

#[test]
fn files_that_cannot_be_read_fail_the_run_or_are_left_out() {
    let mut case = Case::new();
    case.completed();
    let cut = case.lake.append(&int(&[3], &[30]));
    let cut = case.lake.files[&cut].last().unwrap().path.clone();
    let lost = case.lake.append(&int(&[4], &[40]));
    let lost = case.lake.files[&lost].last().unwrap().path.clone();
    let whole = [&cut, &lost].map(|path| std::fs::read(path).unwrap());
    std::fs::write(&cut, &whole[0][..whole[0].len() / 2]).unwrap();
    std::fs::remove_file(&lost).unwrap();
    let report = case.run();
    assert_eq!(report.record.failure_code, Some(Code::FileUnreadable));
    assert_eq!(report.record.failure_phase, Some(Phase::Ingesting));
    assert!(report.record.failure_message.unwrap().contains(&cut));
    assert_eq!(case.sum("qty"), "[[2,30.0]]");
    case.world.set("continueOnFileError", "true");
    case.lake.append(&int(&[5], &[50]));
    let report = case.run();
    assert_eq!(
        (report.state, report.record.files.failed),
        (RunState::Completed, 2)
    );
    assert_eq!(case.sum("qty"), "[[3,80.0]]");
    let skipped = case.world.status().skipped_files.unwrap();
    let paths: Vec<&str> = skipped
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(paths, [&cut, &lost]);
    // They are tried again, though nothing is new.
    for (path, bytes) in [&cut, &lost].into_iter().zip(whole) {
        std::fs::write(path, bytes).unwrap();
    }
    let report = case.run();
    assert_eq!(
        (report.state, report.record.files.read),
        (RunState::Completed, 2)
    );
    assert_eq!(case.sum("qty"), "[[5,150.0]]");
    assert_eq!(case.world.status().skipped_files, None);
}

#[test]
fn nothing_is_read_twice() {
    let mut case = Case::new();
    for id in 3..30 {
        case.lake.append(&int(&[id], &[1]));
    }
    case.world.set("batchMaxFiles", "4");
    case.completed();
    assert_eq!(case.world.opens(), 28);
    assert_eq!(case.world.status().batches.total, 7);
    case.completed();
    assert_eq!(case.world.opens(), 0);
    case.lake.append(&int(&[99], &[1]));
    case.completed();
    assert_eq!(case.world.opens(), 1);
    assert_eq!(case.sum("qty"), "[[30,58.0]]");
}

#[test]
fn views_come_back_without_the_catalog() {
    let mut case = Case::new();
    case.world.evolve();
    case.completed();
    case.lake.alter(&[(1, "id", "long"), (2, "qty", "long")]);
    case.lake.append(&long(&[3], &[30]));
    case.completed();
    let case = case.restart();
    assert_eq!(case.script.loads.load(Ordering::Relaxed), 2);
    assert_eq!(case.sum("qty"), "[[3,60.0]]");
    assert_eq!(case.world.columns(), ["id LONG", "qty LONG"]);
    case.world.opens();
    case.completed();
    assert_eq!(case.world.opens(), 0);
}

#[test]
fn runs_are_due_by_schedule_and_on_request() {
    let case = Case::new();
    case.world.set("schedule", "0 0/30 * * * ?");
    let minute = 60_000;
    assert_eq!(case.world.sync.due(0), [TABLE]);
    case.world.clock.now_ms.store(minute, Ordering::Relaxed);
    case.completed();
    assert!(case.world.sync.due(29 * minute).is_empty());
    assert_eq!(case.world.status().next_run_at_ms, Some(30 * minute));
    assert_eq!(case.world.sync.due(30 * minute), [TABLE]);
    case.world.set("enabled", "false");
    assert!(case.world.sync.due(30 * minute).is_empty());
    assert_eq!(case.world.status().state, "PAUSED");
    case.world.sync.trigger(TABLE, Some("Task_1".into()));
    assert_eq!(case.world.sync.due(2 * minute), [TABLE]);
    let report = case.run();
    assert_eq!(
        (
            report.record.request_id.as_str(),
            report.record.trigger.as_str()
        ),
        ("Task_1", "REQUEST")
    );
    assert!(case.world.sync.due(2 * minute).is_empty());
}

#[test]
fn a_table_without_snapshots_is_served_empty() {
    let mut case = Case::over(Lake::new(&[(1, "id", "long"), (2, "qty", "int")]));
    case.completed();
    assert_eq!(case.world.text("SELECT COUNT(*) FROM orders_ext"), "[[0]]");
    case.lake.append(&int(&[1], &[1]));
    case.completed();
    assert_eq!(case.sum("qty"), "[[1,1.0]]");
}

#[test]
fn batches_show_as_they_come_when_nothing_is_taken_away() {
    let mut case = Case::new();
    case.completed();
    for id in 3..9 {
        case.lake.append(&int(&[id], &[1]));
    }
    case.world.set("batchMaxFiles", "2");
    case.world.set("sync.visibility", "batch");
    let before = case.world.serving.published.load(Ordering::Relaxed);
    case.completed();
    assert_eq!(
        case.world.serving.published.load(Ordering::Relaxed),
        before + 3
    );
    assert_eq!(case.sum("qty"), "[[8,36.0]]");
}

#[test]
fn a_state_comes_back_behind_batches_of_a_run_that_failed() {
    let mut case = Case::new();
    case.completed();
    let old = case.lake.append(&int(&[3], &[30]));
    case.completed();
    for id in 4..8 {
        case.lake.append(&int(&[id], &[1]));
    }
    let last = case.lake.write(&int(&[8], &[1]));
    let path = last.path.clone();
    case.lake.commit(|live| live.push(last));
    std::fs::remove_file(path).unwrap();
    case.world.set("batchMaxFiles", "2");
    case.world.set("sync.visibility", "batch");
    assert_eq!(case.run().state, RunState::Failed);
    assert_eq!(case.sum("qty"), "[[7,64.0]]");
    case.lake.rollback(old);
    case.completed();
    assert_eq!(case.sum("qty"), "[[3,60.0]]");
}

#[test]
fn t55_renames_inside_of_columns_keep_the_first_names() {
    let place = |name: &str| {
        let field = json!({"id": 11, "name": name, "required": false, "type": "double"});
        json!({"type": "struct", "fields": [field]}).to_string()
    };
    let mut lake = Lake::new(&[(1, "id", "long"), (2, "p", &place("lat"))]);
    let row = |id, name, value| {
        [
            ("id", Cells::Long(vec![id])),
            ("p", Cells::Place(name, 11, vec![value])),
        ]
    };
    lake.append(&row(1, "lat", 1.5));
    let mut case = Case::over(lake);
    case.world.evolve();
    case.completed();
    case.lake
        .alter(&[(1, "id", "long"), (2, "p", &place("latitude"))]);
    case.lake.append(&row(2, "latitude", 2.5));
    let (_, lines) = case.run_logged();
    assert_eq!(
        lines,
        [
            "Not resolving renamed fields inside of columns [p] for orders_ext_OFFLINE: schemaEvolution.nestedRenames is false."
        ]
    );
    case.world.set("schemaEvolution.nestedRenames", "true");
    let (report, _) = case.run_logged();
    assert_eq!(
        report.record.schema_changes,
        ["field lat of column p renamed to latitude"]
    );
    let text = case
        .world
        .text("SELECT id, p FROM orders_ext ORDER BY id LIMIT 9");
    assert_eq!(text, r#"[[1,"{\"lat\":1.5}"],[2,"{\"lat\":2.5}"]]"#);
}

#[test]
fn a_view_that_could_not_be_handed_over_comes_with_the_next_run() {
    let case = Case::new();
    // The process goes on, though a commit said that it failed after it was made.
    let once = crate::world::Once {
        point: "publish",
        done: 0.into(),
    };
    let folder = tempfile::tempdir().unwrap();
    let world = World::hooked(folder.path(), case.script.clone(), Some(Arc::new(once)));
    assert_eq!(world.run().state, RunState::Failed);
    assert!(world.ask("SELECT COUNT(*) FROM orders_ext").is_err());
    assert_eq!(world.run().state, RunState::Completed);
    assert_eq!(world.text("SELECT COUNT(*) FROM orders_ext"), "[[2]]");
}

#[test]
fn a_table_under_the_name_of_a_dropped_one_begins_with_nothing() {
    let case = Case::new();
    case.completed();
    // As when a run of the dropped table has kept the engine from forgetting it.
    let unfollow = |w: &growler_table::store::Writer<'_>| w.unfollow(TABLE);
    case.world.store.write("t", unfollow).unwrap();
    let published = case.world.serving.published.load(Ordering::Relaxed);
    case.completed();
    let now = case.world.serving.published.load(Ordering::Relaxed);
    // The schema alone shows no rows of the old one before the first run has published.
    assert_eq!(now - published, 1);
    assert_eq!(case.sum("qty"), "[[2,30.0]]");
}

#[test]
fn a_run_whose_end_was_not_kept_holds_up_no_other() {
    let case = Case::new();
    let hook = crate::world::KillBefore("end");
    let folder = tempfile::tempdir().unwrap();
    let world = World::hooked(folder.path(), case.script.clone(), Some(Arc::new(hook)));
    for _ in 0..2 {
        let failure = world.sync.run(TABLE).unwrap_err();
        assert_ne!(failure.code, Code::LeaseLost, "{failure}");
    }
    let running = world.store.read(|r| r.running()).unwrap();
    assert_eq!(running.len(), 1);
}

#[test]
fn plain_files_are_followed_without_a_schema_history() {
    let mut lake = Lake::new(&[(1, "id", "long"), (2, "qty", "int")]);
    let data = format!("{}/data", lake.location());
    lake.write(&int(&[1, 2], &[10, 20]));
    let folder = tempfile::tempdir().unwrap();
    let source = || {
        let files = growler_catalog::ObjectFiles::default();
        Arc::new(growler_table::sync::ParquetFiles::new(files, data.clone()))
    };
    let world = World::new(folder.path(), source());
    world.set("catalogType", "folder");
    world.set("schemaEvolution.enabled", "true");
    assert_eq!(
        world.run().state,
        RunState::Completed,
        "{:?}",
        world.status()
    );
    assert_eq!(world.columns(), ["id LONG", "qty INT"]);
    lake.alter(&[(1, "id", "long"), (2, "qty", "int"), (3, "more", "int")]);
    let second = lake.write(&[("id", Cells::Long(vec![3])), ("more", Cells::Int(vec![1]))]);
    world.opens();
    assert_eq!(world.run().state, RunState::Completed);
    assert_eq!(world.opens(), 1);
    assert_eq!(world.columns(), ["id LONG", "qty INT"]);
    assert_eq!(
        world.text("SELECT COUNT(*), MAX(id) FROM orders_ext"),
        "[[3,3.0]]"
    );
    std::fs::remove_file(&second.path).unwrap();
    let report = world.run();
    assert_eq!(
        (report.state, report.record.files.removed),
        (RunState::Completed, 1)
    );
    assert_eq!(
        world.text("SELECT COUNT(*), MAX(id) FROM orders_ext"),
        "[[2,2.0]]"
    );
    drop(world);
    let world = World::new(folder.path(), source());
    assert_eq!(
        world.text("SELECT COUNT(*), MAX(id) FROM orders_ext"),
        "[[2,2.0]]"
    );
}

#[test]
fn a_replaced_file_that_a_failed_run_has_staged_is_opened_anew() {
    let mut lake = Lake::new(&[(1, "id", "long"), (2, "qty", "int")]);
    let data = format!("{}/data", lake.location());
    let first = lake.write(&int(&[1, 2], &[10, 20]));
    let other = lake.write(&int(&[3, 4, 5], &[1, 2, 3]));
    let second = std::fs::read(&other.path).unwrap();
    std::fs::remove_file(&other.path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files = growler_catalog::ObjectFiles::default();
    let source = growler_table::sync::ParquetFiles::new(files, data.clone());
    let world = World::new(folder.path(), Arc::new(source));
    world.set("catalogType", "folder");
    world.set("batchMaxFiles", "1");
    assert_eq!(world.run().state, RunState::Completed);
    std::fs::write(&first.path, second).unwrap();
    let broken = format!("{data}/zzz.parquet");
    std::fs::write(&broken, "no parquet").unwrap();
    assert_eq!(world.run().state, RunState::Failed);
    std::fs::remove_file(&broken).unwrap();
    let report = world.run();
    assert_eq!(
        (report.state, report.record.files.read),
        (RunState::Completed, 0)
    );
    let text = world.text("SELECT COUNT(*), SUM(id) FROM orders_ext");
    assert_eq!(text, "[[3,12.0]]");
}

/// Follows one history of another writer with all switches on; returns how many steps it has.
fn follow_history(folder: &std::path::Path, name: &str, steps: &[serde_json::Value]) -> usize {
    let data = tempfile::tempdir().unwrap();
    let script = Arc::new(Script::default());
    let world = World::new(data.path(), script.clone());
    world.evolve();
    for key in [
        "floatWidening",
        "decimalWidening",
        "nestedRenames",
        "followCurrentSchema",
    ] {
        world.set(&format!("schemaEvolution.{key}"), "true");
    }
    world.set("schemaEvolution.dropColumns", "tombstone");
    for step in steps {
        let file = step["metadata"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap();
        let path = folder.join("metadata").join(file);
        *script.metadata_file.lock().unwrap() = path.to_str().unwrap().to_owned();
        let place = format!("{name} {}", step["step"]);
        let report = world.run();
        assert_eq!(
            report.state,
            RunState::Completed,
            "{place} {:?}",
            report.record
        );
        assert_eq!(world.status().last_schema_rejection, None, "{place}");
        let rows = step["rows"].as_array().unwrap();
        let count = world.text("SELECT COUNT(*) FROM orders_ext");
        assert_eq!(count, format!("[[{}]]", rows.len()), "{place}");
        let columns = world.columns();
        let names: Vec<&str> = columns
            .iter()
            .map(|column| column.split(' ').next().unwrap())
            .collect();
        let expected = rows.first().and_then(|row| row.as_object());
        // A renamed column has the name it was first served with.
        let expected = expected.into_iter().flat_map(|row| row.keys());
        for column in expected.filter(|column| names.contains(&column.as_str())) {
            let there = rows.iter().filter(|row| !row[column].is_null()).count();
            let sql = format!(
                "SET enableNullHandling=true; SELECT COUNT(*) FROM orders_ext WHERE \"{column}\" IS NOT NULL"
            );
            // Infinity and NaN are none of JSON's.
            if step["rows"].to_string().contains("1.25") {
                continue;
            }
            assert_eq!(world.text(&sql), format!("[[{there}]]"), "{place} {column}");
        }
    }
    steps.len()
}

#[test]
fn histories_of_other_writers_are_followed() {
    let mut steps = 0;
    let all = samples();
    for document in expectations("evolution") {
        for (name, expected) in document.as_object().unwrap() {
            if let Some(sample) = find(&all, "evolution", name).first() {
                steps += follow_history(&sample.folder, name, expected.as_array().unwrap());
            }
        }
    }
    assert!(steps > 5, "{steps}");
}

#[test]
fn layouts_of_variant_columns_are_looked_up_once() {
    let all = samples();
    let sample = find(&all, "java", "events_variant_perfile")[0];
    let folder = tempfile::tempdir().unwrap();
    let script = Arc::new(Script::default());
    *script.metadata_file.lock().unwrap() = sample.folder.to_str().unwrap().to_owned();
    let world = World::new(folder.path(), script.clone());
    let report = world.run();
    assert_eq!(report.state, RunState::Completed, "{:?}", report.record);
    assert_eq!(
        u64::try_from(world.opens()).unwrap(),
        report.record.files.read
    );
    let columns = world.columns();
    let sql = "SELECT COUNT(*) FROM orders_ext";
    let rows = world.text(sql);
    drop(world);
    let world = World::new(folder.path(), script);
    assert_eq!(world.opens(), 0);
    assert_eq!((world.columns(), world.text(sql)), (columns, rows));
    assert_eq!(world.run().state, RunState::Completed);
}

#[test]
fn a_run_reads_the_manifests_that_are_new() {
    let mut case = Case::new();
    let row = |id: i64| [("id", Cells::Long(vec![id])), ("qty", Cells::Int(vec![1]))];
    for id in 0..9 {
        case.lake.append(&row(id));
    }
    let manifests_read = |case: &Case, expected: usize, files: u64| {
        let report = case.run();
        assert_eq!(report.state, RunState::Completed, "{:?}", report.record);
        let read = case.script.read.count("/metadata/m");
        assert_eq!(read, expected, "{files}");
        assert_eq!(report.record.files.planned, files);
    };
    manifests_read(&case, 10, 10);
    // Nothing is new.
    manifests_read(&case, 0, 0);
    case.lake.append(&row(9));
    manifests_read(&case, 1, 1);
    // Of one of the manifests a file is gone, and nothing is left.
    case.lake.commit(|live| live.truncate(10));
    manifests_read(&case, 0, 0);
    assert_eq!(
        case.world.rows("SELECT COUNT(*) FROM orders_ext")[0][0],
        json!(11)
    );
    // Another table of that name, over a copy of the files.
    case.world.sync.forget(TABLE).unwrap();
    manifests_read(&case, 10, 10);
    // A new process reads all that it plans over.
    case.lake.append(&row(10));
    let case = case.restart();
    manifests_read(&case, 11, 1);
    assert_eq!(
        case.world.rows("SELECT COUNT(*) FROM orders_ext")[0][0],
        json!(12)
    );
}
