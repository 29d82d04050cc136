//! One predicate on one segment, answered by indexes.

use std::ops::Range;
use std::sync::OnceLock;

use growler_index::{Error as IndexError, Kind, RowSet, SegmentIndexes, ValueIndex};

use super::{
    Found, Place,
    choice::{Choice, Chooser, Listed, Passing},
    document::DocumentRows,
    place::Origin,
};
use crate::{
    error::Error,
    filter::{Leaf, Mask, Predicate, leaf::OnNull},
    prune::{Extent, Verdict},
    run::{Charge, Context},
};

/// What look-ups are called when there is no room for them.
pub(super) const HELD: &str = "index look-ups";
/// Ranks whose postings are joined between two looks at the query's limits.
const UNCHECKED_RANKS: u32 = 1 << 14;

/// What answers a predicate in a segment, as EXPLAIN names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// Postings of values.
    Inverted,
    /// Slices of bits.
    Range,
    /// The distinct values alone.
    Dictionary,
    /// A filter that has none of the values.
    Bloom,
    /// The index of the keys that are not shredded.
    Json,
    /// The rows without a value.
    Nulls,
}

/// The answer to a predicate on one segment: its choice is made when the query starts, its rows are
/// found when they are first asked for.
#[derive(Debug)]
pub struct Answer {
    indexes: SegmentIndexes,
    /// None where rows were found at once.
    place: Option<Place>,
    asked: Asked,
    row_count: u32,
    via: Via,
    trues: OnceLock<Result<Trues, Unanswered>>,
    nulls: OnceLock<Result<Nulls, Unanswered>>,
    _choice: Charge,
}

/// Why there are no rows.
#[derive(Debug, Clone)]
enum Unanswered {
    /// An index is damaged; it was logged where it was found.
    Damaged,
    /// The query ends.
    Query(Error),
}

impl From<IndexError> for Unanswered {
    fn from(_: IndexError) -> Self {
        Self::Damaged
    }
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        Self::Query(error)
    }
}

/// Passes on the error of a query; a damaged index is no answer.
fn answered<T>(found: &Result<T, Unanswered>) -> Result<Option<&T>, Error> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Unanswered::Damaged) => Ok(None),
        Err(Unanswered::Query(error)) => Err(error.clone()),
    }
}

#[derive(Debug)]
enum Asked {
    /// `IS NULL`, or its opposite; with how many rows are null.
    IsNull { negated: bool, null_count: u32 },
    /// The same for every row: no row has a value.
    Constant(Option<bool>),
    /// A test of values.
    Test {
        choice: Choice,
        on_null: OnNull,
        null_count: u32,
    },
    /// Rows that are known already.
    Rows(DocumentRows),
}

impl Asked {
    /// Answers a predicate on a slot that is null in every row.
    fn nowhere(predicate: &Predicate) -> Option<Self> {
        Some(Self::Constant(match predicate {
            Predicate::IsNull { negated, .. } => Some(!negated),
            Predicate::Test { on_null, .. } => match on_null {
                OnNull::Null => None,
                OnNull::Constant(passes) => Some(*passes),
            },
            Predicate::Boolean(_) => return None,
        }))
    }

    /// Answers a predicate on values that are indexed.
    fn values(
        leaf: &Leaf,
        place: &Place,
        values: ValueIndex<'_>,
        context: &Context,
    ) -> Result<Option<Self>, Error> {
        let Some(null_count) = known_nulls(place, &values) else {
            return Ok(None);
        };
        let (test, on_null) = match &leaf.predicate {
            Predicate::Test { test, on_null, .. } => (test, *on_null),
            Predicate::IsNull { negated, .. } => {
                let negated = *negated;
                return Ok(Some(Self::IsNull {
                    negated,
                    null_count,
                }));
            }
            Predicate::Boolean(_) => return Ok(None),
        };
        let chooser = Chooser {
            place,
            values,
            test,
            cost: leaf.cost,
            context,
        };
        let choice = chooser.choose()?;
        Ok(choice.map(|choice| Self::Test {
            choice,
            on_null,
            null_count,
        }))
    }

    /// Returns about how many bytes the ranks take.
    fn held_bytes(&self) -> usize {
        match self {
            Self::Test { choice, .. } => choice.held_bytes(),
            Self::IsNull { .. } | Self::Constant(_) | Self::Rows(_) => 0,
        }
    }

    /// Returns which index answers.
    fn kind(&self) -> Kind {
        match self {
            Self::IsNull { .. } => Kind::Nulls,
            Self::Constant(_) => Kind::Dictionary,
            Self::Rows(_) => Kind::Inverted,
            Self::Test { choice, .. } => choice.kind,
        }
    }
}

/// Where a predicate is true.
#[derive(Debug)]
struct Trues {
    rows: RowSet,
    /// Rows that only a scan tells; none of them is in `rows`.
    unknown: Option<RowSet>,
    _held: Charge,
}

impl Trues {
    fn try_new(
        rows: RowSet,
        unknown: Option<RowSet>,
        mut held: Charge,
    ) -> Result<Self, Unanswered> {
        let unknown_bytes = unknown.as_ref().map_or(0, RowSet::held_bytes);
        held.set(rows.held_bytes().saturating_add(unknown_bytes))?;
        Ok(Self {
            rows,
            unknown,
            _held: held,
        })
    }
}

/// Where a predicate is null.
#[derive(Debug)]
struct Nulls {
    rows: RowSet,
    _held: Charge,
}

/// A predicate in a window of a segment.
#[derive(Debug)]
pub struct WindowAnswer {
    /// Rows where it is true.
    pub trues: Mask,
    /// Rows where it is null.
    pub nulls: Mask,
    /// Rows that only a scan tells; in neither set.
    pub unknown: Option<Mask>,
}

impl Answer {
    /// Answers a predicate from what is indexed of the slot it reads; none when a scan has to.
    ///
    /// # Errors
    /// The query's limits.
    pub fn of(
        leaf: &Leaf,
        place: Place,
        indexes: &SegmentIndexes,
        context: &Context,
    ) -> Result<Option<Self>, Error> {
        let asked = match place.find(indexes) {
            None => None,
            Some(Found::Nowhere) => Asked::nowhere(&leaf.predicate),
            Some(Found::Values(values)) => Asked::values(leaf, &place, values, context)?,
        };
        let Some(asked) = asked else {
            return Ok(None);
        };
        let mut choice = context.budget.charge(HELD);
        choice.set(asked.held_bytes())?;
        let via = match (asked.kind(), place.origin()) {
            (Kind::Nulls, _) => Via::Nulls,
            (_, Origin::Untyped { .. }) => Via::Json,
            (Kind::Range, _) => Via::Range,
            (Kind::Dictionary, _) => Via::Dictionary,
            (Kind::Bloom, _) => Via::Bloom,
            (Kind::Inverted | Kind::Others, _) => Via::Inverted,
        };
        Ok(Some(Self {
            indexes: indexes.clone(),
            place: Some(place),
            asked,
            row_count: indexes.row_count(),
            via,
            trues: OnceLock::new(),
            nulls: OnceLock::new(),
            _choice: choice,
        }))
    }

    /// Makes the answer of rows that an index of documents found.
    ///
    /// # Errors
    /// The query's limits.
    pub(super) fn of_rows(
        rows: DocumentRows,
        indexes: &SegmentIndexes,
        context: &Context,
    ) -> Result<Self, Error> {
        let mut choice = context.budget.charge(HELD);
        choice.set(rows.held_bytes())?;
        Ok(Self {
            indexes: indexes.clone(),
            place: None,
            asked: Asked::Rows(rows),
            row_count: indexes.row_count(),
            via: Via::Json,
            trues: OnceLock::new(),
            nulls: OnceLock::new(),
            _choice: choice,
        })
    }

    /// Returns what answers.
    pub fn via(&self) -> Via {
        self.via
    }

    /// Tells whether no row is left to a scan.
    pub fn is_exact(&self) -> bool {
        match &self.asked {
            Asked::IsNull { .. } | Asked::Constant(_) => true,
            Asked::Rows(rows) => rows.unknown.is_empty(),
            Asked::Test { choice, .. } => !choice.has_others,
        }
    }

    /// Returns how many rows the predicate is true for, when it is known without them.
    pub fn count(&self) -> Option<u64> {
        let all = u64::from(self.row_count);
        match &self.asked {
            Asked::Constant(truth) => Some(if *truth == Some(true) { all } else { 0 }),
            Asked::IsNull {
                negated,
                null_count,
            } => {
                let nulls = u64::from(*null_count);
                Some(if *negated {
                    all.saturating_sub(nulls)
                } else {
                    nulls
                })
            }
            Asked::Rows(rows) => rows.unknown.is_empty().then(|| rows.trues.len()),
            Asked::Test { choice, .. } if choice.has_others => None,
            Asked::Test {
                choice,
                on_null,
                null_count,
            } => {
                let nulls = match on_null {
                    OnNull::Constant(true) => u64::from(*null_count),
                    OnNull::Constant(false) | OnNull::Null => 0,
                };
                choice.count.map(|count| count + nulls)
            }
        }
    }

    /// Returns what is known without looking rows up.
    pub fn verdict(&self) -> Verdict {
        let all = u64::from(self.row_count);
        let extent = |count: Option<u64>| match count {
            Some(0) => Extent::None,
            Some(count) if count == all => Extent::All,
            _ => Extent::Unknown,
        };
        let nulls = match &self.asked {
            Asked::Constant(truth) => Some(if truth.is_none() { all } else { 0 }),
            Asked::Test {
                on_null: OnNull::Null,
                null_count,
                ..
            } => Some(u64::from(*null_count)),
            Asked::Rows(rows) => rows.unknown.is_empty().then(|| rows.nulls.len()),
            Asked::Test { .. } | Asked::IsNull { .. } => Some(0),
        };
        Verdict {
            trues: extent(self.count()),
            nulls: extent(nulls),
        }
    }

    /// Returns where in the segment the predicate is true; none when an index is damaged, or leaves
    /// rows to a scan.
    ///
    /// # Errors
    /// The query's limits.
    pub fn trues(&self, context: &Context) -> Result<Option<&RowSet>, Error> {
        let trues = self.looked_up(context)?;
        let exact = trues.filter(|trues| trues.unknown.is_none());
        Ok(exact.map(|trues| &trues.rows))
    }

    /// Returns where in the segment the predicate is null; none when an index is damaged.
    ///
    /// # Errors
    /// The query's limits.
    pub fn nulls(&self, context: &Context) -> Result<Option<&RowSet>, Error> {
        let find = || {
            let rows = match &self.asked {
                Asked::Constant(None) => RowSet::of_range(0..self.row_count),
                Asked::Test {
                    on_null: OnNull::Null,
                    null_count,
                    ..
                } => self.null_rows(*null_count)?,
                Asked::Rows(rows) => rows.nulls.clone(),
                Asked::Constant(_) | Asked::IsNull { .. } | Asked::Test { .. } => RowSet::new(),
            };
            let mut held = context.budget.charge(HELD);
            held.set(rows.held_bytes())?;
            Ok(Nulls { rows, _held: held })
        };
        let nulls = answered(self.nulls.get_or_init(find))?;
        Ok(nulls.map(|nulls| &nulls.rows))
    }

    /// Returns the answer for some rows of the segment; none when an index is damaged. Nulls are left
    /// out when they do not matter.
    ///
    /// # Errors
    /// The query's limits.
    pub fn within(
        &self,
        rows: Range<u32>,
        with_nulls: bool,
        context: &Context,
    ) -> Result<Option<WindowAnswer>, Error> {
        let Some(trues) = self.looked_up(context)? else {
            return Ok(None);
        };
        let fill = |set: &RowSet| Mask::new(set.fill(rows.clone()));
        let nulls = match with_nulls {
            true => match self.nulls(context)? {
                Some(nulls) => fill(nulls),
                None => return Ok(None),
            },
            false => Mask::none((rows.end - rows.start) as usize),
        };
        Ok(Some(WindowAnswer {
            trues: fill(&trues.rows),
            nulls,
            unknown: trues.unknown.as_ref().map(fill),
        }))
    }

    fn looked_up(&self, context: &Context) -> Result<Option<&Trues>, Error> {
        answered(self.trues.get_or_init(|| self.look_up(context)))
    }

    fn look_up(&self, context: &Context) -> Result<Trues, Unanswered> {
        context.check()?;
        let exact = |rows| Trues::try_new(rows, None, context.budget.charge(HELD));
        match &self.asked {
            Asked::Constant(Some(true)) => exact(RowSet::of_range(0..self.row_count)),
            Asked::Constant(_) => exact(RowSet::new()),
            Asked::Rows(rows) => Trues::try_new(
                rows.trues.clone(),
                (!rows.unknown.is_empty()).then(|| rows.unknown.clone()),
                context.budget.charge(HELD),
            ),
            Asked::IsNull {
                negated,
                null_count,
            } => {
                let nulls = self.null_rows(*null_count)?;
                exact(match negated {
                    true => nulls.complement(self.row_count),
                    false => nulls,
                })
            }
            Asked::Test {
                choice,
                on_null,
                null_count,
            } => self.tested(choice, *on_null, *null_count, context),
        }
    }

    fn tested(
        &self,
        choice: &Choice,
        on_null: OnNull,
        null_count: u32,
        context: &Context,
    ) -> Result<Trues, Unanswered> {
        let held = context.budget.charge(HELD);
        let nulls_pass = on_null == OnNull::Constant(true);
        let unknown = match choice.has_others {
            true => self.values()?.others()?,
            false => None,
        };
        let without_unknown = |rows: RowSet| match &unknown {
            Some(unknown) => rows.without(unknown),
            None => rows,
        };
        let rows = match &choice.passing {
            Passing::Nothing => RowSet::new(),
            Passing::Only(listed) => without_unknown(self.listed(listed, context)?),
            Passing::Everything | Passing::Except(_) => {
                let mut fail = match &choice.passing {
                    Passing::Except(listed) => self.listed(listed, context)?,
                    _ => RowSet::new(),
                };
                if let Some(unknown) = &unknown {
                    fail = fail.or(unknown);
                }
                if !nulls_pass {
                    fail = fail.or(&self.null_rows(null_count)?);
                }
                let rows = fail.complement(self.row_count);
                return Trues::try_new(rows, unknown, held);
            }
        };
        let rows = match nulls_pass {
            true => rows.or(&self.null_rows(null_count)?),
            false => rows,
        };
        Trues::try_new(rows, unknown, held)
    }

    fn listed(&self, listed: &Listed, context: &Context) -> Result<RowSet, Unanswered> {
        let values = self.values()?;
        match listed {
            Listed::Ranks(ranks) => {
                let mut all: Option<RowSet> = None;
                for some in pieces(ranks) {
                    context.check()?;
                    let rows = values.rows(&some)?;
                    all = Some(match all {
                        Some(all) => all.or(&rows),
                        None => rows,
                    });
                }
                Ok(all.unwrap_or_default())
            }
            Listed::Slices(spans) => {
                let mut all: Option<RowSet> = None;
                for (low, high) in spans {
                    context.check()?;
                    let rows = values.range_rows(low.as_ref(), high.as_ref())?;
                    let rows = rows.ok_or(IndexError::Absent { kind: Kind::Range })?;
                    all = Some(match all {
                        Some(all) => all.or(&rows),
                        None => rows,
                    });
                }
                Ok(all.unwrap_or_default())
            }
        }
    }

    fn null_rows(&self, null_count: u32) -> Result<RowSet, IndexError> {
        if null_count == 0 {
            return Ok(RowSet::new());
        }
        self.values()?.nulls()
    }

    fn values(&self) -> Result<ValueIndex<'_>, IndexError> {
        let found = self.place.as_ref();
        match found.and_then(|place| place.find(&self.indexes)) {
            Some(Found::Values(values)) => Ok(values),
            Some(Found::Nowhere) | None => Err(IndexError::Absent {
                kind: Kind::Dictionary,
            }),
        }
    }
}

/// Cuts ranges of ranks (ascending, apart) into pieces of so many ranks.
fn pieces(ranks: &[Range<u32>]) -> Vec<Vec<Range<u32>>> {
    let (mut pieces, mut last, mut room) = (Vec::new(), Vec::new(), UNCHECKED_RANKS);
    for range in ranks {
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start.saturating_add(room));
            last.push(start..end);
            room -= end - start;
            start = end;
            if room == 0 {
                pieces.push(std::mem::take(&mut last));
                room = UNCHECKED_RANKS;
            }
        }
    }
    if !last.is_empty() {
        pieces.push(last);
    }
    pieces
}

/// Returns how many rows are null, when it is known which.
fn known_nulls(place: &Place, values: &ValueIndex<'_>) -> Option<u32> {
    let null_count = values.null_count()?;
    let known = null_count == 0 || place.allows(Kind::Nulls) && values.has(Kind::Nulls);
    known.then_some(null_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_cut_into_pieces() {
        let most = UNCHECKED_RANKS;
        let all = [3..5, 7..most, most + 1..3 * most];
        let pieces = pieces(&all);
        let len = |piece: &Vec<Range<u32>>| piece.iter().map(|ranks| ranks.len()).sum::<usize>();
        assert!(pieces.iter().all(|piece| len(piece) <= most as usize));
        assert_eq!(pieces.len(), 3);
        let cut: Vec<u32> = pieces.into_iter().flatten().flatten().collect();
        assert_eq!(cut, all.into_iter().flatten().collect::<Vec<_>>());
    }
}
