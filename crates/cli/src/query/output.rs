//! An answer on stdout, in the form asked for; its statistics on stderr.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use console::Term;
use growler_base::ErrorKind;
use growler_exec::response::{QueryStatistics, ResultTable};

use crate::arguments::Format;
use crate::failure::Failure;
use crate::query::plan;

/// Writes a table to stdout.
///
/// # Errors
/// A broken invariant of the table, or stdout cannot be written to.
pub fn write(table: &ResultTable, format: Format) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let rendered = match format {
        Format::Table if plan::is_plan(table) => plan::write(table, &mut bytes),
        Format::Table => table.write_text(terminal_width(), &mut bytes),
        Format::Csv => table.write_csv(&mut bytes),
        Format::Arrow => table.write_arrow_stream(&mut bytes),
        Format::Json => table
            .write_json_rows(&mut bytes)
            .map(|()| bytes.push(b'\n')),
    };
    rendered.map_err(|error| Failure::new(ErrorKind::Internal, error))?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(&bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Returns the width of the terminal that stdout is; none when it is a file or a pipe, which get
/// everything.
fn terminal_width() -> Option<usize> {
    let terminal = Term::stdout();
    let (_, columns) = terminal.is_term().then(|| terminal.size_checked())??;
    Some(usize::from(columns))
}

/// Refuses a form that would only disturb a terminal.
///
/// # Errors
/// The form is binary and stdout is a terminal.
pub fn check(format: Format) -> Result<(), Failure> {
    if format == Format::Arrow && io::stdout().is_terminal() {
        return Err(
            Failure::refused("an Arrow stream is no text for a terminal")
                .with_help("send it to a file: growler query ... --format arrow > answer.arrows"),
        );
    }
    Ok(())
}

/// Writes one line of statistics to stderr.
pub fn write_statistics(row_count: usize, statistics: &QueryStatistics, took: Duration) {
    let cpu = match Duration::from_nanos(statistics.thread_cpu_time_ns) {
        Duration::ZERO => String::new(),
        measured => format!(", {:.1} ms of CPU", measured.as_secs_f64() * 1e3),
    };
    // A closed stderr has nobody who could be told.
    let _ = writeln!(
        io::stderr(),
        "{row_count} rows out; {} of {} rows matched in {} of {} segments, {} pruned; \
         {} values read by the filter, {} after it; {:.1} ms{cpu}",
        statistics.num_docs_scanned,
        statistics.total_docs,
        statistics.num_segments_matched,
        statistics.num_segments_queried,
        statistics.num_segments_pruned_by_server,
        statistics.num_entries_scanned_in_filter,
        statistics.num_entries_scanned_post_filter,
        took.as_secs_f64() * 1e3,
    );
}
