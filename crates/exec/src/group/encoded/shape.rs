//! Groupings whose rows may be folded as ids.

use crate::plan::{Aggregate, Grouping, Operand};

/// What a grouping reads: each slot once.
#[derive(Debug)]
pub struct Shape {
    /// Slots of the keys, in their order.
    pub keys: Vec<usize>,
    /// Slots of the arguments, each once.
    pub args: Vec<usize>,
    /// What each aggregate is of.
    pub inputs: Vec<Input>,
}

/// What an aggregate is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The number of rows.
    Rows,
    /// An argument, by its position among all.
    Arg(usize),
}

impl Shape {
    /// Returns what a grouping reads; none when its aggregates need more of a row than the values of
    /// bare slots, or the order of rows.
    pub fn of(grouping: &Grouping) -> Option<Self> {
        let keys: Option<Vec<_>> = grouping.keys.iter().map(single_slot).collect();
        let mut shape = Self {
            keys: keys?,
            args: Vec::new(),
            inputs: Vec::with_capacity(grouping.aggregates.len()),
        };
        for aggregate in &grouping.aggregates {
            let input = shape.input(aggregate)?;
            shape.inputs.push(input);
        }
        Some(shape)
    }

    fn input(&mut self, aggregate: &Aggregate) -> Option<Input> {
        if aggregate.filter.is_some() || !aggregate.function.takes_repeats() {
            return None;
        }
        let arg = match aggregate.args.as_slice() {
            [] => return Some(Input::Rows),
            [arg] => single_slot(arg)?,
            _ => return None,
        };
        let known = self.args.iter().position(|slot| *slot == arg);
        Some(Input::Arg(known.unwrap_or_else(|| {
            self.args.push(arg);
            self.args.len().saturating_sub(1)
        })))
    }

    /// Yields the aggregates of an input.
    pub fn inputs_of(&self, wanted: Input) -> impl Iterator<Item = usize> {
        let inputs = self.inputs.iter().enumerate();
        inputs.filter_map(move |(aggregate, input)| (*input == wanted).then_some(aggregate))
    }

    /// Tells whether rows are told apart at all.
    pub fn is_grouped(&self) -> bool {
        !self.keys.is_empty()
    }
}

fn single_slot(operand: &Operand) -> Option<usize> {
    let is_single = !operand.column_type().multi_value;
    operand.bare_slot().filter(|_| is_single)
}
