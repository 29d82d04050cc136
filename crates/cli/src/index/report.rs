//! What `growler index` tells when it is done.

use std::io::{self, Write};
use std::time::Duration;

use growler_exec::table::View;
use growler_index::Subject;

use crate::index::build::Outcome;
use crate::index::lines::{Line, Lines};
use crate::inspect::table::Table;
use crate::inspect::text::{counted, grouped, size};
use crate::style::Style;

/// Most keys without a typed column that are listed.
const LISTED: usize = 20;

/// Writes a table of all indexes, and their sum.
///
/// # Errors
/// What writing gives.
pub fn write(
    view: &View,
    outcomes: &[Outcome],
    took: Duration,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut lines = Lines::default();
    let done = view.segments().iter().zip(outcomes);
    for (segment, outcome) in done {
        if let Ok(reloaded) = outcome {
            lines.add(view, segment, reloaded);
        }
    }
    let parquet: u64 = view
        .segments()
        .iter()
        .map(|segment| segment.len_bytes())
        .sum();
    writeln!(
        out,
        "{}: {}, {}, {} of Parquet",
        style.bold(view.name()),
        counted(outcomes.len(), "segment", "segments"),
        counted(view.row_count(), "row", "rows"),
        size(parquet)
    )?;
    if !lines.typed.is_empty() || !lines.remainders.is_empty() {
        write_indexes(&lines, parquet, style, out)?;
        write_keys(&lines, style, out)?;
    }
    write_sum(outcomes, &lines, parquet, took, out)
}

fn write_indexes(lines: &Lines, parquet: u64, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(&[
        "COLUMN OR KEY",
        "INDEX",
        "VALUES",
        "BYTES",
        "OF PARQUET",
        "SECONDS",
    ]);
    (2..=5).for_each(|column| table.right(column));
    let row = |name: String, kind: &str, line: &Line| {
        let of_parquet = percent(line.bytes, parquet);
        let [values, bytes, seconds] = cells(line);
        vec![name, kind.to_owned(), values, bytes, of_parquet, seconds]
    };
    for ((subject, kind), line) in &lines.typed {
        table.push(row(subject.to_string(), kind.name(), line));
    }
    for ((column, kind), line) in &lines.remainders {
        // Distinct values of different keys do not add up.
        let line = Line {
            values: None,
            ..*line
        };
        table.push(row(column.clone(), kind.name(), &line));
    }
    writeln!(out)?;
    table.write(style, out)
}

fn write_keys(lines: &Lines, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if lines.keys.is_empty() {
        return Ok(());
    }
    let mut keys: Vec<(&Subject, &Line)> = lines.keys.iter().collect();
    keys.sort_by_key(|(_, line)| std::cmp::Reverse(line.bytes));
    let mut table = Table::new(&["KEY OR PATH", "VALUES", "BYTES", "SECONDS"]);
    (1..=3).for_each(|column| table.right(column));
    for (subject, line) in keys.iter().take(LISTED) {
        let [values, bytes, seconds] = cells(line);
        table.push(vec![subject.to_string(), values, bytes, seconds]);
    }
    writeln!(out)?;
    table.write(style, out)?;
    match keys.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(
            out,
            "  and {}",
            counted(more, "smaller one", "smaller ones")
        ),
    }
}

fn cells(line: &Line) -> [String; 3] {
    [
        line.values
            .map_or_else(String::new, |values| grouped(values.into())),
        size(line.bytes),
        line.seconds
            .map_or_else(|| "kept".to_owned(), |seconds| format!("{seconds:.3}")),
    ]
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", part as f64 * 100.0 / whole.max(1) as f64)
}

fn write_sum(
    outcomes: &[Outcome],
    lines: &Lines,
    parquet: u64,
    took: Duration,
    out: &mut dyn Write,
) -> io::Result<()> {
    let done = || outcomes.iter().filter_map(|outcome| outcome.as_ref().ok());
    let sum =
        |count: fn(&growler_exec::reload::Reloaded) -> usize| -> usize { done().map(count).sum() };
    let built = sum(|reloaded| reloaded.built.len());
    let kept = sum(|reloaded| reloaded.kept);
    let removed = sum(|reloaded| reloaded.removed);
    let changed = done().filter(|reloaded| reloaded.changed).count();
    writeln!(out)?;
    if changed == 0 && done().next().is_some() {
        return writeln!(
            out,
            "nothing to do: {} in {}, {} of the Parquet bytes",
            counted(kept, "index", "indexes"),
            size(lines.file_bytes),
            percent(lines.file_bytes, parquet)
        );
    }
    writeln!(
        out,
        "{} built, {kept} kept, {removed} removed; {}, {} of the Parquet bytes; {:.2} s",
        counted(built, "index", "indexes"),
        size(lines.file_bytes),
        percent(lines.file_bytes, parquet),
        took.as_secs_f64()
    )
}
