//! External Tables from end to end: the built binary over HTTP, `growler sync`, `growler status`, and
//! an Iceberg table that is written to meanwhile.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::growler::{Failure, Ran, root, run};
use crate::server::Server;

/// The metadata files of each step of the table, as pyiceberg wrote them.
const STEPS: [&str; 3] = ["00001-", "00003-", "00005-"];

/// A copy of a table that has got as far as a step.
pub struct Table {
    folder: TempDir,
}

impl Table {
    pub fn copy() -> Result<Self, Failure> {
        let table = Self {
            folder: tempfile::tempdir()?,
        };
        for part in ["data", "metadata"] {
            fs::create_dir(table.path().join(part))?;
            for entry in fs::read_dir(source().join(part))? {
                let from = entry?.path();
                let is_version = from.to_string_lossy().ends_with(".metadata.json");
                if !is_version {
                    let name = from.file_name().ok_or("no name")?;
                    fs::copy(&from, table.path().join(part).join(name))?;
                }
            }
        }
        table.advance(0)?;
        Ok(table)
    }

    /// Adds the metadata of a step, as its writer did.
    pub fn advance(&self, step: usize) -> Result<(), Failure> {
        for entry in fs::read_dir(source().join("metadata"))? {
            let from = entry?.path();
            let name = from
                .file_name()
                .ok_or("no name")?
                .to_string_lossy()
                .into_owned();
            if name.starts_with(STEPS[step]) && name.ends_with(".metadata.json") {
                fs::copy(&from, self.path().join("metadata").join(name))?;
            }
        }
        Ok(())
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn source() -> PathBuf {
    root().join("testdata/iceberg/evolution/orders")
}

fn start(data: &Path) -> Result<Server, Failure> {
    let data = data.to_string_lossy().into_owned();
    Server::start(&["serve", "-l", "127.0.0.1:0", "--data-dir", &data])
}

/// Runs a statement; returns the status and the answer.
pub fn ddl(server: &Server, sql: &str) -> Result<(u16, Value), Failure> {
    let answer = server.request("POST /sql/ddl", &json!({"sql": sql}).to_string())?;
    let status = answer.split(' ').nth(1).ok_or("no status")?.parse()?;
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    Ok((status, serde_json::from_str(body)?))
}

pub fn growler(server: &Server, arguments: &[&str]) -> Result<Ran, Failure> {
    let address = format!("http://{}", server.address());
    let mut all = arguments.to_vec();
    all.extend(["--server", &address]);
    run(&all)
}

pub fn rows(server: &Server, sql: &str) -> Result<Value, Failure> {
    Ok(server.answer(sql)?["resultTable"].clone())
}

fn set(server: &Server, table: &str, settings: &[(&str, &str)]) -> Result<(), Failure> {
    let mut config = server.json(&format!("GET /tables/{table}"), &Value::Null)?["OFFLINE"].clone();
    for (key, value) in settings {
        config["task"]["taskTypeConfigsMap"]["ExternalTableSyncTask"][key] = json!(value);
    }
    server.json(&format!("PUT /tables/{table}_OFFLINE"), &config)?;
    Ok(())
}

#[test]
fn a_table_follows_its_source_through_every_step() -> Result<(), Failure> {
    let table = Table::copy()?;
    let data = tempfile::tempdir()?;
    let server = start(data.path())?;
    let create = format!(
        "CREATE EXTERNAL TABLE orders_ext WITH (type = 'iceberg', catalog_type = 'folder', path = '{}', \
         enabled = true, refresh_interval = '1h', schema_evolution.enabled = true, \
         schema_evolution.fail_fast = true)",
        table.path().display()
    );
    let (status, made) = ddl(&server, &create)?;
    assert_eq!(status, 201, "{made}");
    let fields = &made["schema"]["dimensionFieldSpecs"];
    let qty = fields
        .as_array()
        .ok_or("no columns")?
        .iter()
        .find(|field| field["name"] == "qty");
    assert_eq!(qty.ok_or("no qty")?["dataType"], "INT");

    let synced = growler(&server, &["sync", "orders_ext"])?;
    assert_eq!(synced.code, Some(0), "{synced:?}");
    assert!(
        synced.stdout.starts_with("in step: orders_ext_OFFLINE, "),
        "{}",
        synced.stdout
    );
    assert!(
        synced.stdout.contains("snapshot 7801103319926056936"),
        "{}",
        synced.stdout
    );
    let inspected = growler(&server, &["inspect", "orders_ext"])?;
    assert_eq!(inspected.code, Some(0), "{inspected:?}");
    for part in [
        "1 row, 1 file",
        "snapshot 7801103319926056936",
        "qty",
        "partition specs",
    ] {
        assert!(
            inspected.stdout.contains(part),
            "{part}: {}",
            inspected.stdout
        );
    }
    let absent = growler(&server, &["inspect", "absent", "--json"])?;
    assert_eq!(absent.code, Some(2), "{absent:?}");
    let all = "SELECT id, qty, note FROM orders_ext ORDER BY id";
    assert_eq!(rows(&server, all)?["rows"], json!([[1, 1, "a"]]));
    let schema = || server.json("GET /schemas/orders_ext", &Value::Null);
    assert!(
        schema()?.to_string().contains("\"fieldId\":2"),
        "{}",
        schema()?
    );

    // INT becomes LONG and a column comes: refused, as long as widening is off.
    table.advance(1)?;
    let refused = growler(&server, &["sync", "orders_ext"])?;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stderr.contains("failurePhase=UPDATING_SCHEMA"),
        "{}",
        refused.stderr
    );
    assert_eq!(rows(&server, all)?["rows"], json!([[1, 1, "a"]]));
    let shown = growler(&server, &["status", "orders_ext"])?;
    assert!(
        shown.stdout.contains("last run   failed"),
        "{}",
        shown.stdout
    );
    assert!(
        shown
            .stdout
            .contains("refused at snapshot 1439806669932893383"),
        "{}",
        shown.stdout
    );
    let shown = growler(&server, &["status", "orders_ext", "--json"])?;
    let shown: Value = serde_json::from_str(&shown.stdout)?;
    assert_eq!(shown["status"]["failurePhase"], "UPDATING_SCHEMA");

    set(
        &server,
        "orders_ext",
        &[("schemaEvolution.typeWidening.enabled", "true")],
    )?;
    let synced = growler(&server, &["sync", "orders_ext"])?;
    assert_eq!(synced.code, Some(0), "{synced:?}");
    let widened = rows(&server, "SELECT qty, tag FROM orders_ext ORDER BY id")?;
    assert_eq!(
        widened["dataSchema"]["columnDataTypes"],
        json!(["LONG", "STRING"])
    );
    assert_eq!(widened["rows"][1], json!([5_000_000_000_i64, "t"]));

    // A rename, and FLOAT to DOUBLE, which has a switch of its own.
    table.advance(2)?;
    assert_eq!(growler(&server, &["sync", "orders_ext"])?.code, Some(1));
    set(
        &server,
        "orders_ext",
        &[("schemaEvolution.floatWidening", "true")],
    )?;
    assert_eq!(growler(&server, &["sync", "orders_ext"])?.code, Some(0));
    assert_eq!(
        rows(&server, all)?["rows"],
        json!([[1, 1, "a"], [2, 5_000_000_000_i64, "b"], [3, 3, "c"]])
    );
    let checkpoint = server.json(
        "GET /tables/orders_ext_OFFLINE/externalTable/checkpoint",
        &Value::Null,
    )?;
    assert_eq!(
        checkpoint["snapshotId"],
        json!(8_606_484_295_204_627_530_i64),
        "{checkpoint}"
    );
    assert_eq!(checkpoint["files"], 3, "{checkpoint}");

    // What is served outlives a kill, and the source is not needed for that.
    server.kill()?;
    let hidden = table.path().with_extension("away");
    fs::rename(table.path().join("metadata"), &hidden)?;
    let server = start(data.path())?;
    assert_eq!(
        rows(&server, "SELECT COUNT(*), SUM(qty) FROM orders_ext")?["rows"][0][0],
        3
    );
    assert_eq!(growler(&server, &["sync", "orders_ext"])?.code, Some(1));
    assert_eq!(
        rows(&server, "SELECT COUNT(*) FROM orders_ext")?["rows"],
        json!([[3]])
    );
    fs::rename(&hidden, table.path().join("metadata"))?;

    let (status, shown) = ddl(&server, "SHOW CREATE TABLE orders_ext")?;
    assert_eq!(status, 200, "{shown}");
    let statement = shown["ddl"].as_str().ok_or("no ddl")?.to_owned();
    assert!(
        statement.contains("schema_evolution.type_widening.enabled = true"),
        "{statement}"
    );
    let (status, dropped) = ddl(&server, "DROP TABLE orders_ext")?;
    assert_eq!(
        (status, &dropped["deletedTables"]),
        (200, &json!(["orders_ext_OFFLINE"]))
    );
    assert!(server.query(all)?.contains("does not exist"));
    assert_eq!(growler(&server, &["status", "orders_ext"])?.code, Some(2));

    // The statement makes the table again, now with the columns that the source has.
    let (status, made) = ddl(&server, &statement)?;
    assert_eq!(status, 201, "{made}");
    let synced = growler(&server, &["sync", "orders_ext"])?;
    assert_eq!(synced.code, Some(0), "{synced:?}");
    let again = rows(
        &server,
        "SELECT id, qty, remark FROM orders_ext ORDER BY id",
    )?;
    assert_eq!(again["rows"][2], json!([3, 3, "c"]));
    Ok(())
}

#[test]
fn variant_tables_and_plain_folders_follow_too() -> Result<(), Failure> {
    let data = tempfile::tempdir()?;
    let server = start(data.path())?;
    let variants = root().join("testdata/iceberg/java/events_variant_perfile");
    let files = root().join("testdata/duckdb/perfile");
    for (name, kind, path) in [("v", "iceberg", &variants), ("f", "parquet", &files)] {
        let sql = format!(
            "CREATE TABLE {name} WITH (type = '{kind}', path = '{}', refresh_interval = '1h')",
            path.canonicalize()?.display()
        );
        let (status, made) = ddl(&server, &sql)?;
        assert_eq!(status, 201, "{made}");
        let props = &made["schema"]["complexFieldSpecs"][0];
        assert_eq!(props["dataType"], "OPEN_STRUCT", "{made}");
        let synced = growler(&server, &["sync", name])?;
        assert_eq!(synced.code, Some(0), "{synced:?}");
    }
    let count = |table: &str| rows(&server, &format!("SELECT COUNT(*) FROM {table}"));
    assert_eq!(count("f")?["rows"], json!([[50]]));
    let home = "SELECT COUNT(*) FROM v WHERE props['page_type'] = 'HOME'";
    let by_hand = "SELECT COUNT(*) FROM v WHERE JSON_EXTRACT_SCALAR(props, '$.page_type', 'STRING', 'x') = 'HOME'";
    assert_eq!(
        rows(&server, home)?["rows"],
        rows(&server, by_hand)?["rows"]
    );

    // Indexes are asked for by the config, and built by a reload.
    let mut config = server.json("GET /tables/f", &Value::Null)?["OFFLINE"].clone();
    let fields = config["fieldConfigList"]
        .as_array_mut()
        .ok_or("no fields")?;
    let props = fields
        .iter_mut()
        .find(|field| field["name"] == "props")
        .ok_or("no props")?;
    props["indexes"]["open_struct"] = json!({"sparseFieldConfig": {"name": "props$__sparse__", "indexes": {"json": {}}},
        "valueFieldConfigs": [{"name": "page_type", "encodingType": "RAW", "indexes": {"dictionary": {}, "inverted": {}}}]});
    server.json("PUT /tables/f", &config)?;
    let job = server.reload("/segments/f_OFFLINE/reload")?;
    assert_eq!(server.wait_reloaded(&job)?["status"], "COMPLETED");
    let answer = server.answer("SELECT COUNT(*) FROM f WHERE props['page_type'] = 'HOME'")?;
    assert_eq!(answer["numEntriesScannedInFilter"], 0, "{answer}");
    let (status, refused) = ddl(&server, "SHOW CREATE TABLE f")?;
    assert_eq!(status, 400, "{refused}");
    Ok(())
}

#[test]
fn sources_that_cannot_be_read_say_what_to_do() -> Result<(), Failure> {
    let data = tempfile::tempdir()?;
    let server = start(data.path())?;
    for (options, status, text) in [
        (
            "type='iceberg', catalog_uri='http://127.0.0.1:1', schema_name='s', table_name='t', \
             credential='id:pass-word'",
            503,
            "Check that the catalog runs and can be reached",
        ),
        ("type='iceberg', path='/nowhere'", 400, "/nowhere"),
        ("type='parquet', path='/nowhere'", 400, "/nowhere"),
    ] {
        // The client tries for a while before it says so.
        let (found, answer) = ddl(&server, &format!("CREATE TABLE t WITH ({options})"))?;
        assert_eq!(found, status, "{options}: {answer}");
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.contains(text), "{options}: {error}");
        assert!(!error.contains("pass-word"), "{error}");
    }
    let refused = growler(&server, &["sync", "absent"])?;
    assert_eq!(
        (
            refused.code,
            refused.stderr.contains("Failed to find table: absent")
        ),
        (Some(2), true)
    );
    let away = run(&["status", "t", "--server", "http://127.0.0.1:1"])?;
    assert_eq!(away.code, Some(1));
    assert!(
        away.stderr.contains("cannot reach the server"),
        "{}",
        away.stderr
    );
    assert!(
        away.stderr
            .contains("help: growler serve --data-dir FOLDER starts one"),
        "{}",
        away.stderr
    );
    let wrong = run(&["sync", "t", "--server", "not an address"])?;
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    Ok(())
}

#[test]
fn tables_of_an_older_version_are_taken_over() -> Result<(), Failure> {
    let data = tempfile::tempdir()?;
    fs::create_dir(data.path().join("tables"))?;
    let path = root().join("testdata/duckdb/perfile").canonicalize()?;
    let config = json!({"tableName": "old_OFFLINE", "source": {"path": path}});
    fs::write(data.path().join("tables/old.json"), config.to_string())?;
    let server = start(data.path())?;
    assert_eq!(
        rows(&server, "SELECT COUNT(*) FROM old")?["rows"],
        json!([[50]])
    );
    server.kill()?;
    thread::sleep(Duration::from_millis(20));
    let server = start(data.path())?;
    assert_eq!(
        server.json("GET /tables/old", &Value::Null)?["OFFLINE"],
        config
    );
    assert!(data.path().join("growler.db").exists());
    Ok(())
}
