//! What the expressions of a query read.

use growler_schema::{ColumnType, DataType, Field, KeyType, Value};
use growler_segment::{KeyOutput, KeyPath, NonObjectRoot};

use crate::{
    error::Error,
    expr::{
        Input, Inputs, KeyView,
        convert::{decimal::Decimal, decimal::MAX_UNSCALED, value::convert_units},
    },
    table::View,
};

/// One column, key or virtual column that some expression reads.
#[derive(Debug, Clone)]
pub struct Slot {
    /// What it is.
    pub what: What,
    /// Type of its arrays.
    pub column_type: ColumnType,
    /// What a null of it stands for when null handling is off.
    pub default_null: Value,
    /// Whether a selected null shows as null even when null handling is off.
    pub shows_null: bool,
}

/// What a slot is.
#[derive(Debug, Clone)]
pub enum What {
    /// A column that is no VARIANT.
    Column(Field),
    /// A key of a VARIANT column.
    Key(Field, KeyPath, KeyOutput),
    /// A whole VARIANT column, as JSON text.
    Document(Field),
    /// `$docId`.
    RowId,
    /// `$segmentName`.
    SegmentName,
    /// `$hostName`.
    HostName,
}

/// The slots of one query over one view, each asked for once.
#[derive(Debug)]
pub struct Slots<'v> {
    view: &'v View,
    include_dropped: bool,
    slots: Vec<Slot>,
}

impl<'v> Slots<'v> {
    /// Starts without slots.
    pub fn new(view: &'v View) -> Self {
        Self {
            view,
            include_dropped: false,
            slots: Vec::new(),
        }
    }

    /// Finds columns too that the table had once, or does not.
    #[must_use]
    pub fn including_dropped(mut self, include_dropped: bool) -> Self {
        self.include_dropped = include_dropped;
        self
    }

    /// Returns the slots asked for.
    pub fn into_slots(self) -> Vec<Slot> {
        self.slots
    }

    /// Returns a slot.
    ///
    /// # Errors
    /// [`Error::Internal`] when it was not asked for.
    pub fn slot(&self, idx: usize) -> Result<&Slot, Error> {
        self.slots
            .get(idx)
            .ok_or_else(|| Error::Internal(format!("no such slot: slot={idx}")))
    }

    fn field(&self, name: &str) -> Result<&'v Field, Error> {
        self.view.column(name, self.include_dropped)
    }

    /// Finds the slot of a request, or makes one.
    fn input(&mut self, slot: Slot) -> Input {
        let found = self
            .slots
            .iter()
            .position(|known| known.what.is_same(&slot.what));
        let idx = found.unwrap_or(self.slots.len());
        let input = Input {
            slot: idx,
            column_type: slot.column_type,
            default_null: slot.default_null.clone(),
        };
        if found.is_none() {
            self.slots.push(slot);
        }
        input
    }
}

impl What {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Column(a), Self::Column(b)) | (Self::Document(a), Self::Document(b)) => {
                a.name == b.name
            }
            (Self::Key(a, a_path, a_output), Self::Key(b, b_path, b_output)) => {
                a.name == b.name && a_path.text() == b_path.text() && a_output == b_output
            }
            (Self::RowId, Self::RowId)
            | (Self::SegmentName, Self::SegmentName)
            | (Self::HostName, Self::HostName) => true,
            (
                Self::Column(_)
                | Self::Key(..)
                | Self::Document(_)
                | Self::RowId
                | Self::SegmentName
                | Self::HostName,
                _,
            ) => false,
        }
    }
}

impl Slot {
    fn virtual_column(what: What, data_type: DataType) -> Self {
        let default_null = Value::default_null(data_type);
        Self {
            what,
            column_type: data_type.single(),
            default_null,
            shows_null: false,
        }
    }

    fn key(field: &Field, path: KeyPath, key_type: KeyType, output: KeyOutput) -> Self {
        let data_type = output.data_type();
        let declared = field.children.get(path.text());
        let default_null = declared
            .and_then(|child| default_of(child, data_type))
            .unwrap_or_else(|| default_as(output));
        Self {
            what: What::Key(field.clone(), path, output),
            column_type: data_type.single(),
            default_null,
            shows_null: key_type.typed,
        }
    }
}

/// Returns the default of what a key is read as. A text key compared with a number is below every
/// number, however exactly it is read.
fn default_as(output: KeyOutput) -> Value {
    match output {
        KeyOutput::ExactNumber { scale } => Value::BigDecimal(-MAX_UNSCALED, scale),
        other => Value::default_null(other.data_type()),
    }
}

/// Returns a declared key's default, with the scale or unit that the key got; none when it is read
/// as another type.
fn default_of(declared: &Field, data_type: DataType) -> Option<Value> {
    match (&declared.default_null, data_type) {
        (Value::BigDecimal(unscaled, from), DataType::BigDecimal { scale }) => {
            let decimal = Decimal {
                unscaled: *unscaled,
                scale: *from,
            };
            let rescaled = decimal.rescale_exact(scale)?;
            Some(Value::BigDecimal(rescaled, scale))
        }
        (Value::Timestamp(count, from), DataType::Timestamp { unit }) => {
            let count = convert_units(*count, *from, unit)?;
            Some(Value::Timestamp(count, unit))
        }
        (default, _) => (declared.column_type.data_type == data_type).then(|| default.clone()),
    }
}

impl Inputs for Slots<'_> {
    fn column(&mut self, name: &str) -> Result<Input, Error> {
        let slot = match name {
            "$docId" => Slot::virtual_column(What::RowId, DataType::Int),
            "$segmentName" => Slot::virtual_column(What::SegmentName, DataType::String),
            "$hostName" => Slot::virtual_column(What::HostName, DataType::String),
            _ => {
                let field = self.field(name)?.clone();
                let (column_type, default_null) = (field.column_type, field.default_null.clone());
                let is_document = column_type.data_type == DataType::OpenStruct;
                let what = if is_document {
                    What::Document(field)
                } else {
                    What::Column(field)
                };
                Slot {
                    what,
                    column_type,
                    default_null,
                    shows_null: is_document,
                }
            }
        };
        Ok(self.input(slot))
    }

    fn item(&mut self, column: &str, key: &str, view: KeyView) -> Result<Input, Error> {
        let field = self.field(column)?;
        if field.column_type.data_type != DataType::OpenStruct {
            let refused = format!("Column: {column} must be a MAP or OPEN_STRUCT column");
            return Err(Error::Validation(refused));
        }
        let path = KeyPath::parse(key)
            .map_err(|error| Error::Validation(format!("{error} column={column} key={key}")))?;
        let key_type = self.view.key_type(field, &path)?;
        let output = match view {
            KeyView::Own => KeyOutput::Typed(key_type),
            KeyView::Number | KeyView::ExactNumber { .. } if !key_type.data_type.is_text() => {
                KeyOutput::Typed(key_type)
            }
            KeyView::Number => KeyOutput::Number,
            KeyView::ExactNumber { scale } => KeyOutput::ExactNumber { scale },
            KeyView::Json => KeyOutput::Json,
        };
        Ok(self.input(Slot::key(field, path, key_type, output)))
    }
}

/// Returns how a query reads rows whose VARIANT root is no object.
pub fn non_object_root(softened: bool) -> NonObjectRoot {
    if softened {
        NonObjectRoot::Null
    } else {
        NonObjectRoot::Fail
    }
}
