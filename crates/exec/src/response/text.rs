//! An aligned table for people.

use super::cell::Cells;
use super::table::ResultTable;
use crate::error::Error;

/// Narrowest column that cells are cut to, in characters; cut ones end in `…`.
const NARROWEST: usize = 8;
/// Characters between two columns.
const GAP: usize = 3;

/// Appends header, rule, rows and a row count; with a width, cells are cut so that lines fit it as
/// far as their columns stay readable.
pub(super) fn write(
    table: &ResultTable,
    width: Option<usize>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let cells = table.cells()?;
    // No cell is shown wider than the whole line, so that a long one is not copied whole.
    let widest = width.map_or(usize::MAX, |width| width.max(NARROWEST));
    let mut columns: Vec<Column> = table
        .names
        .iter()
        .zip(&cells)
        .map(|(name, cells)| Column::new(name, cells, table.row_count, widest))
        .collect();
    if let Some(width) = width {
        let widths: Vec<usize> = columns.iter().map(|column| column.width).collect();
        let limit = limit(&widths, width);
        columns.iter_mut().for_each(|column| column.cut(limit));
    }
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

/// Returns the width to cut columns to, so that all of them fit a line: narrow ones keep theirs,
/// wide ones share the rest.
fn limit(widths: &[usize], line: usize) -> usize {
    let gaps = widths.len().saturating_sub(1).saturating_mul(GAP);
    let mut left = line.saturating_sub(gaps);
    let mut sorted = widths.to_vec();
    sorted.sort_unstable();
    for (idx, &width) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - idx);
        if width > share {
            return share.max(NARROWEST);
        }
        left -= width;
    }
    usize::MAX
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

    fn cut(&mut self, limit: usize) {
        if self.width <= limit {
            return;
        }
        self.width = limit;
        for text in std::iter::once(&mut self.header).chain(&mut self.rows) {
            if text.chars().count() > limit {
                *text = cut(text, limit);
            }
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
            return cut(&shown, limit);
        }
    }
    shown
}

fn cut(text: &str, limit: usize) -> String {
    let kept = text.chars().take(limit.saturating_sub(1));
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_columns_share_what_narrow_ones_leave() {
        let cases: &[(&[usize], usize, usize)] = &[
            (&[], 80, usize::MAX),
            (&[80], 80, usize::MAX),
            (&[81], 80, 80),
            (&[4, 100], 80, 73),
            (&[4, 100, 100], 80, 35),
            (&[38, 39], 80, usize::MAX),
            (&[30, 60, 90], 10, NARROWEST),
        ];
        for (widths, line, expected) in cases {
            assert_eq!(limit(widths, *line), *expected, "{widths:?} {line}");
        }
    }
}
