//! What a row needs to be among the first of an order, as far as that is known.

use std::sync::Arc;

use growler_schema::Value;

use crate::{
    expr::{End, Test},
    filter::{Filter, Leaf, Predicate, leaf::OnNull},
    plan::{SortKey, operand::Nulls},
    sql::ast::{Expr, Literal},
};

/// Predicates on the first sort key that every row passes which may still be among the first.
#[derive(Debug)]
pub struct Bar {
    /// For rows that win where their keys are equal.
    with_equal: Filter,
    /// For rows that lose where their keys are equal.
    without_equal: Filter,
    /// Rows of morsels before this one win where keys are equal.
    morsel: usize,
}

/// What a bar is made of.
#[derive(Debug)]
pub struct BarKey<'p> {
    /// The first sort key.
    pub key: &'p SortKey,
    /// What nulls become.
    pub nulls: Nulls,
    /// Whether there are other keys, which decide between equal ones.
    pub has_more: bool,
}

impl BarKey<'_> {
    /// Makes the bar of the value that the last of the first rows has; `morsel` has that row, or none if
    /// only statistics tell of it. None when the key cannot be tested so.
    pub fn bar(&self, value: Option<&Value>, morsel: Option<usize>) -> Option<Bar> {
        let without_equal = !self.has_more && morsel.is_some();
        let with = self.filter(value, true)?;
        Some(Bar {
            without_equal: match without_equal {
                true => self.filter(value, false)?,
                false => self.filter(value, true)?,
            },
            with_equal: with,
            morsel: morsel.unwrap_or(usize::MAX),
        })
    }

    fn filter(&self, value: Option<&Value>, with_equal: bool) -> Option<Filter> {
        let options = self.key.options;
        let Some(value) = value else {
            return Some(match (options.nulls_first, with_equal) {
                (true, true) => self.leaf(self.is_null(false)?),
                (true, false) => Filter::Constant(Some(false)),
                (false, true) => Filter::Constant(Some(true)),
                (false, false) => self.leaf(self.is_null(true)?),
            });
        };
        let operand = self.key.operand.of_bare_slot()?;
        let end = End {
            descending: options.descending,
            with_equal,
        };
        let test = Test::before(value, end, operand.column_type())?;
        let null_passes = match self.nulls {
            Nulls::Keep => options.nulls_first,
            Nulls::Fill => test.matches(operand.default_null()),
        };
        Some(self.leaf(Predicate::Test {
            operand,
            is_convex: !test.is_negated(),
            test: Box::new(test),
            on_null: OnNull::Constant(null_passes),
        }))
    }

    fn is_null(&self, negated: bool) -> Option<Predicate> {
        let operand = self.key.operand.of_bare_slot()?;
        Some(Predicate::IsNull { operand, negated })
    }

    fn leaf(&self, predicate: Predicate) -> Filter {
        Filter::Leaf(Box::new(Leaf {
            id: None,
            expr: Expr::Literal(Literal::Null),
            predicate,
            slots: self.key.operand.slots(),
            cost: 0,
            needs_values: false,
            document: None,
        }))
    }
}

impl Bar {
    /// Returns what rows of a morsel need that come after all of it that was seen.
    pub fn of(&self, morsel: usize) -> &Filter {
        match morsel < self.morsel {
            true => &self.with_equal,
            false => &self.without_equal,
        }
    }
}

/// What is known at one time of what rows need.
#[derive(Debug, Clone, Default)]
pub struct Bars {
    /// The slot of the first sort key, if there can be bars.
    pub slot: Option<usize>,
    /// The morsel that asks.
    pub morsel: usize,
    /// What statistics prove.
    pub proven: Option<Arc<Bar>>,
    /// What the rows seen so far prove.
    pub of_rows: Option<Arc<Bar>>,
}
