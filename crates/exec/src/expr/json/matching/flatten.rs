//! Which conditions hold together in a flat document.
//!
//! Flat documents are not made: of each only the set of conditions that hold matters, one a bit, and
//! equal sets are one. What no condition asks for is not looked at.

use growler_base::limits;
use serde_json::Value;

use super::formula::Formula;
use crate::error::Error;

/// A filter, ready for many documents.
#[derive(Debug, Clone)]
pub(crate) struct Matcher {
    formula: Formula,
}

/// A condition whose key has been followed to here.
#[derive(Debug, Clone, Copy)]
struct Open {
    condition: usize,
    /// The next step.
    at: usize,
}

/// The sets of conditions that hold in some flat document each; ascending, never empty.
type Sets = Vec<u64>;

impl Matcher {
    /// Parses a filter.
    ///
    /// # Errors
    /// [`Error::Validation`] when it is none.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Formula::parse(text).map(|formula| Self { formula })
    }

    /// Returns the filter.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// Tells whether a document matches. Text that is no JSON, or is nested too deeply, has no key.
    ///
    /// # Errors
    /// [`Error::Execution`] when there are too many combinations of arrays' elements to look at.
    pub fn matches(&self, text: &str) -> Result<bool, Error> {
        let document: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let conditions = 0..self.formula.conditions.len();
        let open: Vec<Open> = conditions
            .map(|condition| Open { condition, at: 0 })
            .collect();
        let sets = self.sets(&document, &open, &mut 0)?;
        let holds = sets.iter().any(|set| self.formula.root.holds(*set));
        Ok(holds != self.formula.is_missing)
    }

    fn sets(&self, value: &Value, open: &[Open], paired: &mut usize) -> Result<Sets, Error> {
        if open.is_empty() {
            return Ok(vec![0]);
        }
        match value {
            Value::Array(elements) => {
                let mut all = vec![0];
                for (index, element) in elements.iter().enumerate() {
                    let below = self.follow(open, |key, at| key.follow_element(at, index));
                    if !below.is_empty() {
                        all.extend(self.sets(element, &below, paired)?);
                        if all.len() > limits::JSON_MATCH_SETS {
                            sort(&mut all);
                            check(&all)?;
                        }
                    }
                }
                sort(&mut all);
                Ok(all)
            }
            Value::Object(fields) => {
                let mut all = vec![0];
                for (name, field) in fields {
                    let below = self.follow(open, |key, at| key.follow_name(at, name));
                    if !below.is_empty() {
                        all = pairs(&all, &self.sets(field, &below, paired)?, paired)?;
                    }
                }
                Ok(all)
            }
            scalar => Ok(vec![self.holding(scalar, open)]),
        }
    }

    fn follow(
        &self,
        open: &[Open],
        step: impl Fn(&super::key::Key, usize) -> Option<usize>,
    ) -> Vec<Open> {
        let follow = |open: &Open| {
            let key = &self.formula.conditions.get(open.condition)?.key;
            let at = step(key, open.at)?;
            Some(Open { at, ..*open })
        };
        open.iter().filter_map(follow).collect()
    }

    /// Returns the conditions that end at a scalar and hold for it.
    fn holding(&self, scalar: &Value, open: &[Open]) -> u64 {
        let holds = |open: &&Open| {
            let condition = self.formula.conditions.get(open.condition);
            condition.is_some_and(|condition| {
                condition.key.steps.len() == open.at && condition.holds(scalar)
            })
        };
        let holding = open.iter().filter(holds);
        holding.fold(0, |set, open| set | 1 << open.condition)
    }
}

/// Joins every set of one side with every set of the other, and counts the pairs.
fn pairs(left: &Sets, right: &Sets, paired: &mut usize) -> Result<Sets, Error> {
    *paired = paired.saturating_add(left.len() * right.len());
    if *paired > limits::JSON_MATCH_PAIRS {
        return Err(too_many(limits::JSON_MATCH_PAIRS));
    }
    let mut all = Vec::with_capacity(left.len());
    for a in left {
        all.extend(right.iter().map(|b| a | b));
        if all.len() > 2 * limits::JSON_MATCH_SETS {
            sort(&mut all);
            check(&all)?;
        }
    }
    sort(&mut all);
    check(&all)?;
    Ok(all)
}

fn sort(sets: &mut Sets) {
    sets.sort_unstable();
    sets.dedup();
}

fn check(sets: &Sets) -> Result<(), Error> {
    if sets.len() <= limits::JSON_MATCH_SETS {
        return Ok(());
    }
    Err(too_many(limits::JSON_MATCH_SETS))
}

fn too_many(limit: usize) -> Error {
    Error::Execution(format!(
        "Got too many combinations of array elements in JSON_MATCH: limit={limit}"
    ))
}
