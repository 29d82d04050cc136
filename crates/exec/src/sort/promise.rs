//! What statistics tell of an order before any row is read.

use std::cell::RefCell;
use std::collections::BTreeMap;

use growler_base::RowGroupIdx;
use growler_schema::{DataType, Value};
use growler_segment::Statistics;

use super::{Leaders, Order};
use crate::{
    error::Error,
    expr::convert::value::{single, value_at},
    plan::{BoundSegment, SortKey},
    run::morsel::Morsel,
};

/// Row groups whose pages are looked at; others are taken whole.
const PAGED_ROW_GROUPS: usize = 8;

/// Rows that all come no later than a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    /// The key of the last of them, or later.
    last: Box<[u8]>,
    row_count: u64,
}

/// Tells what rows an order has by statistics of its first key.
#[derive(Debug)]
struct Promise<'p> {
    key: &'p SortKey,
    slot: usize,
    order: Order,
}

/// Finds out what statistics prove about the first `limit` rows, and returns the order in which morsels
/// are best looked at: those that promise most come first.
///
/// # Errors
/// [`Error::Internal`] when statistics are of another type than the key.
pub fn prepare(
    leaders: &Leaders<'_>,
    sort: &[SortKey],
    morsels: &[Morsel],
    limit: usize,
) -> Result<Vec<usize>, Error> {
    let in_order = || (0..morsels.len()).collect();
    let (Some(bar_key), Some(keys)) = (leaders.key(), sort.get(..1)) else {
        return Ok(in_order());
    };
    let Some(slot) = bar_key.key.operand.bare_slot() else {
        return Ok(in_order());
    };
    let promise = Promise {
        key: bar_key.key,
        slot,
        order: Order::try_new(keys)?,
    };
    let groups = promise.groups(morsels);
    if let Some(last) = promise.proven(&groups, morsels, limit) {
        let value = promise.order.first_value(&last)?;
        let data_type = promise.key.operand.column_type().data_type;
        let value = value_at(&value, 0, data_type);
        if let Some(bar) = value.and_then(|value| bar_key.bar(Some(&value), None)) {
            leaders.set_proven(bar);
        }
    }
    let mut order: Vec<usize> = in_order();
    order.sort_by_key(|idx| {
        let group = morsels
            .get(*idx)
            .and_then(|morsel| groups.get(&place(morsel)));
        // Nothing known comes last.
        let first = group.and_then(|group| group.first.as_deref());
        (first.is_none(), first)
    });
    Ok(order)
}

/// What is known of a row group.
#[derive(Debug)]
struct Group {
    /// The key of its first row, or earlier; none when nobody knows.
    first: Option<Box<[u8]>>,
    block: Option<Block>,
    /// A morsel that has rows of it.
    morsel: usize,
}

type Place = (usize, RowGroupIdx);

fn place(morsel: &Morsel) -> Place {
    (morsel.segment_idx, morsel.row_group)
}

impl Promise<'_> {
    fn groups(&self, morsels: &[Morsel]) -> BTreeMap<Place, Group> {
        let mut groups = BTreeMap::new();
        for (idx, morsel) in morsels.iter().enumerate() {
            if morsel.whole.is_some() || groups.contains_key(&place(morsel)) {
                continue;
            }
            let known = morsel.segment.statistics(morsel.row_group, self.slot);
            let known = known.as_ref();
            let first = known.and_then(|known| self.end(known, true));
            let group = Group {
                first: first.and_then(|value| self.bytes(value)),
                block: known
                    .filter(|_| counts_rows(morsel))
                    .and_then(|known| self.block(known)),
                morsel: idx,
            };
            groups.insert(place(morsel), group);
        }
        groups
    }

    /// Returns a key that the first `limit` rows come no later than.
    fn proven(
        &self,
        groups: &BTreeMap<Place, Group>,
        morsels: &[Morsel],
        limit: usize,
    ) -> Option<Box<[u8]>> {
        let mut with_block: Vec<&Group> = groups
            .values()
            .filter(|group| group.block.is_some())
            .collect();
        with_block.sort_by(|a, b| a.first.cmp(&b.first));
        let mut blocks = Vec::new();
        for (at, group) in with_block.into_iter().enumerate() {
            let pages = match morsels.get(group.morsel) {
                Some(morsel) if at < PAGED_ROW_GROUPS => {
                    self.pages(&morsel.segment, morsel.row_group)
                }
                _ => Vec::new(),
            };
            // Pages know no more than their row group when there is one of them, or no index.
            match pages.len() {
                0 | 1 => blocks.extend(group.block.clone()),
                _ => blocks.extend(pages),
            }
        }
        last_of_first(blocks, limit)
    }

    fn pages(&self, segment: &BoundSegment, row_group: RowGroupIdx) -> Vec<Block> {
        let Some(source) = segment.source(self.slot) else {
            return Vec::new();
        };
        let pages = RefCell::new(Vec::new());
        let look = |known: &Statistics| {
            pages.borrow_mut().extend(self.block(known));
            true
        };
        segment.segment().page_ranges(row_group, source, &look);
        pages.into_inner()
    }

    /// Returns the rows with values; none when nobody knows how many, or how late they come.
    fn block(&self, known: &Statistics) -> Option<Block> {
        // NaN comes after all numbers, and is not told of.
        if known.may_have_nan && !self.key.options.descending {
            return None;
        }
        // Bytes that are no text read as null.
        let data_type = self.key.operand.column_type().data_type;
        if matches!(data_type, DataType::String | DataType::Json) {
            return None;
        }
        let nulls = known.null_count?;
        Some(Block {
            last: self.bytes(self.end(known, false)?)?,
            row_count: (known.row_count as u64).saturating_sub(nulls),
        })
    }

    /// Returns the value that is first, or last, of those with statistics.
    fn end<'s>(&self, known: &'s Statistics, first: bool) -> Option<&'s Value> {
        match self.key.options.descending == first {
            true => known.max.as_ref(),
            false => known.min.as_ref(),
        }
    }

    fn bytes(&self, value: &Value) -> Option<Box<[u8]>> {
        let array = single(Some(value), self.key.operand.column_type()).ok()?;
        let rows = self.order.rows(&[array]).ok()?;
        Some(rows.row(0).as_ref().into())
    }
}

/// Tells whether the rows that statistics count are all in the answer's choice.
fn counts_rows(morsel: &Morsel) -> bool {
    morsel.passes_all && morsel.segment.deleted_rows().is_none()
}

/// Returns the key that enough blocks end with.
fn last_of_first(mut blocks: Vec<Block>, limit: usize) -> Option<Box<[u8]>> {
    blocks.sort_unstable();
    let mut row_count = 0;
    let enough = blocks.into_iter().find(|block| {
        row_count += block.row_count;
        row_count >= limit as u64
    });
    enough.map(|block| block.last)
}
