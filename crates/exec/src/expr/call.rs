//! What a function sees of its call while it is compiled.

use std::cell::OnceCell;
use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::ArrayRef;
use growler_schema::{ColumnType, DataType, TimeUnit, Value};

use super::{
    KeyView,
    args::Args,
    compile::Compiler,
    convert::{
        self,
        cast::{Refused, cast_lists, text_of},
        decimal::Decimal,
    },
    describe::describe,
    node::{Node, Operator},
    strict::Strict,
};
use crate::{
    error::Error,
    sql::ast::{Expr, Literal},
};

/// Digits behind the point of a BIG_DECIMAL made of numbers whose digits are not known beforehand.
pub(crate) const COMPUTED_SCALE: i8 = 18;

/// A call being compiled.
pub(crate) struct Call<'c, 'i> {
    /// Compiles the arguments.
    pub compiler: &'c mut Compiler<'i>,
    /// Canonical name.
    pub name: &'c str,
    /// Arguments.
    pub args: &'c [Expr],
    /// The whole call.
    pub expr: &'c Expr,
    /// As what the caller wants keys.
    pub view: KeyView,
    /// The call's text, once it was asked for: a wide call asks for each of its arguments.
    pub shown: OnceCell<Arc<str>>,
}

impl<'c> Call<'c, '_> {
    /// Returns the text of the call.
    pub fn text(&self) -> Arc<str> {
        let shown = self.shown.get_or_init(|| describe(self.expr).into());
        Arc::clone(shown)
    }

    /// Makes an error that names the call.
    pub fn invalid(&self, message: impl std::fmt::Display) -> Error {
        Error::Validation(format!("{message}, expression={}", self.text()))
    }

    /// Checks the count of arguments.
    pub fn arity(&self, count: RangeInclusive<usize>) -> Result<(), Error> {
        if count.contains(&self.args.len()) {
            return Ok(());
        }
        let (low, high) = (count.start(), count.end());
        let expected = match (low == high, *high == usize::MAX) {
            (true, _) => format!("{low}"),
            (false, true) => format!("at least {low}"),
            (false, false) => format!("{low} to {high}"),
        };
        let have = self.args.len();
        Err(self.invalid(format!(
            "{} needs {expected} arguments, has {have}",
            self.name
        )))
    }

    /// Returns an argument.
    pub fn arg(&self, idx: usize) -> Result<&'c Expr, Error> {
        self.args
            .get(idx)
            .ok_or_else(|| self.invalid(format!("argument {} is missing", idx + 1)))
    }

    /// Compiles an argument as it is.
    pub fn node(&mut self, idx: usize) -> Result<Node, Error> {
        self.viewed(idx, KeyView::Own)
    }

    /// Compiles an argument; a key comes in a view.
    pub fn viewed(&mut self, idx: usize, view: KeyView) -> Result<Node, Error> {
        let expr = self.args.get(idx);
        let expr = expr.ok_or_else(|| self.invalid(format!("argument {} is missing", idx + 1)))?;
        self.compiler.compile(expr, view)
    }

    /// Compiles an argument that must not be multi-value.
    pub fn single(&mut self, idx: usize, view: KeyView) -> Result<Node, Error> {
        let node = self.viewed(idx, view)?;
        if node.column_type.multi_value {
            return Err(self.invalid(format!("argument {} must be single-value", idx + 1)));
        }
        Ok(node)
    }

    /// Compiles an argument as DOUBLE.
    pub fn double(&mut self, idx: usize) -> Result<Node, Error> {
        self.typed(idx, KeyView::Number, DataType::Double)
    }

    /// Compiles an argument as LONG.
    pub fn long(&mut self, idx: usize) -> Result<Node, Error> {
        self.typed(idx, KeyView::Number, DataType::Long)
    }

    /// Compiles an argument as STRING.
    pub fn string(&mut self, idx: usize) -> Result<Node, Error> {
        self.typed(idx, KeyView::Own, DataType::String)
    }

    /// Compiles an argument as milliseconds since 1970: a number is, text is parsed.
    pub fn millis(&mut self, idx: usize) -> Result<Node, Error> {
        let node = self.single(idx, KeyView::Own)?;
        match node.column_type.data_type {
            DataType::String => {
                let time = self.cast(
                    node,
                    DataType::Timestamp {
                        unit: TimeUnit::Millis,
                    },
                )?;
                self.cast(time, DataType::Long)
            }
            _ => self.cast(node, DataType::Long),
        }
    }

    /// Compiles an argument as a type.
    pub fn typed(&mut self, idx: usize, view: KeyView, to: DataType) -> Result<Node, Error> {
        let node = self.single(idx, view)?;
        self.cast(node, to)
    }

    /// Compiles an argument that must be constant text.
    pub fn constant_text(&mut self, idx: usize) -> Result<String, Error> {
        let node = self.single(idx, KeyView::Own)?;
        match node.as_constant() {
            Some(Some(value)) => Ok(text_of(value)),
            _ => Err(self.invalid(format!("argument {} must be a literal", idx + 1))),
        }
    }

    /// Compiles an argument that must be constant text and may be missing.
    pub fn optional_text(&mut self, idx: usize) -> Result<Option<String>, Error> {
        if idx < self.args.len() {
            self.constant_text(idx).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Compiles an argument that must be a constant whole number.
    pub fn constant_long(&mut self, idx: usize) -> Result<i64, Error> {
        let node = self.long(idx)?;
        match node.as_constant() {
            Some(Some(Value::Long(value))) => Ok(*value),
            _ => Err(self.invalid(format!("argument {} must be a whole number", idx + 1))),
        }
    }

    /// Converts a node to a type; what cannot be converted fails when a row has it.
    pub fn cast(&mut self, node: Node, to: DataType) -> Result<Node, Error> {
        let ColumnType {
            data_type: from,
            multi_value,
        } = node.column_type;
        if from == to {
            return Ok(node);
        }
        let column_type = ColumnType {
            data_type: to,
            multi_value,
        };
        if node.is_null_literal() {
            return self.null(column_type);
        }
        if let (Some(Literal::Double(_, text)), DataType::BigDecimal { scale }) =
            (node.as_literal(), to)
            && let Some(unscaled) = Decimal::parse(text).and_then(|n| n.rescale_exact(scale))
        {
            return Node::constant(Some(Value::BigDecimal(unscaled, scale)), column_type);
        }
        let text = self.text();
        let refused = move |refused: Refused| match refused {
            Refused::Value { .. } => Error::Execution(format!("{refused}, expression={text}")),
            Refused::Types { .. } => Error::Validation(format!("{refused}, expression={text}")),
        };
        if !convertible(from, to) {
            return Err(refused(Refused::Types { to: to.name() }));
        }
        self.strict(vec![node], column_type, move |args| {
            let array = args.array(0)?;
            let cast = if multi_value {
                cast_lists
            } else {
                convert::cast
            };
            cast(&array, from, to).map_err(&refused)
        })
    }

    /// Makes a NULL of a type; with null handling off the type's placeholder.
    pub fn null(&self, column_type: ColumnType) -> Result<Node, Error> {
        let null = Node::constant(None, column_type)?;
        match self.compiler.fill(column_type)? {
            Some(fill) => {
                let value = convert::value::value_at(&fill, 0, column_type.data_type);
                Node::constant(value, column_type)
            }
            None => Ok(null),
        }
    }

    /// Makes a function that is null where any argument is.
    pub fn strict(
        &mut self,
        args: Vec<Node>,
        column_type: ColumnType,
        kernel: impl Fn(&Args<'_>) -> Result<ArrayRef, Error> + Send + Sync + 'static,
    ) -> Result<Node, Error> {
        // A NULL argument makes the whole call null, in both modes.
        if args.iter().any(|arg| arg.as_constant() == Some(None)) {
            return self.null(column_type);
        }
        self.operator(
            Strict::new(self.name, args, column_type, Box::new(kernel)),
            column_type,
        )
    }

    /// Makes a node that computes.
    pub fn operator(
        &mut self,
        operator: impl Operator + 'static,
        column_type: ColumnType,
    ) -> Result<Node, Error> {
        let fill = self.compiler.fill(column_type)?;
        Node::operator(operator, column_type, fill)
    }
}

/// Tells whether values of a type can at all be converted to another.
fn convertible(from: DataType, to: DataType) -> bool {
    match (from, to) {
        (DataType::Bytes, to) => to.is_text(),
        (from, DataType::Bytes | DataType::Uuid) => from.is_text(),
        (_, DataType::Map | DataType::OpenStruct) => false,
        _ => true,
    }
}
