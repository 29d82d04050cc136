//! `--table NAME=PATH`.

use std::str::FromStr;

use growler_schema::validate::schema::{PLAIN_NAME, is_plain_name};

/// A table on the command line: its name in SQL and where its files lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableAt {
    /// Name in SQL.
    pub name: String,
    /// File, folder or glob.
    pub path: String,
}

impl FromStr for TableAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "a table has the form NAME=PATH, such as events=data/events.parquet";
        let (name, path) = text.split_once('=').ok_or(form)?;
        if path.is_empty() {
            return Err(form.to_owned());
        }
        // It names folders of indexes, too.
        if !is_plain_name(name) {
            return Err(format!("a table name {PLAIN_NAME}, found={name:?}"));
        }
        Ok(Self {
            name: name.to_owned(),
            path: path.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_name_and_path_at_the_first_equals_sign() {
        let cases = [
            ("t=a.parquet", Some(("t", "a.parquet"))),
            ("t=year=2026/*.parquet", Some(("t", "year=2026/*.parquet"))),
            ("a.b-c_1=x", Some(("a.b-c_1", "x"))),
            ("t", None),
            ("t=", None),
            ("=x", None),
            ("a b=x", None),
            ("..=x", None),
            (".a=x", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(name, path)| TableAt {
                name: name.to_owned(),
                path: path.to_owned(),
            });
            assert_eq!(text.parse().ok(), expected, "{text}");
        }
    }
}
