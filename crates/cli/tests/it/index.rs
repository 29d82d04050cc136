//! `growler index`, and the indexes it builds in `query` and `inspect`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::growler::{Failure, Ran, TYPED, root, run};

/// A folder with a sample, and a config for it.
struct Case {
    folder: tempfile::TempDir,
    config: PathBuf,
}

impl Case {
    fn new(open_struct: &Value) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("data"))?;
        fs::copy(root().join(TYPED), folder.path().join("data/a.parquet"))?;
        let config = folder.path().join("t.json");
        let case = Self { folder, config };
        case.configure(open_struct)?;
        Ok(case)
    }

    fn configure(&self, open_struct: &Value) -> Result<(), Failure> {
        let field = json!({"name": "props", "encodingType": "RAW",
            "indexes": {"open_struct": open_struct}});
        let config = json!({"tableName": "t", "fieldConfigList": [field]});
        Ok(fs::write(&self.config, config.to_string())?)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn index(&self, more: &[&str]) -> Result<Ran, Failure> {
        let (table, config) = (format!("t={}", self.path("data")), self.path("t.json"));
        let mut arguments = vec!["index", "--table", &table, "--config", &config];
        arguments.extend(more);
        run(&arguments)
    }

    fn query(&self, condition: &str, more: &[&str]) -> Result<Ran, Failure> {
        let sql = format!("SELECT COUNT(*) FROM t WHERE {condition}");
        let table = format!("t={}", self.path("data"));
        let mut arguments = vec!["query", &sql, "-t", &table, "-f", "json", "--stats"];
        arguments.extend(more);
        run(&arguments)
    }
}

fn documented() -> Value {
    json!({
        "valueFieldConfigs": [
            {"name": "page_type", "indexes": {"dictionary": {}, "inverted": {}}},
            {"name": "latency_ms", "indexes": {"dictionary": {}, "range": {}}}],
        "sparseFieldConfig": {"name": "props$__sparse__", "indexes": {"json": {}}}})
}

const CONDITIONS: [(&str, &str); 3] = [
    ("props['page_type'] = 'HOME'", "1"),
    ("props['latency_ms'] >= 100", "2"),
    ("props['user_tier'] = 'gold'", "1"),
];

#[test]
fn builds_once_and_queries_read_nothing() -> Result<(), Failure> {
    let case = Case::new(&documented())?;
    let folder = case.path("indexes");
    for store in [vec![], vec!["--index-dir", folder.as_str()]] {
        for (condition, expected) in CONDITIONS {
            let before = case.query(condition, &store)?;
            assert_eq!(before.stdout, format!("[[{expected}]]\n"));
            assert!(
                !before.stderr.contains(" 0 values read by the filter"),
                "{}",
                before.stderr
            );
        }
        let built = case.index(&store)?;
        assert_eq!(
            (built.code, built.stderr.as_str()),
            (Some(0), ""),
            "{}",
            built.stdout
        );
        for shown in [
            "props['page_type']",
            "range",
            "props, not shredded",
            "props['user_tier']",
        ] {
            assert!(built.stdout.contains(shown), "{shown}: {}", built.stdout);
        }
        for (condition, expected) in CONDITIONS {
            let after = case.query(condition, &store)?;
            assert_eq!(after.stdout, format!("[[{expected}]]\n"));
            assert!(
                after.stderr.contains(" 0 values read by the filter"),
                "{}",
                after.stderr
            );
        }
        let again = case.index(&store)?;
        assert!(
            again.stdout.contains("\nnothing to do: "),
            "{}",
            again.stdout
        );
        if store.is_empty() {
            // What lies beside the files would answer the queries of the next round.
            case.configure(&json!({}))?;
            let removed = case.index(&[])?;
            assert!(removed.stdout.contains(" removed; "), "{}", removed.stdout);
            case.configure(&documented())?;
        }
    }
    Ok(())
}

#[test]
fn inspect_lists_the_indexes_of_a_file() -> Result<(), Failure> {
    let case = Case::new(&documented())?;
    let file = case.path("data/a.parquet");
    assert!(!run(&["inspect", &file])?.stdout.contains("indexes:"));
    let folder = case.path("indexes");
    for store in [vec![], vec!["--index-dir", folder.as_str()]] {
        case.index(&store)?;
        let mut arguments = vec!["inspect", file.as_str()];
        arguments.extend(&store);
        let text = run(&arguments)?.stdout;
        assert!(text.contains("indexes"), "{text}");
        assert!(text.contains("props['page_type']"), "{text}");
        arguments.extend(["--format", "json"]);
        let map: Value = serde_json::from_str(&run(&arguments)?.stdout)?;
        let indexes = map["indexes"][0]["indexes"]
            .as_array()
            .ok_or("no indexes")?;
        let range = indexes
            .iter()
            .find(|index| index["index"] == "range")
            .ok_or("no range")?;
        assert_eq!(range["dataType"], "INT");
        assert_eq!(map["indexes"][0]["table"], "t");
    }
    Ok(())
}

#[test]
fn a_damaged_file_of_indexes_is_told_and_not_used() -> Result<(), Failure> {
    let case = Case::new(&documented())?;
    case.index(&[])?;
    let path = case.path("data/_growler/t/a.parquet.gix");
    let bytes = fs::read(&path)?;
    fs::remove_file(&path)?;
    fs::write(&path, bytes.get(..bytes.len() / 2).ok_or("short")?)?;
    let (condition, expected) = CONDITIONS[0];
    let asked = case.query(condition, &[])?;
    assert_eq!(asked.stdout, format!("[[{expected}]]\n"));
    assert!(
        asked.stderr.contains("indexes are not used"),
        "{}",
        asked.stderr
    );
    let shown = run(&["inspect", &case.path("data/a.parquet")])?;
    assert!(
        shown.stdout.contains("not a readable index file"),
        "{}",
        shown.stdout
    );
    let mended = case.index(&[])?;
    assert_eq!(mended.code, Some(0), "{}", mended.stderr);
    assert_eq!(fs::read(&path)?, bytes);
    Ok(())
}

#[test]
fn says_what_is_wrong() -> Result<(), Failure> {
    let case = Case::new(&json!({"maxDenseKeys": 3, "valueFieldConfigs": [
        {"name": "page_type", "indexes": {"sorted": {}, "range": {"buckets": 4}}}]}))?;
    let refused = case.index(&[])?;
    assert_eq!(refused.code, Some(2));
    for text in [
        "External table 't' has 3 validation error(s):",
        "Does not support 'maxDenseKeys' for an external table.",
        "Does not support 'sorted' index.",
        "OPEN_STRUCT key 'page_type' has unsupported setting 'buckets' in index 'range'",
    ] {
        assert!(refused.stderr.contains(text), "{text}: {}", refused.stderr);
    }
    case.configure(&documented())?;
    // A file stands where the folder should be.
    fs::write(case.path("blocked"), "")?;
    let failed = case.index(&["--index-dir", &case.path("blocked")])?;
    assert_eq!(failed.code, Some(1), "{}", failed.stderr);
    assert!(
        failed.stderr.contains("1 of 1 segments not indexed"),
        "{}",
        failed.stderr
    );
    assert!(Path::new(&case.path("blocked")).is_file());
    Ok(())
}
