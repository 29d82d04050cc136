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
