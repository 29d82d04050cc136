//! A run asked for and followed.

use std::io::{self, IsTerminal, Write};
use std::thread;
use std::time::Duration;

use growler_base::ErrorKind;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::arguments::SyncArguments;
use super::client::Client;
use super::text;
use crate::failure::Failure;
use crate::style::Style;

const TASK: &str = "ExternalTableSyncTask";
/// First pause between two looks; each is longer than the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
const LAYOUT: &str = "{bar:32} {pos} of {len} files  {msg}";

/// Asks for a run of a table and follows it to its end.
///
/// # Errors
/// The server cannot be reached, has no such table, or the run failed.
pub fn run(arguments: &SyncArguments) -> Result<(), Failure> {
    let client = Client::new(&arguments.server.server)?;
    let table = arguments.table.as_str();
    let asked = json!({"taskType": TASK, "tableName": table});
    let answer = client.post(&["tasks", "schedule"], &asked)?;
    let task = answer[TASK].as_str();
    let task = task.ok_or_else(|| Failure::failed("server gave no task name"))?;
    let mut stdout = io::stdout().lock();
    if arguments.no_wait {
        writeln!(stdout, "{task}")?;
        return Ok(());
    }
    let ended = follow(&client, table, task)?;
    let status = client.get(&["tables", table, "externalTable", "status"])?;
    match ended["taskState"].as_str() {
        Some("COMPLETED") => {
            let style = Style::of(&stdout);
            writeln!(
                stdout,
                "{} {}",
                style.green("in step:"),
                text::one_line(table, &status)
            )?;
            Ok(())
        }
        Some("ABORTED") => Err(Failure::new(
            ErrorKind::Unavailable,
            "the run was given up: the table was dropped, or the server stopped",
        )),
        _ => {
            let reason = ended["error"].as_str().unwrap_or("the run failed");
            let phase = status["failurePhase"].as_str();
            let phase = phase.map(|phase| format!(": failurePhase={phase}"));
            let failure = Failure::failed(format_args!("{reason}{}", phase.unwrap_or_default()));
            Err(failure.with_help(format_args!(
                "the table serves what it served before; growler status {table} shows more"
            )))
        }
    }
}

/// Looks at a task until it is over, and returns what is known of it then.
fn follow(client: &Client, table: &str, task: &str) -> Result<Value, Failure> {
    let bar = bar();
    let mut pause = FIRST_PAUSE;
    loop {
        let found = client.get(&["tasks", "task", task, "debug"])?;
        match found["taskState"].as_str() {
            Some("NOT_STARTED") => bar.set_message("waits for its turn"),
            Some("IN_PROGRESS") => show(client, table, &bar)?,
            _ => {
                bar.finish_and_clear();
                return Ok(found);
            }
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn bar() -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    if let Ok(layout) = ProgressStyle::with_template(LAYOUT) {
        bar.set_style(layout);
    }
    bar
}

fn show(client: &Client, table: &str, bar: &ProgressBar) -> Result<(), Failure> {
    if bar.is_hidden() {
        return Ok(());
    }
    let status = client.get(&["tables", table, "externalTable", "status"])?;
    let files = &status["files"];
    bar.set_length(files["planned"].as_u64().unwrap_or_default());
    bar.set_position(files["ingested"].as_u64().unwrap_or_default());
    let phase = status["phase"].as_str().unwrap_or_default();
    bar.set_message(phase.to_ascii_lowercase().replace('_', " "));
    Ok(())
}
