//! Running the binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Any failure of a test.
pub type Failure = Box<dyn std::error::Error>;

/// What the binary wrote and how it ended.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code.
    pub code: Option<i32>,
    /// Its stdout, as text.
    pub stdout: String,
    /// Its stdout.
    pub bytes: Vec<u8>,
    /// Its stderr.
    pub stderr: String,
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command that runs the binary at the root of the workspace, without settings from outside.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_growler"));
    command.args(arguments).current_dir(root());
    for name in [
        "RUST_LOG",
        "GROWLER_LISTEN",
        "GROWLER_DATA_DIR",
        "GROWLER_LOG_FORMAT",
    ] {
        command.env_remove(name);
    }
    command
}

/// Runs the binary.
pub fn run(arguments: &[&str]) -> Result<Ran, Failure> {
    Ok(Ran::of(command(arguments).stdin(Stdio::null()).output()?))
}

/// Runs the binary with text on its stdin.
pub fn run_with(arguments: &[&str], stdin: &str) -> Result<Ran, Failure> {
    let pipes = || Stdio::piped();
    let mut child = command(arguments)
        .stdin(pipes())
        .stdout(pipes())
        .stderr(pipes())
        .spawn()?;
    child
        .stdin
        .take()
        .ok_or("no stdin")?
        .write_all(stdin.as_bytes())?;
    Ok(Ran::of(child.wait_with_output()?))
}

/// Four rows, of which Spark has shredded the keys.
pub const TYPED: &str = "testdata/spark/seed4_typed.parquet";

/// Runs a query over one table `t`.
pub fn query(sql: &str, path: &str, format: &str) -> Result<Ran, Failure> {
    let table = format!("t={path}");
    run(&["query", sql, "--table", &table, "--format", format])
}

/// Runs a query over one table `t`; it must succeed.
pub fn answer(sql: &str, path: &str, format: &str) -> Result<Ran, Failure> {
    let ran = query(sql, path, format)?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{sql}");
    Ok(ran)
}

impl Ran {
    /// Checks that the binary succeeded with just this answer.
    pub fn check_answer(&self, expected: &str) {
        assert_eq!(
            (self.code, self.stdout.trim()),
            (Some(0), expected),
            "{}",
            self.stderr
        );
    }

    fn of(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            bytes: output.stdout,
        }
    }
}

/// Compares text with a golden file; `UPDATE_GOLDEN=1` rewrites the file.
pub fn check_golden(name: &str, text: &str) -> Result<(), Failure> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        std::fs::write(&path, text)?;
    }
    let expected = std::fs::read_to_string(&path)?;
    assert_eq!(
        text,
        expected,
        "{} (UPDATE_GOLDEN=1 rewrites it)",
        path.display()
    );
    Ok(())
}
