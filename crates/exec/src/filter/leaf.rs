//! One predicate, evaluated on arrays.

use arrow_array::{Array, cast::AsArray};

use super::{Mask, Truth, document::DocumentAsk};
use crate::{
    error::Error,
    expr::{Compiled, InputBatch, Test},
    plan::{Operand, operand::Nulls},
    sql::ast::Expr,
};

/// A predicate that is no combination of others.
#[derive(Debug)]
pub struct Leaf {
    /// Its number in the filter of the query; none for leaves of other filters.
    pub id: Option<usize>,
    /// The predicate as parsed, for EXPLAIN.
    pub expr: Expr,
    /// How it is evaluated.
    pub predicate: Predicate,
    /// Slots that are read.
    pub slots: Vec<usize>,
    /// What a value costs, roughly, so that cheap leaves run first.
    pub cost: u32,
    /// Whether the predicate must not hold by a default null value for a key that no row has a value
    /// for (architecture, decision 5).
    pub needs_values: bool,
    /// What an index of JSON documents is asked instead.
    pub document: Option<DocumentAsk>,
}

/// How a leaf is evaluated.
#[derive(Debug)]
pub enum Predicate {
    /// A value against literals.
    Test {
        /// The value.
        operand: Operand,
        /// The test.
        test: Box<Test>,
        /// What becomes of nulls.
        on_null: OnNull,
        /// Whether it passes for every value between two values that pass.
        is_convex: bool,
    },
    /// `IS NULL`, or `IS NOT NULL` when negated; asks for stored nulls whatever null handling says.
    IsNull {
        /// The value.
        operand: Operand,
        /// Whether it is `IS NOT NULL`.
        negated: bool,
    },
    /// Any other boolean expression.
    Boolean(Compiled),
}

/// What becomes of a null in a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnNull {
    /// The result is null: null handling is on.
    Null,
    /// The result is that for the default null value: null handling is off.
    Constant(bool),
}

impl Leaf {
    /// Evaluates the predicate for every row of a batch.
    ///
    /// # Errors
    /// [`Error::Execution`] when a value cannot be processed.
    pub fn evaluate(&self, batch: &InputBatch) -> Result<Truth, Error> {
        match &self.predicate {
            Predicate::Test {
                operand,
                test,
                on_null,
                ..
            } => {
                let array = operand.evaluate(batch, Nulls::Keep)?;
                let trues = Mask::new(test.evaluate(&array)?);
                let nulls = match array.logical_nulls() {
                    Some(nulls) if nulls.null_count() > 0 => Mask::new(!nulls.inner()),
                    _ => return Ok(Truth::of(trues)),
                };
                Ok(match on_null {
                    OnNull::Null => Truth { trues, nulls },
                    OnNull::Constant(true) => Truth::of(trues.or(&nulls)),
                    OnNull::Constant(false) => Truth::of(trues),
                })
            }
            Predicate::IsNull { operand, negated } => {
                let array = operand.evaluate(batch, Nulls::Keep)?;
                Ok(Truth::of(match (array.logical_nulls(), negated) {
                    (None, false) => Mask::none(array.len()),
                    (None, true) => Mask::all(array.len()),
                    (Some(nulls), false) => Mask::new(!nulls.inner()),
                    (Some(nulls), true) => Mask::new(nulls.into_inner()),
                }))
            }
            Predicate::Boolean(compiled) => boolean(compiled, batch),
        }
    }
}

fn boolean(compiled: &Compiled, batch: &InputBatch) -> Result<Truth, Error> {
    let array = compiled.evaluate(batch)?;
    let found = || Error::Internal(format!("filter is no boolean: found={}", array.data_type()));
    let booleans = array.as_boolean_opt().ok_or_else(found)?;
    Ok(match booleans.nulls() {
        Some(nulls) if nulls.null_count() > 0 => Truth {
            trues: Mask::new(booleans.values() & nulls.inner()),
            nulls: Mask::new(!nulls.inner()),
        },
        _ => Truth::of(Mask::new(booleans.values().clone())),
    })
}
