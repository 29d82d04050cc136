//! `growler serve` and `growler quickstart`: listen, answer, stop.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::growler::{Failure, command, root};

/// A running server; killed when dropped.
struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    /// Starts the binary and waits for the line that says where it listens.
    fn start(arguments: &[&str]) -> Result<Self, Failure> {
        let mut child = command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut line = String::new();
        while stdout.read_line(&mut line)? > 0 {
            if let Some((_, address)) = line.trim_end().split_once("http://") {
                let address = address.split('/').next().unwrap_or_default().to_owned();
                return Ok(Self {
                    child,
                    stdout,
                    address,
                });
            }
            line.clear();
        }
        Err(format!("the server ended before it listened: {:?}", child.wait()?).into())
    }

    fn request(&self, head: &str, body: &str) -> Result<String, Failure> {
        let mut stream = TcpStream::connect(&self.address)?;
        let length = body.len();
        write!(
            stream,
            "{head} HTTP/1.1\r\nHost: growler\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    fn query(&self, sql: &str) -> Result<String, Failure> {
        self.request(
            "POST /query/sql",
            &serde_json::json!({"sql": sql}).to_string(),
        )
    }

    /// Sends a signal and returns the exit code and what else was on stdout.
    fn stop(mut self, signal: &str) -> Result<(Option<i32>, String), Failure> {
        let process = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &process])
                .status()?
                .success()
        );
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest)?;
        Ok((self.child.wait()?.code(), rest))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test that failed leaves no server behind; one that stopped it has nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

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
fn quickstart_serves_the_samples() -> Result<(), Failure> {
    let server = Server::start(&["quickstart", "--listen", "127.0.0.1:0"])?;
    let answer = server.query("SELECT COUNT(*) FROM spark_perfile")?;
    assert!(answer.contains("\"rows\":[[50]]"), "{answer}");
    assert_eq!(server.stop("-INT")?.0, Some(0));
    Ok(())
}
