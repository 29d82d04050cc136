//! Partition tuples: the values that all rows of a file have in common.

use growler_base::FieldId;
use serde::{Deserialize, Serialize};

use super::avro::{Shape, Values};
use crate::error::Fault;
use crate::metadata::PartitionSpec;
use crate::{Datum, DatumRef};

/// The partition of a file, by the identities of its spec's fields.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PartitionTuple {
    /// Values, null or not, in ascending order of the fields' identities.
    values: Vec<(FieldId, Option<Datum>)>,
}

impl PartitionTuple {
    /// Makes a tuple of its values.
    pub fn new(mut values: Vec<(FieldId, Option<Datum>)>) -> Self {
        values.sort_by_key(|(id, _)| *id);
        Self { values }
    }

    /// Returns the value of a field of the spec: none if the tuple lacks it, some none if it is null.
    pub fn get(&self, id: FieldId) -> Option<Option<&Datum>> {
        let position = self.values.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        let (_, value) = self.values.get(position)?;
        Some(value.as_ref())
    }

    /// Returns the values with the identities of the spec's fields.
    pub fn values(&self) -> &[(FieldId, Option<Datum>)] {
        &self.values
    }

    /// Returns bytes that two tuples under one spec share exactly if they are the same partition.
    ///
    /// Types do not count: a day may be an int or a date, and an int may have become a long.
    pub fn key(&self) -> Box<[u8]> {
        let mut key = Vec::new();
        for (id, value) in &self.values {
            key.extend_from_slice(&id.0.to_le_bytes());
            DatumRef::push_key(value.as_ref().map(Datum::as_ref), &mut key);
        }
        key.into()
    }

    /// Reads a tuple; fields that carry no identity are those of the spec in its order.
    pub(crate) fn read(
        values: &mut Values<'_>,
        shape: &Shape,
        spec: Option<&PartitionSpec>,
    ) -> Result<Self, Fault> {
        let mut tuple = Vec::new();
        let mut position = 0_usize;
        values.record(shape, |values, field| {
            let in_spec = spec.and_then(|spec| spec.fields.get(position));
            position = position.saturating_add(1);
            match field.id.map(FieldId).or(in_spec.map(|field| field.id)) {
                Some(id) => tuple.push((id, values.datum(&field.shape)?)),
                None => values.skip(&field.shape)?,
            }
            Ok(())
        })?;
        Ok(Self::new(tuple))
    }
}
