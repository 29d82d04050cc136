//! Iceberg tables on the command line: by their folder, or pinned by a metadata file.

use serde_json::{Value, json};

use crate::growler::{Failure, answer, query, run};

const MERGED: &str = "testdata/iceberg/spark35/mor_v3";
const ORDERS: &str = "testdata/iceberg/evolution/orders";

fn rows(sql: &str, path: &str) -> Result<Value, Failure> {
    Ok(serde_json::from_str(&answer(sql, path, "json")?.stdout)?)
}

#[test]
fn a_folder_is_the_newest_version_and_a_metadata_file_its_own() -> Result<(), Failure> {
    let count = "SELECT COUNT(*) FROM t";
    for (path, expected) in [
        (MERGED.to_owned(), 22),
        (format!("{MERGED}/"), 22),
        (format!("{MERGED}/metadata/v3.metadata.json"), 15),
        (ORDERS.to_owned(), 3),
        (
            format!("{ORDERS}/metadata/00003-9bd40def-53fc-44fb-b1b4-3b3b30259a9f.metadata.json"),
            2,
        ),
    ] {
        assert_eq!(rows(count, &path)?, json!([[expected]]), "{path}");
    }
    let sql = "SELECT id, qty, remark FROM t WHERE qty = 5000000000";
    assert_eq!(rows(sql, ORDERS)?, json!([[2, 5_000_000_000_i64, "b"]]));
    Ok(())
}

#[test]
fn folders_that_are_no_table_say_what_they_are() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let half = folder.path().join("half");
    std::fs::create_dir_all(half.join("metadata"))?;
    std::fs::write(half.join("metadata/snap-1.avro"), "")?;
    let half = half.display().to_string();
    let data = format!("help: copy the table's metadata files too; or name {half}/data");
    let cases: [(&str, &[&str]); 3] = [
        (half.as_str(), &["no metadata file", &data]),
        (
            "testdata/iceberg/spark35",
            &[
                "holds Iceberg tables",
                "mor_v2",
                "help: name one of the tables",
            ],
        ),
        (
            "testdata/iceberg/spark35/mor_v3/metadata",
            &[
                "metadata of an Iceberg table",
                "help: name the table's folder",
            ],
        ),
    ];
    for (path, words) in cases {
        let ran = query("SELECT 1 FROM t", path, "json")?;
        assert_ne!(ran.code, Some(0), "{path}");
        for word in words {
            assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
        }
    }
    Ok(())
}

#[test]
fn indexes_of_a_table_are_built_and_verified() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("t.json");
    let fields = ["id", "n"].map(|name| {
        json!({"name": name, "encodingType": "RAW",
               "indexes": {"dictionary": {}, "inverted": {}, "range": {}, "bloom": {}}})
    });
    let table = json!({"tableName": "t", "tableType": "OFFLINE", "fieldConfigList": fields});
    std::fs::write(&config, table.to_string())?;
    let (config, indexes) = (config.display().to_string(), folder.path().join("ix"));
    let (table, indexes) = (format!("t={MERGED}"), indexes.display().to_string());
    let common = [
        "--table",
        &table,
        "--config",
        &config,
        "--index-dir",
        &indexes,
    ];
    let built = run(&[&["index"], &common[..]].concat())?;
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let verified = run(&[&["verify"], &common[..], &["--queries", "200"]].concat())?;
    assert_eq!(
        verified.code,
        Some(0),
        "{} {}",
        verified.stdout,
        verified.stderr
    );
    Ok(())
}

#[test]
fn dropped_columns_are_found_when_they_are_asked_for() -> Result<(), Failure> {
    let table = "testdata/iceberg/evolution/drop_column";
    let refused = query("SELECT \"gone$2\" FROM t", table, "json")?;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("SET includeDropped=true"), "{refused:?}");
    let sql = "SET includeDropped=true; SET enableNullHandling=true; \
               SELECT id, gone, \"gone$2\" FROM t ORDER BY id";
    let expected = json!([[1, null, "old"], [2, null, null], [3, "new", null]]);
    assert_eq!(rows(sql, table)?, expected);
    Ok(())
}
