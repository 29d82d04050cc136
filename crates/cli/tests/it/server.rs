//! A running server.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::growler::{Failure, command};

const POLL: Duration = Duration::from_millis(5);

/// A running server; killed when dropped.
pub struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    /// Starts the binary and waits for the line that says where it listens.
    pub fn start(arguments: &[&str]) -> Result<Self, Failure> {
        Self::start_by(command(arguments))
    }

    /// Starts a command that becomes the binary, as [`Self::start`] does.
    pub fn start_by(mut command: Command) -> Result<Self, Failure> {
        let mut child = command
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

    /// Returns where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn request(&self, head: &str, body: &str) -> Result<String, Failure> {
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

    pub fn query(&self, sql: &str) -> Result<String, Failure> {
        self.request(
            "POST /query/sql",
            &serde_json::json!({"sql": sql}).to_string(),
        )
    }

    /// Asks for JSON; the answer must be a success.
    pub fn json(&self, head: &str, body: &Value) -> Result<Value, Failure> {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let answer = self.request(head, &body)?;
        let (status, rest) = answer.split_once("\r\n").unwrap_or((&answer, ""));
        let json = rest.split_once("\r\n\r\n").map_or("", |(_, json)| json);
        if !status.contains(" 200 ") {
            return Err(format!("{head}: {status}: {json}").into());
        }
        Ok(serde_json::from_str(json)?)
    }

    /// Answers a query, which must succeed.
    pub fn answer(&self, sql: &str) -> Result<Value, Failure> {
        let answer = self.json("POST /query/sql", &serde_json::json!({"sql": sql}))?;
        assert_eq!(answer["exceptions"], serde_json::json!([]), "{sql}");
        Ok(answer)
    }

    /// Asks for the reload of a table; returns the job's id.
    pub fn reload(&self, path: &str) -> Result<String, Failure> {
        let answer = self.json(&format!("POST {path}"), &Value::Null)?;
        let text = answer["status"].as_str().ok_or("no status")?;
        let jobs: BTreeMap<String, Value> = serde_json::from_str(text)?;
        let job = jobs.into_values().next().ok_or("no job")?;
        Ok(job["reloadJobId"].as_str().ok_or("no id")?.to_owned())
    }

    /// Polls the status of a job until it has ended.
    pub fn wait_reloaded(&self, job: &str) -> Result<Value, Failure> {
        let head = format!("GET /segments/segmentReloadStatus/{job}");
        loop {
            let status = self.json(&head, &Value::Null)?;
            if status["status"] != "IN_PROGRESS" {
                return Ok(status);
            }
            thread::sleep(POLL);
        }
    }

    /// Kills the process at once, without a chance to clean up.
    pub fn kill(mut self) -> Result<(), Failure> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Sends a signal and returns the exit code and what else was on stdout.
    pub fn stop(mut self, signal: &str) -> Result<(Option<i32>, String), Failure> {
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
