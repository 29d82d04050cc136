//! One expression, ready to run on batches.

use arrow_array::ArrayRef;
use growler_schema::{ColumnType, Value};

use super::substitute::fill_nulls;
use crate::{
    error::Error,
    expr::{CompileOptions, Compiled, InputBatch, Inputs, KeyView, compile::compile_viewed},
    sql::ast::Expr,
};

/// What nulls become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// They stay.
    Keep,
    /// They become the default null value.
    Fill,
}

impl Nulls {
    /// Returns what nulls become where values are compared and folded.
    pub fn of(null_handling: bool) -> Self {
        if null_handling {
            Self::Keep
        } else {
            Self::Fill
        }
    }
}

/// A compiled expression, or just a slot.
#[derive(Debug)]
pub struct Operand {
    source: Source,
    column_type: ColumnType,
    default_null: Value,
}

#[derive(Debug)]
enum Source {
    Slot(usize),
    Compiled(Compiled),
}

impl Operand {
    /// Compiles an expression; a bare key is read as `view` says.
    ///
    /// # Errors
    /// Those of [`compile_viewed`].
    pub fn compile(
        expr: &Expr,
        view: KeyView,
        inputs: &mut dyn Inputs,
        options: &CompileOptions,
    ) -> Result<Self, Error> {
        let input = match expr {
            Expr::Column(name) => inputs.column(name)?,
            Expr::Item { column, key } => inputs.item(column, key, view)?,
            Expr::Literal(_) | Expr::Call { .. } | Expr::Aggregate(_) => {
                let compiled = compile_viewed(expr, view, inputs, options)?;
                let column_type = compiled.column_type();
                let default_null = Value::default_null(column_type.data_type);
                return Ok(Self {
                    source: Source::Compiled(compiled),
                    column_type,
                    default_null,
                });
            }
        };
        Ok(Self {
            source: Source::Slot(input.slot),
            column_type: input.column_type,
            default_null: input.default_null,
        })
    }

    /// Returns the same operand once more, when it is just a slot.
    pub fn of_bare_slot(&self) -> Option<Self> {
        let source = Source::Slot(self.bare_slot()?);
        Some(Self {
            source,
            column_type: self.column_type,
            default_null: self.default_null.clone(),
        })
    }

    /// Returns the type of the values.
    pub fn column_type(&self) -> ColumnType {
        self.column_type
    }

    /// Returns what a null stands for when null handling is off.
    pub fn default_null(&self) -> &Value {
        &self.default_null
    }

    /// Returns the slot, when the expression is nothing else.
    pub fn bare_slot(&self) -> Option<usize> {
        match &self.source {
            Source::Slot(slot) => Some(*slot),
            Source::Compiled(_) => None,
        }
    }

    /// Returns the slots that are read.
    pub fn slots(&self) -> Vec<usize> {
        match &self.source {
            Source::Slot(slot) => vec![*slot],
            Source::Compiled(compiled) => compiled.slots(),
        }
    }

    /// Evaluates the expression for every row of a batch.
    ///
    /// # Errors
    /// [`Error::Execution`] when a value cannot be processed.
    pub fn evaluate(&self, batch: &InputBatch, nulls: Nulls) -> Result<ArrayRef, Error> {
        let array = match &self.source {
            Source::Slot(slot) => batch
                .columns
                .get(*slot)
                .cloned()
                .ok_or_else(|| Error::Internal(format!("no such slot: slot={slot}")))?,
            Source::Compiled(compiled) => compiled.evaluate(batch)?,
        };
        match nulls {
            Nulls::Keep => Ok(array),
            Nulls::Fill => fill_nulls(&array, &self.default_null),
        }
    }
}

/// Adds slots to an ascending list without repeats.
pub fn add_slots(list: &mut Vec<usize>, more: impl IntoIterator<Item = usize>) {
    list.extend(more);
    list.sort_unstable();
    list.dedup();
}
