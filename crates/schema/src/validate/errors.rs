//! All breaches of one table, as they are printed.

use std::fmt;

/// What is wrong with a table's config and schema, in the order found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationErrors {
    /// Name of the table, or of the schema where no table is at hand.
    pub table: String,
    /// One text for each breach.
    pub errors: Vec<String>,
}

impl ValidationErrors {
    /// Turns a list of breaches into a result: nothing listed is fine.
    ///
    /// # Errors
    /// The list itself, when it is not empty.
    pub fn check(table: impl Into<String>, errors: Vec<String>) -> Result<(), Self> {
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Self {
                table: table.into(),
                errors,
            })
        }
    }
}

impl fmt::Display for ValidationErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.errors.len();
        write!(
            f,
            "External table '{}' has {count} validation error(s):",
            self.table
        )?;
        self.errors
            .iter()
            .try_for_each(|error| write!(f, "\n{error}"))
    }
}

impl std::error::Error for ValidationErrors {}
