//! `growler query`: every form of an answer, and where SQL, tables and options come from.

use std::io::{Cursor, Read};
use std::process::Stdio;

use arrow_array::cast::AsArray;
use serde_json::{Value, json};

use crate::growler::{Failure, TYPED, answer, command, run, run_with};

const FIVE_FILES: &str = "testdata/spark/perfile";

fn check_json(sql: &str, path: &str, expected: &Value) -> Result<(), Failure> {
    let ran = answer(sql, path, "json")?;
    let rows: Value =
        serde_json::from_str(&ran.stdout).map_err(|error| format!("{sql}: {error}"))?;
    assert_eq!(&rows, expected, "{sql}");
    Ok(())
}

#[test]
fn json_is_one_array_of_row_arrays() -> Result<(), Failure> {
    let cases = [
        (
            "SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'",
            TYPED,
            json!([[1]]),
        ),
        (
            "SELECT user_id, props['latency_ms'] FROM t ORDER BY user_id",
            TYPED,
            json!([["u-0", 100], ["u-1", 110], ["u-4", null], ["u-5", null]]),
        ),
        (
            "SELECT user_id FROM t WHERE user_id = 'nobody'",
            TYPED,
            json!([]),
        ),
        ("SELECT COUNT(*) FROM t", FIVE_FILES, json!([[50]])),
        (
            "SELECT COUNT(*) FROM t",
            "testdata/spark/perfile/f[01]_*.parquet",
            json!([[20]]),
        ),
    ];
    for (sql, path, expected) in &cases {
        check_json(sql, path, expected)?;
    }
    Ok(())
}

#[test]
fn csv_has_a_header_line_and_quotes_what_needs_it() -> Result<(), Failure> {
    let sql = "SELECT user_id AS who, props['latency_ms'] AS ms, props['tags'] AS tags FROM t ORDER BY who";
    let ran = answer(sql, TYPED, "csv")?;
    let expected = "who,ms,tags\n\
                    u-0,100,\"[\"\"t0\"\",\"\"common\"\"]\"\n\
                    u-1,110,\"[\"\"t1\"\"]\"\n\
                    u-4,,\"[\"\"t4\"\",\"\"common\"\"]\"\n\
                    u-5,,[]\n";
    assert_eq!(ran.stdout.replace("\r\n", "\n"), expected);
    Ok(())
}

#[test]
fn a_table_is_for_people() -> Result<(), Failure> {
    let ran = answer(
        "SELECT user_id, props['latency_ms'] AS ms FROM t ORDER BY user_id",
        TYPED,
        "table",
    )?;
    for word in ["user_id", "ms", "u-0", "110"] {
        assert!(
            ran.stdout.contains(word),
            "{word} is missing:\n{}",
            ran.stdout
        );
    }
    assert!(!ran.stdout.contains('\x1b'), "colour without a terminal");
    Ok(())
}

#[test]
fn an_arrow_stream_reads_back() -> Result<(), Failure> {
    let ran = answer("SELECT user_id, ts FROM t ORDER BY user_id", TYPED, "arrow")?;
    let reader = arrow::ipc::reader::StreamReader::try_new(Cursor::new(ran.bytes), None)?;
    let batches: Vec<_> = reader.collect::<Result<_, _>>()?;
    let batch =
        arrow::compute::concat_batches(&batches.first().ok_or("no batch")?.schema(), &batches)?;
    let names: Vec<String> = batch
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    assert_eq!(names, ["user_id", "ts"]);
    assert_eq!(batch.num_rows(), 4);
    let times = batch
        .column(1)
        .as_primitive::<arrow_array::types::Int64Type>();
    assert_eq!(times.value(0), 1_789_700_000_000);
    Ok(())
}

#[test]
fn sql_comes_from_stdin_too() -> Result<(), Failure> {
    let table = format!("t={TYPED}");
    let ran = run_with(
        &["query", "-", "-t", &table, "-f", "json"],
        "SELECT COUNT(*)\nFROM t\n",
    )?;
    ran.check_answer("[[4]]");
    Ok(())
}

#[test]
fn several_tables_stand_beside_each_other() -> Result<(), Failure> {
    let (one, other) = (format!("one={TYPED}"), format!("other={FIVE_FILES}"));
    for (table, expected) in [("one", "[[4]]"), ("other", "[[50]]")] {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        let ran = run(&["query", &sql, "-t", &one, "-t", &other, "-f", "json"])?;
        ran.check_answer(expected);
    }
    Ok(())
}

#[test]
fn options_and_threads_are_passed_on() -> Result<(), Failure> {
    let table = format!("t={FIVE_FILES}");
    let sql = "SELECT COUNT(*) FROM t WHERE props['user_tier'] <> 'gold'";
    let arguments = ["query", sql, "-t", &table, "-f", "json", "--threads", "1"];
    for (option, expected) in [
        ("enableNullHandling=false", "[[37]]"),
        ("enableNullHandling=true", "[[0]]"),
    ] {
        let ran = run(&[&arguments[..], &["-o", option]].concat())?;
        ran.check_answer(expected);
    }
    Ok(())
}

#[test]
fn statistics_are_one_line_on_stderr() -> Result<(), Failure> {
    let table = format!("t={FIVE_FILES}");
    let ran = run(&[
        "query",
        "SELECT COUNT(*) FROM t",
        "-t",
        &table,
        "-f",
        "json",
        "--stats",
    ])?;
    ran.check_answer("[[50]]");
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("50 rows"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn explain_shows_its_rows() -> Result<(), Failure> {
    let sql = "EXPLAIN PLAN FOR SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'";
    let ran = answer(sql, TYPED, "json")?;
    let rows: Value = serde_json::from_str(&ran.stdout)?;
    let first = rows[0][0].as_str().unwrap_or_default();
    assert!(first.starts_with("BROKER_REDUCE"), "{}", ran.stdout);
    Ok(())
}

#[test]
fn a_reader_that_goes_away_is_no_failure() -> Result<(), Failure> {
    let table = format!("t={FIVE_FILES}");
    let sql = "SELECT props FROM t LIMIT 50";
    let mut child = command(&["query", sql, "-t", &table])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .ok_or("no stderr")?
        .read_to_string(&mut stderr)?;
    assert_eq!((child.wait()?.code(), stderr.as_str()), (Some(0), ""));
    Ok(())
}

#[test]
fn a_config_declares_a_table() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let path = crate::growler::root().join(FIVE_FILES).canonicalize()?;
    let config = json!({"tableName": "events", "source": {"path": path}});
    let schema = json!({
        "schemaName": "t",
        "dimensionFieldSpecs": [{"name": "user_id", "dataType": "STRING"}],
    });
    let write = |name: &str, json: &Value| -> Result<String, Failure> {
        let file = folder.path().join(name);
        std::fs::write(&file, json.to_string())?;
        Ok(file.to_string_lossy().into_owned())
    };
    let (config, schema) = (
        write("config.json", &config)?,
        write("schema.json", &schema)?,
    );
    let ran = run(&[
        "query",
        "SELECT COUNT(*) FROM events",
        "-c",
        &config,
        "-f",
        "json",
    ])?;
    ran.check_answer("[[50]]");
    let table = format!("t={TYPED}");
    let sql = "SELECT * FROM t WHERE user_id = 'u-1'";
    let ran = run(&["query", sql, "-t", &table, "-c", &schema, "-f", "json"])?;
    ran.check_answer(r#"[["u-1"]]"#);
    Ok(())
}
