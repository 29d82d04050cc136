//! The command.

use std::io::{self, Write};
use std::path::Path;

use growler_exec::EngineOptions;
use growler_schema::wire::{SourceJson, TableConfigJson};
use growler_server::ServerConfig;

use crate::arguments::{LogFormat, ServeArguments};
use crate::failure::Failure;
use crate::logs;
use crate::quickstart::Samples;
use crate::serve::listen::{Listening, listen};
use crate::style::Style;
use crate::tables::TableAt;

/// Serves the tables of a configuration and of the command line until SIGINT or SIGTERM.
///
/// # Errors
/// The configuration is wrong; the address or the data directory cannot be used.
pub fn run(arguments: ServeArguments) -> Result<(), Failure> {
    logs::start(arguments.log_format, "info");
    let mut config = match &arguments.config {
        Some(path) => ServerConfig::read(path).map_err(|error| config_failure(path, &error))?,
        None => ServerConfig::default(),
    };
    config.listen = arguments.listen.unwrap_or(config.listen);
    config.data_dir = arguments.data_dir.or(config.data_dir);
    for table in &arguments.tables {
        config.tables.push(table_config(table)?);
    }
    let mut options = EngineOptions::default();
    options.threads = arguments.threads.map_or(options.threads, usize::from);
    listen(config, options, |listening| {
        let mut stdout = io::stdout().lock();
        let tables = if listening.table_count == 1 {
            "table"
        } else {
            "tables"
        };
        let Listening {
            table_count,
            address,
        } = listening;
        writeln!(
            stdout,
            "growler serves {table_count} {tables} at http://{address}"
        )?;
        stdout.flush()
    })
}

/// Serves the sample tables until Ctrl-C, and says what to try.
///
/// # Errors
/// The address cannot be used.
pub fn samples(samples: &Samples, address: &str) -> Result<(), Failure> {
    logs::start(LogFormat::Text, "warn");
    let tables = samples
        .tables()
        .map(table_config)
        .collect::<Result<_, _>>()?;
    let config = ServerConfig {
        listen: address.to_owned(),
        tables,
        ..ServerConfig::default()
    };
    let example = samples
        .five_files
        .first()
        .map_or("", |table| table.name.as_str());
    listen(
        config,
        EngineOptions::default(),
        |Listening {
             table_count,
             address,
         }| {
            let mut stdout = io::stdout().lock();
            let style = Style::of(&stdout);
            writeln!(
                stdout,
                "\ngrowler serves {table_count} tables at {}",
                style.bold(format_args!("http://{address}"))
            )?;
            writeln!(stdout, "Try:")?;
            writeln!(
                stdout,
                "  curl -s http://{address}/query/sql -H 'Content-Type: application/json' \\\n    \
             -d '{{\"sql\": \"SELECT props['\\''page_type'\\''], COUNT(*) FROM {example} GROUP BY 1\"}}'",
            )?;
            writeln!(stdout, "{}", style.dim("Ctrl-C stops it."))?;
            stdout.flush()
        },
    )
}

fn table_config(table: &TableAt) -> Result<TableConfigJson, Failure> {
    // Relative paths count from the folder of the configuration, if there is one; these do not.
    let path = std::path::absolute(&table.path).map_err(|error| {
        Failure::failed(format_args!("cannot find the current folder: {error}"))
    })?;
    let source = SourceJson {
        path: Some(path.to_string_lossy().into_owned()),
        ..SourceJson::default()
    };
    Ok(TableConfigJson {
        table_name: Some(table.name.clone()),
        source: Some(source),
        ..TableConfigJson::default()
    })
}

fn config_failure(path: &Path, error: &growler_server::Error) -> Failure {
    if path.is_file() {
        Failure::new(error.kind(), error).with_help("growler serve --help shows a configuration")
    } else {
        Failure::refused(error)
            .with_help("--config names a JSON file; growler serve --help shows one")
    }
}
