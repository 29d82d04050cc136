//! How far a table is.

use std::io::{self, Write};

use serde_json::json;

use super::arguments::StatusArguments;
use super::client::Client;
use super::text;
use crate::failure::Failure;
use crate::style::Style;

/// Shows how far a table is.
///
/// # Errors
/// The server cannot be reached, or has no such table.
pub fn run(arguments: &StatusArguments) -> Result<(), Failure> {
    let client = Client::new(&arguments.server.server)?;
    let table = arguments.table.as_str();
    let status = client.get(&["tables", table, "externalTable", "status"])?;
    let checkpoint = client.get(&["tables", table, "externalTable", "checkpoint"])?;
    let mut stdout = io::stdout().lock();
    if arguments.json {
        let both = json!({"status": status, "checkpoint": checkpoint});
        writeln!(stdout, "{both:#}")?;
        return Ok(());
    }
    let style = Style::of(&stdout);
    for line in text::lines(&status, &checkpoint) {
        let label = style.dim(format!("{:<10}", line.label));
        writeln!(stdout, "{label} {}", line.paint(style))?;
    }
    Ok(())
}
