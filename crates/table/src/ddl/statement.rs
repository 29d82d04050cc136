//! What was said.

use std::fmt;

/// A statement about tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// `CREATE TABLE`.
    CreateTable(CreateTable),
    /// `DROP TABLE`.
    DropTable {
        /// The table.
        name: TableName,
        /// Whether it is fine that there is none.
        if_exists: bool,
    },
    /// `SHOW TABLES`.
    ShowTables {
        /// The database asked for.
        database: Option<String>,
    },
    /// `SHOW CREATE TABLE`.
    ShowCreateTable {
        /// The table.
        name: TableName,
    },
}

/// `CREATE TABLE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateTable {
    /// The table.
    pub name: TableName,
    /// Whether it said `EXTERNAL`; without it the table is one all the same.
    pub is_external: bool,
    /// Whether it is fine that there is one.
    pub if_not_exists: bool,
    /// Options in the order given, names as written; no name comes twice, whatever its case.
    pub options: Vec<(String, OptionValue)>,
}

/// Name of a table, perhaps with its database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    /// Database.
    pub database: Option<String>,
    /// Table.
    pub table: String,
}

/// Value of an option; as text it is what was written.
#[derive(Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// A text in quotes.
    Text(String),
    /// `TRUE` or `FALSE`.
    Switch(bool),
    /// An unsigned number, digit by digit.
    Number(String),
}

impl OptionValue {
    /// Returns the value as the text that settings hold.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) | Self::Number(text) => text,
            Self::Switch(value) => value.to_string(),
        }
    }
}

/// Writes the value as SQL.
impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Self::Switch(value) => write!(f, "{value}"),
            Self::Number(digits) => f.write_str(digits),
        }
    }
}

/// A text may be a credential.
impl fmt::Debug for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("'...'"),
            other => write!(f, "{other}"),
        }
    }
}

/// Writes the name as SQL.
impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(database) = &self.database {
            write!(f, "{}.", quoted(database))?;
        }
        f.write_str(&quoted(&self.table))
    }
}

/// Returns a name as SQL, in quotes where it needs some.
fn quoted(name: &str) -> String {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if begins && name.chars().all(is_word) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}
