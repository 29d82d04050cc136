use growler_schema::convert::table_config_from_json;
use growler_schema::index_plan::{ColumnIndexes, IndexKinds, IndexPlan};
use growler_schema::wire::TableConfigJson;
use growler_schema::{ColumnType, DataType, Field, FieldRole, TableSchema};
use serde_json::{Value as Json, json};

type TestResult<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn schema() -> TableSchema {
    let lists = ColumnType {
        data_type: DataType::Int,
        multi_value: true,
    };
    let columns = [
        ("ts", DataType::Long.single(), FieldRole::Dimension),
        ("doc", DataType::Json.single(), FieldRole::Dimension),
        ("list", lists, FieldRole::Dimension),
        ("props", DataType::OpenStruct.single(), FieldRole::Complex),
    ];
    let fields = columns.map(|(name, column_type, role)| Field::new(name, role, column_type));
    TableSchema::new("t", fields.to_vec())
}

fn plan(fields: Json) -> TestResult<IndexPlan> {
    let json = json!({"tableName": "t", "fieldConfigList": fields});
    let json = TableConfigJson::parse(json.to_string().as_bytes())?;
    let config = table_config_from_json(&json, Some(&schema()))?;
    Ok(IndexPlan::new(&config, &schema()))
}

fn column(name: &str, indexes: Json) -> Json {
    json!({"name": name, "encodingType": "RAW", "indexes": indexes})
}

#[test]
fn plain_columns_want_what_is_listed() -> TestResult {
    let plan = plan(json!([
        column(
            "ts",
            json!({"inverted": {}, "range": {}, "bloom": {"disabled": true}})
        ),
        column("doc", json!({"json": {}})),
        column("list", json!({"inverted": {}})),
    ]))?;
    let kinds = IndexKinds {
        dictionary: true,
        inverted: true,
        range: true,
        ..IndexKinds::default()
    };
    assert_eq!(plan.columns().count(), 1);
    assert_eq!(plan.column("ts"), Some(&ColumnIndexes::Values(kinds)));
    let documents: Vec<&str> = plan.documents().map(|(name, _)| name).collect();
    assert_eq!(documents, ["doc"]);
    assert_eq!(plan.notes().len(), 1, "{:?}", plan.notes());
    Ok(())
}

#[test]
fn bloom_filters_are_laid_out_as_their_options_say() -> TestResult {
    let of = |bloom: Json| -> TestResult<_> {
        let plan = plan(json!([column("ts", json!({"bloom": bloom}))]))?;
        let Some(ColumnIndexes::Values(kinds)) = plan.column("ts") else {
            return Err("no plan for the column".into());
        };
        Ok((kinds.bloom_options, plan.notes().len(), plan.hash()))
    };
    let (usual, notes, usual_hash) = of(json!({}))?;
    assert!(usual.is_usual() && usual.false_positive_rate().is_none() && notes == 0);
    let cases = [
        (json!({"fpp": 0.01}), (10_000_000, 0), 0),
        (
            json!({"fpp": "0.25", "maxSizeInBytes": 4096}),
            (250_000_000, 4096),
            0,
        ),
        (json!({"fpp": 1e-12, "maxSizeInBytes": -1}), (1, 0), 0),
        (json!({"maxSizeInBytes": "99999999999"}), (0, u32::MAX), 0),
        (json!({"loadOnHeap": true, "fpp": 0.5}), (500_000_000, 0), 1),
    ];
    for (bloom, (false_positives, most_bytes), expected_notes) in cases {
        let (options, notes, hash) = of(bloom.clone())?;
        let found = (options.false_positives, options.most_bytes);
        assert_eq!(found, (false_positives, most_bytes), "{bloom}");
        assert_eq!(notes, expected_notes, "{bloom}");
        assert_ne!(hash, usual_hash, "{bloom}");
    }
    assert_eq!(of(json!({"loadOnHeap": true}))?.1, 1);
    Ok(())
}

#[test]
fn keys_have_their_own_entry_or_the_default() -> TestResult {
    let plan = plan(json!([column(
        "props",
        json!({"open_struct": {
            "valueFieldConfigs": [
                {"name": "a", "indexes": {"dictionary": {}}},
                {"name": "b", "indexes": {}}],
            "defaultValueFieldConfig": {"indexes": {"bloom": {}}},
            "sparseJsonIndex": "true"}})
    )]))?;
    let Some(ColumnIndexes::Variant(variant)) = plan.column("props") else {
        return Err("no plan for the variant".into());
    };
    assert!(
        variant
            .key("a")
            .is_some_and(|kinds| kinds.dictionary && !kinds.inverted)
    );
    assert_eq!(variant.key("b"), None);
    assert!(variant.key("c").is_some_and(|kinds| kinds.bloom));
    let remainder = variant.remainder.as_ref();
    assert!(remainder.is_some_and(|remainder| remainder.is_everything()));
    Ok(())
}

#[test]
fn the_hash_tells_plans_apart_and_ignores_what_has_no_effect() -> TestResult {
    let json = |settings: Json| {
        plan(json!([column(
            "props",
            json!({"open_struct": {"sparseFieldConfig": {"indexes": settings}}})
        )]))
    };
    let base = json(json!({"json": {}}))?;
    let same = json(json!({"json": {"skipInvalidJson": true, "maxLevels": -1}}))?;
    let other = json(json!({"json": {"maxLevels": 2}}))?;
    let composite =
        json(json!({"compositeJson": {"invertedIndexConfigs": [{"includeAllPaths": "true"}]}}))?;
    assert_eq!(base.hash(), same.hash());
    assert_eq!(base.hash(), composite.hash());
    assert_ne!(base.hash(), other.hash());
    let empty = plan(json!([column("ts", json!({"forward": {}}))]))?;
    assert!(empty.is_empty());
    assert_eq!(empty.hash(), IndexPlan::default().hash());
    Ok(())
}
