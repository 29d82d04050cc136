//! The union of served schemas with those of the source, and what it logs.

use std::sync::Arc;

use growler_catalog::metadata::Schema;
use growler_catalog::{SnapshotId, TableMetadata};
use growler_schema::{DataType, Field, FieldRole, TableSchema, Value};
use growler_table::config::{DropColumns, SchemaEvolution};
use growler_table::evolve::{
    Decision, Outcome, ServedSchema, SourceVersion, Target, adopt, bind, followed, onboard, unite,
    wire,
};
use serde_json::{Value as Json, json};

const TABLE: &str = "orders_ext_OFFLINE";

fn metadata(document: &Json) -> TableMetadata {
    TableMetadata::parse(
        document.to_string().as_bytes(),
        "/t/metadata/v1.metadata.json",
    )
    .unwrap()
}

/// Columns as `(id, name, type)`; the type is JSON or its plain text.
fn schema_json(id: i32, columns: &[(i32, &str, &str)]) -> Json {
    let field = |(id, name, kind): &(i32, &str, &str)| {
        let kind = serde_json::from_str(kind).unwrap_or_else(|_| json!(kind));
        json!({"id": id, "name": name, "required": false, "type": kind})
    };
    let fields: Vec<Json> = columns.iter().map(field).collect();
    json!({"type": "struct", "schema-id": id, "fields": fields})
}

fn schema(id: i32, columns: &[(i32, &str, &str)]) -> Arc<Schema> {
    let document = json!({
        "format-version": 3, "table-uuid": "u", "location": "/t", "last-updated-ms": 1,
        "schemas": [schema_json(id, columns)], "current-schema-id": id,
        "partition-specs": [{"spec-id": 0, "fields": []}],
    });
    metadata(&document).current_schema().clone()
}

fn served(columns: &[(i32, &str, &str)]) -> ServedSchema {
    let source = SourceVersion {
        snapshot_id: None,
        schema_id: growler_catalog::SchemaId(0),
    };
    onboard("orders_ext", &schema(0, columns), None, None, source)
}

fn united(served: &ServedSchema, now: &[(i32, &str, &str)], switches: &SchemaEvolution) -> Outcome {
    let target = Target {
        table: TABLE,
        snapshot_id: Some(SnapshotId(42)),
        schema: &schema(7, now),
        mapping: None,
    };
    unite(served, &target, switches)
}

fn on() -> SchemaEvolution {
    SchemaEvolution {
        enabled: true,
        type_widening: true,
        ..SchemaEvolution::default()
    }
}

fn lines(outcome: &Outcome) -> Vec<&str> {
    outcome
        .lines
        .iter()
        .map(|line| line.text.as_str())
        .collect()
}

/// The served columns as `name type [aliases]`.
fn shown(schema: &ServedSchema) -> Vec<String> {
    let text = |field: &Field| {
        let aliases = field.aliases.join("|");
        format!("{} {} [{aliases}]", field.name, field.column_type.name())
    };
    schema.table_schema().fields().iter().map(text).collect()
}

fn next(outcome: Outcome) -> ServedSchema {
    match outcome.decision {
        Decision::Update(update) => update.schema,
        other => panic!("no update: {other:?} reasons={:?}", outcome.reasons),
    }
}

/// Columns of a schema: id, name, type.
type Columns = Vec<(i32, &'static str, &'static str)>;

/// A name, what the source has, and two lists of texts.
type Followed = (
    &'static str,
    Columns,
    &'static [&'static str],
    &'static [&'static str],
);

const STRUCT: &str =
    r#"{"type":"struct","fields":[{"id":11,"name":"lat","required":false,"type":"double"}]}"#;
const STRUCT_RENAMED: &str =
    r#"{"type":"struct","fields":[{"id":11,"name":"latitude","required":false,"type":"double"}]}"#;
const INTS: &str = r#"{"type":"list","element-id":21,"element":"int","element-required":false}"#;
const LONGS: &str = r#"{"type":"list","element-id":21,"element":"long","element-required":false}"#;

#[test]
fn supported_changes_are_followed() {
    let before = [(1, "id", "long"), (2, "qty", "int")];
    let cases: [Followed; 6] = [
        (
            "add",
            vec![(1, "id", "long"), (2, "qty", "int"), (3, "note", "string")],
            &["id LONG []", "note STRING []", "qty INT []"],
            &[
                "Updated Pinot schema for orders_ext_OFFLINE: unioned snapshot 42 (schema-id 7, forced=false)",
            ],
        ),
        (
            "add a variant",
            vec![
                (1, "id", "long"),
                (2, "qty", "int"),
                (3, "props", "variant"),
            ],
            &["id LONG []", "props JSON []", "qty INT []"],
            &[
                "Updated Pinot schema for orders_ext_OFFLINE: unioned snapshot 42 (schema-id 7, forced=false)",
            ],
        ),
        (
            "rename",
            vec![(1, "id", "long"), (2, "quantity", "int")],
            &["id LONG []", "qty INT [quantity]"],
            &[
                "Updated Pinot schema for orders_ext_OFFLINE: unioned snapshot 42 (schema-id 7, forced=false)",
            ],
        ),
        (
            "widen",
            vec![(1, "id", "long"), (2, "qty", "long")],
            &["id LONG []", "qty LONG []"],
            &[
                "Applying source type widening for orders_ext_OFFLINE on columns [qty] (snapshot 42, schema-id 7). Segments reload onto the widened type; until every one has, queries spanning both generations of segments may fail or return partial rows.",
                "Updated Pinot schema for orders_ext_OFFLINE: unioned snapshot 42 (schema-id 7, forced=true)",
            ],
        ),
        (
            "rename, widen and add",
            vec![
                (3, "note", "string"),
                (2, "quantity", "long"),
                (1, "id", "long"),
            ],
            &["id LONG []", "note STRING []", "qty LONG [quantity]"],
            &[
                "Applying source type widening for orders_ext_OFFLINE on columns [qty] (snapshot 42, schema-id 7). Segments reload onto the widened type; until every one has, queries spanning both generations of segments may fail or return partial rows.",
                "Updated Pinot schema for orders_ext_OFFLINE: unioned snapshot 42 (schema-id 7, forced=true)",
            ],
        ),
        (
            "move",
            vec![(2, "qty", "int"), (1, "id", "long")],
            &["id LONG []", "qty INT []"],
            &[],
        ),
    ];
    for (name, now, columns, expected) in cases {
        let served = served(&before);
        let outcome = united(&served, &now, &on());
        assert_eq!(lines(&outcome), expected, "{name}");
        assert!(!outcome.fails && outcome.reasons.is_empty(), "{name}");
        let schema = match &outcome.decision {
            Decision::Unchanged => served,
            _ => next(outcome),
        };
        assert_eq!(shown(&schema), columns, "{name}");
        let again = united(&schema, &now, &on());
        assert_eq!(again.decision, Decision::Unchanged, "{name}: again");
        assert!(again.lines.is_empty(), "{name}: again");
    }
}

#[test]
fn a_widened_column_has_the_default_of_its_type() {
    let widened = next(united(
        &served(&[(2, "qty", "int")]),
        &[(2, "qty", "long")],
        &on(),
    ));
    let field = &widened.columns[0].field;
    assert_eq!(field.default_null, Value::Long(i64::MIN));
    let mut own = served(&[(2, "qty", "int")]);
    own.columns[0].field.default_null = Value::Int(-1);
    let widened = next(united(&own, &[(2, "qty", "long")], &on()));
    assert_eq!(widened.columns[0].field.default_null, Value::Long(-1));
}

#[test]
fn other_changes_are_refused_as_a_whole() {
    let rejected = |reasons: &str| {
        format!(
            "Schema update rejected for snapshot 42 (e.g. unsupported type widening): {reasons}"
        )
    };
    let mixed = |reasons: &str| {
        format!(
            "Not applying the source type widening on columns [qty] for orders_ext_OFFLINE: the diff also carries unsupported changes [{reasons}]"
        )
    };
    let before = [(1, "id", "long"), (2, "qty", "int"), (3, "x", "float")];
    let cases: [(&str, Columns, Vec<String>); 12] = [
        (
            "drop",
            vec![(1, "id", "long"), (2, "qty", "int")],
            vec![rejected("column x dropped from the union schema")],
        ),
        (
            "drop and widen",
            vec![(1, "id", "long"), (2, "qty", "long")],
            vec![
                mixed("column x dropped from the union schema"),
                rejected("column x dropped from the union schema"),
            ],
        ),
        (
            "drop and add",
            vec![(1, "id", "long"), (2, "qty", "int"), (9, "y", "int")],
            vec![rejected("column x dropped from the union schema")],
        ),
        (
            "drop and add the name",
            vec![(1, "id", "long"), (2, "qty", "int"), (9, "x", "float")],
            vec![rejected(
                "column x dropped from the union schema; new column x has a name of column x",
            )],
        ),
        (
            "float to double",
            vec![(1, "id", "long"), (2, "qty", "int"), (3, "x", "double")],
            vec![rejected("column x changed type from FLOAT to DOUBLE")],
        ),
        (
            "narrowing",
            vec![(1, "id", "int"), (2, "qty", "int"), (3, "x", "float")],
            vec![rejected("column id changed type from LONG to INT")],
        ),
        (
            "long to timestamp",
            vec![(1, "id", "timestamp"), (2, "qty", "int"), (3, "x", "float")],
            vec![rejected("column id changed type from LONG to TIMESTAMP")],
        ),
        (
            "int to date, which is LONG too",
            vec![(1, "id", "long"), (2, "qty", "date"), (3, "x", "float")],
            vec![rejected("column qty changed type from INT to LONG")],
        ),
        (
            "long to date",
            vec![(1, "id", "date"), (2, "qty", "int"), (3, "x", "float")],
            vec![rejected("column id changed type from long to date")],
        ),
        (
            "one to many values",
            vec![(1, "id", "long"), (2, "qty", INTS), (3, "x", "float")],
            vec![rejected(
                "column qty changed from single-value to multi-value",
            )],
        ),
        (
            "swap of names",
            vec![(1, "qty", "long"), (2, "id", "int"), (3, "x", "float")],
            vec![rejected(
                "column id renamed to qty, which is a name of column qty; column qty renamed to id, which is a name of column id",
            )],
        ),
        (
            "a type that nobody knows",
            vec![(1, "id", "long"), (2, "qty", "interval"), (3, "x", "float")],
            vec![rejected("column qty changed type from INT to interval")],
        ),
    ];
    for (name, now, mut expected) in cases {
        let outcome = united(
            &served(&before),
            &now,
            &SchemaEvolution {
                fail_fast: true,
                ..on()
            },
        );
        assert_eq!(lines(&outcome), expected, "{name}");
        assert_eq!(outcome.decision, Decision::Rejected, "{name}");
        assert!(outcome.fails, "{name}");
        let slow = united(&served(&before), &now, &on());
        if let Some(last) = expected.last_mut() {
            last.push_str(". Continuing ingestion with the existing schema for orders_ext_OFFLINE (schemaEvolution.failFast=false).");
        }
        assert_eq!(lines(&slow), expected, "{name}");
        assert!(!slow.fails, "{name}");
    }
}

#[test]
fn widening_that_is_off_refuses_what_comes_with_it() {
    let switches = SchemaEvolution {
        type_widening: false,
        ..on()
    };
    let now = [(2, "qty", "long"), (3, "note", "string")];
    let outcome = united(&served(&[(2, "qty", "int")]), &now, &switches);
    assert_eq!(
        lines(&outcome),
        [
            "Not applying the source type widening on columns [qty] for orders_ext_OFFLINE: schemaEvolution.typeWidening.enabled is false.",
            "Schema update rejected for snapshot 42 (e.g. unsupported type widening): column qty changed type from INT to LONG. Continuing ingestion with the existing schema for orders_ext_OFFLINE (schemaEvolution.failFast=false).",
        ]
    );
    assert_eq!(outcome.decision, Decision::Rejected);
    // Switched on, the same schema is followed.
    let schema = next(united(&served(&[(2, "qty", "int")]), &now, &on()));
    assert_eq!(shown(&schema), ["note STRING []", "qty LONG []"]);
}

#[test]
fn lists_widen_by_their_elements() {
    let schema = next(united(
        &served(&[(2, "qty", INTS)]),
        &[(2, "qty", LONGS)],
        &on(),
    ));
    assert_eq!(shown(&schema), ["qty LONG_ARRAY []"]);
}

#[test]
fn beyond_modes_follow_what_they_say() {
    let before = [
        (1, "x", "float"),
        (2, "d", "decimal(5,2)"),
        (3, "p", STRUCT),
        (4, "q", "int"),
    ];
    let now_of = |x, d, p| vec![(1, "x", x), (2, "d", d), (3, "p", p), (4, "q", "int")];
    let cases: [(&str, Columns, SchemaEvolution, &[&str]); 4] = [
        (
            "float",
            now_of("double", "decimal(5,2)", STRUCT),
            SchemaEvolution {
                float_widening: true,
                type_widening: false,
                ..on()
            },
            &["d BIG_DECIMAL []", "p JSON []", "q INT []", "x DOUBLE []"],
        ),
        (
            "decimal",
            now_of("float", "decimal(9,2)", STRUCT),
            SchemaEvolution {
                decimal_widening: true,
                ..on()
            },
            &["d BIG_DECIMAL []", "p JSON []", "q INT []", "x FLOAT []"],
        ),
        (
            "nested",
            now_of("float", "decimal(5,2)", STRUCT_RENAMED),
            SchemaEvolution {
                nested_renames: true,
                ..on()
            },
            &["d BIG_DECIMAL []", "p JSON []", "q INT []", "x FLOAT []"],
        ),
        (
            "tombstone",
            vec![
                (1, "x", "float"),
                (2, "d", "decimal(5,2)"),
                (3, "p", STRUCT),
            ],
            SchemaEvolution {
                drop_columns: DropColumns::Tombstone,
                ..on()
            },
            &["d BIG_DECIMAL []", "p JSON []", "x FLOAT []"],
        ),
    ];
    for (name, now, switches, columns) in cases {
        let schema = next(united(&served(&before), &now, &switches));
        assert_eq!(shown(&schema), columns, "{name}");
        let again = united(&schema, &now, &switches);
        assert_eq!(again.decision, Decision::Unchanged, "{name}: again");
    }
    // Without the switch nobody notices more digits, nor names inside of columns.
    let off = united(
        &served(&before),
        &now_of("float", "decimal(9,2)", STRUCT),
        &on(),
    );
    assert_eq!(
        (off.decision.clone(), lines(&off)),
        (Decision::Unchanged, vec![])
    );
    let off = united(
        &served(&before),
        &now_of("float", "decimal(5,2)", STRUCT_RENAMED),
        &on(),
    );
    assert_eq!(off.decision, Decision::Unchanged);
    assert_eq!(
        lines(&off),
        [
            "Not resolving renamed fields inside of columns [p] for orders_ext_OFFLINE: schemaEvolution.nestedRenames is false."
        ]
    );
}

#[test]
fn nested_renames_keep_the_first_name() {
    let switches = SchemaEvolution {
        nested_renames: true,
        ..on()
    };
    let schema = next(united(
        &served(&[(3, "p", STRUCT)]),
        &[(3, "p", STRUCT_RENAMED)],
        &switches,
    ));
    let name = &schema.columns[0].nested[&growler_base::FieldId(11)];
    assert_eq!(
        (name.name.as_str(), name.aliases.as_slice()),
        ("lat", &["latitude".to_owned()][..])
    );
}

#[test]
fn a_name_that_is_added_again_is_another_column() {
    let switches = SchemaEvolution {
        drop_columns: DropColumns::Tombstone,
        ..on()
    };
    let before = served(&[(1, "id", "int"), (2, "x", "int")]);
    let dropped = next(united(&before, &[(1, "id", "int")], &switches));
    let added = next(united(
        &dropped,
        &[(1, "id", "int"), (9, "x", "string")],
        &switches,
    ));
    let at_once = next(united(
        &before,
        &[(1, "id", "int"), (9, "x", "string")],
        &switches,
    ));
    for schema in [&added, &at_once] {
        assert_eq!(shown(schema), ["id INT []", "x STRING []"]);
        let tombstone = schema.columns.iter().find(|column| column.dropped).unwrap();
        assert_eq!(tombstone.name(), "x$2");
        assert!(!tombstone.is_called("x"));
    }
    // The field comes back: so does the column.
    let back = next(united(
        &dropped,
        &[(1, "id", "int"), (2, "x", "int")],
        &switches,
    ));
    assert_eq!(shown(&back), ["id INT []", "x INT []"]);
    let back = next(united(
        &added,
        &[(1, "id", "int"), (2, "x", "int")],
        &switches,
    ));
    assert!(
        shown(&back).contains(&"x$2 INT []".to_owned()),
        "{:?}",
        shown(&back)
    );
}

#[test]
fn partial_application_follows_what_it_can() {
    let switches = SchemaEvolution {
        partial: true,
        ..on()
    };
    let before = served(&[(1, "id", "int"), (2, "x", "float")]);
    let now = [(1, "id", "long"), (2, "x", "double"), (3, "n", "int")];
    let outcome = united(&before, &now, &switches);
    assert_eq!(
        lines(&outcome)[2..],
        [
            "Schema update rejected for snapshot 42 (e.g. unsupported type widening): column x changed type from FLOAT to DOUBLE. Continuing ingestion with the existing schema for orders_ext_OFFLINE (schemaEvolution.failFast=false)."
        ]
    );
    let schema = next(outcome);
    assert_eq!(shown(&schema), ["id LONG []", "n INT []", "x FLOAT []"]);
    let again = united(&schema, &now, &switches);
    assert_eq!(again.decision, Decision::Rejected);
}

#[test]
fn columns_that_only_queries_know_block_unless_they_may_be() {
    let mut before = served(&[(1, "id", "int")]);
    let declared = TableSchema::new(
        "orders_ext",
        vec![
            Field::new("id", FieldRole::Dimension, DataType::Int.single()),
            Field::new("mine", FieldRole::Metric, DataType::Double.single()),
        ],
    );
    before = adopt(&before, &declared).unwrap();
    assert_eq!(adopt(&before, &declared), None);
    let now = [(1, "id", "int"), (3, "n", "int")];
    let outcome = united(
        &before,
        &now,
        &SchemaEvolution {
            drop_columns: DropColumns::Tombstone,
            ..on()
        },
    );
    assert_eq!(
        outcome.reasons[0].to_string(),
        "column mine dropped from the union schema"
    );
    let may = SchemaEvolution {
        ignore_served_only_columns: true,
        ..on()
    };
    let schema = next(united(&before, &now, &may));
    assert_eq!(shown(&schema), ["id INT []", "mine DOUBLE []", "n INT []"]);
}

#[test]
fn columns_without_ids_are_bound_by_name() {
    let old = schema(
        0,
        &[(1, "a", "int"), (2, "gone", "int"), (3, "twice", "int")],
    );
    let then = schema(1, &[(1, "a", "int"), (8, "twice", "int")]);
    let now = schema(2, &[(1, "b", "int"), (5, "c", "int")]);
    let column = |name: &str| {
        let field = Field::new(name, FieldRole::Dimension, DataType::Int.single());
        growler_table::evolve::ServedColumn::of(field)
    };
    let mut served = ServedSchema {
        name: "t".into(),
        source: None,
        columns: ["a", "c", "gone", "twice", "never"].map(column).into(),
    };
    assert!(bind(&mut served, &now, &[old, then, now.clone()]));
    let ids: Vec<_> = served
        .columns
        .iter()
        .map(|c| c.field.field_id.map(|id| id.0))
        .collect();
    assert_eq!(ids, [Some(1), Some(5), Some(2), None, None]);
}

#[test]
fn declared_columns_keep_their_names_types_and_defaults() {
    let source = SourceVersion {
        snapshot_id: None,
        schema_id: growler_catalog::SchemaId(0),
    };
    let mut amount = Field::new(
        "amount",
        FieldRole::Metric,
        DataType::BigDecimal { scale: 0 }.single(),
    );
    amount.default_null = Value::BigDecimal(0, 0);
    let declared = TableSchema::new("t", vec![amount]);
    let schema = schema(0, &[(1, "id", "int"), (2, "amount", "decimal(9,2)")]);
    let served = onboard("t", &schema, None, Some(&declared), source);
    let field = &served.columns[0].field;
    assert_eq!(
        field.column_type.data_type,
        DataType::BigDecimal { scale: 2 }
    );
    assert_eq!(
        (field.field_id.map(|id| id.0), field.role),
        (Some(2), FieldRole::Metric)
    );
    assert_eq!(adopt(&served, &declared), None);
}

#[test]
fn served_schemas_survive_the_store() {
    let all = [
        (1, "a", "boolean"),
        (2, "b", "int"),
        (3, "c", "long"),
        (4, "d", "float"),
        (5, "e", "double"),
        (6, "f", "decimal(38,10)"),
        (7, "g", "date"),
        (8, "h", "time"),
        (9, "i", "timestamp"),
        (10, "j", "timestamptz_ns"),
        (12, "k", "string"),
        (13, "l", "uuid"),
        (14, "m", "binary"),
        (15, "n", "variant"),
        (16, "o", STRUCT),
        (17, "p", LONGS),
        (
            18,
            "q",
            r#"{"type":"map","key-id":31,"key":"string","value-id":32,"value":"decimal(5,2)","value-required":false}"#,
        ),
    ];
    let mut schema = served(&all);
    for (column, default) in schema.columns.iter_mut().zip([
        Value::Boolean(true),
        Value::Int(-7),
        Value::Long(i64::MAX),
        Value::Float(0.1),
        Value::Double(f64::NAN),
        Value::BigDecimal(-12_345_678_901_234, 10),
        Value::Long(3),
        Value::Long(4),
    ]) {
        // NaN is not equal to itself; infinity is as hard to write.
        let default = if matches!(default, Value::Double(_)) {
            Value::Double(f64::INFINITY)
        } else {
            default
        };
        column.initial_default = Some(default.clone());
        column.field.default_null = default;
        column.dropped = column.name() == "b";
        column.field.aliases = vec!["x".into(), "ü \"y\"".into()];
    }
    let text = wire::to_json(&schema);
    assert_eq!(wire::from_json(&text), Ok(schema));
    assert!(wire::from_json("{}").is_err());
    assert!(wire::from_json(&text.replace("\"LONG\"", "\"SHORT\"")).is_err());
}

#[test]
fn the_schema_to_follow_is_the_snapshots_unless_the_current_may_be() {
    let document = |current: i32, log: &[i64], schema_id: Option<i32>| {
        let mut snapshot = json!({"snapshot-id": 1, "manifest-list": "m", "timestamp-ms": 1});
        if let Some(id) = schema_id {
            snapshot["schema-id"] = json!(id);
        }
        metadata(&json!({
            "format-version": 2, "table-uuid": "u", "location": "/t", "last-updated-ms": 1,
            "schemas": [
                schema_json(0, &[(1, "a", "int")]),
                schema_json(1, &[(1, "b", "long"), (2, "c", "int")]),
                schema_json(2, &[(1, "a", "string")]),
            ],
            "current-schema-id": current, "partition-specs": [{"spec-id": 0, "fields": []}],
            "snapshots": [snapshot, {"snapshot-id": 2, "manifest-list": "m", "timestamp-ms": 2, "schema-id": 1}],
            "current-snapshot-id": 1,
            "snapshot-log": log.iter().map(|id| json!({"snapshot-id": id, "timestamp-ms": 1})).collect::<Vec<_>>(),
        }))
    };
    let cases: [(&str, TableMetadata, bool, &str); 6] = [
        ("off", document(1, &[1], Some(0)), false, "Ok(0)"),
        ("ALTER alone", document(1, &[1], Some(0)), true, "Ok(1)"),
        (
            "rolled back",
            document(1, &[1, 2, 1], Some(0)),
            true,
            "Ok(0)",
        ),
        ("no legal step", document(2, &[1], Some(0)), true, "Ok(0)"),
        (
            "no schema id",
            document(1, &[1], None),
            true,
            "Err(NoSchemaId)",
        ),
        (
            "no such schema",
            document(1, &[1], Some(9)),
            true,
            "Err(NoSchema(SchemaId(9)))",
        ),
    ];
    for (name, metadata, follow, expected) in cases {
        let snapshot = metadata.snapshot(SnapshotId(1)).unwrap();
        let found = followed(&metadata, snapshot, follow).map(|schema| schema.id.0);
        assert_eq!(format!("{found:?}"), expected, "{name}");
    }
}
