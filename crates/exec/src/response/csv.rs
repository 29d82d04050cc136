//! Comma-separated values as RFC 4180 has them.

use memchr::memchr3;

use super::table::ResultTable;
use crate::error::Error;

/// Appends a header and the rows; null is an empty cell, empty text is `""`.
pub(super) fn write(table: &ResultTable, out: &mut Vec<u8>) -> Result<(), Error> {
    let cells = table.cells()?;
    for (idx, name) in table.names.iter().enumerate() {
        write_field(name.as_bytes(), idx, out);
    }
    out.extend_from_slice(b"\r\n");
    let mut text = Vec::new();
    for row in 0..table.row_count {
        for (idx, column) in cells.iter().enumerate() {
            if column.is_null(row) {
                if idx > 0 {
                    out.push(b',');
                }
                continue;
            }
            text.clear();
            column.write_plain(row, &mut text);
            write_field(&text, idx, out);
        }
        out.extend_from_slice(b"\r\n");
    }
    Ok(())
}

fn write_field(text: &[u8], idx: usize, out: &mut Vec<u8>) {
    if idx > 0 {
        out.push(b',');
    }
    let plain = memchr3(b'"', b',', b'\n', text).is_none() && !text.contains(&b'\r');
    if plain && !text.is_empty() {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    for &byte in text {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
