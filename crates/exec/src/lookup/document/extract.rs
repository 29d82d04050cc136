//! Tests of what `JSON_EXTRACT_SCALAR` finds.

use growler_base::limits;
use growler_index::{Reading, RowSet, ValueIndex};
use growler_schema::index_plan::json_path::JsonStep;

use super::index::{DocumentIndex, Passing, Verdicts};
use super::rows::{Declined, DocumentRows};
use crate::filter::document::{ExtractAsk, Verdict};

/// A test asked of an index.
pub(super) struct Extract<'a> {
    pub(super) index: &'a DocumentIndex<'a>,
    pub(super) ask: &'a ExtractAsk,
    /// The path from the column's document on.
    pub(super) steps: Vec<JsonStep>,
    /// What rows without a document read as; none is null.
    pub(super) missing: Option<String>,
    /// Whether the column is JSON text itself, whose rows without any are known.
    pub(super) is_column: bool,
}

/// What the predicate says where no value is.
#[derive(Debug, Clone, Copy)]
struct Absent {
    /// Of a document whose path leads nowhere.
    nowhere: Verdict,
    /// Of a row without a document.
    missing: Verdict,
}

impl Extract<'_> {
    pub(super) fn rows(&self) -> Result<DocumentRows, Declined> {
        let failed = |_| Declined::Scan;
        let absent = Absent {
            nowhere: self.ask.of_nowhere().map_err(failed)?,
            missing: self
                .ask
                .of_document(self.missing.as_deref())
                .map_err(failed)?,
        };
        if !self.is_column && absent.nowhere != absent.missing {
            return Err(Declined::Scan);
        }
        if self.ask.many {
            return self.any_of_many(absent);
        }
        if self.is_exact_path() {
            if let Some(values) = self.index.at(&self.steps) {
                return self.of_path(Some(values), absent);
            }
            if self.has_no_arrays() {
                return self.of_path(None, absent);
            }
        }
        self.of_elements(absent)
    }

    /// Tells whether a path with these elements of arrays may be indexed by itself.
    fn is_exact_path(&self) -> bool {
        let mut elements = self.steps.iter().filter_map(|step| match step {
            JsonStep::At(position) => Some(*position),
            JsonStep::Name(_) | JsonStep::Any => None,
        });
        let first = elements.next();
        first.is_none_or(|position| position < limits::INDEX_JSON_POSITIONS)
            && elements.next().is_none()
    }

    fn has_no_arrays(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.all(|step| matches!(step, JsonStep::Name(_)))
    }

    /// Tells whether a path that is not indexed has no row.
    fn is_nowhere(&self) -> bool {
        let covered = self.is_column
            || self
                .steps
                .get(..1)
                .is_some_and(|key| self.index.at(key).is_some());
        self.index.is_complete && covered
    }

    /// Answers by the values at the very path.
    fn of_path(
        &self,
        values: Option<ValueIndex<'_>>,
        absent: Absent,
    ) -> Result<DocumentRows, Declined> {
        let all = RowSet::of_range(0..self.index.indexes.row_count());
        let Some(values) = values else {
            if !self.is_nowhere() {
                return Err(Declined::Scan);
            }
            let rows = self.without_value(&all, absent)?;
            return Ok(rows.forget(&self.index.unreadable));
        };
        let nulls = values.nulls()?;
        let others = values.others()?.unwrap_or_default();
        let mut rows = self.without_value(&nulls, absent)?;
        let passing = self.passing(&values)?;
        if self.ask.excludes && self.ask.candidates.is_some() {
            // Only the candidates were asked about: all other values pass.
            let failing = self.failing(&values)?;
            let valued = nulls.or(&others).complement(self.index.indexes.row_count());
            rows.add(&valued.without(&failing), Some(true));
        } else {
            rows.add(&self.index.rows(&values, &passing.trues)?, Some(true));
            rows.add(&self.index.rows(&values, &passing.nulls)?, None);
        }
        Ok(rows.forget(&others).forget(&self.index.unreadable))
    }

    /// Says what the predicate says of rows without a value at the path.
    fn without_value(&self, rows: &RowSet, absent: Absent) -> Result<DocumentRows, Declined> {
        let mut found = DocumentRows::default();
        if absent.nowhere == absent.missing {
            found.add(rows, absent.nowhere);
            return Ok(found);
        }
        let missing = self.missing_rows()?;
        found.add(&rows.without(&missing), absent.nowhere);
        found.add(&rows.and(&missing), absent.missing);
        Ok(found)
    }

    /// Returns the rows of a column of JSON text that have none.
    fn missing_rows(&self) -> Result<RowSet, Declined> {
        let index = self.index;
        let column = index.indexes.subject(index.column, None, Reading::Values);
        Ok(column.ok_or(Declined::Scan)?.nulls()?)
    }

    fn passing(&self, values: &ValueIndex<'_>) -> Result<Passing, Declined> {
        let candidates = self.ask.candidates.as_deref();
        let candidates = candidates.filter(|_| !self.ask.excludes);
        if self.ask.excludes && self.ask.candidates.is_some() {
            return Ok(Passing::default());
        }
        self.index.passing(values, candidates, &mut |texts| {
            let truth = self.ask.of_values(texts)?;
            let nulls = (!truth.nulls.is_empty()).then(|| truth.nulls.bits().clone());
            Ok(Verdicts {
                trues: truth.trues.bits().clone(),
                nulls,
            })
        })
    }

    /// Returns the rows of the candidates that do not pass.
    fn failing(&self, values: &ValueIndex<'_>) -> Result<RowSet, Declined> {
        let candidates = self.ask.candidates.as_deref();
        let failing = self.index.passing(values, candidates, &mut |texts| {
            let truth = self.ask.of_values(texts)?;
            Ok(Verdicts {
                trues: !truth.trues.bits(),
                nulls: None,
            })
        })?;
        self.index.rows(values, &failing.trues)
    }

    /// Answers a test of one element by the values of all: only rows that have a passing one anywhere
    /// are left to the scan. So the test must not hold where there is none.
    fn of_elements(&self, absent: Absent) -> Result<DocumentRows, Declined> {
        let is_false = [absent.nowhere, absent.missing] == [Some(false); 2];
        if !is_false || self.has_no_arrays() || self.ask.excludes {
            return Err(Declined::Scan);
        }
        let every = self.steps.iter().map(|step| match step {
            JsonStep::At(_) => JsonStep::Any,
            step => step.clone(),
        });
        let every: Vec<JsonStep> = every.collect();
        let rows = DocumentRows::default();
        let Some(values) = self.index.at(&every) else {
            return match self.is_nowhere() {
                true => Ok(rows.forget(&self.index.unreadable)),
                false => Err(Declined::Scan),
            };
        };
        let passing = self.passing(&values)?;
        if !passing.nulls.is_empty() {
            return Err(Declined::Scan);
        }
        let candidates = self.index.rows(&values, &passing.trues)?;
        let others = values.others()?.unwrap_or_default();
        Ok(rows
            .forget(&candidates)
            .forget(&others)
            .forget(&self.index.unreadable))
    }

    /// Answers a test of any of several values.
    fn any_of_many(&self, absent: Absent) -> Result<DocumentRows, Declined> {
        let has_positions = self
            .steps
            .iter()
            .any(|step| matches!(step, JsonStep::At(_)));
        if has_positions || self.has_fields_for_elements() {
            return Err(Declined::Scan);
        }
        let all = RowSet::of_range(0..self.index.indexes.row_count());
        let (mut passing, mut others) = (RowSet::new(), RowSet::new());
        match self.index.at(&self.steps) {
            Some(values) => {
                let ranks = self.passing(&values)?;
                passing = self.index.rows(&values, &ranks.trues)?;
                others = values.others()?.unwrap_or_default();
            }
            None if self.is_nowhere() => {}
            None => return Err(Declined::Scan),
        }
        let mut rows = DocumentRows::default();
        let missing = match absent.missing == Some(self.ask.negated) {
            true => RowSet::new(),
            false => self.missing_or_none()?,
        };
        let passes = match self.ask.negated {
            true => all.without(&passing),
            false => passing,
        };
        rows.add(&passes.without(&missing), Some(true));
        rows.add(&missing, absent.missing);
        Ok(rows.forget(&others).forget(&self.index.unreadable))
    }

    fn missing_or_none(&self) -> Result<RowSet, Declined> {
        match self.is_column {
            true => self.missing_rows(),
            false => Err(Declined::Scan),
        }
    }

    /// Tells whether a step to every element may lead to the fields of an object, too.
    fn has_fields_for_elements(&self) -> bool {
        let places = self.steps.iter().enumerate();
        let outer = places
            .filter(|(_, step)| matches!(step, JsonStep::Any))
            .filter_map(|(at, _)| self.steps.get(..at));
        let outer: Vec<Vec<JsonStep>> = outer.map(<[JsonStep]>::to_vec).collect();
        // Without all paths, one that is left out may have them.
        !self.index.is_complete
            || self.index.paths().any(|path| {
                let steps = growler_schema::index_plan::json_path::parse(path).unwrap_or_default();
                outer.iter().any(|outer| {
                    steps.starts_with(outer)
                        && matches!(steps.get(outer.len()), Some(JsonStep::Name(_)))
                })
            })
    }
}
