//! `growler inspect`: golden maps of sample files.

use serde_json::Value;

use crate::growler::{Failure, check_golden, run};

#[test]
fn maps_of_sample_files_are_as_reviewed() -> Result<(), Failure> {
    for name in [
        "spark/seed4_typed",
        "spark/seed4_strlat",
        "spark/seed4_none_unannotated",
        "spark/seed4_partial",
        "duckdb/seed4_typed",
        "duckdb/seed4_devicewhole",
        "duckdb/seed4_infer",
    ] {
        let ran = run(&["inspect", &format!("testdata/{name}.parquet")])?;
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}");
        check_golden(
            &format!("inspect/{}.txt", name.replace('/', "_")),
            &ran.stdout,
        )?;
    }
    Ok(())
}

#[test]
fn json_tells_the_same() -> Result<(), Failure> {
    let ran = run(&[
        "inspect",
        "testdata/spark/seed4_typed.parquet",
        "--format",
        "json",
    ])?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    check_golden("inspect/spark_seed4_typed.json", &ran.stdout)?;
    let map: Value = serde_json::from_str(&ran.stdout)?;
    assert_eq!(map["rowCount"], 4);
    let columns = map["columns"].as_array().ok_or("no columns")?;
    let props = columns
        .iter()
        .find(|column| column["name"] == "props")
        .ok_or("no props")?;
    assert_eq!(props["dataType"], "OPEN_STRUCT");
    let keys = props["variant"]["keys"].as_array().ok_or("no keys")?;
    let latency = keys
        .iter()
        .find(|key| key["path"] == "latency_ms")
        .ok_or("no latency_ms")?;
    let found = (
        &latency["dataType"],
        &latency["typedRows"],
        &latency["residual"]["rowCount"],
    );
    assert_eq!(found, (&"INT".into(), &2.into(), &1.into()), "{latency}");
    Ok(())
}

#[test]
fn what_is_no_parquet_file_is_refused() -> Result<(), Failure> {
    let ran = run(&["inspect", "testdata/README.md"])?;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(1), ""),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.starts_with("error: ") && ran.stderr.contains("README.md"),
        "{}",
        ran.stderr
    );
    Ok(())
}

#[test]
fn iceberg_tables_are_described() -> Result<(), Failure> {
    let folder = "testdata/iceberg/evolution/orders";
    let ran = run(&["inspect", folder, "--json"])?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let map: Value = serde_json::from_str(&ran.stdout)?;
    let files = map["files"].as_array().ok_or("no files")?;
    assert_eq!(map["totals"]["files"], files.len());
    let rows: u64 = files.iter().filter_map(|file| file["rows"].as_u64()).sum();
    assert_eq!(map["totals"]["rows"], rows);
    let columns = map["schema"]["columns"].as_array().ok_or("no columns")?;
    let text = run(&["inspect", folder])?;
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    let snapshot = format!("snapshot {}", map["snapshot"]["snapshotId"]);
    let mut parts = vec![snapshot.as_str(), "partition specs", "files", ".parquet"];
    parts.extend(columns.iter().filter_map(|column| column["name"].as_str()));
    for part in parts {
        assert!(text.stdout.contains(part), "{part}: {}", text.stdout);
    }
    // A folder of tables is none.
    let ran = run(&["inspect", "testdata/iceberg/evolution"])?;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("holds Iceberg tables"), "{}", ran.stderr);
    Ok(())
}
