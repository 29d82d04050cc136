//! One predicate on one segment, answered by indexes.

use std::ops::Range;
use std::sync::OnceLock;

use growler_index::{Error as IndexError, Kind, RowSet, SegmentIndexes, ValueIndex};

use super::{
    Found, Place,
    choice::{Choice, Chooser, Listed, Passing},
    place::Origin,
};
use crate::{
    error::Error,
    filter::{Leaf, Mask, Predicate, leaf::OnNull},
    prune::{Extent, Verdict},
    run::Context,
};

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
    place: Place,
    asked: Asked,
    row_count: u32,
    via: Via,
    trues: OnceLock<Option<Trues>>,
    nulls: OnceLock<Option<RowSet>>,
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

    /// Returns which index answers.
    fn kind(&self) -> Kind {
        match self {
            Self::IsNull { .. } => Kind::Nulls,
            Self::Constant(_) => Kind::Dictionary,
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
            place,
            asked,
            row_count: indexes.row_count(),
            via,
            trues: OnceLock::new(),
            nulls: OnceLock::new(),
        }))
    }

    /// Returns what answers.
    pub fn via(&self) -> Via {
        self.via
    }

    /// Tells whether no row is left to a scan.
    pub fn is_exact(&self) -> bool {
        match &self.asked {
            Asked::IsNull { .. } | Asked::Constant(_) => true,
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
            Asked::Test { .. } | Asked::IsNull { .. } => Some(0),
        };
        Verdict {
            trues: extent(self.count()),
            nulls: extent(nulls),
        }
    }

    /// Returns where in the segment the predicate is true; none when an index is damaged, or leaves
    /// rows to a scan.
    pub fn trues(&self) -> Option<&RowSet> {
        let trues = self.looked_up()?;
        trues.unknown.is_none().then_some(&trues.rows)
    }

    /// Returns where in the segment the predicate is null; none when an index is damaged.
    pub fn nulls(&self) -> Option<&RowSet> {
        let find = || match &self.asked {
            Asked::Constant(None) => Some(RowSet::of_range(0..self.row_count)),
            Asked::Test {
                on_null: OnNull::Null,
                null_count,
                ..
            } => self.null_rows(*null_count).ok(),
            Asked::Constant(_) | Asked::IsNull { .. } | Asked::Test { .. } => Some(RowSet::new()),
        };
        self.nulls.get_or_init(find).as_ref()
    }

    /// Returns the answer for some rows of the segment; none when an index is damaged. Nulls are left
    /// out when they do not matter.
    pub fn within(&self, rows: Range<u32>, with_nulls: bool) -> Option<WindowAnswer> {
        let trues = self.looked_up()?;
        let fill = |set: &RowSet| Mask::new(set.fill(rows.clone()));
        let nulls = match with_nulls {
            true => fill(self.nulls()?),
            false => Mask::none((rows.end - rows.start) as usize),
        };
        Some(WindowAnswer {
            trues: fill(&trues.rows),
            nulls,
            unknown: trues.unknown.as_ref().map(fill),
        })
    }

    fn looked_up(&self) -> Option<&Trues> {
        // A damaged index was logged where it was found.
        self.trues.get_or_init(|| self.look_up().ok()).as_ref()
    }

    fn look_up(&self) -> Result<Trues, IndexError> {
        let exact = |rows| Trues {
            rows,
            unknown: None,
        };
        match &self.asked {
            Asked::Constant(Some(true)) => Ok(exact(RowSet::of_range(0..self.row_count))),
            Asked::Constant(_) => Ok(exact(RowSet::new())),
            Asked::IsNull {
                negated,
                null_count,
            } => {
                let nulls = self.null_rows(*null_count)?;
                Ok(exact(match negated {
                    true => nulls.complement(self.row_count),
                    false => nulls,
                }))
            }
            Asked::Test {
                choice,
                on_null,
                null_count,
            } => self.tested(choice, *on_null, *null_count),
        }
    }

    fn tested(
        &self,
        choice: &Choice,
        on_null: OnNull,
        null_count: u32,
    ) -> Result<Trues, IndexError> {
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
            Passing::Only(listed) => without_unknown(self.listed(listed)?),
            Passing::Everything | Passing::Except(_) => {
                let mut fail = match &choice.passing {
                    Passing::Except(listed) => self.listed(listed)?,
                    _ => RowSet::new(),
                };
                if let Some(unknown) = &unknown {
                    fail = fail.or(unknown);
                }
                if !nulls_pass {
                    fail = fail.or(&self.null_rows(null_count)?);
                }
                let rows = fail.complement(self.row_count);
                return Ok(Trues { rows, unknown });
            }
        };
        let rows = match nulls_pass {
            true => rows.or(&self.null_rows(null_count)?),
            false => rows,
        };
        Ok(Trues { rows, unknown })
    }

    fn listed(&self, listed: &Listed) -> Result<RowSet, IndexError> {
        let values = self.values()?;
        match listed {
            Listed::Ranks(ranks) => values.rows(ranks),
            Listed::Slices(spans) => {
                let mut all: Option<RowSet> = None;
                for (low, high) in spans {
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
        match self.place.find(&self.indexes) {
            Some(Found::Values(values)) => Ok(values),
            Some(Found::Nowhere) | None => Err(IndexError::Absent {
                kind: Kind::Dictionary,
            }),
        }
    }
}

/// Returns how many rows are null, when it is known which.
fn known_nulls(place: &Place, values: &ValueIndex<'_>) -> Option<u32> {
    let null_count = values.null_count()?;
    let known = null_count == 0 || place.allows(Kind::Nulls) && values.has(Kind::Nulls);
    known.then_some(null_count)
}
