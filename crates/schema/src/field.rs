//! One column of a table.

use std::collections::BTreeMap;

use growler_base::FieldId;

use crate::{ColumnType, Value};

/// Which list of a Pinot schema a field stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRole {
    /// `dimensionFieldSpecs`.
    Dimension,
    /// `metricFieldSpecs`: numbers whose default null value is 0.
    Metric,
    /// `dateTimeFieldSpecs`.
    DateTime,
    /// `complexFieldSpecs`: OPEN_STRUCT and MAP.
    Complex,
}

/// A column: its names, identity, type and default null value.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name in queries.
    pub name: String,
    /// Identity in Iceberg and in Parquet files that carry ids.
    pub field_id: Option<FieldId>,
    /// Earlier names; they find the column in files that carry no ids.
    pub aliases: Vec<String>,
    /// List it stands in.
    pub role: FieldRole,
    /// Type of its values.
    pub column_type: ColumnType,
    /// Whether nulls are refused at the source.
    pub not_null: bool,
    /// Value that stands for null when null handling is off.
    pub default_null: Value,
    /// Declared key types of an OPEN_STRUCT column, by dotted path; normally empty, since each
    /// file's footer tells which keys are typed.
    pub children: BTreeMap<String, Field>,
    /// `format` and `granularity` of a `dateTimeFieldSpecs` entry.
    pub date_time: Option<DateTimeSpec>,
}

/// Format and granularity of a date-time field, in Pinot's notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateTimeSpec {
    /// Such as `1:MILLISECONDS:EPOCH` or `TIMESTAMP`.
    pub format: String,
    /// Such as `1:MILLISECONDS`.
    pub granularity: String,
}

impl Field {
    /// Makes a field with Pinot's default null value for its role and type.
    pub fn new(name: impl Into<String>, role: FieldRole, column_type: ColumnType) -> Self {
        Self {
            name: name.into(),
            field_id: None,
            aliases: Vec::new(),
            role,
            column_type,
            not_null: false,
            default_null: role.default_null(column_type.data_type),
            children: BTreeMap::new(),
            date_time: None,
        }
    }
}

impl FieldRole {
    /// Returns the default null value of a field in this role: 0 for a metric's numbers, else the
    /// type's.
    pub fn default_null(self, data_type: crate::DataType) -> Value {
        use crate::DataType as T;
        match (self, data_type) {
            (Self::Metric, T::Int) => Value::Int(0),
            (Self::Metric, T::Long) => Value::Long(0),
            (Self::Metric, T::Float) => Value::Float(0.0),
            (Self::Metric, T::Double) => Value::Double(0.0),
            (_, other) => Value::default_null(other),
        }
    }
}
