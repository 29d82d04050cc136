//! What a caller brings: reading the Parquet files of deletes.

use growler_base::FieldId;

use crate::metadata::PrimitiveType;
use crate::{Datum, DatumRef, Error};

/// Field id of the data file's path in a position delete file.
pub const DELETE_PATH_ID: FieldId = FieldId(2_147_483_546);
/// Field id of the position in a position delete file.
pub const DELETE_POSITION_ID: FieldId = FieldId(2_147_483_545);

/// Takes a data file's path, as a delete file spells it, and a position in it.
pub type VisitPosition<'v> = dyn FnMut(&str, i64) -> Result<(), Error> + 'v;

/// Takes one row: a value for each column that was asked for.
pub type VisitRow<'v> = dyn FnMut(&[Option<DatumRef<'_>>]) -> Result<(), Error> + 'v;

/// Reads rows of Parquet files, columns found by field id.
pub trait DeleteReader: Send + Sync {
    /// Reads a position delete file: the path of column [`DELETE_PATH_ID`] and the position of
    /// column [`DELETE_POSITION_ID`], row by row. Positions count from the start of the data file.
    ///
    /// # Errors
    /// What the file does, and what `visit` returns.
    fn positions(&self, path: &str, visit: &mut VisitPosition<'_>) -> Result<(), Error>;

    /// Reads columns of a data file or of an equality delete file: for each row, in the file's order,
    /// one value for each column, in its type, promoted where the file has an older one.
    ///
    /// # Errors
    /// What the file does, and what `visit` returns; `Corrupt` for a column that is missing where
    /// [`Missing::Refuse`] says so.
    fn rows(
        &self,
        path: &str,
        columns: &[KeyColumn],
        visit: &mut VisitRow<'_>,
    ) -> Result<(), Error>;
}

/// A column that an equality delete compares.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyColumn {
    /// Identity.
    pub id: FieldId,
    /// The structs that it is a field of, identity and name, the column first; none for a column.
    pub within: Vec<(FieldId, String)>,
    /// Name in the table's history, for files without ids and for messages.
    pub name: String,
    /// Type to read it in.
    pub primitive: PrimitiveType,
    /// What a file without the column has in every row.
    pub missing: Missing,
}

/// What a file without a column has in every row.
#[derive(Debug, Clone, PartialEq)]
pub enum Missing {
    /// Nothing: the file is broken.
    Refuse,
    /// Null.
    Null,
    /// A value.
    Value(Datum),
}
