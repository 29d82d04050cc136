//! Columns as the engine has them.

use growler_base::FieldId;
use growler_catalog::TableMetadata;
use growler_catalog::convert::to_table_schema;
use growler_schema::{DataType, TimeUnit, Value as Engine};
use serde_json::{Value, json};

use crate::samples::{sample, samples};

fn metadata(fields: Value, mapping: Option<Value>) -> TableMetadata {
    let mut document = json!({
        "format-version": 3, "table-uuid": "u", "location": "/t", "last-column-id": 99,
        "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}]});
    if let Some(mapping) = mapping {
        document["properties"] = json!({"schema.name-mapping.default": mapping.to_string()});
    }
    TableMetadata::parse(document.to_string().as_bytes(), "t").unwrap()
}

#[test]
fn every_type_has_a_column_or_is_said_to_have_none() {
    let list = |element: &str| json!({"type": "list", "element-id": 50, "element": element});
    let map = json!({"type": "map", "key-id": 51, "key": "string", "value-id": 52, "value": "int"});
    let structure = json!({"type": "struct", "fields": [{"id": 53, "name": "x", "type": "int"}]});
    let decimal = DataType::BigDecimal { scale: 2 };
    let timestamp = |unit| DataType::Timestamp { unit };
    let cases = [
        (json!("boolean"), Some(DataType::Boolean.single())),
        (json!("int"), Some(DataType::Int.single())),
        (json!("long"), Some(DataType::Long.single())),
        (json!("float"), Some(DataType::Float.single())),
        (json!("double"), Some(DataType::Double.single())),
        (json!("decimal(9,2)"), Some(decimal.single())),
        (json!("decimal(99,2)"), None),
        (json!("date"), Some(DataType::Long.single())),
        (json!("time"), Some(DataType::Long.single())),
        (
            json!("timestamp"),
            Some(timestamp(TimeUnit::Micros).single()),
        ),
        (
            json!("timestamptz_ns"),
            Some(timestamp(TimeUnit::Nanos).single()),
        ),
        (json!("string"), Some(DataType::String.single())),
        (json!("uuid"), Some(DataType::Uuid.single())),
        (json!("fixed[4]"), Some(DataType::Bytes.single())),
        (json!("geometry"), Some(DataType::Bytes.single())),
        (json!("unknown"), Some(DataType::String.single())),
        (json!("variant"), Some(DataType::OpenStruct.single())),
        (json!("quaternion"), None),
        (list("int"), Some(DataType::Int.multi())),
        (list("quaternion"), None),
        (map, Some(DataType::Map.single())),
        (structure, Some(DataType::Json.single())),
    ];
    for (type_json, expected) in cases {
        let metadata = metadata(json!([{"id": 1, "name": "c", "type": type_json}]), None);
        let converted = to_table_schema("t", metadata.current_schema(), None);
        let field = converted.schema.field("c");
        assert_eq!(
            field.map(|field| field.column_type),
            expected,
            "{type_json}"
        );
        assert_eq!(
            converted.skipped.len(),
            usize::from(expected.is_none()),
            "{type_json}"
        );
    }
}

#[test]
fn identities_aliases_and_defaults_come_along() {
    let fields = json!([
        {"id": 1, "name": "unit_price", "type": "double", "required": true},
        {"id": 2, "name": "qty", "type": "int", "initial-default": 7, "write-default": 8},
        {"id": 3, "name": "price", "type": "string"},
        {"id": 4, "name": "d", "type": "decimal(9,2)", "initial-default": "1.5"}]);
    // `price` was column 1 once; it is column 3 now.
    let mapping = json!([
        {"field-id": 1, "names": ["unit_price", "price", "cost.net"]},
        {"field-id": 2, "names": []}, {"names": ["group"], "fields": []}]);
    let metadata = metadata(fields, Some(mapping));
    let mapping = metadata.name_mapping().unwrap().unwrap();
    let converted = to_table_schema("t", metadata.current_schema(), Some(&mapping));
    let price = converted.schema.field("unit_price").unwrap();
    assert_eq!(price.field_id, Some(FieldId(1)));
    assert_eq!(price.aliases, ["cost.net"]);
    assert!(price.not_null && !converted.schema.field("qty").unwrap().not_null);
    let defaults: Vec<(i32, Engine)> = converted
        .initial_defaults
        .into_iter()
        .map(|(id, value)| (id.0, value))
        .collect();
    assert_eq!(
        defaults,
        [(2, Engine::Int(7)), (4, Engine::BigDecimal(150, 2))]
    );
    assert_eq!(mapping.id("cost.net"), Some(FieldId(1)));
    assert_eq!(mapping.id("group"), None);
}

#[test]
fn a_broken_name_mapping_is_an_error_where_it_is_needed() {
    for broken in [json!({}), json!([{"names": [7]}]), json!([5])] {
        let metadata = metadata(json!([]), Some(broken));
        assert!(metadata.name_mapping().is_err());
    }
}

#[test]
fn every_sample_converts() {
    for sample in samples() {
        let table = sample.open();
        for schema in table.metadata().schemas() {
            let converted = to_table_schema(&sample.name, schema, None);
            assert_eq!(converted.skipped, [], "{}", sample.name);
            assert_eq!(converted.schema.fields().len(), schema.fields.len());
        }
    }
    let events = sample("spark40", "events_variant").open();
    let converted = to_table_schema("events", events.metadata().current_schema(), None);
    let props = converted.schema.field("props").unwrap();
    assert_eq!(props.column_type, DataType::OpenStruct.single());
}
