//! Manifest lists: a snapshot's manifests, and what each holds in sum.

use std::sync::Arc;

use growler_base::limits;

use super::avro::{Container, Shape, Values};
use crate::error::{Error, Fault, FileKind};
use crate::{SequenceNumber, SnapshotId, SpecId};

/// One manifest, as its list describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Where it is, as recorded.
    pub path: String,
    /// Its length, in bytes.
    pub len_bytes: u64,
    /// The partition spec of its files.
    pub spec_id: SpecId,
    /// What its files are.
    pub content: ManifestContent,
    /// Rank of the commit that added it; 0 in v1 tables.
    pub sequence_number: SequenceNumber,
    /// The commit that added it; none in a v1 table that lists its manifests in the metadata.
    pub added_snapshot_id: Option<SnapshotId>,
    /// How many files it has that were added, or were there before; none if it does not say.
    pub live_files: Option<u64>,
    /// One summary a field of the partition tuple, in its order; empty if it does not say.
    pub partitions: Vec<FieldSummary>,
    /// First row id of files that have none of their own.
    pub first_row_id: Option<i64>,
    /// Whether it is encrypted.
    pub is_encrypted: bool,
}

/// What the files of a manifest are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestContent {
    /// Data files.
    Data,
    /// Delete files and deletion vectors.
    Deletes,
}

/// What one field of the partition tuples of a manifest's files has in sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSummary {
    /// Whether some file has null.
    pub contains_null: bool,
    /// Whether some file has NaN; none if it does not say.
    pub contains_nan: Option<bool>,
    /// Smallest value, in its binary form.
    pub lower_bound: Option<Box<[u8]>>,
    /// Largest value, in its binary form.
    pub upper_bound: Option<Box<[u8]>>,
}

impl Manifest {
    /// Parses a manifest list.
    ///
    /// # Errors
    /// `Corrupt`, `Unsupported` for an unknown codec, `LimitExceeded`.
    pub fn parse_list(bytes: &[u8], path: &str) -> Result<Vec<Self>, Error> {
        parse(bytes).map_err(|fault| fault.at(FileKind::ManifestList, &Arc::from(path)))
    }

    /// Makes the manifest of a v1 table that names it in its metadata: what its own header says.
    ///
    /// # Errors
    /// `Corrupt` when it is no manifest.
    pub fn embedded(bytes: &[u8], path: &str) -> Result<Self, Error> {
        let spec_id = Container::open(bytes).map(|container| {
            let text = container.header("partition-spec-id");
            text.and_then(|text| std::str::from_utf8(text).ok()?.parse().ok())
        });
        let spec_id = spec_id.map_err(|fault| fault.at(FileKind::Manifest, &Arc::from(path)))?;
        Ok(Self::unsaid(path.to_owned(), SpecId(spec_id.unwrap_or(0))))
    }

    pub(crate) fn unsaid(path: String, spec_id: SpecId) -> Self {
        Self {
            path,
            len_bytes: 0,
            spec_id,
            content: ManifestContent::Data,
            sequence_number: SequenceNumber(0),
            added_snapshot_id: None,
            live_files: None,
            partitions: Vec::new(),
            first_row_id: None,
            is_encrypted: false,
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<Manifest>, Fault> {
    let container = Container::open(bytes)?;
    let mut manifests = Vec::new();
    container.each(|values, shape| {
        if manifests.len() >= limits::SNAPSHOT_MANIFESTS {
            let limit = limits::SNAPSHOT_MANIFESTS;
            return Err(Fault::Limit(format!("too many manifests limit={limit}")));
        }
        manifests.push(manifest(values, shape)?);
        Ok(())
    })?;
    Ok(manifests)
}

fn manifest(values: &mut Values<'_>, shape: &Shape) -> Result<Manifest, Fault> {
    let mut path = None;
    let mut found = Manifest::unsaid(String::new(), SpecId(0));
    let (mut added, mut existing) = (None, None);
    values.record(shape, |values, field| {
        let shape = &field.shape;
        match field.id {
            Some(500) => path = values.optional_text(shape)?.map(str::to_owned),
            Some(501) => {
                let len = values.optional_long(shape)?.unwrap_or(0);
                found.len_bytes = u64::try_from(len).unwrap_or(0);
            }
            Some(502) => {
                let id = values.optional_long(shape)?.unwrap_or(0);
                let id = i32::try_from(id).map_err(|_| Fault::corrupt("spec id is out of range"));
                found.spec_id = SpecId(id?);
            }
            Some(517) => found.content = content(values.optional_long(shape)?)?,
            Some(515) => {
                found.sequence_number = SequenceNumber(values.optional_long(shape)?.unwrap_or(0));
            }
            Some(503) => found.added_snapshot_id = values.optional_long(shape)?.map(SnapshotId),
            Some(504) => added = values.optional_long(shape)?,
            Some(505) => existing = values.optional_long(shape)?,
            Some(507) => values.list(shape, |values, item| {
                found.partitions.push(summary(values, item)?);
                Ok(())
            })?,
            Some(519) => found.is_encrypted = is_given(values.optional_bytes(shape)?),
            Some(520) => found.first_row_id = values.optional_long(shape)?,
            _ => values.skip(shape)?,
        }
        Ok(())
    })?;
    found.path = path.ok_or_else(|| Fault::corrupt("manifest has no path"))?;
    let count = |count: Option<i64>| u64::try_from(count?).ok();
    found.live_files = count(added)
        .zip(count(existing))
        .map(|(a, e)| a.saturating_add(e));
    Ok(found)
}

pub(crate) fn is_given(bytes: Option<&[u8]>) -> bool {
    bytes.is_some_and(|bytes| !bytes.is_empty())
}

fn content(code: Option<i64>) -> Result<ManifestContent, Fault> {
    match code.unwrap_or(0) {
        0 => Ok(ManifestContent::Data),
        1 => Ok(ManifestContent::Deletes),
        code => Err(Fault::Unsupported(format!(
            "content of a manifest is not known content={code}"
        ))),
    }
}

fn summary(values: &mut Values<'_>, shape: &Shape) -> Result<FieldSummary, Fault> {
    let mut found = FieldSummary {
        contains_null: true,
        contains_nan: None,
        lower_bound: None,
        upper_bound: None,
    };
    values.record(shape, |values, field| {
        let shape = &field.shape;
        match field.id {
            Some(509) => found.contains_null = values.optional_flag(shape)?.unwrap_or(true),
            Some(518) => found.contains_nan = values.optional_flag(shape)?,
            Some(510) => found.lower_bound = values.optional_bytes(shape)?.map(Into::into),
            Some(511) => found.upper_bound = values.optional_bytes(shape)?.map(Into::into),
            _ => values.skip(shape)?,
        }
        Ok(())
    })?;
    Ok(found)
}
