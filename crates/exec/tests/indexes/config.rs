//! Table configs that ask for random indexes.

use growler_exec::View;
use growler_exec::reload::IndexPlan;
use growler_schema::convert::table_config_from_json;
use growler_schema::wire::TableConfigJson;
use serde_json::{Map, Value, json};

use crate::document::KEYS;
use crate::rng::Rng;

/// Columns that are no documents.
pub const COLUMNS: [&str; 11] = ["id", "b", "i", "l", "f", "d", "n", "s", "y", "t", "m"];

/// Makes the field configs of a table.
pub fn fields(rng: &mut Rng) -> Value {
    let density = *rng.pick(&[0, 30, 80, 100]);
    let mut fields = Vec::new();
    for column in COLUMNS {
        if rng.chance(density) {
            fields.push(entry(column, kinds(rng)));
        }
    }
    if rng.chance(70) {
        fields.push(entry("j", crate::documents::kinds(rng)));
    }
    if rng.chance(90) {
        fields.push(entry("props", json!({"open_struct": open_struct(rng)})));
    }
    json!(fields)
}

/// Reads a config, as the server and the command line do.
pub fn plan(view: &View, fields: &Value) -> IndexPlan {
    let json = json!({"tableName": view.name(), "fieldConfigList": fields}).to_string();
    let json = TableConfigJson::parse(json.as_bytes()).unwrap();
    let config = table_config_from_json(&json, Some(view.schema())).unwrap();
    IndexPlan::new(&config, view.schema())
}

fn entry(name: &str, indexes: Value) -> Value {
    json!({"name": name, "encodingType": "RAW", "indexes": indexes})
}

fn kinds(rng: &mut Rng) -> Value {
    // A bloom filter is only asked where there is no dictionary.
    match rng.below(10) {
        0 => return json!({"bloom": bloom(rng)}),
        1 => return json!({"bloom": bloom(rng), "range": {}}),
        _ => {}
    }
    let density = *rng.pick(&[30, 50, 100]);
    let mut kinds = Map::new();
    for kind in ["dictionary", "inverted", "range", "bloom"] {
        if rng.chance(density) {
            kinds.insert(kind.to_owned(), json!({}));
        }
    }
    if kinds.contains_key("bloom") {
        kinds.insert("bloom".to_owned(), bloom(rng));
    }
    Value::Object(kinds)
}

fn bloom(rng: &mut Rng) -> Value {
    match rng.below(4) {
        0 => json!({"fpp": *rng.pick(&[0.9, 0.05, 1e-9])}),
        1 => json!({"maxSizeInBytes": *rng.pick(&[1, 64]), "fpp": 0.01}),
        _ => json!({}),
    }
}

fn open_struct(rng: &mut Rng) -> Value {
    let density = *rng.pick(&[0, 50, 100]);
    let keys = KEYS.iter().filter(|key| !key.is_empty());
    let keys: Vec<&&str> = keys.filter(|_| rng.chance(density)).collect();
    let keys = keys.into_iter().map(|key| entry(key, kinds(rng)));
    let mut config = json!({"valueFieldConfigs": keys.collect::<Vec<_>>()});
    if rng.chance(30) {
        config["defaultValueFieldConfig"] = json!({"encodingType": "RAW", "indexes": kinds(rng)});
    }
    match rng.below(8) {
        0 => {}
        1 => config["sparseJsonIndex"] = json!(true),
        _ => config["sparseFieldConfig"] = entry("props$__sparse__", remainder(rng)),
    }
    config
}

fn remainder(rng: &mut Rng) -> Value {
    let paths = |rng: &mut Rng| {
        let keys = KEYS.iter().filter(|key| !key.is_empty() && rng.chance(40));
        let keys = keys.map(|key| format!("$.{key}"));
        json!(keys.collect::<Vec<_>>())
    };
    let entries = |rng: &mut Rng| {
        let keys = KEYS.iter().filter(|key| !key.is_empty() && rng.chance(40));
        let keys = keys.map(|key| json!({"path": key}));
        json!(keys.collect::<Vec<_>>())
    };
    match rng.below(9) {
        0 => json!({"json": {"includePaths": paths(rng)}}),
        1 => json!({"json": {"excludePaths": paths(rng)}}),
        2 => json!({"json": {"maxLevels": 1 + rng.below(3)}}),
        3 => json!({"json": {"maxValueLength": *rng.pick(&[1, 3, 10])}}),
        4 => json!({"json": {"excludeFields": ["k", "q"], "excludeArray": false}}),
        5 => json!({"compositeJson": {"invertedIndexConfigs": entries(rng)}}),
        6 => json!({"compositeJson": {
            "invertedIndexConfigs": [{"includeAllPaths": "true"}],
            "rangeIndexConfigs": entries(rng)}}),
        7 => json!({"json": {}}),
        _ => json!({"json": {"excludeArray": false}}),
    }
}
