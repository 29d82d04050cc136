//! What goes wrong: told on stderr, with what to do next and an exit code; stdout stays empty.

use std::fs;

use crate::growler::{Failure, TYPED, query, root, run};

/// Runs a query that fails; stderr must hold all of `words`.
fn check(sql: &str, path: &str, code: i32, words: &[&str]) -> Result<(), Failure> {
    let ran = query(sql, path, "json")?;
    assert_eq!(ran.code, Some(code), "{sql} over {path}: {}", ran.stderr);
    assert_eq!(ran.stdout, "", "{sql} over {path}");
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    for word in words {
        assert!(
            ran.stderr.contains(word),
            "{word:?} is missing: {}",
            ran.stderr
        );
    }
    Ok(())
}

#[test]
fn wrong_sql_is_told_and_exits_with_2() -> Result<(), Failure> {
    check(
        "SELECT nope FROM t",
        TYPED,
        2,
        &["nope", "help: ", "user_id"],
    )?;
    check("SELECT COUNT(* FROM t", TYPED, 2, &["SQLParsingError"])?;
    check("SELEC 1", TYPED, 2, &["SQLParsingError"])?;
    check("", TYPED, 2, &[])?;
    check(
        "SELECT COUNT(*) FROM other",
        TYPED,
        2,
        &["other", "help: ", "t"],
    )?;
    let json_match = "SELECT COUNT(*) FROM t WHERE JSON_MATCH(props, '\"$.a\" = 1')";
    check(
        json_match,
        TYPED,
        2,
        &["Cannot apply JSON_MATCH on column: props without json index"],
    )?;
    Ok(())
}

#[test]
fn unreadable_files_are_named_and_exit_with_1_or_2() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let whole = fs::read(root().join(TYPED))?;
    let cut = folder.path().join("cut.parquet");
    fs::write(&cut, whole.get(..whole.len() / 2).unwrap_or_default())?;
    let text = folder.path().join("text.parquet");
    fs::write(
        &text,
        "not a parquet file, but long enough to hold a footer",
    )?;
    let empty = folder.path().join("empty.parquet");
    fs::write(&empty, "")?;
    let sql = "SELECT COUNT(*) FROM t";
    for name in ["cut.parquet", "text.parquet", "empty.parquet"] {
        check(sql, &folder.path().join(name).to_string_lossy(), 1, &[name])?;
    }
    check(
        sql,
        "no/such/file.parquet",
        2,
        &["no/such/file.parquet", "help: "],
    )?;
    let nothing = tempfile::tempdir()?;
    check(sql, &nothing.path().to_string_lossy(), 2, &["help: "])?;
    check(
        sql,
        "testdata/*.nothing",
        2,
        &["testdata/*.nothing", "help: "],
    )?;
    Ok(())
}

#[test]
fn an_unreadable_table_does_not_touch_the_others() -> Result<(), Failure> {
    let good = format!("good={TYPED}");
    let arguments = [
        "query",
        "SELECT COUNT(*) FROM good",
        "-t",
        &good,
        "-t",
        "bad=no/such/file",
        "-f",
        "json",
    ];
    let ran = run(&arguments)?;
    ran.check_answer("[[4]]");
    Ok(())
}

#[test]
fn a_wrong_command_line_exits_with_2() -> Result<(), Failure> {
    let table = format!("t={TYPED}");
    let cases: &[&[&str]] = &[
        &[],
        &["nope"],
        &["query", "SELECT 1"],
        &["query", "SELECT 1", "--table", "no-path"],
        &["query", "SELECT 1", "-t", &table, "--format", "xml"],
        &["query", "SELECT 1", "-t", &table, "--memory", "lots"],
        &["query", "SELECT 1", "-t", &table, "--threads", "0"],
        &[
            "query",
            "SELECT COUNT(*) FROM t",
            "-t",
            &table,
            "-o",
            "timeoutMs=soon",
        ],
        &["serve"],
        &["serve", "--config", "no/such/file.json"],
        &["inspect"],
        &["inspect", "no/such/file.parquet"],
    ];
    for arguments in cases {
        let ran = run(arguments)?;
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{arguments:?}: {}",
            ran.stderr
        );
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
    Ok(())
}

#[test]
fn the_same_table_name_twice_is_refused() -> Result<(), Failure> {
    let table = format!("t={TYPED}");
    let ran = run(&[
        "query",
        "SELECT COUNT(*) FROM t",
        "-t",
        &table,
        "-t",
        &table,
    ])?;
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    Ok(())
}

#[test]
fn help_has_examples_and_exit_codes() -> Result<(), Failure> {
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["--help"],
            &[
                "Examples:",
                "Environment:",
                "Exit codes:",
                "NO_COLOR",
                "RUST_LOG",
            ],
        ),
        (
            &["query", "--help"],
            &["Examples:", "Formats:", "NAME=PATH"],
        ),
        (
            &["serve", "--help"],
            &["Examples:", "\"tableName\"", "GROWLER_LISTEN"],
        ),
        (&["inspect", "--help"], &["Examples:", "typed leaf"]),
        (&["quickstart", "--help"], &["Examples:", "--exit"]),
    ];
    for (arguments, words) in cases {
        let ran = run(arguments)?;
        assert_eq!(ran.code, Some(0), "{arguments:?}");
        for word in *words {
            assert!(
                ran.stdout.contains(word),
                "{arguments:?} lacks {word:?}:\n{}",
                ran.stdout
            );
        }
    }
    Ok(())
}
