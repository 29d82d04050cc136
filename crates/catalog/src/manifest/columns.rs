//! Bounds and counts of a file's columns, kept as the manifest has them.

use std::collections::BTreeMap;

use growler_base::FieldId;
use serde::{Deserialize, Serialize};

use super::avro::{Shape, Values};
use crate::datum::hex_bytes;
use crate::error::Fault;

/// What a manifest says of one column of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ColumnStats {
    /// Values, nulls and NaNs among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_count: Option<u64>,
    /// Nulls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_count: Option<u64>,
    /// NaNs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nan_count: Option<u64>,
    /// No value is smaller, in the binary form of the type that the column had.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hex_bytes")]
    pub lower_bound: Option<Box<[u8]>>,
    /// No value is larger, in the binary form of the type that the column had.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hex_bytes")]
    pub upper_bound: Option<Box<[u8]>>,
}

/// What a manifest says of the columns of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Columns {
    /// In ascending order of the identities.
    stats: Vec<(FieldId, ColumnStats)>,
}

impl Columns {
    /// Makes it of the statistics of columns.
    pub fn new(mut stats: Vec<(FieldId, ColumnStats)>) -> Self {
        stats.sort_by_key(|(id, _)| *id);
        Self { stats }
    }

    /// Returns what is said of a column; none if nothing is.
    pub fn get(&self, id: FieldId) -> Option<&ColumnStats> {
        let position = self.stats.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.stats.get(position).map(|(_, stats)| stats)
    }

    /// Returns the columns that something is said of.
    pub fn iter(&self) -> impl Iterator<Item = (FieldId, &ColumnStats)> {
        self.stats.iter().map(|(id, stats)| (*id, stats))
    }
}

/// Statistics as they are read: the manifest has one map for each kind of them.
#[derive(Debug, Default)]
pub(crate) struct ColumnsReader(BTreeMap<FieldId, ColumnStats>);

impl ColumnsReader {
    /// Reads a map of counts.
    pub(crate) fn read_counts(
        &mut self,
        values: &mut Values<'_>,
        shape: &Shape,
        count: impl Fn(&mut ColumnStats) -> &mut Option<u64>,
    ) -> Result<(), Fault> {
        values.list(shape, |values, item| {
            let (mut id, mut found) = (None, None);
            each_member(values, item, |values, is_key, shape| {
                let number = values.optional_long(shape)?;
                *(if is_key { &mut id } else { &mut found }) = number;
                Ok(())
            })?;
            if let Some(stats) = self.entry(id) {
                *count(stats) = found.and_then(|found| u64::try_from(found).ok());
            }
            Ok(())
        })
    }

    /// Reads a map of bounds.
    pub(crate) fn read_bounds(
        &mut self,
        values: &mut Values<'_>,
        shape: &Shape,
        bound: impl Fn(&mut ColumnStats) -> &mut Option<Box<[u8]>>,
    ) -> Result<(), Fault> {
        values.list(shape, |values, item| {
            let (mut id, mut found) = (None, None);
            each_member(values, item, |values, is_key, shape| {
                match is_key {
                    true => id = values.optional_long(shape)?,
                    false => found = values.optional_bytes(shape)?,
                }
                Ok(())
            })?;
            if let Some(stats) = self.entry(id) {
                *bound(stats) = found.map(Into::into);
            }
            Ok(())
        })
    }

    /// Returns what was read.
    pub(crate) fn finish(self) -> Columns {
        Columns {
            stats: self.0.into_iter().collect(),
        }
    }

    fn entry(&mut self, id: Option<i64>) -> Option<&mut ColumnStats> {
        let id = FieldId(i32::try_from(id?).ok()?);
        Some(self.0.entry(id).or_default())
    }
}

/// Reads an entry of a map with integer keys, which Avro has as a record of key and value.
fn each_member<'a>(
    values: &mut Values<'a>,
    item: &Shape,
    mut read: impl FnMut(&mut Values<'a>, bool, &Shape) -> Result<(), Fault>,
) -> Result<(), Fault> {
    values.record(item, |values, field| match field.name.as_ref() {
        "key" => read(values, true, &field.shape),
        "value" => read(values, false, &field.shape),
        _ => values.skip(&field.shape),
    })?;
    Ok(())
}
