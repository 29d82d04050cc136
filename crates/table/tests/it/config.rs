//! What External Tables are told: values, breaches, secrets.

use std::time::Duration;

use growler_schema::wire::TableConfigJson;
use growler_table::config::{
    BatchLimits, Deletes, DropColumns, ExternalConfig, Schedule, Source, SyncMode, Visibility, task,
};
use serde_json::{Value, json};

fn table(task: &Value) -> TableConfigJson {
    let json = json!({
        "tableName": "t_OFFLINE",
        "task": {"taskTypeConfigsMap": {"ExternalTableSyncTask": task}}
    });
    TableConfigJson::parse(json.to_string().as_bytes()).unwrap()
}

fn read(task: &Value) -> Result<ExternalConfig, Vec<String>> {
    ExternalConfig::of_table(&table(task))
        .map(Option::unwrap)
        .map_err(|error| error.errors)
}

/// The keys of the document, as it writes them.
#[test]
fn reads_the_example_of_the_document() {
    let task = json!({
        "catalogType": "iceberg-rest",
        "catalogUri": "https://catalog.example.com/api/catalog",
        "schemaName": "sales.eu",
        "tableName": "orders",
        "executor": "controller",
        "enabled": "true",
        "schedule": "0 */30 * * * ?",
        "continueOnFileError": "true",
        "schemaEvolution.enabled": "true",
        "schemaEvolution.typeWidening.enabled": "true",
        "schemaEvolution.failFast": "true"
    });
    let config = read(&task).unwrap();
    let Source::IcebergRest {
        catalog,
        namespace,
        table,
        reference,
    } = &config.source
    else {
        panic!("{config:?}");
    };
    assert_eq!(catalog.uri, "https://catalog.example.com/api/catalog");
    assert!(catalog.vended_credentials);
    assert_eq!(namespace, &["sales", "eu"]);
    assert_eq!((table.as_str(), reference), ("orders", &None));
    assert_eq!(config.mode, SyncMode::Watcher);
    assert!(matches!(config.schedule, Schedule::Cron(_)));
    assert!(config.continue_on_file_error);
    let evolution = config.evolution;
    assert!(evolution.enabled && evolution.type_widening && evolution.fail_fast);
    assert!(!evolution.float_widening && !evolution.partial);
    assert_eq!(config.warnings(), Vec::<String>::new());
}

#[test]
fn every_other_value() {
    let task = json!({
        "catalogType": "folder", "path": "data", "executor": "controller", "enabled": false,
        "refreshInterval": "90s", "batchMaxFiles": 7, "batchMaxBytes": "8",
        "schemaEvolution.dropColumns": "tombstone", "schemaEvolution.floatWidening": "TRUE",
        "sync.visibility": "batch", "sync.deletes": "refuse", "sync.importPartitions": "true"
    });
    let config = read(&task).unwrap();
    assert_eq!(config.mode, SyncMode::Paused);
    assert_eq!(config.schedule, Schedule::Every(Duration::from_secs(90)));
    let expected = BatchLimits {
        max_files: 7,
        max_bytes: 8,
    };
    assert_eq!(config.batch, expected);
    assert_eq!(config.evolution.drop_columns, DropColumns::Tombstone);
    assert!(config.evolution.float_widening && config.import_partitions);
    assert_eq!(
        (config.visibility, config.deletes),
        (Visibility::Batch, Deletes::Refuse)
    );
    assert_eq!(config.source.local_path(), Some("data"));

    let bare =
        read(&json!({"catalogType": "iceberg-folder", "path": "/t", "executor": "controller"}));
    let bare = bare.unwrap();
    assert_eq!(bare.mode, SyncMode::Snapshot);
    assert_eq!(bare.schedule, Schedule::Every(Duration::from_secs(600)));
    assert_eq!(bare.batch, BatchLimits::default());
    assert_eq!(
        (bare.visibility, bare.deletes),
        (Visibility::Snapshot, Deletes::Apply)
    );
}

#[test]
fn a_table_without_the_task_is_no_external_table() {
    for json in [
        json!({"tableName": "t"}),
        json!({"tableName": "t", "task": null}),
        json!({"tableName": "t", "task": {"taskTypeConfigsMap": {"OtherTask": {}}}}),
        json!({"tableName": "t", "task": {"taskTypeConfigsMap": {"ExternalTableSyncTask": 5}}}),
    ] {
        let json = TableConfigJson::parse(json.to_string().as_bytes()).unwrap();
        assert_eq!(ExternalConfig::of_table(&json), Ok(None));
    }
    let old = json!({"tableName": "t", "task": {"taskTypeConfigsMap": {"IcebergIngestionTask": {
        "catalogType": "folder", "path": "p", "executor": "controller"}}}});
    let old = TableConfigJson::parse(old.to_string().as_bytes()).unwrap();
    assert!(ExternalConfig::of_table(&old).unwrap().is_some());
}

#[test]
fn breaches() {
    let rest = |more: Value| {
        let mut task = json!({"catalogType": "iceberg-rest", "catalogUri": "http://c", "schemaName": "s",
            "tableName": "t", "executor": "controller"});
        for (name, value) in more.as_object().unwrap() {
            task[name] = value.clone();
        }
        task
    };
    for (task, expected) in [
        (
            json!({"executor": "controller"}),
            &["Requires 'catalogType'"][..],
        ),
        (
            json!({"catalogType": "hive", "executor": "controller"}),
            &[
                "Requires iceberg-rest, iceberg-folder, s3, gcs-interop or folder in 'catalogType'. Found hive",
            ],
        ),
        (
            json!({"catalogType": "iceberg-rest"}),
            &[
                "Requires 'catalogUri' with catalogType=iceberg-rest",
                "Requires 'schemaName' with catalogType=iceberg-rest",
                "Requires 'tableName' with catalogType=iceberg-rest",
                "Requires 'executor' set to controller",
            ],
        ),
        (
            rest(json!({"executor": "minion", "enabled": "yes"})),
            &[
                "Requires controller in 'executor'. Found minion",
                "Requires true or false in 'enabled'. Found yes",
            ],
        ),
        (
            rest(json!({"catalogUri": "ftp://c", "path": "p"})),
            &[
                "Does not use 'path' with catalogType=iceberg-rest",
                "Requires an address that begins with http:// or https:// in 'catalogUri'",
            ],
        ),
        (
            rest(json!({"catalogUri": "http://me:secret@c", "token": "a", "credential": "b"})),
            &[
                "Does not allow credentials in 'catalogUri'. Use 'credential', 'token' or the keys under 'storage'",
                "Does not use 'credential' and 'token' together",
            ],
        ),
        (
            rest(json!({"serviceType": "hive"})),
            &["Requires rest, glue or s3Tables in 'serviceType'. Found hive"],
        ),
        (
            rest(json!({"serviceType": "s3tables", "token": "a"})),
            &[
                "Requires 'warehouse', the ARN of the table bucket, with serviceType=s3Tables",
                "Does not use 'token' where 'serviceType' has requests signed",
            ],
        ),
        (
            json!({"catalogType": "iceberg-rest", "serviceType": "glue", "schemaName": "s",
                "tableName": "t", "executor": "controller", "storage.region": "evil.com/"}),
            &["Requires 'catalogUri' with catalogType=iceberg-rest"],
        ),
        (
            rest(json!({"schedule": "0 0 * * *", "refreshInterval": "5m"})),
            &[
                "Does not use 'schedule' and 'refreshInterval' together",
                "Requires a Quartz cron expression in 'schedule'. It has 6 or 7 fields: found=5",
            ],
        ),
        (
            rest(json!({"storage.accessKey": "a", "storage.roleArn": "r"})),
            &["Requires 'storage.accessKeyId' and 'storage.secretAccessKey' together"],
        ),
        (
            rest(json!({"externalId": "x", "storage.stsEndpoint": "sts"})),
            &[
                "Requires an address that begins with http:// or https:// in 'storage.stsEndpoint'",
                "Requires 'storage.roleArn' with 'storage.externalId'",
                "Requires 'storage.roleArn' with 'storage.stsEndpoint'",
            ],
        ),
        (
            rest(
                json!({"storage.accessKey": "a", "storage.secretKey": "b", "storage.anonymous": "true"}),
            ),
            &["Does not use credentials with 'storage.anonymous'"],
        ),
        (
            rest(json!({"batchMaxFiles": "0", "sync.visibility": "row", "token": "***"})),
            &[
                "Value of 'token' cannot be used: '***' only stands for a secret that is not shown; give the secret",
                "Requires a number from 1 to 100000 in 'batchMaxFiles'. Found 0",
                "Requires snapshot or batch in 'sync.visibility'. Found row",
            ],
        ),
        (
            json!({"catalogType": "s3", "path": "bucket/prefix", "tableName": "t", "executor": "controller"}),
            &[
                "Does not use 'tableName' with catalogType=s3",
                "Requires an address such as s3://bucket/prefix in 'path'. Found bucket/prefix",
            ],
        ),
        (
            rest(json!({"schemaEvolution.typeWiden.enabled": "true", "batch": {}})),
            &[
                "Does not know the option 'schemaEvolution.typeWiden.enabled'. Did you mean \
                 'schemaEvolution.typeWidening.enabled'?",
                "Requires a text in 'batch' of ExternalTableSyncTask",
            ],
        ),
    ] {
        assert_eq!(read(&task).unwrap_err(), expected, "{task}");
    }
}

#[test]
fn amazons_catalogs_are_found_by_their_region_and_signed_for() {
    let task = |service: &str, more: &Value| {
        let mut task = json!({"catalogType": "iceberg-rest", "serviceType": service,
            "schemaName": "s", "tableName": "t", "executor": "controller",
            "storage.region": "eu-central-1", "warehouse": "w", "roleArn": "r"});
        for (name, value) in more.as_object().unwrap() {
            task[name] = value.clone();
        }
        read(&task).unwrap().properties().unwrap()
    };
    let own = json!({"catalogUri": "https://vpce-1.example.com/iceberg"});
    for (service, more, uri, name) in [
        (
            "glue",
            json!({}),
            "https://glue.eu-central-1.amazonaws.com/iceberg",
            "glue",
        ),
        (
            "s3Tables",
            json!({}),
            "https://s3tables.eu-central-1.amazonaws.com/iceberg",
            "s3tables",
        ),
        (
            "S3_TABLES",
            own,
            "https://vpce-1.example.com/iceberg",
            "s3tables",
        ),
    ] {
        let properties = task(service, &more);
        assert_eq!(properties.get("uri"), Some(uri));
        assert_eq!(properties.get("rest.sigv4-enabled"), Some("true"));
        assert_eq!(properties.get("rest.signing-name"), Some(name));
        assert_eq!(properties.get("storage.roleArn"), Some("r"));
    }
    let plain = task("rest", &json!({"catalogUri": "http://c"}));
    assert_eq!(plain.get("rest.sigv4-enabled"), None);
}

#[test]
fn settings_without_effect_are_warned_about() {
    let task = |more: &str| {
        let mut task =
            json!({"catalogType": "iceberg-folder", "path": "p", "executor": "controller"});
        task[more] = json!("true");
        read(&task).unwrap().warnings()
    };
    assert_eq!(
        task("enable_schema_evolution"),
        [
            "'enableSchemaEvolution' is accepted but has no effect. Set 'schemaEvolution.enabled' and 'enabled'"
        ]
    );
    assert_eq!(
        task("schemaEvolution.enabled"),
        [
            "The snapshot path never updates the schema: 'schemaEvolution.enabled' has no effect without \
          'enabled' set to true"
        ]
    );
    assert_eq!(
        task("schemaEvolution.typeWidening.enabled"),
        ["'schemaEvolution.typeWidening.enabled' has no effect without 'schemaEvolution.enabled'"]
    );
}

#[test]
fn secrets_are_hidden_and_come_back_for_the_same_place() {
    let task = json!({"catalogType": "iceberg-rest", "catalogUri": "http://c", "schemaName": "s",
        "tableName": "t", "executor": "controller", "credential": "id:pass-word",
        "storage.secret_access_key": "pass-word", "storage.access_key_id": "env:GROWLER_KEY"});
    let given = table(&task);
    let config = ExternalConfig::of_table(&given).unwrap().unwrap();
    assert!(!format!("{config:?}").contains("pass-word"), "{config:?}");

    let mut shown = given.clone();
    task::hide_secrets(&mut shown);
    let text = shown.to_json().to_string();
    assert!(!text.contains("pass-word"), "{text}");
    assert!(text.contains("env:GROWLER_KEY"), "{text}");
    assert_eq!(read_table(&shown).unwrap_err().len(), 2);

    let mut back = shown.clone();
    task::restore_secrets(&mut back, &given);
    assert_eq!(back, given);
    let mut elsewhere = shown;
    elsewhere.extra["task"]["taskTypeConfigsMap"]["ExternalTableSyncTask"]["catalogUri"] =
        json!("http://thief");
    task::restore_secrets(&mut elsewhere, &given);
    assert_eq!(read_table(&elsewhere).unwrap_err().len(), 2);
}

fn read_table(json: &TableConfigJson) -> Result<Option<ExternalConfig>, Vec<String>> {
    ExternalConfig::of_table(json).map_err(|error| error.errors)
}
