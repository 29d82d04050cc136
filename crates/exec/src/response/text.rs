//! An aligned table for people.

use super::cell::Cells;
use super::table::ResultTable;
use crate::error::Error;

/// Widest cell in characters; longer ones end in `…`.
const CELL_WIDTH: usize = 60;
/// Widest last column, which nothing is lined up after.
const LAST_CELL_WIDTH: usize = 160;

/// Appends header, rule, rows and a row count.
pub(super) fn write(table: &ResultTable, out: &mut Vec<u8>) -> Result<(), Error> {
    let cells = table.cells()?;
    let last = cells.len().saturating_sub(1);
    let limit = |idx: usize| {
        if idx == last {
            LAST_CELL_WIDTH
        } else {
            CELL_WIDTH
        }
    };
    let columns: Vec<Column> = table
        .names
        .iter()
        .zip(&cells)
        .enumerate()
        .map(|(idx, (name, cells))| Column::new(name, cells, table.row_count, limit(idx)))
        .collect();
    if !columns.is_empty() {
        write_line(&columns, |column| column.header.as_str(), out);
        let rules: Vec<String> = columns
            .iter()
            .map(|column| "─".repeat(column.width))
            .collect();
        out.extend_from_slice(rules.join("─┼─").trim_end().as_bytes());
        out.push(b'\n');
        for row in 0..table.row_count {
            write_line(
                &columns,
                |column| column.rows.get(row).map_or("", String::as_str),
                out,
            );
        }
    }
    let noun = if table.row_count == 1 { "row" } else { "rows" };
    out.extend_from_slice(format!("({} {noun})\n", table.row_count).as_bytes());
    Ok(())
}

struct Column {
    header: String,
    rows: Vec<String>,
    width: usize,
    right: bool,
}

impl Column {
    fn new(name: &str, cells: &Cells<'_>, row_count: usize, limit: usize) -> Self {
        let header = shown(name, limit);
        let mut plain = Vec::new();
        let rows: Vec<String> = (0..row_count)
            .map(|row| {
                if cells.is_null(row) {
                    return "null".to_owned();
                }
                plain.clear();
                cells.write_plain(row, &mut plain);
                shown(&String::from_utf8_lossy(&plain), limit)
            })
            .collect();
        let widths = rows.iter().map(|text| text.chars().count());
        let width = widths.max().unwrap_or(0).max(header.chars().count());
        Self {
            header,
            rows,
            width,
            right: cells.is_number(),
        }
    }
}

fn write_line<'c>(columns: &'c [Column], text: impl Fn(&'c Column) -> &'c str, out: &mut Vec<u8>) {
    let mut line = String::new();
    for (idx, column) in columns.iter().enumerate() {
        if idx > 0 {
            line.push_str(" │ ");
        }
        let text = text(column);
        let padding = " ".repeat(column.width.saturating_sub(text.chars().count()));
        let (before, after) = if column.right {
            (padding.as_str(), "")
        } else {
            ("", &*padding)
        };
        line.extend([before, text, after]);
    }
    out.extend_from_slice(line.trim_end().as_bytes());
    out.push(b'\n');
}

/// Cuts a cell, and shows control characters as escapes: data must not steer a terminal.
fn shown(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let mut width = 0;
    for character in text.chars() {
        let before = shown.len();
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
        width += shown.get(before..).map_or(0, |added| added.chars().count());
        if width > limit {
            return shown
                .chars()
                .take(limit.saturating_sub(1))
                .chain(['…'])
                .collect();
        }
    }
    shown
}
