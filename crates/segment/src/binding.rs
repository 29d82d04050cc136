//! What a query reads from one segment.

use std::sync::Arc;

use growler_schema::ColumnType;

/// A column, key, document or the row ids of one segment, bound and ready to be read.
///
/// It belongs to the segment that bound it and is cheap to clone.
#[derive(Debug, Clone)]
pub struct Source(Arc<Bound>);

#[derive(Debug)]
struct Bound {
    column_type: ColumnType,
}

impl Source {
    /// Returns the source of row ids (Pinot's doc ids): INT, never null.
    pub fn row_id() -> Self {
        Self(Arc::new(Bound { column_type: growler_schema::DataType::Int.single() }))
    }

    /// Returns the type of its arrays.
    pub fn column_type(&self) -> ColumnType {
        self.0.column_type
    }

    /// Tells whether the file provably has no value of it: every row is null and nothing is read.
    pub fn is_absent(&self) -> bool {
        false
    }
}
