//! The whole plan of a query.

use arrow_schema::SortOptions;
use growler_schema::{ColumnType, DataType};

use super::{
    Operand, Slot, Slots,
    operand::{Nulls, add_slots},
    result::{GroupColumns, GroupResult},
};
use crate::{
    aggregate::Function,
    error::Error,
    expr::{CompileOptions, KeyView},
    filter::{Builder, Filter, Leaf},
    options::QueryOptions,
    sql::{
        ast::{AggregateCall, Expr, OrderBy, Query, SelectItem},
        names::{expr_text, result_name},
    },
    table::View,
};

/// What to run on every segment, and what to make of it.
#[derive(Debug)]
pub struct Plan {
    /// What is read.
    pub slots: Vec<Slot>,
    /// Which rows.
    pub filter: Filter,
    /// What is made of them.
    pub shape: Shape,
    /// Slots that `shape` reads of the rows that pass.
    pub projected: Vec<usize>,
    /// The selected expressions, for EXPLAIN.
    pub selected: Vec<Expr>,
    /// The aggregates, each once, for EXPLAIN.
    pub aggregations: Vec<Expr>,
    /// Names of the result's columns.
    pub names: Vec<String>,
    /// Types of the result's columns.
    pub types: Vec<ColumnType>,
    /// What nulls become where values are compared and folded.
    pub nulls: Nulls,
    /// Rows of the result that are left out at its start.
    pub offset: usize,
    /// Most rows of the result.
    pub limit: usize,
}

/// What is made of the rows that pass.
#[derive(Debug)]
pub enum Shape {
    /// The rows themselves, in the order of `sort`, else in theirs.
    Select {
        /// What is shown.
        select: Vec<Selected>,
        /// Their order.
        sort: Vec<SortKey>,
    },
    /// Groups of rows.
    Group(Grouping),
}

/// A selected item.
#[derive(Debug)]
pub struct Selected {
    /// What is shown.
    pub operand: Operand,
    /// What its nulls show as.
    pub nulls: Nulls,
}

/// One key of ORDER BY.
#[derive(Debug)]
pub struct SortKey {
    /// What is sorted on.
    pub operand: Operand,
    /// Direction, and where nulls go.
    pub options: SortOptions,
}

/// Groups and what is computed for each.
#[derive(Debug)]
pub struct Grouping {
    /// Group keys; without any all rows are one group, even when there are none.
    pub keys: Vec<Operand>,
    /// Aggregates, each once.
    pub aggregates: Vec<Aggregate>,
    /// What is made of the groups.
    pub result: GroupResult,
    /// Whether it is DISTINCT: any rows of the limit's number will do, when there is no order.
    pub is_distinct: bool,
}

/// One aggregate.
#[derive(Debug)]
pub struct Aggregate {
    /// The function.
    pub function: Function,
    /// What it is computed over.
    pub args: Vec<Operand>,
    /// Which rows.
    pub filter: Option<Filter>,
    /// Type of its result.
    pub result_type: ColumnType,
}

impl SortKey {
    /// Makes a key; null is the largest value unless the query says otherwise.
    pub fn new(operand: Operand, order: &OrderBy) -> Self {
        let nulls_first = order.nulls_first.unwrap_or(order.descending);
        Self {
            operand,
            options: SortOptions {
                descending: order.descending,
                nulls_first,
            },
        }
    }
}

impl Aggregate {
    /// Returns the types of the arguments.
    pub fn arg_types(&self) -> Vec<ColumnType> {
        self.args.iter().map(Operand::column_type).collect()
    }

    fn slots(&self) -> Vec<usize> {
        let mut slots: Vec<usize> = self.args.iter().flat_map(Operand::slots).collect();
        if let Some(filter) = &self.filter {
            filter.visit(&mut |leaf: &Leaf| slots.extend(&leaf.slots));
        }
        slots
    }
}

impl Grouping {
    /// Tells whether the answer is the number of rows, whatever they hold.
    pub fn only_counts_rows(&self) -> bool {
        let counts = |aggregate: &Aggregate| {
            aggregate.filter.is_none() && aggregate.function.counts_rows(&aggregate.arg_types())
        };
        self.keys.is_empty() && self.aggregates.iter().all(counts)
    }
}

impl Plan {
    /// Plans a query over a view.
    ///
    /// # Errors
    /// [`Error::Validation`] or [`Error::UnknownColumn`].
    pub fn compile(
        query: &Query,
        view: &View,
        options: &QueryOptions,
        now_ms: i64,
    ) -> Result<Self, Error> {
        let compile = CompileOptions {
            null_handling: options.null_handling,
            now_ms,
        };
        let mut slots = Slots::new(view).including_dropped(options.include_dropped);
        let mut builder = Builder {
            inputs: &mut slots,
            options: compile,
        };
        let filter = query
            .filter
            .as_ref()
            .map(|filter| builder.build(filter))
            .transpose()?;
        let items = items(query, view);
        let names = items
            .iter()
            .map(|(expr, alias)| result_name(query, expr, alias.as_deref(), options.null_handling));
        let names = names.collect();
        let select: Vec<Expr> = items.into_iter().map(|(expr, _)| expr).collect();
        let mut planner = Planner {
            query,
            slots: &mut slots,
            options,
            compile,
        };
        let (shape, types) = planner.shape(&select)?;
        let projected = shape.projected();
        let calls = aggregates(select.iter().chain(beyond_select(query)));
        let aggregations = calls
            .into_iter()
            .map(|call| Expr::Aggregate(Box::new(call)))
            .collect();
        let mut filter = filter.unwrap_or(Filter::Constant(Some(true)));
        filter.number_leaves();
        let size = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        Ok(Self {
            slots: slots.into_slots(),
            filter,
            shape,
            projected,
            selected: select,
            aggregations,
            names,
            types,
            nulls: Nulls::of(options.null_handling),
            offset: size(query.offset),
            limit: size(query.limit),
        })
    }

    /// Tells whether any distinct rows of the wanted number do, since no order or HAVING chooses among
    /// them.
    pub fn any_groups_do(&self) -> bool {
        match &self.shape {
            Shape::Select { .. } => false,
            Shape::Group(grouping) => {
                let result = &grouping.result;
                grouping.is_distinct && result.sort.is_empty() && result.having.is_none()
            }
        }
    }

    /// Returns how many rows of the result matter, those of the offset included.
    pub fn wanted(&self) -> usize {
        self.offset.saturating_add(self.limit)
    }
}

impl Shape {
    /// Returns the slots read of the rows that pass; for sorted rows those of the sort keys.
    fn projected(&self) -> Vec<usize> {
        let mut slots = Vec::new();
        match self {
            Self::Select { select, sort } if sort.is_empty() => {
                add_slots(
                    &mut slots,
                    select.iter().flat_map(|item| item.operand.slots()),
                );
            }
            Self::Select { sort, .. } => {
                add_slots(&mut slots, sort.iter().flat_map(|key| key.operand.slots()));
            }
            Self::Group(grouping) => {
                add_slots(&mut slots, grouping.keys.iter().flat_map(Operand::slots));
                add_slots(
                    &mut slots,
                    grouping.aggregates.iter().flat_map(Aggregate::slots),
                );
            }
        }
        slots
    }
}

/// Returns the expressions over groups that are not selected.
fn beyond_select(query: &Query) -> impl Iterator<Item = &Expr> {
    query
        .having
        .iter()
        .chain(query.order_by.iter().map(|key| &key.expr))
}

/// Returns the selected expressions with their aliases, `*` taken apart.
fn items(query: &Query, view: &View) -> Vec<(Expr, Option<String>)> {
    let mut items = Vec::new();
    for item in &query.select {
        match item {
            SelectItem::All => {
                let names = view.schema().fields().iter().map(|field| &field.name);
                let shown = names.filter(|name| !name.starts_with('$'));
                items.extend(shown.map(|name| (Expr::Column(name.clone()), None)));
            }
            SelectItem::Expr { expr, alias } => items.push((expr.clone(), alias.clone())),
        }
    }
    items
}

struct Planner<'q, 'v> {
    query: &'q Query,
    slots: &'q mut Slots<'v>,
    options: &'q QueryOptions,
    compile: CompileOptions,
}

impl Planner<'_, '_> {
    fn shape(&mut self, select: &[Expr]) -> Result<(Shape, Vec<ColumnType>), Error> {
        let query = self.query;
        let aggregates = aggregates(select.iter().chain(beyond_select(query)));
        let is_grouped = query.distinct || !query.group_by.is_empty() || !aggregates.is_empty();
        if !is_grouped && query.having.is_none() {
            return self.select(select);
        }
        let keys = if query.distinct {
            select
        } else {
            &query.group_by
        };
        self.group(select, keys, aggregates)
    }

    fn select(&mut self, exprs: &[Expr]) -> Result<(Shape, Vec<ColumnType>), Error> {
        let mut select = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let operand = self.operand(expr, false)?;
            let shows_null = match operand.bare_slot() {
                Some(slot) => self.slots.slot(slot)?.shows_null,
                None => false,
            };
            let nulls = Nulls::of(self.options.null_handling || shows_null);
            select.push(Selected { operand, nulls });
        }
        let mut sort = Vec::with_capacity(self.query.order_by.len());
        for key in &self.query.order_by {
            sort.push(SortKey::new(self.operand(&key.expr, false)?, key));
        }
        let types = select
            .iter()
            .map(|item| item.operand.column_type())
            .collect();
        Ok((Shape::Select { select, sort }, types))
    }

    fn group(
        &mut self,
        select: &[Expr],
        key_exprs: &[Expr],
        calls: Vec<AggregateCall>,
    ) -> Result<(Shape, Vec<ColumnType>), Error> {
        let keys = key_exprs.iter().map(|expr| self.operand(expr, false));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let aggregates = calls.iter().map(|call| self.aggregate(call));
        let aggregates = aggregates.collect::<Result<Vec<_>, _>>()?;
        // A multi-value key has one group for each of its values.
        let key_types = keys.iter().map(|key| key.column_type().data_type.single());
        let types = key_types.chain(aggregates.iter().map(|aggregate| aggregate.result_type));
        let types: Vec<ColumnType> = types.collect();
        let key_defaults = keys.iter().map(|key| key.default_null().clone());
        let results = types.iter().skip(keys.len());
        let result_defaults =
            results.map(|result| growler_schema::Value::default_null(result.data_type));
        let default_nulls = key_defaults.chain(result_defaults).collect();
        let mut columns = GroupColumns {
            keys: key_exprs,
            aggregates: &calls,
            types,
            default_nulls,
        };
        let (having, order_by) = (self.query.having.as_ref(), &self.query.order_by);
        let result = columns.compile(select, having, order_by, self.compile)?;
        let types = result.select.iter().map(Operand::column_type).collect();
        let is_distinct = self.query.distinct;
        Ok((
            Shape::Group(Grouping {
                keys,
                aggregates,
                result,
                is_distinct,
            }),
            types,
        ))
    }

    fn aggregate(&mut self, call: &AggregateCall) -> Result<Aggregate, Error> {
        let null_handling = self.options.null_handling;
        let text = expr_text(&Expr::Aggregate(Box::new(call.clone())), null_handling);
        let mut call = call.clone();
        if self.options.auto_rewrite_aggregation_type {
            self.keep_type(&mut call)?;
        }
        let (function, arguments) = Function::of(&call, null_handling)?;
        let args = arguments
            .iter()
            .map(|argument| self.operand(&argument.expr, argument.as_number));
        let args = args.collect::<Result<Vec<_>, _>>()?;
        let arg_types: Vec<_> = args.iter().map(Operand::column_type).collect();
        let result_type = function.result_type(&arg_types, &text)?;
        let filter = match &call.filter {
            None => None,
            Some(filter) => Some(
                Builder {
                    inputs: self.slots,
                    options: self.compile,
                }
                .build(filter)?,
            ),
        };
        Ok(Aggregate {
            function,
            args,
            filter,
            result_type,
        })
    }

    /// Replaces MIN, MAX and SUM by the forms that keep the type of their argument.
    fn keep_type(&mut self, call: &mut AggregateCall) -> Result<(), Error> {
        let [arg] = call.args.as_slice() else {
            return Ok(());
        };
        if !matches!(call.name.as_str(), "min" | "max" | "sum") {
            return Ok(());
        }
        let data_type = self.operand(arg, false)?.column_type().data_type;
        let suffix = match (call.name.as_str(), data_type) {
            ("min" | "max", DataType::String) => "string",
            ("min" | "max", DataType::Long) => "long",
            ("sum", DataType::Int) => "int",
            ("sum", DataType::Long) => "long",
            _ => return Ok(()),
        };
        call.name.push_str(suffix);
        Ok(())
    }

    fn operand(&mut self, expr: &Expr, as_number: bool) -> Result<Operand, Error> {
        let view = if as_number {
            KeyView::Number
        } else {
            KeyView::Own
        };
        Operand::compile(expr, view, self.slots, &self.compile)
    }
}

/// Returns the aggregates in some expressions, each once, in the order they appear.
fn aggregates<'e>(exprs: impl Iterator<Item = &'e Expr>) -> Vec<AggregateCall> {
    let mut found: Vec<AggregateCall> = Vec::new();
    for expr in exprs {
        expr.visit(&mut |expr| {
            let Expr::Aggregate(call) = expr else {
                return true;
            };
            if !found.contains(call) {
                found.push(call.as_ref().clone());
            }
            false
        });
    }
    found
}
