//! `growler serve` and `growler quickstart`: listen, answer, stop.

use crate::growler::{Failure, root, run};
use crate::server::Server;

#[test]
fn serves_tables_of_the_command_line_until_sigterm() -> Result<(), Failure> {
    let one = "events=testdata/spark/seed4_typed.parquet";
    let arguments = [
        "serve",
        "-t",
        one,
        "-t",
        "many=testdata/duckdb/perfile",
        "-l",
        "127.0.0.1:0",
    ];
    let server = Server::start(&arguments)?;
    let answer = server.query("SELECT COUNT(*) FROM events")?;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("\"rows\":[[4]]"), "{answer}");
    let answer = server.query("SELECT COUNT(*) FROM many WHERE props['page_type'] = 'HOME'")?;
    assert!(answer.contains("\"rows\":[[17]]"), "{answer}");
    assert!(server.request("GET /health", "")?.contains("OK"));
    assert_eq!(server.stop("-TERM")?, (Some(0), String::new()));
    Ok(())
}

#[test]
fn serves_tables_of_a_configuration_until_sigint() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let path = root().join("testdata/spark/perfile").canonicalize()?;
    let config = serde_json::json!({
        "listen": "127.0.0.1:0",
        "dataDir": "data",
        "tables": [{"tableName": "events", "source": {"path": path}}],
    });
    let file = folder.path().join("server.json");
    std::fs::write(&file, config.to_string())?;
    let server = Server::start(&["serve", "--config", &file.to_string_lossy()])?;
    let answer = server.query("SELECT COUNT(*) FROM events")?;
    assert!(answer.contains("\"rows\":[[50]]"), "{answer}");
    assert_eq!(server.stop("-INT")?, (Some(0), String::new()));
    Ok(())
}

#[test]
fn says_which_of_address_and_data_directory_is_taken() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let server = Server::start(&["serve", "-l", "127.0.0.1:0", "--data-dir", &data])?;
    let help = "takes a free port";
    let ran = run(&["serve", "-l", "127.0.0.1:0", "--data-dir", &data])?;
    assert_ne!(ran.code, Some(0));
    assert!(
        ran.stderr.contains("in use by another server"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains(help), "{}", ran.stderr);
    let other = folder.path().join("other").to_string_lossy().into_owned();
    let ran = run(&["serve", "-l", server.address(), "--data-dir", &other])?;
    assert_ne!(ran.code, Some(0));
    assert!(ran.stderr.contains("cannot listen"), "{}", ran.stderr);
    assert!(ran.stderr.contains(help), "{}", ran.stderr);
    Ok(())
}

#[test]
fn quickstart_serves_the_samples() -> Result<(), Failure> {
    let server = Server::start(&["quickstart", "--listen", "127.0.0.1:0"])?;
    let answer = server.query("SELECT COUNT(*) FROM spark_perfile")?;
    assert!(answer.contains("\"rows\":[[50]]"), "{answer}");
    assert_eq!(server.stop("-INT")?.0, Some(0));
    Ok(())
}
