//! Any path over a document.

use growler_base::limits;
use serde_json::Value;

use super::path::Step;

/// How many more values may be visited: repeated `..` multiplies them.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    /// Makes the budget of one document.
    pub fn new() -> Self {
        Self(limits::VARIANT_NODES)
    }

    fn take(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.checked_sub(count)?;
        Some(())
    }
}

/// What is remembered of the way to a value.
pub(super) trait Track: Clone {
    /// Goes to a field of an object.
    fn name(&self, name: &str) -> Self;

    /// Goes to an element of an array.
    fn index(&self, index: usize) -> Self;
}

impl Track for () {
    fn name(&self, _: &str) -> Self {}

    fn index(&self, _: usize) -> Self {}
}

/// The path itself, `$['a'][0]`.
impl Track for String {
    fn name(&self, name: &str) -> Self {
        format!("{self}['{name}']")
    }

    fn index(&self, index: usize) -> Self {
        format!("{self}[{index}]")
    }
}

/// Returns the values that a path leads to, in document order. None when the budget is used up.
pub(super) fn select<'v>(
    steps: &[Step],
    start: &'v Value,
    root: &'v Value,
    budget: &mut Budget,
) -> Option<Vec<&'v Value>> {
    let found = select_tracked((), steps, start, root, budget)?;
    Some(found.into_iter().map(|((), value)| value).collect())
}

/// Returns the values that a path leads to, with the way to each.
pub(super) fn select_tracked<'v, T: Track>(
    track: T,
    steps: &[Step],
    start: &'v Value,
    root: &'v Value,
    budget: &mut Budget,
) -> Option<Vec<(T, &'v Value)>> {
    let mut values = vec![(track, start)];
    for step in steps {
        let mut next = Vec::new();
        for (track, value) in values {
            take(step, &track, value, root, budget, &mut next)?;
        }
        values = next;
    }
    Some(values)
}

fn take<'v, T: Track>(
    step: &Step,
    track: &T,
    value: &'v Value,
    root: &'v Value,
    budget: &mut Budget,
    next: &mut Vec<(T, &'v Value)>,
) -> Option<()> {
    budget.take(1)?;
    match (step, value) {
        (Step::Name(name), Value::Object(object)) => {
            next.extend(object.get(name).map(|value| (track.name(name), value)));
        }
        (Step::Names(names), Value::Object(object)) => {
            budget.take(names.len())?;
            let found = names
                .iter()
                .filter_map(|name| Some((name, object.get(name)?)));
            next.extend(found.map(|(name, value)| (track.name(name), value)));
        }
        (Step::Index(index), Value::Array(array)) => {
            next.extend(at(array, *index).map(|(index, value)| (track.index(index), value)));
        }
        (Step::Indices(indices), Value::Array(array)) => {
            budget.take(indices.len())?;
            let found = indices.iter().filter_map(|index| at(array, *index));
            next.extend(found.map(|(index, value)| (track.index(index), value)));
        }
        (Step::Slice(from, to), Value::Array(array)) => {
            let (from, to) = (
                bound(*from, 0, array.len()),
                bound(*to, array.len(), array.len()),
            );
            let slice = array.get(from..to).unwrap_or_default();
            budget.take(slice.len())?;
            let found = slice.iter().enumerate();
            next.extend(found.map(|(index, value)| (track.index(from + index), value)));
        }
        (Step::Wildcard, _) => {
            let children = children(track, value);
            budget.take(children.len())?;
            next.extend(children);
        }
        (Step::Filter(filter), Value::Array(array)) => {
            for (index, element) in array.iter().enumerate() {
                if filter.keeps(element, root, budget)? {
                    next.push((track.index(index), element));
                }
            }
        }
        (Step::Filter(filter), Value::Object(_)) => {
            let kept = filter.keeps(value, root, budget)?;
            next.extend(kept.then(|| (track.clone(), value)));
        }
        (Step::Descend, _) => descend(track.clone(), value, budget, next)?,
        _ => {}
    }
    Some(())
}

/// Adds a value and everything below it; the parser bounds the depth.
fn descend<'v, T: Track>(
    track: T,
    value: &'v Value,
    budget: &mut Budget,
    next: &mut Vec<(T, &'v Value)>,
) -> Option<()> {
    budget.take(1)?;
    let children = children(&track, value);
    next.push((track, value));
    for (track, child) in children {
        descend(track, child, budget, next)?;
    }
    Some(())
}

fn children<'v, T: Track>(track: &T, value: &'v Value) -> Vec<(T, &'v Value)> {
    match value {
        Value::Array(array) => array
            .iter()
            .enumerate()
            .map(|(index, value)| (track.index(index), value))
            .collect(),
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| (track.name(name), value))
            .collect(),
        _ => Vec::new(),
    }
}

fn at(array: &[Value], index: i64) -> Option<(usize, &Value)> {
    let index = if index < 0 {
        array
            .len()
            .checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?
    } else {
        usize::try_from(index).ok()?
    };
    array.get(index).map(|value| (index, value))
}

/// Places a bound of a slice inside an array.
fn bound(bound: Option<i64>, default: usize, len: usize) -> usize {
    match bound {
        None => default,
        Some(n) if n < 0 => {
            len.saturating_sub(usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX))
        }
        Some(n) => usize::try_from(n).unwrap_or(usize::MAX).min(len),
    }
}
