//! The compiled tree.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Int32Array, Scalar, UInt32Array, cast::AsArray,
    types::Int32Type,
};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType as ArrowType;
use growler_schema::{ColumnType, DataType, Value};

use crate::{
    error::Error,
    expr::{InputBatch, convert::value},
    sql::ast::Literal,
};

/// Computes an array from a batch.
///
/// The array has a row for every row of the batch and is of exactly the node's Arrow type.
pub(crate) trait Operator: std::fmt::Debug + Send + Sync {
    /// Evaluates every row.
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error>;

    /// Returns the nodes it reads.
    fn children(&self) -> Vec<&Node>;
}

/// One node of a compiled expression.
#[derive(Debug)]
pub(crate) struct Node {
    /// Type of the result.
    pub column_type: ColumnType,
    kind: Kind,
    /// What nulls are replaced by: one value, of the same Arrow type.
    fill: Option<ArrayRef>,
}

#[derive(Debug)]
enum Kind {
    Constant(Constant),
    Slot(usize),
    Operator(Box<dyn Operator>),
}

#[derive(Debug)]
struct Constant {
    value: Option<Value>,
    array: ArrayRef,
    literal: Option<Literal>,
}

/// What a node gives for a batch.
#[derive(Debug, Clone)]
pub(crate) enum Evaluated {
    /// A row for every row.
    Rows(ArrayRef),
    /// One row that stands for every row.
    One(ArrayRef),
}

impl Node {
    /// Makes a node of a literal as written.
    pub fn literal(literal: &Literal) -> Result<Self, Error> {
        let (value, data_type) = match literal {
            Literal::Null => (None, DataType::String),
            Literal::Boolean(v) => (Some(Value::Boolean(*v)), DataType::Boolean),
            Literal::Int(v) => (Some(Value::Int(*v)), DataType::Int),
            Literal::Long(v) => (Some(Value::Long(*v)), DataType::Long),
            Literal::Double(v, _) => (Some(Value::Double(*v)), DataType::Double),
            Literal::String(v) => (Some(Value::String(v.clone())), DataType::String),
        };
        let mut node = Self::constant(value, data_type.single())?;
        if let Kind::Constant(constant) = &mut node.kind {
            constant.literal = Some(literal.clone());
        }
        Ok(node)
    }

    /// Makes a node of a value; none is SQL NULL.
    pub fn constant(value: Option<Value>, column_type: ColumnType) -> Result<Self, Error> {
        let array = value::single(value.as_ref(), column_type)?;
        let kind = Kind::Constant(Constant {
            value,
            array,
            literal: None,
        });
        Ok(Self {
            column_type,
            kind,
            fill: None,
        })
    }

    /// Makes a node that reads a slot; `fill` replaces its nulls.
    pub fn slot(slot: usize, column_type: ColumnType, fill: Option<ArrayRef>) -> Self {
        Self {
            column_type,
            kind: Kind::Slot(slot),
            fill,
        }
    }

    /// Makes a node that computes; folds it when it reads constants only.
    pub fn operator(
        operator: impl Operator + 'static,
        column_type: ColumnType,
        fill: Option<ArrayRef>,
    ) -> Result<Self, Error> {
        let foldable = !column_type.multi_value
            && operator
                .children()
                .iter()
                .all(|child| matches!(child.kind, Kind::Constant(_)));
        let node = Self {
            column_type,
            kind: Kind::Operator(Box::new(operator)),
            fill,
        };
        if !foldable {
            return Ok(node);
        }
        // What fails stays as it is: maybe no row ever gets there.
        let one_row = InputBatch {
            columns: Vec::new(),
            row_count: 1,
        };
        match node.rows(&one_row) {
            Ok(array) => Self::constant(
                value::value_at(&array, 0, column_type.data_type),
                column_type,
            ),
            Err(_) => Ok(node),
        }
    }

    /// Returns the value when it is constant; the inner none is SQL NULL.
    pub fn as_constant(&self) -> Option<Option<&Value>> {
        match &self.kind {
            Kind::Constant(constant) => Some(constant.value.as_ref()),
            _ => None,
        }
    }

    /// Returns the literal when it is one, as written.
    pub fn as_literal(&self) -> Option<&Literal> {
        match &self.kind {
            Kind::Constant(constant) => constant.literal.as_ref(),
            _ => None,
        }
    }

    /// Tells whether it is a NULL of no type.
    pub fn is_null_literal(&self) -> bool {
        self.as_literal() == Some(&Literal::Null)
    }

    /// Tells whether it cannot fail and costs next to nothing.
    pub fn is_trivial(&self) -> bool {
        matches!(self.kind, Kind::Constant(_) | Kind::Slot(_))
    }

    /// Returns the slot when it is nothing else.
    pub fn as_slot(&self) -> Option<usize> {
        match self.kind {
            Kind::Slot(slot) => Some(slot),
            _ => None,
        }
    }

    /// Collects the slots it reads.
    pub fn collect_slots(&self, slots: &mut Vec<usize>) {
        match &self.kind {
            Kind::Constant(_) => {}
            Kind::Slot(slot) => slots.push(*slot),
            Kind::Operator(operator) => {
                for child in operator.children() {
                    child.collect_slots(slots);
                }
            }
        }
    }

    /// Evaluates it; text may be a dictionary.
    pub fn evaluate(&self, batch: &InputBatch) -> Result<Evaluated, Error> {
        let array = match &self.kind {
            Kind::Constant(constant) => return Ok(Evaluated::One(Arc::clone(&constant.array))),
            Kind::Slot(slot) => self.read_slot(*slot, batch)?,
            Kind::Operator(operator) => operator.evaluate(batch)?,
        };
        Ok(Evaluated::Rows(match &self.fill {
            Some(fill) => fill_nulls(array, fill)?,
            None => array,
        }))
    }

    /// Evaluates it to a row for every row; text may be a dictionary.
    pub fn rows(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        self.evaluate(batch)?.into_rows(batch.row_count)
    }

    /// Evaluates it to a row for every row, of exactly the type's Arrow type.
    pub fn plain_rows(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        plain(self.rows(batch)?)
    }

    fn read_slot(&self, slot: usize, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let array = batch.columns.get(slot).ok_or_else(|| {
            Error::Internal(format!(
                "no array for slot: slot={slot} slots={}",
                batch.columns.len()
            ))
        })?;
        match array.data_type() {
            ArrowType::Utf8 | ArrowType::LargeUtf8 => {
                arrow_cast::cast(array, &ArrowType::Utf8View).map_err(internal)
            }
            ArrowType::Dictionary(..) => Ok(Arc::clone(array)),
            have if *have == self.column_type.arrow_type() => Ok(Arc::clone(array)),
            // Other text layouts, list field names.
            _ => arrow_cast::cast(array, &self.column_type.arrow_type()).map_err(internal),
        }
    }
}

impl Evaluated {
    /// Repeats one row as often as needed.
    pub fn into_rows(self, row_count: usize) -> Result<ArrayRef, Error> {
        match self {
            Self::Rows(array) => Ok(array),
            Self::One(array) => {
                let indices = UInt32Array::from(vec![0; row_count]);
                arrow_select::take::take(&array, &indices, None).map_err(internal)
            }
        }
    }
}

/// Turns a dictionary into plain values.
pub(crate) fn plain(array: ArrayRef) -> Result<ArrayRef, Error> {
    match array.data_type() {
        ArrowType::Dictionary(..) => {
            arrow_cast::cast(&array, &ArrowType::Utf8View).map_err(internal)
        }
        _ => Ok(array),
    }
}

/// Replaces nulls by one value.
pub(crate) fn fill_nulls(array: ArrayRef, fill: &ArrayRef) -> Result<ArrayRef, Error> {
    let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(array);
    };
    if let Some(dictionary) = array.as_dictionary_opt::<Int32Type>() {
        return fill_dictionary(dictionary, nulls.inner(), fill);
    }
    let present = BooleanArray::new(nulls.inner().clone(), None);
    let fill = Scalar::new(Arc::clone(fill));
    arrow_select::zip::zip(&present, &array, &fill).map_err(internal)
}

/// Replaces nulls of a dictionary by a value that is appended to it.
fn fill_dictionary(
    dictionary: &DictionaryArray<Int32Type>,
    present: &BooleanBuffer,
    fill: &ArrayRef,
) -> Result<ArrayRef, Error> {
    let values = dictionary.values();
    let fill = arrow_cast::cast(fill, values.data_type()).map_err(internal)?;
    let filler = i32::try_from(values.len()).map_err(internal)?;
    let values = arrow_select::concat::concat(&[values.as_ref(), fill.as_ref()]);
    let keys = dictionary.keys().values().iter().enumerate();
    let keys = keys.map(|(row, key)| if present.value(row) { *key } else { filler });
    let keys = Int32Array::from_iter_values(keys);
    let filled = DictionaryArray::try_new(keys, values.map_err(internal)?).map_err(internal)?;
    Ok(Arc::new(filled))
}

/// Wraps an error that only a broken invariant can cause.
pub(crate) fn internal(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}
