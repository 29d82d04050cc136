//! The seed's lists of what to look at once indexes are there: "Confirm the index is used", "Verify".

use serde_json::{Value, json};

use crate::growler::{Failure, root};
use crate::reload::{TABLE, ask, check_served, configure, count, reload};
use crate::server::Server;

/// Starts a server with the seed's table and indexes over a sample.
fn started(sample: &str, folder: &tempfile::TempDir) -> Result<Server, Failure> {
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let server = Server::start(&["serve", "-l", "127.0.0.1:0", "--data-dir", &data])?;
    let path = root().join("testdata").join(sample).canonicalize()?;
    configure(&server, &json!(path))?;
    reload(&server)?;
    Ok(server)
}

#[test]
fn what_the_seed_verifies_holds() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = started("spark/seed4_typed.parquet", &folder)?;
    let schema = server.json(&format!("GET /schemas/{TABLE}"), &Value::Null)?;
    let props = schema["complexFieldSpecs"].as_array();
    let mut props = props.into_iter().flatten();
    let is_open_struct =
        |spec: &Value| spec["name"] == "props" && spec["dataType"] == "OPEN_STRUCT";
    assert!(props.any(is_open_struct), "{schema}");

    let answer = server.answer(&format!("SELECT props FROM {TABLE} LIMIT 1"))?;
    let text = answer["resultTable"]["rows"][0][0].as_str();
    let document: Value = serde_json::from_str(text.ok_or("no text")?)?;
    // The one is shredded in this file, the other is not.
    for key in ["page_type", "session"] {
        assert!(document[key].is_string(), "{key}: {document}");
    }
    check_served(&server)
}

#[test]
fn filters_that_the_seed_scans_are_right_and_read_nothing() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = started("spark/seed4_typed.parquet", &folder)?;
    for (filter, expected, scans) in [
        ("props['session'] > 's-4'", 1, false),
        ("props['user_tier'] LIKE 'go%'", 1, false),
        ("props['latency_ms'] IS NULL", 2, false),
        ("props['user_tier'] IS NOT NULL", 1, false),
        // Arrays are indexed where the config asks for it.
        (
            "JSON_EXTRACT_SCALAR(props['tags'], '$[1]', 'STRING', 'none') = 'common'",
            2,
            true,
        ),
        ("props['tags'] = '[]'", 1, false),
    ] {
        let sql = count(filter);
        let (found, scanned) = ask(&server, &sql)?;
        assert_eq!(found, json!(expected), "{sql}");
        assert_eq!(scanned > 0, scans, "{sql}: {scanned}");
        let (found, _) = ask(&server, &format!("SET skipIndexes='*'; {sql}"))?;
        assert_eq!(found, json!(expected), "{sql}");
    }
    Ok(())
}

#[test]
fn the_default_plan_is_of_one_segment_and_the_verbose_one_of_all() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = started("spark/perfile", &folder)?;
    let sql = format!("EXPLAIN PLAN FOR {}", count("props['page_type'] = 'HOME'"));
    let plans = |sql: &str| -> Result<(usize, String), Failure> {
        let rows = server.answer(sql)?["resultTable"]["rows"].to_string();
        Ok((rows.matches("PLAN_START").count(), rows))
    };
    let (default_count, _) = plans(&sql)?;
    assert_eq!(default_count, 1);
    let (count, rows) = plans(&format!("SET explainPlanVerbose = true; {sql}"))?;
    assert!(count > 1, "{rows}");
    // Each file is shredded on its own, and served by what it has.
    for index in ["delegateTo:inverted_index", "delegateTo:json_index"] {
        assert!(rows.contains(index), "{index}: {rows}");
    }
    Ok(())
}
