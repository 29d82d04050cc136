//! The command.

use std::io::{self, BufWriter, Write};

use crate::arguments::{InspectArguments, MapFormat};
use crate::failure::Failure;
use crate::inspect::{file, json, text};
use crate::style::Style;

/// Writes the map of a file to stdout.
///
/// # Errors
/// The file is no Parquet file or cannot be read; stdout cannot be written to.
pub fn run(arguments: &InspectArguments) -> Result<(), Failure> {
    let map = file::map(&arguments.file, arguments.index_dir.as_deref())?;
    let stdout = io::stdout().lock();
    let style = Style::of(&stdout);
    let mut out = BufWriter::new(stdout);
    match arguments.format {
        MapFormat::Text => text::write(&map, style, &mut out)?,
        MapFormat::Json => writeln!(out, "{:#}", json::of(&map))?,
    }
    out.flush()?;
    Ok(())
}
