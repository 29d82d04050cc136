//! A filter on a whole segment, answered by indexes alone.

use growler_index::RowSet;
use roaring::RoaringBitmap;

use super::Lookups;
use crate::filter::Filter;

/// Where a filter is true and where it is null in a segment.
struct Sets {
    trues: RowSet,
    nulls: RowSet,
}

impl Lookups {
    /// Returns how many rows of a segment of `row_count` rows pass a filter that indexes answer, without
    /// those that are gone; none when one of them turns out to be damaged, or leaves rows to a scan.
    pub fn count(
        &self,
        filter: &Filter,
        row_count: u32,
        deleted: Option<&RoaringBitmap>,
    ) -> Option<u64> {
        if let Some(deleted) = deleted {
            let trues = self.sets(filter, row_count, false)?.trues;
            let gone = deleted.iter().filter(|row| trues.contains(*row)).count();
            return Some(trues.len().saturating_sub(gone as u64));
        }
        let counted = match filter {
            Filter::Leaf(leaf) => self.answer(leaf)?.count(),
            _ => None,
        };
        counted.or_else(|| Some(self.sets(filter, row_count, false)?.trues.len()))
    }

    /// Returns the two sets of a filter. Nulls are left out when they do not matter.
    fn sets(&self, filter: &Filter, row_count: u32, with_nulls: bool) -> Option<Sets> {
        let all = |children: &[Filter]| -> Option<Vec<Sets>> {
            let sets = |child| self.sets(child, row_count, with_nulls);
            children.iter().map(sets).collect()
        };
        Some(match filter {
            Filter::Constant(value) => Sets::constant(*value, row_count),
            Filter::Leaf(leaf) => {
                let answer = self.answer(leaf)?;
                Sets {
                    trues: answer.trues()?.clone(),
                    nulls: match with_nulls {
                        true => answer.nulls()?.clone(),
                        false => RowSet::new(),
                    },
                }
            }
            Filter::And(children) => {
                and(all(children)?).unwrap_or_else(|| Sets::constant(Some(true), row_count))
            }
            Filter::Or(children) => or(all(children)?),
            Filter::Not(child) => {
                let Sets { trues, nulls } = self.sets(child, row_count, true)?;
                Sets {
                    trues: trues.or(&nulls).complement(row_count),
                    nulls,
                }
            }
        })
    }
}

impl Sets {
    fn constant(value: Option<bool>, row_count: u32) -> Self {
        let set = |all: bool| match all {
            true => RowSet::of_range(0..row_count),
            false => RowSet::new(),
        };
        Self {
            trues: set(value == Some(true)),
            nulls: set(value.is_none()),
        }
    }
}

/// Joins the sets of conjuncts, the smallest first; none without any.
fn and(mut children: Vec<Sets>) -> Option<Sets> {
    children.sort_by_key(|child| child.trues.len());
    children.into_iter().reduce(|a, b| {
        let trues = a.trues.and(&b.trues);
        if a.nulls.is_empty() && b.nulls.is_empty() {
            return Sets {
                trues,
                nulls: a.nulls,
            };
        }
        let possible = a.trues.or(&a.nulls).and(&b.trues.or(&b.nulls));
        Sets {
            nulls: possible.without(&trues),
            trues,
        }
    })
}

fn or(children: Vec<Sets>) -> Sets {
    let mut joined = Sets {
        trues: RowSet::new(),
        nulls: RowSet::new(),
    };
    for child in children {
        joined.trues = joined.trues.or(&child.trues);
        joined.nulls = joined.nulls.or(&child.nulls);
    }
    joined.nulls = joined.nulls.without(&joined.trues);
    joined
}
