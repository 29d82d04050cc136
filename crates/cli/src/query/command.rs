//! The command.

use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

use growler_base::{ErrorKind, limits};
use growler_exec::reload::IndexStore;
use growler_exec::response::ResultTable;
use growler_exec::run::{CancelFlag, Progress};
use growler_exec::{EngineOptions, Request};

use crate::arguments::{LogFormat, QueryArguments};
use crate::failure::Failure;
use crate::query::declared::Declared;
use crate::query::progress::Bar;
use crate::query::{Tables, hint, output};
use crate::{interrupt, logs};

/// Time a query may take unless it says otherwise: somebody watches it, and can press Ctrl-C.
const PATIENCE_MS: u64 = 24 * 60 * 60 * 1000;

/// Answers one query on stdout.
///
/// # Errors
/// The query's, those of its table's files, and of stdin and stdout.
pub fn run(arguments: QueryArguments) -> Result<(), Failure> {
    // A damaged index does not touch the answer, but somebody should know.
    logs::start(
        LogFormat::Text,
        "error,growler_exec::reload=warn,growler_index=warn",
    );
    output::check(arguments.format)?;
    let sql = sql(arguments.sql)?;
    let declared = arguments
        .config
        .as_deref()
        .map(Declared::read)
        .transpose()?;
    let mut options = EngineOptions::default();
    options.threads = arguments.threads.map_or(options.threads, usize::from);
    options.memory_bytes = arguments.memory.unwrap_or(options.memory_bytes);
    let store = match arguments.index_dir {
        Some(folder) => IndexStore::Folder(folder),
        None => IndexStore::Beside,
    };
    let tables = Tables::open(arguments.tables, declared.as_ref(), &store, options)?;
    let request = request(&sql, &arguments.options);
    let cancel = request.cancel.clone();
    interrupt::on_ctrl_c(move || cancel.cancel());

    let started = Instant::now();
    let bar = Bar::watch(Arc::clone(&request.progress));
    let outcome = tables.engine.query(&sql, &request);
    drop(bar);
    let took = started.elapsed();
    if let Some(error) = &outcome.error {
        let failure = hint::of_query(error, &tables);
        return Err(failure);
    }
    tables.warn(None);
    let table = outcome.response.result_table.as_ref();
    // Only the option `dropResults` makes an answer without a table.
    let row_count = table.map_or(0, |table: &ResultTable| table.row_count);
    if let Some(table) = table {
        output::write(table, arguments.format)?;
    }
    if arguments.stats {
        output::write_statistics(row_count, &outcome.response.statistics, took);
    }
    Ok(())
}

fn sql(argument: String) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument);
    }
    let mut text = String::new();
    let most = u64::try_from(limits::SQL_LEN_BYTES).unwrap_or(u64::MAX);
    // One byte more than is allowed, so that the parser refuses what is too long.
    let read = std::io::stdin()
        .lock()
        .take(most + 1)
        .read_to_string(&mut text);
    read.map_err(|error| {
        Failure::new(
            ErrorKind::InvalidInput,
            format_args!("cannot read the SQL from stdin: {error}"),
        )
    })?;
    Ok(text)
}

fn request(sql: &str, options: &[(String, String)]) -> Request {
    let mut query_options: Vec<String> = options
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let says = |text: &str| text.to_ascii_lowercase().contains("timeoutms");
    if !says(sql) && !query_options.iter().any(|option| says(option)) {
        query_options.push(format!("timeoutMs={PATIENCE_MS}"));
    }
    Request {
        query_options: query_options.join(";"),
        request_id: "1".to_owned(),
        cancel: CancelFlag::default(),
        progress: Arc::new(Progress::default()),
    }
}
