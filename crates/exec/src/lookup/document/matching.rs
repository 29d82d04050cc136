//! Filters of `JSON_MATCH`.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_buffer::BooleanBuffer;
use growler_index::{Reading, RowSet, ValueIndex};
use growler_schema::index_plan::json_path::{self, JsonStep};

use super::index::{DocumentIndex, Verdicts};
use super::rows::{Declined, DocumentRows};
use crate::expr::json::matching::{
    condition::Condition,
    formula::Joined,
    key::{Key, KeyStep},
};
use crate::filter::document::MatchAsk;

/// A filter asked of an index.
pub(super) struct Matching<'a> {
    pub(super) index: &'a DocumentIndex<'a>,
    pub(super) ask: &'a MatchAsk,
    /// What rows without a document read as; none is null.
    pub(super) missing: Option<String>,
}

/// Rows where a part of a filter holds.
#[derive(Debug, Default)]
struct Held {
    /// It does.
    sure: RowSet,
    /// It may; none of them is sure.
    maybe: RowSet,
}

impl Matching<'_> {
    pub(super) fn rows(&self) -> Result<DocumentRows, Declined> {
        let formula = self.ask.matcher.formula();
        let held = self.joined(&formula.root)?;
        let row_count = self.index.indexes.row_count();
        let trues = match formula.is_missing {
            true => held.sure.or(&held.maybe).complement(row_count),
            false => held.sure,
        };
        let column = self
            .index
            .indexes
            .subject(self.index.column, None, Reading::Values);
        let missing = column.ok_or(Declined::Scan)?.nulls()?;
        let verdict = match &self.missing {
            Some(text) => {
                let matches = self.ask.matcher.matches(text);
                Some(matches.map_err(|_| Declined::Scan)?)
            }
            None => None,
        };
        let mut rows = DocumentRows::default().forget(&held.maybe.without(&missing));
        rows.add(&trues.without(&missing), Some(true));
        rows.add(&missing, verdict);
        Ok(rows.forget(&self.index.unreadable.without(&missing)))
    }

    fn joined(&self, part: &Joined) -> Result<Held, Declined> {
        match part {
            Joined::Condition(number) => {
                let conditions = &self.ask.matcher.formula().conditions;
                self.condition(conditions.get(*number).ok_or(Declined::Scan)?)
            }
            Joined::Or(parts) => {
                let mut any = Held::default();
                for part in parts {
                    let held = self.joined(part)?;
                    any.sure = any.sure.or(&held.sure);
                    any.maybe = any.maybe.or(&held.maybe);
                }
                any.maybe = any.maybe.without(&any.sure);
                Ok(any)
            }
            Joined::And(parts) => self.all(parts),
        }
    }

    /// Joins parts that must hold in one flat document: with an array in common, that each of them
    /// holds for some element does not say that all do for the same one.
    fn all(&self, parts: &[Joined]) -> Result<Held, Declined> {
        let row_count = self.index.indexes.row_count();
        let mut all = Held {
            sure: RowSet::of_range(0..row_count),
            maybe: RowSet::new(),
        };
        let mut arrays: BTreeSet<String> = BTreeSet::new();
        let mut share = false;
        for part in parts {
            let held = self.joined(part)?;
            let possible = held.sure.or(&held.maybe);
            all.maybe = all.sure.or(&all.maybe).and(&possible);
            all.sure = all.sure.and(&held.sure);
            let own = self.arrays(part);
            share |= own.iter().any(|array| arrays.contains(array));
            arrays.extend(own);
        }
        if share {
            all.sure = RowSet::new();
        }
        all.maybe = all.maybe.without(&all.sure);
        Ok(all)
    }

    /// Returns the arrays that conditions of a part look into.
    fn arrays(&self, part: &Joined) -> BTreeSet<String> {
        let members = part.members();
        let conditions = self.ask.matcher.formula().conditions.iter().enumerate();
        let own = conditions.filter(|(number, _)| members >> number & 1 == 1);
        own.flat_map(|(_, condition)| arrays_of(&condition.key))
            .collect()
    }

    fn condition(&self, condition: &Condition) -> Result<Held, Declined> {
        let key = &condition.key;
        if !self.index.is_complete {
            return Err(Declined::Scan);
        }
        let has_positions = key.steps.iter().any(|step| matches!(step, KeyStep::At(_)));
        let mut held = Held::default();
        let exact = self.subjects(|steps| is_key(steps, key, false));
        if has_positions && exact.is_empty() {
            for values in self.subjects(|steps| is_key(steps, key, true)) {
                let (rows, others) = self.holding(&values, condition)?;
                held.maybe = held.maybe.or(&rows).or(&others);
            }
            return Ok(held);
        }
        for values in exact {
            let (rows, others) = self.holding(&values, condition)?;
            held.sure = held.sure.or(&rows);
            held.maybe = held.maybe.or(&others);
        }
        held.maybe = held.maybe.without(&held.sure);
        Ok(held)
    }

    fn subjects(&self, fits: impl Fn(&[JsonStep]) -> bool) -> Vec<ValueIndex<'_>> {
        let paths = self.index.paths();
        let fitting = paths.filter(|path| json_path::parse(path).is_some_and(|steps| fits(&steps)));
        fitting
            .filter_map(|path| self.index.at_path(path))
            .collect()
    }

    /// Returns the rows with a value that the condition holds for, and those that have values which
    /// are not known.
    fn holding(
        &self,
        values: &ValueIndex<'_>,
        condition: &Condition,
    ) -> Result<(RowSet, RowSet), Declined> {
        let candidates = condition.candidates();
        let passing = self.index.passing(values, candidates, &mut |texts| {
            let texts = texts.as_string_view_opt().cloned();
            let internal = || crate::Error::Internal("dictionary of JSON is no text".to_owned());
            let texts = Arc::new(texts.ok_or_else(internal)?);
            let holds = |text: Option<&str>| {
                let value = text.and_then(|text| serde_json::from_str(text).ok());
                value.is_some_and(|value| condition.holds(&value))
            };
            let trues: BooleanBuffer = texts.iter().map(holds).collect();
            Ok(Verdicts { trues, nulls: None })
        })?;
        let rows = self.index.rows(values, &passing.trues)?;
        Ok((rows, values.others()?.unwrap_or_default()))
    }
}

/// Tells whether a path is what a key means; with `any`, one element of an array stands for all.
fn is_key(steps: &[JsonStep], key: &Key, any: bool) -> bool {
    let mut at = 0;
    for step in steps {
        let next = match (step, key.steps.get(at)) {
            (JsonStep::Name(name), _) => key.follow_name(at, name),
            (JsonStep::Any, Some(KeyStep::Any)) => Some(at + 1),
            (JsonStep::Any, Some(KeyStep::At(_))) if any => Some(at + 1),
            (JsonStep::At(position), Some(KeyStep::At(wanted))) if !any => {
                (usize::try_from(*position).ok() == Some(*wanted)).then_some(at + 1)
            }
            _ => None,
        };
        let Some(next) = next else {
            return false;
        };
        at = next;
    }
    at == key.steps.len()
}

/// Returns the arrays that a key looks into, by the names on the way to them.
fn arrays_of(key: &Key) -> Vec<String> {
    let (mut arrays, mut way) = (Vec::new(), String::new());
    for step in &key.steps {
        match step {
            KeyStep::Name(name) => {
                way.push('.');
                way.push_str(name);
            }
            KeyStep::Any | KeyStep::At(_) => {
                way.push_str("[]");
                arrays.push(way.clone());
            }
        }
    }
    arrays
}
