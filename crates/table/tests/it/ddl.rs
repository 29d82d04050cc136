//! Statements about tables: what they mean, what is wrong with others, and back to text.

use growler_schema::wire::TableConfigJson;
use growler_schema::{ColumnType, DataType, Field, FieldRole, TableSchema};
use growler_table::config::ExternalConfig;
use growler_table::ddl::{self, CreateTable, Error, OptionValue, Statement, TableName, options};
use serde_json::json;

fn name(table: &str) -> TableName {
    TableName {
        database: None,
        table: table.to_owned(),
    }
}

fn create(text: &str) -> CreateTable {
    match ddl::parse(text).unwrap() {
        Statement::CreateTable(create) => create,
        other => panic!("{other:?}"),
    }
}

fn config(text: &str) -> Result<ExternalConfig, Vec<String>> {
    let create = create(text);
    let mut errors = Vec::new();
    let settings = options::to_settings(create.options, &mut errors);
    let config = ExternalConfig::read(settings, &mut errors);
    if errors.is_empty() {
        Ok(config.unwrap())
    } else {
        Err(errors)
    }
}

/// The statement of the document on VARIANT columns.
const DOCUMENT: &str = "CREATE TABLE events_variant WITH (
  type = 'iceberg',
  catalog_type = 'rest',
  catalog_uri = 'https://catalog.example.com/api/catalog',
  schema_name = 'analytics',
  table_name = 'events_variant',
  storage.provider = 's3',
  storage.region = 'us-west-2'
);";

#[test]
fn statements() {
    let value = |text: &str| OptionValue::Text(text.to_owned());
    let made = |options: Vec<(&str, OptionValue)>| CreateTable {
        name: name("t"),
        is_external: false,
        if_not_exists: false,
        options: options
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    };
    for (text, expected) in [
        (
            "CREATE TABLE t WITH (a = 'x', \"b.c\" = true, d.e.f = 5)",
            Statement::CreateTable(made(vec![
                ("a", value("x")),
                ("b.c", OptionValue::Switch(true)),
                ("d.e.f", OptionValue::Number("5".to_owned())),
            ])),
        ),
        (
            "create external table if not exists \"my db\".\"t-1\" with (k='it''s', \"q\".r = FALSE);",
            Statement::CreateTable(CreateTable {
                name: TableName {
                    database: Some("my db".to_owned()),
                    table: "t-1".to_owned(),
                },
                is_external: true,
                if_not_exists: true,
                options: vec![
                    ("k".to_owned(), value("it's")),
                    ("q.r".to_owned(), OptionValue::Switch(false)),
                ],
            }),
        ),
        (
            "CREATE TABLE t WITH ( -- where it is\n type = '' /* none */ )",
            Statement::CreateTable(made(vec![("type", value(""))])),
        ),
        (
            "DROP TABLE t",
            Statement::DropTable {
                name: name("t"),
                if_exists: false,
            },
        ),
        (
            "drop table if exists t;",
            Statement::DropTable {
                name: name("t"),
                if_exists: true,
            },
        ),
        ("SHOW TABLES", Statement::ShowTables { database: None }),
        (
            "SHOW TABLES FROM d;",
            Statement::ShowTables {
                database: Some("d".to_owned()),
            },
        ),
        (
            "SHOW CREATE TABLE t",
            Statement::ShowCreateTable { name: name("t") },
        ),
    ] {
        assert_eq!(ddl::parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_wrong_with_a_statement() {
    let many: Vec<String> = (0..300).map(|idx| format!("k{idx}=1")).collect();
    let many = format!("CREATE TABLE t WITH ({})", many.join(","));
    let deep = format!("CREATE TABLE t WITH (k{} = 1)", ".k".repeat(1000));
    for (text, expected) in [
        ("", "expected CREATE, DROP or SHOW, found end of statement"),
        (
            "SELECT 1",
            "expected CREATE, DROP or SHOW, found 'SELECT' at Line: 1, Column: 1",
        ),
        (
            "CREATE VIEW v",
            "expected TABLE, found 'VIEW' at Line: 1, Column: 8",
        ),
        (
            "CREATE TABLE t (a INT)",
            "columns cannot be declared: an External Table has those of its source. Expected WITH",
        ),
        (
            "CREATE TABLE t",
            "expected WITH, found end of statement at Line: 1, Column: 14",
        ),
        (
            "CREATE TABLE t WITH ()",
            "expected the name of an option, found ')' at Line: 1, Column: 22",
        ),
        (
            "CREATE TABLE t WITH (a = 'x',)",
            "expected the name of an option, found ')' at Line: 1, Column: 30",
        ),
        (
            "CREATE TABLE t WITH (a = 'x' b = 'y')",
            "expected ',' or ')', found 'b' at Line: 1, Column: 30",
        ),
        (
            "CREATE TABLE t WITH (a = -5)",
            "expected a text in single quotes, TRUE, FALSE or an unsigned number, found '-' at Line: 1, Column: 26",
        ),
        (
            "CREATE TABLE t WITH (a = b)",
            "expected a text in single quotes, TRUE, FALSE or an unsigned number, found 'b' at Line: 1, Column: 26",
        ),
        (
            "CREATE TABLE t WITH (a 'pass-word')",
            "expected '=', found a text at Line: 1, Column: 24",
        ),
        (
            "CREATE TABLE t WITH (a=1, A=2)",
            "option is given more than once: name=A",
        ),
        (
            "DROP TABLE t; DROP TABLE u",
            "expected end of statement, found 'DROP' at Line: 1, Column: 15",
        ),
        (
            "DROP TABLE a.b.c",
            "expected end of statement, found '.' at Line: 1, Column: 15",
        ),
        (
            "SHOW SCHEMAS",
            "expected TABLES or CREATE TABLE, found 'SCHEMAS' at Line: 1, Column: 6",
        ),
        (&many, "too many options: limit=256"),
        (&deep, "option's name is too long: limit=1024"),
    ] {
        assert_eq!(
            ddl::parse(text),
            Err(Error::Parse(expected.to_owned())),
            "{text}"
        );
    }
    let long = " ".repeat(2 << 20);
    assert!(ddl::parse(&long).is_err());
    assert!(ddl::parse("CREATE TABLE t WITH (a = 'x").is_err());
}

#[test]
fn the_document_s_statement_is_understood() {
    let config = config(DOCUMENT).unwrap();
    assert_eq!(config.catalog_type(), "iceberg-rest");
    assert_eq!(config.sql_words(), ("iceberg", "rest"));
    assert_eq!(config.warnings(), Vec::<String>::new());
    let storage: Vec<String> = config
        .storage
        .values()
        .map(|(key, value)| format!("{}={}", key.name(), value.expose().unwrap()))
        .collect();
    assert_eq!(storage, ["storage.provider=s3", "storage.region=us-west-2"]);
}

#[test]
fn kinds_of_sources_in_sql() {
    for (options, expected) in [
        (
            "type='iceberg', catalog_type='folder', path='/t'",
            "iceberg-folder",
        ),
        ("type='iceberg', path='/t'", "iceberg-folder"),
        ("catalog_type='iceberg-folder', path='/t'", "iceberg-folder"),
        ("type='parquet', path='/t'", "folder"),
        ("type='parquet', path='s3://b/p'", "s3"),
        (
            "type='parquet', catalog_type='gcs-interop', path='gs://b/p'",
            "gcs-interop",
        ),
        (
            "type='iceberg', catalog_uri='http://c', schema_name='s', table_name='t'",
            "iceberg-rest",
        ),
    ] {
        let config = config(&format!("CREATE TABLE t WITH ({options})")).unwrap();
        assert_eq!(config.catalog_type(), expected, "{options}");
    }
    for (options, expected) in [
        (
            "type='delta', path='/t'",
            &[
                "Requires iceberg or parquet in 'type'. Found delta",
                "Requires 'catalog_type'",
            ][..],
        ),
        (
            "type='parquet', catalog_type='rest'",
            &[
                "Requires iceberg-rest, iceberg-folder, s3, gcs-interop or folder in 'catalog_type' that \
               fits type=parquet. Found rest",
            ],
        ),
        (
            "type='iceberg', path='/t', catalog_url='x', refresh='5m'",
            &[
                "Does not know the option 'catalog_url'. Did you mean 'catalog_uri'?",
                "Does not know the option 'refresh'",
            ],
        ),
    ] {
        let errors = config(&format!("CREATE TABLE t WITH ({options})")).unwrap_err();
        assert_eq!(errors, expected, "{options}");
    }
}

fn table(config: &ExternalConfig) -> TableConfigJson {
    let column = |name: &str, data_type: DataType| {
        Field::new(
            name,
            FieldRole::Dimension,
            ColumnType {
                data_type,
                multi_value: false,
            },
        )
    };
    let fields = vec![
        column("ts", DataType::Long),
        column("props", DataType::OpenStruct),
    ];
    ddl::show::table_config("my-table", config, &TableSchema::new("my-table", fields))
}

#[test]
fn statements_come_back_and_make_the_same_table() {
    for text in [
        DOCUMENT,
        "CREATE TABLE t WITH (type = 'parquet', path = 'it''s a folder', continue_on_file_error = true)",
        "CREATE TABLE t WITH (type='iceberg', path='/t', enabled=true, refresh_interval='5m',
           schema_evolution.enabled=true, \"schema_evolution.type_widening.enabled\"='true',
           schema_evolution.drop_columns='tombstone', batch_max_files=5, sync.deletes='refuse',
           enable_schema_evolution=true, schedule='0 0 * * * ?')",
        "CREATE TABLE t WITH (type='iceberg', path='/t', ref='audit', enabled=false,
           storage.secret_access_key='env:GROWLER_S', storage.access_key_id='env:GROWLER_A')",
    ] {
        let text = text.replace(", schedule='0 0 * * * ?'", "");
        let first = config(&text).unwrap();
        let shown = ddl::show_create(&table(&first)).unwrap();
        assert_eq!(shown.warnings, Vec::<String>::new(), "{text}");
        assert_eq!(create(&shown.ddl).name, name("my-table"));
        let second = config(&shown.ddl).unwrap();
        assert_eq!(first, second, "{}", shown.ddl);
        assert_eq!(table(&first), table(&second));
        assert_eq!(ddl::show_create(&table(&second)).unwrap(), shown);
    }
}

#[test]
fn the_text_that_is_shown() {
    let config = config(
        DOCUMENT
            .replace(");", ", credential = 'id:pass-word', enabled = true)")
            .as_str(),
    );
    let shown = ddl::show_create(&table(&config.unwrap())).unwrap();
    assert_eq!(
        shown.ddl,
        "CREATE EXTERNAL TABLE \"my-table\" WITH (
  type = 'iceberg',
  catalog_type = 'rest',
  catalog_uri = 'https://catalog.example.com/api/catalog',
  schema_name = 'analytics',
  table_name = 'events_variant',
  credential = '***',
  storage.provider = 's3',
  storage.region = 'us-west-2',
  enabled = true
);"
    );
    assert_eq!(
        shown.warnings,
        ["Secrets are not shown. Give them in place of '***': credential"]
    );
}

#[test]
fn a_lossy_statement_is_not_shown() {
    let made = || table(&config("CREATE TABLE t WITH (type='iceberg', path='/t')").unwrap());
    assert!(ddl::show_create(&made()).is_ok());
    type Change = fn(&mut TableConfigJson);
    let cases: [(&str, Change); 5] = [
        ("column 'props' has settings in fieldConfigList", |json| {
            json.field_config_list[0].indexes = json!({"bloom": {}}).as_object().cloned();
        }),
        ("it has 'segmentsConfig'", |json| {
            json.segments_config = Some(json!({"timeColumnName": "ts"}));
        }),
        ("it has 'query'", |json| {
            json.extra
                .insert("query".to_owned(), json!({"timeoutMs": 5}));
        }),
        ("it has 'task'", |json| {
            json.extra["task"]["taskTypeConfigsMap"]["SegmentRefreshTask"] = json!({});
        }),
        ("it is no External Table with a catalog", |json| {
            json.extra.clear();
        }),
    ];
    for (reason, change) in cases {
        let mut json = made();
        change(&mut json);
        let error = ddl::show_create(&json).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("Table my-table cannot be written as CREATE TABLE without loss: {reason}")
        );
    }
    let mut json = made();
    json.extra.insert("tenants".to_owned(), json!({}));
    json.segments_config = Some(json!({}));
    assert!(ddl::show_create(&json).is_ok());
}
