//! A filter as a question about values, for whoever knows something of a file's values.

use growler_schema::{Field, Value};
use growler_segment::{KeyOutput, KeyPath};

use crate::{
    expr::{Span, Test},
    filter::{Filter, Leaf, Predicate, leaf::OnNull},
    plan::{Operand, Slot, slots::What},
};

/// What rows of a file have to satisfy so that a filter is true for them.
///
/// It asks for at least the rows that the filter is true for: what cannot be said is
/// [`Question::Anything`]. It holds of the values as the query sees them, of the type of the column
/// or key in the query.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Any row will do.
    Anything,
    /// Some row satisfies all of these.
    All(Vec<Question>),
    /// Some row satisfies one of these; without any, none does.
    Any(Vec<Question>),
    /// The value lies in one of these ranges.
    Within(Subject, Vec<Span>),
    /// The value is there, and is none of these.
    NoneOf(Subject, Vec<Value>),
    /// The value is null.
    Null(Subject),
    /// The value is not null.
    NotNull(Subject),
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// A column.
    Column(Field),
    /// A key of a VARIANT column, and what it is read as.
    Key(Field, KeyPath, KeyOutput),
}

impl Question {
    /// Nothing satisfies it.
    const NEVER: Self = Self::Any(Vec::new());

    /// Makes the question of a filter over some slots.
    pub fn of(filter: &Filter, slots: &[Slot]) -> Self {
        Asking { slots }.filter(filter, true)
    }

    /// Tells whether the answer is known to be no use.
    pub fn is_anything(&self) -> bool {
        *self == Self::Anything
    }
}

struct Asking<'a> {
    slots: &'a [Slot],
}

impl Asking<'_> {
    /// Asks for rows for which a filter is true, or false if not `wanted`.
    fn filter(&self, filter: &Filter, wanted: bool) -> Question {
        match filter {
            Filter::Constant(Some(value)) if *value == wanted => Question::Anything,
            Filter::Constant(_) => Question::NEVER,
            Filter::Not(child) => self.filter(child, !wanted),
            Filter::And(children) if wanted => self.all(children, wanted),
            Filter::Or(children) if !wanted => self.all(children, wanted),
            Filter::And(children) | Filter::Or(children) => self.any(children, wanted),
            Filter::Leaf(leaf) => self.leaf(leaf, wanted),
        }
    }

    fn all(&self, children: &[Filter], wanted: bool) -> Question {
        let asked = children.iter().map(|child| self.filter(child, wanted));
        let mut asked: Vec<_> = asked.filter(|question| !question.is_anything()).collect();
        match asked.len() {
            0 => Question::Anything,
            1 => asked.remove(0),
            _ => Question::All(asked),
        }
    }

    fn any(&self, children: &[Filter], wanted: bool) -> Question {
        let asked = children.iter().map(|child| self.filter(child, wanted));
        any(asked.collect())
    }

    fn leaf(&self, leaf: &Leaf, wanted: bool) -> Question {
        match &leaf.predicate {
            Predicate::Boolean(_) => Question::Anything,
            Predicate::IsNull { operand, negated } => match self.subject(operand) {
                None => Question::Anything,
                Some(subject) if *negated == wanted => Question::NotNull(subject),
                Some(subject) => Question::Null(subject),
            },
            Predicate::Test {
                operand,
                test,
                on_null,
                ..
            } => {
                let Some(subject) = self.subject(operand) else {
                    return Question::Anything;
                };
                let values = values(test, subject.clone(), wanted);
                match on_null {
                    OnNull::Constant(passes) if *passes == wanted => {
                        any(vec![values, Question::Null(subject)])
                    }
                    OnNull::Constant(_) | OnNull::Null => values,
                }
            }
        }
    }

    fn subject(&self, operand: &Operand) -> Option<Subject> {
        let slot = self.slots.get(operand.bare_slot()?)?;
        match &slot.what {
            _ if slot.inside.is_some() => None,
            What::Column(field) => Some(Subject::Column(field.clone())),
            What::Key(field, path, output) => {
                Some(Subject::Key(field.clone(), path.clone(), *output))
            }
            What::Document(_) | What::RowId | What::SegmentName | What::HostName => None,
        }
    }
}

fn any(asked: Vec<Question>) -> Question {
    match asked.iter().any(Question::is_anything) {
        true => Question::Anything,
        false => Question::Any(asked),
    }
}

/// Asks for values that pass a test, or that do not if not `wanted`.
fn values(test: &Test, subject: Subject, wanted: bool) -> Question {
    let Some(spans) = test.spans() else {
        return Question::Anything;
    };
    if wanted != test.is_negated() {
        return Question::Within(subject, spans.ranges.clone());
    }
    let points: Option<Vec<Value>> = spans.ranges.iter().map(point).collect();
    match points {
        Some(points) if spans.is_exact => Question::NoneOf(subject, points),
        _ => Question::NotNull(subject),
    }
}

/// Returns the value that a range consists of.
fn point((low, high): &Span) -> Option<Value> {
    match (low, high) {
        (std::ops::Bound::Included(low), std::ops::Bound::Included(high)) if low == high => {
            Some(low.clone())
        }
        _ => None,
    }
}
