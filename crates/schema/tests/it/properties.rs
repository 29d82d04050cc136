//! Whatever a client sends, the answer is a schema, a config or an error.

use growler_schema::convert::{schema_from_json, schema_to_json, table_config_from_json};
use growler_schema::wire::{SchemaJson, TableConfigJson};
use growler_schema::{DataType, TimeUnit, Value, default_null};
use proptest::prelude::*;
use serde_json::Value as Json;

/// JSON made of the members and values that schemas and configs have.
fn json() -> impl Strategy<Value = Json> {
    let text = prop::sample::select(vec![
        "",
        "a",
        "a$b",
        "INT",
        "LONG",
        "OPEN_STRUCT",
        "TIMESTAMP",
        "BIG_DECIMAL",
        "RAW",
        "1:DAYS",
        "1:NANOSECONDS:EPOCH",
        "-1.50",
        "json",
        "SORTED",
    ]);
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        text.prop_map(Json::from),
    ];
    let name = prop::sample::select(vec![
        "schemaName",
        "dimensionFieldSpecs",
        "metricFieldSpecs",
        "dateTimeFieldSpecs",
        "complexFieldSpecs",
        "primaryKeyColumns",
        "name",
        "dataType",
        "singleValueField",
        "defaultNullValue",
        "format",
        "granularity",
        "childFieldSpecs",
        "fieldId",
        "aliases",
        "tableName",
        "fieldConfigList",
        "encodingType",
        "indexes",
        "indexTypes",
        "open_struct",
        "valueFieldConfigs",
        "sparseFieldConfig",
        "sparseJsonIndex",
        "maxDenseKeys",
        "sorted",
        "source",
        "path",
        "schema",
        "disabled",
    ]);
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((name.clone(), inner), 0..8).prop_map(|members| {
                Json::Object(
                    members
                        .into_iter()
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

fn value() -> impl Strategy<Value = (Value, DataType)> {
    let unit = prop::sample::select(vec![TimeUnit::Millis, TimeUnit::Micros, TimeUnit::Nanos]);
    let decimal = (-10_i128.pow(37)..10_i128.pow(37), 0_i8..=37);
    prop_oneof![
        any::<i32>().prop_map(|v| (Value::Int(v), DataType::Int)),
        any::<i64>().prop_map(|v| (Value::Long(v), DataType::Long)),
        any::<f32>().prop_map(|v| (Value::Float(v), DataType::Float)),
        any::<f64>().prop_map(|v| (Value::Double(v), DataType::Double)),
        decimal
            .prop_map(|(v, scale)| (Value::BigDecimal(v, scale), DataType::BigDecimal { scale })),
        any::<bool>().prop_map(|v| (Value::Boolean(v), DataType::Boolean)),
        ((-8_000_000_000_000_000_i64..8_000_000_000_000_000), unit)
            .prop_map(|(v, unit)| (Value::Timestamp(v, unit), DataType::Timestamp { unit })),
        ".*".prop_map(|v: String| (Value::String(v), DataType::String)),
        any::<Vec<u8>>().prop_map(|v| (Value::Bytes(v), DataType::Bytes)),
    ]
}

proptest! {
    #[test]
    fn any_json_is_a_schema_or_refused(json in json()) {
        let text = json.to_string();
        if let Ok(parsed) = SchemaJson::parse(text.as_bytes())
            && let Ok(schema) = schema_from_json(&parsed)
        {
            let again = schema_from_json(&schema_to_json(&schema));
            let names = |schema: &growler_schema::TableSchema| {
                schema.fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>()
            };
            prop_assert_eq!(again.map(|again| names(&again)), Ok(names(&schema)));
        }
        if let Ok(parsed) = TableConfigJson::parse(text.as_bytes()) {
            let _ = table_config_from_json(&parsed, None);
            let again = TableConfigJson::parse(parsed.to_json().to_string().as_bytes());
            prop_assert_eq!(again, Ok(parsed));
        }
    }

    #[test]
    fn default_null_values_survive_their_json((value, data_type) in value()) {
        let again = default_null::parse(&default_null::write(&value), data_type);
        let same = match (&again, &value) {
            (Some(Value::Float(a)), Value::Float(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            (Some(Value::Double(a)), Value::Double(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            (again, value) => again.as_ref() == Some(value),
        };
        prop_assert!(same, "{value:?} {again:?}");
    }
}
