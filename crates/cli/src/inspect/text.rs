//! The map of a file as text.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::inspect::map::{Bytes, ColumnMap, FileMap, LeafMap};
use crate::inspect::table::Table;
use crate::inspect::{indexes, keys};
use crate::style::Style;

/// Most row groups listed one by one.
const ROW_GROUPS: usize = 8;

/// Writes a map as text.
///
/// # Errors
/// What writing gives.
pub fn write(map: &FileMap, style: Style, out: &mut dyn Write) -> io::Result<()> {
    write_file(map, style, out)?;
    write_columns(map, style, out)?;
    for column in &map.columns {
        if let Some(refusal) = &column.refusal {
            writeln!(
                out,
                "\n{}: {}",
                style.bold(&column.name),
                style.red(refusal)
            )?;
        }
        if let Some(variant) = &column.variant {
            writeln!(out)?;
            keys::write(&column.name, variant, map.row_count, style, out)?;
        }
    }
    for file in &map.indexes {
        writeln!(out)?;
        indexes::write(file, map.len_bytes, style, out)?;
    }
    Ok(())
}

fn write_file(map: &FileMap, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let groups = map.row_groups.len();
    writeln!(out, "{}", style.bold(map.path.display()))?;
    writeln!(
        out,
        "  {}, {}, {}",
        counted(map.row_count, "row", "rows"),
        counted(groups, "row group", "row groups"),
        size(map.len_bytes),
    )?;
    writeln!(
        out,
        "  written by {}",
        map.writer
            .as_deref()
            .unwrap_or("a program that does not say")
    )?;
    if groups > 1 {
        for (idx, row_group) in map.row_groups.iter().take(ROW_GROUPS).enumerate() {
            let rows = counted(row_group.row_count, "row", "rows");
            writeln!(
                out,
                "  row group {idx}: {rows}, {}",
                size(row_group.len_bytes)
            )?;
        }
        if groups > ROW_GROUPS {
            writeln!(out, "  and {} more", groups - ROW_GROUPS)?;
        }
    }
    Ok(())
}

fn write_columns(map: &FileMap, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(&[
        "COLUMN",
        "TYPE",
        "BYTES",
        "NULLS",
        "CODEC",
        "ENCODINGS",
        "MIN .. MAX",
    ]);
    table.right(2);
    table.right(3);
    for column in &map.columns {
        table.push(column_line(column));
    }
    writeln!(out)?;
    table.write(style, out)
}

fn column_line(column: &ColumnMap) -> Vec<String> {
    let mut bytes = Bytes::default();
    column.leaves.iter().for_each(|leaf| bytes += leaf.bytes);
    let (name, column_type) = (column.name.clone(), column.column_type.clone());
    let mut line = vec![name, column_type, size(bytes.compressed)];
    match column.leaves.as_slice() {
        [leaf] => line.extend(leaf_cells(leaf)),
        leaves => {
            let codecs = leaves
                .iter()
                .flat_map(|leaf| leaf.codecs.iter().map(String::as_str));
            let codecs: BTreeSet<&str> = codecs.collect();
            let rest = if column.variant.is_some() {
                ", see below"
            } else {
                ""
            };
            line.push(String::new());
            line.push(codecs.into_iter().collect::<Vec<_>>().join(", "));
            line.push(counted(leaves.len(), "leaf column", "leaf columns") + rest);
        }
    }
    line
}

fn leaf_cells(leaf: &LeafMap) -> [String; 4] {
    let bounds = leaf.bounds.as_ref();
    [
        leaf.null_count
            .map_or_else(|| "?".to_owned(), |nulls| nulls.to_string()),
        leaf.codecs.join(", "),
        encodings(leaf),
        bounds.map_or_else(String::new, |(min, max)| format!("{min} .. {max}")),
    ]
}

fn encodings(leaf: &LeafMap) -> String {
    let mut names: Vec<&str> = leaf.encodings.iter().map(String::as_str).collect();
    // RLE encodes levels in every file: it says nothing about the values, booleans aside.
    if names.len() > 1 {
        names.retain(|name| !matches!(*name, "RLE" | "BIT_PACKED"));
    }
    names.join(", ")
}

/// Returns what a file calls something without what would steer a terminal.
pub fn printable(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// Says how many, with the noun in the right number.
pub fn counted(count: impl TryInto<u64>, one: &str, many: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// Writes a number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a byte count in the unit that suits it.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut scaled = bytes as f64 / 1024.0;
    let mut unit = UNITS[0];
    for larger in &UNITS[1..] {
        if scaled < 1024.0 {
            break;
        }
        scaled /= 1024.0;
        unit = larger;
    }
    format!("{scaled:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_steer_the_terminal() {
        assert_eq!(printable("\u{1b}[2Jx\ny ä"), "\u{fffd}[2Jx\u{fffd}y ä");
    }

    #[test]
    fn writes_sizes_and_counts_for_people() {
        let sizes = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1 << 20, "1.0 MiB"),
        ];
        for (bytes, expected) in sizes {
            assert_eq!(size(bytes), expected);
        }
        assert_eq!(size(u64::MAX), "16777216.0 TiB");
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(counted(1_u64, "row", "rows"), "1 row");
        assert_eq!(counted(0_u64, "row", "rows"), "0 rows");
    }
}
