//! The keys of a VARIANT column as text: where each one is read from, and so how fast it is.

use std::io::{self, Write};

use crate::inspect::bar::{WIDTH as BAR_WIDTH, bar};
use crate::inspect::map::{KeyKind, KeyMap, Residual, ResidualKey, VariantMap};
use crate::inspect::text::{counted, grouped, size};
use crate::style::{Painted, Style};

/// Most keys of a residual that are listed.
const LISTED: usize = 20;

/// One line of the tree.
#[derive(Debug)]
struct Line {
    name: String,
    type_name: String,
    fill: Option<(u64, u64)>,
    bytes: String,
    speed: Speed,
    note: String,
}

/// How a filter on a key reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speed {
    /// One typed column.
    Fast,
    /// A typed column and some variant bytes, or several columns.
    Mixed,
    /// Variant bytes.
    Slow,
    /// Not a value by itself.
    None,
}

/// Writes the keys of a column.
///
/// # Errors
/// What writing gives.
pub fn write(
    column: &str,
    variant: &VariantMap,
    row_count: u64,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", style.bold(heading(column, variant)))?;
    let mut lines = Vec::new();
    for key in &variant.keys {
        lines.push(key_line(key, row_count));
        push_residual_keys(key.residual.as_ref(), &mut lines);
    }
    if let Some(residual) = &variant.residual {
        lines.push(rest_line(variant, residual, row_count));
        push_residual_keys(Some(residual), &mut lines);
    }
    if lines.is_empty() {
        Ok(())
    } else {
        write_lines(&lines, style, out)
    }
}

fn heading(column: &str, variant: &VariantMap) -> String {
    let annotated = if variant.annotated {
        ""
    } else {
        " (not annotated, known by its leaf columns)"
    };
    let shredded = match (&variant.root, variant.keys.len()) {
        (KeyKind::Object, keys) => counted(keys, "shredded key", "shredded keys"),
        (KeyKind::Untyped, _) => "not shredded".to_owned(),
        (KeyKind::Array, _) => "shredded as an array, which has no keys".to_owned(),
        (KeyKind::Scalar { scalar, .. }, _) => format!("shredded as {scalar}, which has no keys"),
    };
    let names = size(variant.metadata.compressed);
    format!("{column}: VARIANT{annotated}, {shredded}, names of keys {names}")
}

fn key_line(key: &KeyMap, row_count: u64) -> Line {
    let residual = key.residual.as_ref();
    let left = residual.map_or(Some(0), |residual| residual.row_count);
    let (type_name, speed, note) = key_note(key, left);
    let fill = match key.kind {
        KeyKind::Untyped => left,
        _ => key.typed_rows,
    };
    let mut bytes = key.bytes.compressed;
    if left != Some(0) {
        bytes += residual.map_or(0, |residual| residual.bytes.compressed);
    }
    Line {
        name: indented(&key.names),
        type_name,
        fill: fill.map(|rows| (rows, row_count)),
        bytes: match key.kind {
            KeyKind::Object => String::new(),
            _ => size(bytes),
        },
        speed,
        note,
    }
}

fn key_note(key: &KeyMap, left: Option<u64>) -> (String, Speed, String) {
    match &key.kind {
        KeyKind::Scalar { key_type, .. } => {
            let (speed, note) = scalar_note(key.typed_rows, left);
            (key_type.clone(), speed, note)
        }
        KeyKind::Object => ("object".to_owned(), Speed::None, object_note(left)),
        KeyKind::Array => {
            let leaves = counted(key.leaf_count, "leaf column", "leaf columns");
            let note = format!("rebuilt as JSON text from {leaves}{}", and_residual(left));
            ("array".to_owned(), Speed::Mixed, note)
        }
        KeyKind::Untyped => {
            let note = "in a residual of its own: scans these variant bytes".to_owned();
            (String::new(), Speed::Slow, note)
        }
    }
}

fn scalar_note(typed: Option<u64>, left: Option<u64>) -> (Speed, String) {
    match (typed, left) {
        (_, Some(0)) => (Speed::Fast, "typed leaf".to_owned()),
        (Some(0), Some(rows)) => {
            let values = counted(rows, "value is", "values are");
            (
                Speed::Slow,
                format!("typed leaf is empty, {values} in its residual: scans these variant bytes"),
            )
        }
        (_, Some(rows)) => {
            let values = counted(rows, "value", "values");
            (
                Speed::Mixed,
                format!("typed leaf, and the variant bytes of {values} that do not fit it"),
            )
        }
        (_, None) => (Speed::Mixed, "typed leaf, and a residual".to_owned()),
    }
}

fn object_note(left: Option<u64>) -> String {
    match left {
        Some(0) => String::new(),
        Some(rows) => format!(
            "other parts of {} in its residual",
            counted(rows, "value", "values")
        ),
        None => "other parts in its residual".to_owned(),
    }
}

fn and_residual(left: Option<u64>) -> String {
    match left {
        Some(0) => String::new(),
        Some(rows) => format!(", {} in its residual", counted(rows, "value", "values")),
        None => " and its residual".to_owned(),
    }
}

fn rest_line(variant: &VariantMap, residual: &Residual, row_count: u64) -> Line {
    let name = match variant.root {
        KeyKind::Object => "every other key",
        _ => "every key",
    };
    let (speed, mut note) = match residual.row_count {
        Some(0) => (Speed::None, "there is none".to_owned()),
        _ => (
            Speed::Slow,
            "in the residual: scans the variant bytes".to_owned(),
        ),
    };
    if residual.sampled_rows > 0 && residual.sampled_rows < row_count {
        note.push_str(&format!(
            "; keys of the first {} rows:",
            grouped(residual.sampled_rows)
        ));
    }
    Line {
        name: name.to_owned(),
        type_name: String::new(),
        fill: residual.row_count.map(|rows| (rows, row_count)),
        bytes: size(residual.bytes.compressed),
        speed,
        note,
    }
}

fn push_residual_keys(residual: Option<&Residual>, lines: &mut Vec<Line>) {
    let Some(residual) = residual else { return };
    for key in residual.keys.iter().take(LISTED) {
        lines.push(residual_key_line(key, residual.sampled_rows));
    }
    if residual.keys.len() > LISTED {
        let more = residual.keys.len() - LISTED;
        let name = format!("  and {}", counted(more, "more key", "more keys"));
        let (type_name, bytes, note) = (String::new(), String::new(), String::new());
        lines.push(Line {
            name,
            type_name,
            fill: None,
            bytes,
            speed: Speed::None,
            note,
        });
    }
}

fn residual_key_line(key: &ResidualKey, sampled: u64) -> Line {
    Line {
        name: format!("  {}", key.names.join(".")),
        type_name: key.types.join(" | "),
        fill: Some((key.row_count, sampled)),
        bytes: String::new(),
        speed: Speed::Slow,
        note: "in the residual".to_owned(),
    }
}

/// Shows a key by its last name, below its parents.
fn indented(names: &[String]) -> String {
    let depth = names.len().saturating_sub(1);
    format!(
        "{}{}",
        "  ".repeat(depth),
        names.last().map_or("", String::as_str)
    )
}

fn write_lines(lines: &[Line], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let width = |text: fn(&Line) -> &str, heading: usize| {
        lines
            .iter()
            .map(|line| text(line).chars().count())
            .max()
            .unwrap_or(0)
            .max(heading)
    };
    let name = width(|line| &line.name, 3);
    let type_name = width(|line| &line.type_name, 4);
    let bytes = width(|line| &line.bytes, 5);
    let heading = format!(
        "{:name$}  {:type_name$}  {:BAR_WIDTH$}  {:>bytes$}  READ FROM",
        "KEY", "TYPE", "FILL", "BYTES"
    );
    writeln!(out, "  {}", style.dim(heading))?;
    for line in lines {
        let text = format!(
            "{:name$}  {:type_name$}  {}  {:>bytes$}  ",
            line.name,
            line.type_name,
            bar(line.fill),
            line.bytes,
        );
        if line.note.is_empty() {
            writeln!(out, "  {}", text.trim_end())?;
        } else {
            writeln!(out, "  {text}{}", line.speed.paint(&line.note, style))?;
        }
    }
    Ok(())
}

impl Speed {
    fn paint(self, note: &str, style: Style) -> Painted<&str> {
        match self {
            Self::Fast => style.green(note),
            Self::Mixed => style.yellow(note),
            Self::Slow => style.red(note),
            Self::None => style.dim(note),
        }
    }
}
