//! The filter of a query: predicates joined by AND, OR and NOT.

use growler_schema::{DataType, Value};

use super::document;
use super::leaf::{Leaf, OnNull, Predicate};
use crate::{
    error::Error,
    expr::{CompileOptions, InputBatch, Inputs, KeyView, Test, compile, key_view},
    filter::{Mask, Truth},
    plan::Operand,
    sql::{
        ast::{Expr, Literal},
        comparison,
        names::expr_text,
    },
};

/// A tree of predicates.
#[derive(Debug)]
pub enum Filter {
    /// The same for every row; none is null.
    Constant(Option<bool>),
    /// One predicate.
    Leaf(Box<Leaf>),
    /// All of some; cheapest first.
    And(Vec<Filter>),
    /// Any of some; cheapest first.
    Or(Vec<Filter>),
    /// The opposite.
    Not(Box<Filter>),
}

impl Filter {
    /// Tells whether every row passes.
    pub fn is_true(&self) -> bool {
        matches!(self, Self::Constant(Some(true)))
    }

    /// Returns what a row costs, roughly.
    pub fn cost(&self) -> u32 {
        match self {
            Self::Constant(_) => 0,
            Self::Leaf(leaf) => leaf.cost,
            Self::And(children) | Self::Or(children) => {
                children.iter().map(Self::cost).fold(0, u32::saturating_add)
            }
            Self::Not(child) => child.cost(),
        }
    }

    /// Calls `see` with every leaf, in the order of evaluation.
    pub fn visit<'f>(&'f self, see: &mut impl FnMut(&'f Leaf)) {
        match self {
            Self::Constant(_) => {}
            Self::Leaf(leaf) => see(leaf),
            Self::And(children) | Self::Or(children) => {
                children.iter().for_each(|child| child.visit(see));
            }
            Self::Not(child) => child.visit(see),
        }
    }

    /// Numbers the leaves, in the order of evaluation.
    pub fn number_leaves(&mut self) {
        self.number_from(0);
    }

    fn number_from(&mut self, next: usize) -> usize {
        match self {
            Self::Constant(_) => next,
            Self::Leaf(leaf) => {
                leaf.id = Some(next);
                next + 1
            }
            Self::And(children) | Self::Or(children) => children
                .iter_mut()
                .fold(next, |next, child| child.number_from(next)),
            Self::Not(child) => child.number_from(next),
        }
    }

    /// Rebuilds the filter with `change` applied to every leaf.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn try_map_leaves(
        self,
        change: &mut impl FnMut(Leaf) -> Result<Self, Error>,
    ) -> Result<Self, Error> {
        let mut all = |children: Vec<Self>| {
            children
                .into_iter()
                .map(|child| child.try_map_leaves(change))
                .collect::<Result<_, _>>()
        };
        Ok(match self {
            Self::Constant(_) => self,
            Self::And(children) => joined(all(children)?, true),
            Self::Or(children) => joined(all(children)?, false),
            Self::Leaf(leaf) => change(*leaf)?,
            Self::Not(child) => negated(child.try_map_leaves(change)?),
        })
    }

    /// Evaluates the filter for every row of a batch that has all its slots.
    ///
    /// # Errors
    /// [`Error::Execution`] when a value cannot be processed.
    pub fn evaluate(&self, batch: &InputBatch) -> Result<Truth, Error> {
        let len = batch.row_count;
        Ok(match self {
            Self::Constant(Some(true)) => Truth::of(Mask::all(len)),
            Self::Constant(Some(false)) => Truth::never(len),
            Self::Constant(None) => Truth {
                trues: Mask::none(len),
                nulls: Mask::all(len),
            },
            Self::Leaf(leaf) => leaf.evaluate(batch)?,
            Self::And(children) => {
                let (mut trues, mut possible) = (Mask::all(len), Mask::all(len));
                for child in children {
                    let truth = child.evaluate(batch)?;
                    trues = trues.and(&truth.trues);
                    possible = possible.and(&truth.possible());
                }
                Truth {
                    nulls: possible.without(&trues),
                    trues,
                }
            }
            Self::Or(children) => {
                let mut joined = Truth::never(len);
                for child in children {
                    let truth = child.evaluate(batch)?;
                    joined.trues = joined.trues.or(&truth.trues);
                    joined.nulls = joined.nulls.or(&truth.nulls);
                }
                joined.nulls = joined.nulls.without(&joined.trues);
                joined
            }
            Self::Not(child) => child.evaluate(batch)?.not(&Mask::all(len)),
        })
    }
}

/// Builds filters over the slots of `inputs`.
pub struct Builder<'i> {
    /// Where columns and keys come from.
    pub inputs: &'i mut dyn Inputs,
    /// Null handling and time.
    pub options: CompileOptions,
}

impl Builder<'_> {
    /// Builds the filter of a boolean expression.
    ///
    /// # Errors
    /// Those of compiling its parts.
    pub fn build(&mut self, expr: &Expr) -> Result<Filter, Error> {
        match expr.as_call() {
            Some(("and", args)) => Ok(joined(self.build_all(args)?, true)),
            Some(("or", args)) => Ok(joined(self.build_all(args)?, false)),
            Some(("not", [arg])) => Ok(negated(self.build(arg)?)),
            Some((name @ ("is_null" | "is_not_null"), [subject])) => {
                self.is_null(expr, subject, name == "is_not_null")
            }
            Some((name, [subject, literals @ ..])) if is_test(name) && !subject.is_constant() => {
                match self.literals(literals)? {
                    Some(literals) => self.test(expr, name, subject, &literals),
                    None => self.boolean(expr),
                }
            }
            _ => self.boolean(expr),
        }
    }

    fn build_all(&mut self, args: &[Expr]) -> Result<Vec<Filter>, Error> {
        args.iter().map(|arg| self.build(arg)).collect()
    }

    /// Returns the values of constant expressions; none when one is not constant.
    fn literals(&mut self, exprs: &[Expr]) -> Result<Option<Vec<Literal>>, Error> {
        let mut literals = Vec::with_capacity(exprs.len());
        for expr in exprs {
            literals.push(match expr {
                Expr::Literal(literal) => literal.clone(),
                expr if !expr.is_constant() => return Ok(None),
                expr => match compile(expr, self.inputs, &self.options)?.constant() {
                    Some(value) => match literal(value) {
                        Some(literal) => literal,
                        None => return Ok(None),
                    },
                    None => return Ok(None),
                },
            });
        }
        Ok(Some(literals))
    }

    fn test(
        &mut self,
        expr: &Expr,
        name: &str,
        subject: &Expr,
        literals: &[Literal],
    ) -> Result<Filter, Error> {
        let view = key_view(name, literals);
        let operand = Operand::compile(subject, view, self.inputs, &self.options)?;
        let text = expr_text(subject, self.options.null_handling);
        let test = Test::compile(name, literals, operand.column_type(), &text)?;
        let test = Box::new(test);
        let default_passes = test.matches(operand.default_null());
        let on_null = match self.options.null_handling {
            true => OnNull::Null,
            false => OnNull::Constant(default_passes),
        };
        let needs_values = on_null == OnNull::Constant(true)
            && matches!(subject, Expr::Item { .. })
            && !is_negation(name);
        let is_convex = comparison::is_convex(name) && !operand.column_type().multi_value;
        let cost = cost(&operand, subject);
        let slots = operand.slots();
        let predicate = Predicate::Test {
            operand,
            test,
            on_null,
            is_convex,
        };
        Ok(Filter::Leaf(Box::new(Leaf {
            id: None,
            expr: expr.clone(),
            predicate,
            slots,
            cost,
            needs_values,
            document: document::of_test(name, subject, literals, &self.options),
        })))
    }

    fn is_null(&mut self, expr: &Expr, subject: &Expr, negated: bool) -> Result<Filter, Error> {
        let operand = Operand::compile(subject, KeyView::Own, self.inputs, &self.options)?;
        if operand.bare_slot().is_none() && !self.options.null_handling {
            // Computed from defaults it would never be null: the function sees the real nulls.
            return self.boolean(expr);
        }
        let (cost, slots) = (cost(&operand, subject), operand.slots());
        let predicate = Predicate::IsNull { operand, negated };
        let needs_values = false;
        Ok(Filter::Leaf(Box::new(Leaf {
            id: None,
            expr: expr.clone(),
            predicate,
            slots,
            cost,
            needs_values,
            document: None,
        })))
    }

    fn boolean(&mut self, expr: &Expr) -> Result<Filter, Error> {
        let compiled = compile(expr, self.inputs, &self.options)?;
        // The NULL literal is of no type.
        if matches!(expr, Expr::Literal(Literal::Null)) {
            return Ok(Filter::Constant(None));
        }
        if compiled.column_type() != DataType::Boolean.single() {
            let text = expr_text(expr, self.options.null_handling);
            return Err(Error::Validation(format!(
                "filter is not boolean: expression={text}"
            )));
        }
        if let Some(constant) = compiled.constant() {
            let known = |value: Value| matches!(value, Value::Boolean(true));
            return Ok(Filter::Constant(constant.map(known)));
        }
        let slots = compiled.slots();
        let predicate = Predicate::Boolean(compiled);
        let (cost, needs_values) = (EXPRESSION_COST, false);
        Ok(Filter::Leaf(Box::new(Leaf {
            id: None,
            expr: expr.clone(),
            predicate,
            slots,
            cost,
            needs_values,
            document: document::of_match(expr, &self.options),
        })))
    }
}

const EXPRESSION_COST: u32 = 1000;

/// Returns what a value of a leaf costs, roughly, in tenths of nanoseconds.
fn cost(operand: &Operand, subject: &Expr) -> u32 {
    let column_type = operand.column_type();
    let by_type = match column_type.data_type {
        DataType::Boolean | DataType::Int | DataType::Float => 5,
        DataType::Long | DataType::Double | DataType::Timestamp { .. } => 8,
        DataType::BigDecimal { .. } | DataType::Bytes | DataType::Uuid => 20,
        DataType::String => 30,
        DataType::Json | DataType::Map => 200,
        DataType::OpenStruct => 2000,
    };
    let by_subject = match subject {
        Expr::Column(_) => 0,
        // Where it is not shredded, a key is looked up in every value.
        Expr::Item { .. } => 100,
        Expr::Literal(_) | Expr::Call { .. } | Expr::Aggregate(_) => EXPRESSION_COST,
    };
    by_type + by_subject
}

fn is_test(name: &str) -> bool {
    comparison::compares_values(name) || comparison::matches_pattern(name)
}

fn is_negation(name: &str) -> bool {
    matches!(name, "not_equals" | "not_in" | "not_like")
}

/// Returns the literal of a value; none when there is no such literal.
fn literal(value: Option<Value>) -> Option<Literal> {
    Some(match value {
        None => Literal::Null,
        Some(Value::Int(value)) => Literal::Int(value),
        Some(Value::Long(value)) => Literal::Long(value),
        Some(Value::Float(value)) => Literal::Double(f64::from(value), value.to_string()),
        Some(Value::Double(value)) => Literal::Double(value, value.to_string()),
        Some(Value::Boolean(value)) => Literal::Boolean(value),
        Some(Value::String(text)) => Literal::String(text),
        Some(Value::BigDecimal(..) | Value::Timestamp(..) | Value::Bytes(_)) => return None,
    })
}

/// Joins filters: constants fold, nested ones of the same kind flatten, the cheapest come first.
pub fn joined(children: Vec<Filter>, all: bool) -> Filter {
    let mut kept = Vec::with_capacity(children.len());
    let mut has_null = false;
    for child in children {
        match child {
            Filter::Constant(Some(value)) if value == all => {}
            Filter::Constant(Some(value)) => return Filter::Constant(Some(value)),
            Filter::Constant(None) => has_null = true,
            Filter::And(nested) if all => kept.extend(nested),
            Filter::Or(nested) if !all => kept.extend(nested),
            other => kept.push(other),
        }
    }
    if has_null {
        kept.push(Filter::Constant(None));
    }
    kept.sort_by_key(Filter::cost);
    match kept.len() {
        0 => Filter::Constant(Some(all)),
        1 => kept.pop().unwrap_or(Filter::Constant(Some(all))),
        _ if all => Filter::And(kept),
        _ => Filter::Or(kept),
    }
}

fn negated(filter: Filter) -> Filter {
    match filter {
        Filter::Constant(value) => Filter::Constant(value.map(|value| !value)),
        Filter::Not(child) => *child,
        other => Filter::Not(Box::new(other)),
    }
}
