use growler_schema::convert::{default_table_config, table_config_from_json};
use growler_schema::wire::TableConfigJson;
use growler_schema::{SourceType, TableConfig, TableSchema};
use serde_json::{Value as Json, json};

type TestResult = Result<(), Box<dyn std::error::Error>>;

fn schema() -> TableSchema {
    let columns = [
        ("ts", SourceType::Int64),
        ("user_id", SourceType::String),
        ("props", SourceType::Variant),
    ];
    let fields = columns
        .iter()
        .map(|(name, source)| source.field(*name).unwrap());
    TableSchema::new("events_variant", fields.collect())
}

fn check_with(props: &Json) -> Result<TableConfig, String> {
    let json = json!({"tableName": "events_variant_OFFLINE", "fieldConfigList": [props]});
    let json = TableConfigJson::parse(json.to_string().as_bytes()).map_err(|e| e.to_string())?;
    table_config_from_json(&json, Some(&schema())).map_err(|error| error.to_string())
}

fn props(open_struct: Json) -> Json {
    json!({"name": "props", "encodingType": "RAW", "indexes": {
        "forward": {"encodingType": "RAW"}, "open_struct": open_struct}})
}

#[test]
fn the_documented_config_is_accepted() -> TestResult {
    let remainders = [
        json!({"json": {}}),
        json!({"compositeJson": {"invertedIndexConfigs": [{"includeAllPaths": "true"}]}}),
    ];
    for remainder in remainders {
        let config = check_with(&props(json!({
            "valueFieldConfigs": [
                {"name": "page_type", "encodingType": "RAW", "indexes": {"dictionary": {}, "inverted": {}}},
                {"name": "latency_ms", "encodingType": "RAW", "indexes": {"dictionary": {}, "range": {}}},
                {"name": "device.os", "encodingType": "RAW", "indexes": {"dictionary": {}, "inverted": {}}}
            ],
            "sparseFieldConfig": {"name": "props$__sparse__", "indexes": remainder}
        })))?;
        assert_eq!(config.name, "events_variant");
        let props = &config.fields["props"];
        assert!(props.indexes.is_empty());
        assert_eq!(
            props.keys["device.os"].keys().collect::<Vec<_>>(),
            ["dictionary", "inverted"]
        );
        assert_eq!(props.keys.len(), 3);
        assert_eq!(props.remainder.len(), 1);
    }
    let old = check_with(&props(json!({"sparseJsonIndex": true})))?;
    assert!(old.fields["props"].remainder.contains_key("json"));
    Ok(())
}

#[test]
fn generated_config_has_the_documented_entry_and_is_valid() -> TestResult {
    let json = default_table_config(&schema());
    let entry = json.to_json()["fieldConfigList"][0].to_string();
    let expected =
        r#"{"name":"props","encodingType":"RAW","indexes":{"forward":{"encodingType":"RAW"}}}"#;
    assert_eq!(entry, expected);
    table_config_from_json(&json, Some(&schema()))?;
    Ok(())
}

#[test]
fn each_refusal_has_its_text() {
    let setting = |name: &str| {
        format!(
            "Does not support '{name}' for an external table. Column 'props' has '{name}' \
             configured under 'open_struct'."
        )
    };
    let index = |name: &str, place: &str| {
        format!(
            "Does not support '{name}' index. Column 'props' has '{name}' configured in the \
             indexes map{place}"
        )
    };
    let key = |name: &str| {
        let mut indexes = serde_json::Map::new();
        indexes.insert(name.to_owned(), json!({}));
        json!({"name": "page_type", "encodingType": "RAW", "indexes": indexes})
    };
    let plain = |indexes: Json| json!({"name": "props", "encodingType": "RAW", "indexes": indexes});
    let raw = "Requires RAW encoding for all columns. Column 'props' has";
    let json_text =
        "Cannot create JSON index on column: props of stored type other than STRING or MAP";
    let key_place = " under 'open_struct.valueFieldConfigs['page_type']'";
    let rest_place = " under 'open_struct.sparseFieldConfig'";
    let cases = [
        (props(json!({"maxDenseKeys": 5})), setting("maxDenseKeys")),
        (props(json!({"denseKeys": []})), setting("denseKeys")),
        (
            props(json!({"denseKeyMinFillRate": 0.5})),
            setting("denseKeyMinFillRate"),
        ),
        (
            props(json!({"maxNestedKeyDepth": 1})),
            setting("maxNestedKeyDepth"),
        ),
        (plain(json!({"sorted": {}})), index("sorted", "")),
        (plain(json!({"h3": {"resolutions": [5]}})), index("h3", "")),
        (
            props(json!({"valueFieldConfigs": [key("sorted")]})),
            index("sorted", key_place),
        ),
        (
            props(json!({"valueFieldConfigs": [key("h3")]})),
            index("h3", key_place),
        ),
        (
            props(json!({"sparseFieldConfig": key("sorted")})),
            index("sorted", rest_place),
        ),
        (
            props(json!({"sparseFieldConfig": key("h3")})),
            index("h3", rest_place),
        ),
        (
            json!({"name": "props"}),
            format!("{raw} DICTIONARY (default) encoding"),
        ),
        (
            json!({"name": "props", "encodingType": "DICTIONARY"}),
            format!("{raw} DICTIONARY encoding"),
        ),
        (plain(json!({"json": {}})), json_text.to_owned()),
        (plain(json!({"compositeJson": {}})), json_text.to_owned()),
        (
            props(json!({"valueFieldConfigs": [key("json")]})),
            "OPEN_STRUCT key 'page_type' declares unsupported index 'json'; supported indexes are \
             [forward, dictionary, inverted, range, bloom]"
                .to_owned(),
        ),
        (
            json!({"name": "nope", "encodingType": "RAW"}),
            "Column 'nope' in fieldConfigList is not a column of the schema".to_owned(),
        ),
    ];
    for (config, expected) in cases {
        let expected =
            format!("External table 'events_variant' has 1 validation error(s):\n{expected}");
        assert_eq!(
            check_with(&config).err().as_deref(),
            Some(expected.as_str()),
            "{config}"
        );
    }
}

#[test]
fn unknown_names_are_refused_with_the_place() {
    let key =
        |indexes: Json| props(json!({"valueFieldConfigs": [{"name": "a", "indexes": indexes}]}));
    let rest = |indexes: Json| props(json!({"sparseFieldConfig": {"indexes": indexes}}));
    let plain = |indexes: Json| json!({"name": "ts", "encodingType": "RAW", "indexes": indexes});
    let remainder = "OPEN_STRUCT remainder 'props$__sparse__'";
    let cases = [
        (
            plain(json!({"text": {}})),
            "Column 'ts' declares unsupported index 'text'; supported indexes are [forward, \
             dictionary, inverted, range, bloom, json, compositeJson]"
                .to_owned(),
        ),
        (
            json!({"name": "props", "encodingType": "RAW", "indexes": {"inverted": {}}}),
            "Column 'props' declares unsupported index 'inverted'; supported indexes are [forward, \
             open_struct]"
                .to_owned(),
        ),
        (
            json!({"name": "ts", "encodingType": "RAW", "indexs": {}}),
            "Column 'ts' has unknown setting 'indexs'".to_owned(),
        ),
        (
            plain(json!({"inverted": {"fast": true}})),
            "Column 'ts' has unsupported setting 'fast' in index 'inverted'; supported settings \
             are []"
                .to_owned(),
        ),
        (
            plain(json!({"bloom": {"fpp": 2}})),
            "Column 'ts' has a wrong value in setting 'fpp' of index 'bloom': 2".to_owned(),
        ),
        (
            props(json!({"valueFieldConfig": []})),
            "Column 'props' has unsupported setting 'valueFieldConfig' under 'open_struct'; \
             supported settings are [valueFieldConfigs, defaultValueFieldConfig, \
             sparseFieldConfig, sparseJsonIndex]"
                .to_owned(),
        ),
        (
            key(json!({"range": {"buckets": 3}})),
            "OPEN_STRUCT key 'a' has unsupported setting 'buckets' in index 'range'; supported \
             settings are [version]"
                .to_owned(),
        ),
        (
            rest(json!({"json": {"indexPaths": ["*"]}})),
            format!(
                "{remainder} has unsupported setting 'indexPaths' in index 'json'; supported \
                 settings are [maxLevels, excludeArray, disableCrossArrayUnnest, includePaths, \
                 excludePaths, excludeFields, maxValueLength, skipInvalidJson]"
            ),
        ),
        (
            rest(json!({"json": {"includePaths": ["$.a[*].b", "$.a[x]"]}})),
            format!("{remainder} has path '$.a[x]' in index 'json', which is no path"),
        ),
        (
            rest(json!({"compositeJson": {"invertedIndexConfigs": [{"includeAllPaths": "false"}]}})),
            format!(
                "{remainder} has an entry without path in 'invertedIndexConfigs' of index \
                 'compositeJson'"
            ),
        ),
        (
            rest(json!({"compositeJson": {"fstIndexConfigs": [{"path": "$.a"}]}})),
            format!("{remainder} has unsupported setting 'fstIndexConfigs' in index 'compositeJson'"),
        ),
    ];
    for (config, expected) in cases {
        let expected =
            format!("External table 'events_variant' has 1 validation error(s):\n{expected}");
        assert_eq!(check_with(&config).err(), Some(expected), "{config}");
    }
}

#[test]
fn refusals_of_config_and_inline_schema_come_together() -> TestResult {
    let json = json!({
        "tableName": "t_OFFLINE", "tableType": "REALTIME", "source": {},
        "schema": {"schemaName": "t", "dimensionFieldSpecs": [{"name": "a", "dataType": "X"}]},
        "tableIndexConfig": {"sortedColumn": ["a"]},
        "fieldConfigList": [{"name": "p", "indexes": {"open_struct": {"maxDenseKeys": 1, "sparseJsonIndex": 3}}}]
    });
    let json = TableConfigJson::parse(json.to_string().as_bytes())?;
    let error = table_config_from_json(&json, None).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(
        lines.first().copied(),
        Some("External table 't' has 7 validation error(s):")
    );
    assert_eq!(lines.len(), 8, "{error}");
    Ok(())
}

#[test]
fn switched_off_indexes_are_not_asked_for() -> TestResult {
    let config = json!({"name": "ts", "encodingType": "RAW", "indexes": {
        "sorted": {"disabled": true}, "h3": {"enabled": "false"}, "range": {}}});
    let config = check_with(&config)?;
    assert_eq!(
        config.fields["ts"].indexes.keys().collect::<Vec<_>>(),
        ["range"]
    );
    Ok(())
}

#[test]
fn unknown_members_survive() -> TestResult {
    let json = json!({
        "tableName": "t", "tableType": "OFFLINE",
        "segmentsConfig": {"replication": "1", "timeColumnName": "ts"},
        "source": {"path": "data/*.parquet", "watch": 1.50},
        "fieldConfigList": [{"name": "a", "encodingType": "RAW", "compressionCodec": "LZ4"}],
        "task": {"taskTypeConfigsMap": {"X": {"schedule": "0 0 * * * ?"}}},
        "ingestionConfig": {"batchIngestionConfig": {}}
    });
    let parsed = TableConfigJson::parse(json.to_string().as_bytes())?;
    assert_eq!(parsed.to_json(), json);
    assert_eq!(
        table_config_from_json(&parsed, None)?
            .source_path
            .as_deref(),
        Some("data/*.parquet")
    );
    Ok(())
}
