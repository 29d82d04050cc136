use growler_base::FieldId;
use growler_schema::convert::{schema_from_json, schema_to_json};
use growler_schema::wire::SchemaJson;
use growler_schema::{DataType, Field, FieldRole, SourceType, TableSchema, TimeUnit, Value};
use serde_json::{Value as Json, json};

type TestResult = Result<(), Box<dyn std::error::Error>>;

fn parse(json: &Json) -> Result<SchemaJson, growler_schema::Error> {
    SchemaJson::parse(json.to_string().as_bytes())
}

#[test]
fn inferred_schema_has_the_documented_shape() -> TestResult {
    let columns = [
        ("ts", SourceType::Int64),
        ("user_id", SourceType::String),
        ("props", SourceType::Variant),
    ];
    let fields: Result<Vec<Field>, _> = columns
        .iter()
        .map(|(name, source)| source.field(*name))
        .collect();
    let json = schema_to_json(&TableSchema::new("events_variant", fields?)).to_json();
    let expected = r#"{
      "schemaName": "events_variant",
      "dimensionFieldSpecs": [
        { "name": "ts", "dataType": "LONG" },
        { "name": "user_id", "dataType": "STRING" }
      ],
      "complexFieldSpecs": [
        { "name": "props", "dataType": "OPEN_STRUCT", "fieldType": "COMPLEX", "childFieldSpecs": {} }
      ]
    }"#;
    let expected: Json = serde_json::from_str(expected)?;
    assert_eq!(
        json.to_string(),
        expected.to_string(),
        "members and their order"
    );
    Ok(())
}

fn full() -> Json {
    json!({
        "schemaName": "orders",
        "description": "all there is",
        "tags": [1, 2.50],
        "enableColumnBasedNullHandling": true,
        "dimensionFieldSpecs": [
            {"name": "z", "dataType": "STRING", "fieldId": 7, "aliases": ["y", "x"],
             "notNull": true, "maxLength": 512},
            {"name": "a", "dataType": "INT", "singleValueField": false, "defaultNullValue": 5}
        ],
        "metricFieldSpecs": [{"name": "m", "dataType": "DOUBLE", "defaultNullValue": "1.5"}],
        "dateTimeFieldSpecs": [{"name": "t", "dataType": "TIMESTAMP",
            "format": "1:MICROSECONDS:EPOCH", "granularity": "1:MICROSECONDS"}],
        "complexFieldSpecs": [
            {"name": "p", "dataType": "OPEN_STRUCT", "fieldType": "COMPLEX",
             "childFieldSpecs": {"device.os": {"name": "device.os", "dataType": "STRING"}}},
            {"name": "q", "dataType": "MAP", "fieldType": "COMPLEX", "childFieldSpecs": {
                "key": {"name": "key", "dataType": "STRING"},
                "value": {"name": "value", "dataType": "INT"}}}
        ],
        "primaryKeyColumns": ["z"]
    })
}

#[test]
fn every_member_survives_a_round_trip() -> TestResult {
    let json = parse(&full())?;
    assert_eq!(json.to_json(), full());
    Ok(())
}

#[test]
fn schema_becomes_fields_and_back() -> TestResult {
    let schema = schema_from_json(&parse(&full())?)?;
    let field = |name: &str| schema.field(name).cloned().unwrap();
    assert_eq!(field("z").field_id, Some(FieldId(7)));
    assert_eq!(field("z").aliases, ["y", "x"]);
    assert!(field("z").not_null);
    assert_eq!(field("a").column_type, DataType::Int.multi());
    assert_eq!(field("a").default_null, Value::Int(5));
    assert_eq!(field("m").role, FieldRole::Metric);
    assert_eq!(field("m").default_null, Value::Double(1.5));
    let micros = DataType::Timestamp {
        unit: TimeUnit::Micros,
    };
    assert_eq!(field("t").column_type, micros.single());
    assert_eq!(
        field("t").default_null,
        Value::Timestamp(0, TimeUnit::Micros)
    );
    assert_eq!(
        field("p").children["device.os"].column_type,
        DataType::String.single()
    );
    assert_eq!(field("q").default_null, Value::String("{}".into()));

    let again = schema_from_json(&schema_to_json(&schema))?;
    assert_eq!(again, schema);
    Ok(())
}

#[test]
fn text_that_is_no_schema_is_invalid_json() {
    for text in [
        "",
        "{",
        "[]",
        r#"{"dimensionFieldSpecs": 5}"#,
        &"[".repeat(5_000),
    ] {
        let error = SchemaJson::parse(text.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("Invalid JSON: "), "{error}");
    }
}

#[test]
fn all_breaches_are_listed_together() -> TestResult {
    let json = parse(&json!({
        "schemaName": "bad__name",
        "timeFieldSpec": {},
        "dimensionFieldSpecs": [
            {"name": "a", "dataType": "INT", "defaultNullValue": "abc"},
            {"name": "a", "dataType": "LONG"},
            {"name": "b", "dataType": "VARCHAR"},
            {"name": "c"},
            {"dataType": "INT"},
            {"name": "$docId", "dataType": "INT"},
            {"name": "p$k", "dataType": "INT", "fieldId": 1},
            {"name": "j", "dataType": "JSON", "singleValueField": false, "fieldId": 1},
            {"name": "m", "dataType": "MAP"}
        ],
        "metricFieldSpecs": [{"name": "s", "dataType": "STRING"}],
        "dateTimeFieldSpecs": [
            {"name": "t", "dataType": "TIMESTAMP"},
            {"name": "u", "dataType": "LONG", "format": "ns", "granularity": "1:AGES"}
        ],
        "complexFieldSpecs": [
            {"name": "props", "dataType": "OPEN_STRUCT", "childFieldSpecs": {"k": {"dataType": "X"}}}
        ],
        "primaryKeyColumns": ["nope"]
    }))?;
    let error = schema_from_json(&json).unwrap_err();
    let expected = [
        "External table 'bad__name' has 19 validation error(s):",
        "schemaName 'bad__name' must not contain '__'",
        "Schema has a timeFieldSpec; use dateTimeFieldSpecs instead",
        "Column 'a' has a defaultNullValue that is not a value of its type. Cannot convert value: 'abc' to type: INT",
        "Column 'b' has unknown data type 'VARCHAR'",
        "Column 'c' has no data type",
        "A field has no name",
        "Column 'j' of type JSON cannot be multi-value",
        "Column 'm' of type MAP must be in complexFieldSpecs",
        "Metric column 's' cannot be of type STRING",
        "DATETIME column 't' has no format",
        "DATETIME column 't' has no granularity",
        "DATETIME column 'u' has an invalid format 'ns'",
        "DATETIME column 'u' has an invalid granularity '1:AGES'",
        "Column 'props' has a wrong entry in childFieldSpecs['k']: Column 'k' has unknown data type 'X'",
        "Schema column '$docId' starts with '$', which is reserved for virtual columns",
        "Schema column 'p$k' contains reserved OPEN_STRUCT separator '$'",
        "Column 'a' is in the schema more than once",
        "Column 'j' has a fieldId that another has: 1",
        "Primary key column 'nope' is not a column of the schema",
    ];
    assert_eq!(error.to_string(), expected.join("\n"));
    Ok(())
}

#[test]
fn a_dollar_inside_a_name_is_fine_without_variants() -> TestResult {
    let json =
        json!({"schemaName": "s", "dimensionFieldSpecs": [{"name": "a$b", "dataType": "INT"}]});
    schema_from_json(&parse(&json)?)?;
    Ok(())
}
