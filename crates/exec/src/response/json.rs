//! JSON text, appended to a buffer.

use super::table::ResultTable;
use crate::error::Error;

/// Appends the rows of a table as an array of arrays.
pub(super) fn write_rows(table: &ResultTable, out: &mut Vec<u8>) -> Result<(), Error> {
    let cells = table.cells()?;
    out.push(b'[');
    for row in 0..table.row_count {
        if row > 0 {
            out.push(b',');
        }
        out.push(b'[');
        for (idx, column) in cells.iter().enumerate() {
            if idx > 0 {
                out.push(b',');
            }
            column.write_json(row, out);
        }
        out.push(b']');
    }
    out.push(b']');
    Ok(())
}

/// Appends Pinot's `resultTable`.
pub(super) fn write_table(table: &ResultTable, out: &mut Vec<u8>) -> Result<(), Error> {
    out.extend_from_slice(br#"{"dataSchema":{"columnNames":"#);
    write_strings(table.names.iter().map(String::as_str), out);
    out.extend_from_slice(br#","columnDataTypes":"#);
    write_strings(table.type_names(), out);
    out.extend_from_slice(br#"},"rows":"#);
    write_rows(table, out)?;
    out.push(b'}');
    Ok(())
}

/// Appends an array of strings.
pub(super) fn write_strings(texts: impl IntoIterator<Item = impl AsRef<str>>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (idx, text) in texts.into_iter().enumerate() {
        if idx > 0 {
            out.push(b',');
        }
        write_string(text.as_ref(), out);
    }
    out.push(b']');
}

/// Appends what `write` appends, in quotes and unescaped.
pub(super) fn write_quoted(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    write(out);
    out.push(b'"');
}

/// Appends a string in quotes, escaped.
pub(super) fn write_string(text: &str, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut copied = 0;
    for (idx, &byte) in bytes.iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[copied..idx]);
        copied = idx + 1;
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => {
                let (high, low) = (
                    DIGITS[usize::from(byte >> 4)],
                    DIGITS[usize::from(byte & 15)],
                );
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
            }
        }
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn strings_read_back(text in any::<String>()) {
            let mut out = Vec::new();
            write_string(&text, &mut out);
            prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn control_bytes_and_quotes_are_escaped() {
        let mut out = Vec::new();
        write_string("a\"b\\c\n\r\t\u{1}\u{1f}é\u{7f}", &mut out);
        let expected = r#""a\"b\\c\n\r\t\u0001\u001fé"#.to_owned() + "\u{7f}\"";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
