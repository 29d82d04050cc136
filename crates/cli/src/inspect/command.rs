//! The command.

use std::io::{self, BufWriter, Write};

use growler_table::iceberg::open::is_iceberg;
use serde_json::Value;

use crate::arguments::{InspectArguments, MapFormat};
use crate::failure::Failure;
use crate::inspect::{file, json, lake, text};
use crate::query::hint;
use crate::remote::client::Client;
use crate::style::Style;

/// Writes the map of a file or table to stdout.
///
/// # Errors
/// The file is no Parquet file or cannot be read, nor is it an Iceberg table; the server does not have
/// the table; stdout cannot be written to.
pub fn run(arguments: &InspectArguments) -> Result<(), Failure> {
    let name = arguments.file.to_string_lossy();
    if let Some(server) = &arguments.server {
        let path = ["tables", &name, "externalTable", "contents"];
        return write_table(arguments, &Client::new(server)?.get(&path)?);
    }
    if is_iceberg(&name).map_err(|error| hint::of_table(&name, &error))? {
        return write_table(arguments, &lake::of_folder(&name)?);
    }
    let map = file::map(&arguments.file, arguments.index_dir.as_deref())?;
    let stdout = io::stdout().lock();
    let style = Style::of(&stdout);
    let mut out = BufWriter::new(stdout);
    match arguments.form() {
        MapFormat::Text => text::write(&map, style, &mut out)?,
        MapFormat::Json => writeln!(out, "{:#}", json::of(&map))?,
    }
    out.flush()?;
    Ok(())
}

fn write_table(arguments: &InspectArguments, map: &Value) -> Result<(), Failure> {
    let stdout = io::stdout().lock();
    let style = Style::of(&stdout);
    let mut out = BufWriter::new(stdout);
    match arguments.form() {
        MapFormat::Text => {
            lake::write(&arguments.file.to_string_lossy(), map, style, &mut out)?;
        }
        MapFormat::Json => writeln!(out, "{map:#}")?,
    }
    out.flush()?;
    Ok(())
}
