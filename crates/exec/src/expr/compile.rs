//! From the parsed tree to a compiled expression.

use arrow_array::{ArrayRef, ListArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use growler_base::limits;
use growler_schema::{ColumnType, Value};
use growler_segment::InsidePath;
use std::cell::OnceCell;
use std::sync::Arc;

use super::{
    Compiled, Input, Inputs, KeyView,
    call::Call,
    convert::value,
    describe::describe,
    function,
    node::{Node, internal},
};
use crate::{error::Error, sql::ast::Expr};

/// What compiling depends on besides the expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompileOptions {
    /// Whether SQL's three-valued logic holds (`enableNullHandling`).
    pub null_handling: bool,
    /// The query's start in milliseconds since 1970, UTC: what `now()` returns.
    pub now_ms: i64,
}

/// Compiles an expression; folds its constant parts.
///
/// With null handling off, a null that a slot or a function gives is replaced by the slot's
/// default, or by 0, false or `null`. Only `IS [NOT] NULL`, `COALESCE`, `NULLIF` and
/// `IS [NOT] DISTINCT FROM` see the nulls of their arguments in both modes.
///
/// # Errors
/// [`Error::Validation`] for unknown functions, wrong argument counts and types, with the text of
/// the offending expression; [`Error::UnknownColumn`] from `inputs`.
pub fn compile(
    expr: &Expr,
    inputs: &mut dyn Inputs,
    options: &CompileOptions,
) -> Result<Compiled, Error> {
    compile_viewed(expr, KeyView::Own, inputs, options)
}

/// Compiles an expression whose keys are wanted in a view: [`KeyView::Number`] for the arguments of
/// numeric aggregates.
///
/// The view reaches keys that are the expression itself or a branch of it, not the arguments of
/// functions.
///
/// # Errors
/// Those of [`compile`].
pub fn compile_viewed(
    expr: &Expr,
    view: KeyView,
    inputs: &mut dyn Inputs,
    options: &CompileOptions,
) -> Result<Compiled, Error> {
    let mut compiler = Compiler {
        inputs,
        now_ms: options.now_ms,
        null_handling: options.null_handling,
        depth: 0,
    };
    Ok(Compiled::new(compiler.compile(expr, view)?))
}

/// Compiles the nodes of one expression.
pub(crate) struct Compiler<'i> {
    inputs: &'i mut dyn Inputs,
    /// The query's start.
    pub now_ms: i64,
    /// Whether nulls are kept.
    pub null_handling: bool,
    depth: usize,
}

impl Compiler<'_> {
    /// Compiles an expression whose keys are wanted in a view.
    pub fn compile(&mut self, expr: &Expr, view: KeyView) -> Result<Node, Error> {
        if self.depth >= 2 * limits::SQL_DEPTH {
            return Err(Error::Validation(format!(
                "expression is nested too deeply: limit={}",
                limits::SQL_DEPTH
            )));
        }
        self.depth += 1;
        let node = self.compile_one(expr, view);
        self.depth -= 1;
        node
    }

    /// Compiles an expression whose nulls are kept whatever the mode.
    pub fn compile_with_nulls(&mut self, expr: &Expr, view: KeyView) -> Result<Node, Error> {
        let before = std::mem::replace(&mut self.null_handling, true);
        let node = self.compile(expr, view);
        self.null_handling = before;
        node
    }

    /// Finds what a path leads to inside of a VARIANT key that is read in its own type, or as JSON text
    /// ([`Self::key_as_json`]); see [`Inputs::inside`].
    pub fn inside_key(
        &mut self,
        (column, key): (&str, &str),
        view: KeyView,
        inside: &InsidePath,
    ) -> Result<Option<Node>, Error> {
        let Some(input) = self.inputs.inside(column, key, view, inside)? else {
            return Ok(None);
        };
        if view != KeyView::Json {
            return self.slot(&input).map(Some);
        }
        let null = Value::String("null".to_owned());
        let fill = value::single(Some(&null), input.column_type)?;
        Ok(Some(Node::slot(input.slot, input.column_type, Some(fill))))
    }

    /// Finds a VARIANT key as JSON text; a missing one is the text `null` whatever the mode.
    pub fn key_as_json(&mut self, column: &str, key: &str) -> Result<Node, Error> {
        let input = self.inputs.item(column, key, KeyView::Json)?;
        let null = Value::String("null".to_owned());
        let fill = value::single(Some(&null), input.column_type)?;
        Ok(Node::slot(input.slot, input.column_type, Some(fill)))
    }

    /// Returns what replaces nulls that are computed, if anything does.
    pub fn fill(&self, column_type: ColumnType) -> Result<Option<ArrayRef>, Error> {
        if self.null_handling || column_type.multi_value {
            return Ok(None);
        }
        let placeholder = value::placeholder(column_type.data_type);
        value::single(Some(&placeholder), column_type).map(Some)
    }

    fn compile_one(&mut self, expr: &Expr, view: KeyView) -> Result<Node, Error> {
        match expr {
            Expr::Column(name) => {
                let input = self.inputs.column(name)?;
                self.slot(&input)
            }
            Expr::Item { column, key } => {
                let input = self.inputs.item(column, key, view)?;
                self.slot(&input)
            }
            Expr::Literal(literal) => Node::literal(literal),
            Expr::Call { name, args } => {
                let build = function::find(name).ok_or_else(|| unsupported(name, args.len()))?;
                build(&mut Call {
                    compiler: self,
                    name,
                    args,
                    expr,
                    view,
                    shown: OnceCell::new(),
                })
            }
            Expr::Aggregate(call) => Err(Error::Validation(format!(
                "aggregation function is not allowed here: expression={}",
                describe(&Expr::Aggregate(call.clone()))
            ))),
        }
    }

    fn slot(&self, input: &Input) -> Result<Node, Error> {
        let fill = if self.null_handling {
            None
        } else {
            Some(default_array(input)?)
        };
        Ok(Node::slot(input.slot, input.column_type, fill))
    }
}

/// Makes an array of a slot's default; of a multi-value one, a list of just that value.
fn default_array(input: &Input) -> Result<ArrayRef, Error> {
    let ColumnType {
        data_type,
        multi_value,
    } = input.column_type;
    let default = default_of_type(&input.default_null, data_type.single());
    let element = value::single(Some(&default), data_type.single())?;
    if !multi_value {
        return Ok(element);
    }
    let field = Arc::new(Field::new_list_field(data_type.arrow_type(), true));
    let list = ListArray::try_new(field, OffsetBuffer::from_lengths([1]), element, None);
    Ok(Arc::new(list.map_err(internal)?))
}

/// Returns the default, or the type's when it is of another type.
fn default_of_type(default: &Value, column_type: ColumnType) -> Value {
    match value::single(Some(default), column_type) {
        Ok(_) => default.clone(),
        Err(_) => Value::default_null(column_type.data_type),
    }
}

fn unsupported(name: &str, arg_count: usize) -> Error {
    Error::Validation(format!(
        "Unsupported function: {name} with {arg_count} arguments"
    ))
}
