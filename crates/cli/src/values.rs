//! Values on the command line that have a form of their own.

/// Reads `KEY=VALUE`.
pub fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(_) if text.contains(';') => Err("a query option has no ';'".to_owned()),
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("a query option has the form KEY=VALUE".to_owned()),
    }
}

/// Reads a byte count, with or without a unit.
pub fn byte_count(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kib" => 10,
        "m" | "mib" => 20,
        "g" | "gib" => 30,
        _ => return Err("a byte count is digits, then nothing, KiB, MiB or GiB".to_owned()),
    };
    let number: usize = number
        .parse()
        .map_err(|_| "a byte count starts with digits".to_owned())?;
    let bytes = number
        .checked_mul(1 << shift)
        .ok_or("the byte count is too large")?;
    if bytes == 0 {
        Err("more than 0 bytes are needed".to_owned())
    } else {
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_byte_counts() {
        let cases = [
            ("1024", Some(1024)),
            ("64KiB", Some(64 << 10)),
            ("512 MiB", Some(512 << 20)),
            ("2g", Some(2 << 30)),
            ("0", None),
            ("", None),
            ("MiB", None),
            ("1.5GiB", None),
            ("99999999999999999999", None),
            ("99999999999GiB", None),
        ];
        for (text, expected) in cases {
            assert_eq!(byte_count(text).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn splits_query_options_at_the_first_equals_sign() {
        let cases = [
            ("timeoutMs=5", Some(("timeoutMs", "5"))),
            (" a = b=c ", Some(("a", "b=c"))),
            ("a=", Some(("a", ""))),
            ("a", None),
            ("=a", None),
            ("a=b;c=d", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
            assert_eq!(key_value(text).ok(), expected, "{text:?}");
        }
    }
}
