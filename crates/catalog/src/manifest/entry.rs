//! Manifests: files with their history, completed by what they inherit from the list.

use std::sync::Arc;

use growler_base::limits;

use super::avro::{Container, Shape, Values};
use super::file::{Content, FileEntry};
use super::list::{Manifest, ManifestContent};
use crate::error::{Error, Fault, FileKind};
use crate::metadata::PartitionSpec;
use crate::{SequenceNumber, SnapshotId, SpecId};

/// A file of a manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What the manifest's commit did with it.
    pub status: Status,
    /// The commit that added it, or removed it.
    pub snapshot_id: Option<SnapshotId>,
    /// Rank of the commit that its rows are from: what deletes are measured by.
    pub sequence_number: SequenceNumber,
    /// Rank of the commit that added the file.
    pub file_sequence_number: SequenceNumber,
    /// The file.
    pub file: FileEntry,
}

/// What a commit did with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It was there before.
    Existing,
    /// It was added.
    Added,
    /// It was removed: it is listed for the record only.
    Deleted,
}

impl Entry {
    /// Tells whether the file belongs to the snapshot.
    pub fn is_live(&self) -> bool {
        self.status != Status::Deleted
    }

    /// Parses a manifest and hands its entries on, in order.
    ///
    /// `spec` finds the partition spec of an identity; the manifest's own word on which one it is
    /// counts only where the list has none.
    ///
    /// # Errors
    /// `Corrupt`, `Unsupported` for an unknown codec, `LimitExceeded`, and what `take` returns.
    pub fn each_of<'s>(
        bytes: &[u8],
        path: &Arc<str>,
        manifest: &Manifest,
        spec: impl Fn(SpecId) -> Option<&'s PartitionSpec>,
        mut take: impl FnMut(Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut refused = None;
        let parsed = read(bytes, manifest, spec, |entry| {
            take(entry).map_err(|error| {
                refused = Some(error);
                Fault::corrupt("refused")
            })
        });
        match refused {
            Some(error) => Err(error),
            None => parsed.map_err(|fault| fault.at(FileKind::Manifest, path)),
        }
    }
}

fn read<'s>(
    bytes: &[u8],
    manifest: &Manifest,
    spec: impl Fn(SpecId) -> Option<&'s PartitionSpec>,
    mut take: impl FnMut(Entry) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let container = Container::open(bytes)?;
    let spec = spec(manifest.spec_id);
    let mut row_ids = RowIds(manifest.first_row_id);
    let mut entry_count = 0_usize;
    container.each(|values, shape| {
        entry_count = entry_count.saturating_add(1);
        if entry_count > limits::SNAPSHOT_FILES {
            let limit = limits::SNAPSHOT_FILES;
            return Err(Fault::Limit(format!("too many files limit={limit}")));
        }
        let mut entry = read_entry(values, shape, manifest, spec)?;
        check_content(entry.file.content, manifest.content)?;
        row_ids.assign(&mut entry);
        take(entry)
    })
}

fn read_entry(
    values: &mut Values<'_>,
    shape: &Shape,
    manifest: &Manifest,
    spec: Option<&PartitionSpec>,
) -> Result<Entry, Fault> {
    let (mut status, mut snapshot_id, mut file) = (None, None, None);
    let (mut sequence, mut file_sequence) = (None, None);
    values.record(shape, |values, field| {
        let shape = &field.shape;
        match field.id {
            Some(0) => status = values.optional_long(shape)?,
            Some(1) => snapshot_id = values.optional_long(shape)?.map(SnapshotId),
            Some(2) => file = Some(FileEntry::read(values, shape, spec)?),
            Some(3) => sequence = values.optional_long(shape)?,
            Some(4) => file_sequence = values.optional_long(shape)?,
            _ => values.skip(shape)?,
        }
        Ok(())
    })?;
    let status = match status {
        Some(0) => Status::Existing,
        Some(1) => Status::Added,
        Some(2) => Status::Deleted,
        _ => return Err(Fault::corrupt("entry has no status")),
    };
    Ok(Entry {
        status,
        snapshot_id: snapshot_id.or(manifest.added_snapshot_id),
        sequence_number: inherit(sequence, status, manifest)?,
        file_sequence_number: inherit(file_sequence, status, manifest)?,
        file: file.ok_or_else(|| Fault::corrupt("entry has no file"))?,
    })
}

/// The rank of a commit: a file's own, or, where it was added by the manifest's commit, that one's.
fn inherit(own: Option<i64>, status: Status, manifest: &Manifest) -> Result<SequenceNumber, Fault> {
    let inherited = manifest.sequence_number;
    match own {
        Some(own) => Ok(SequenceNumber(own)),
        None if status == Status::Added || inherited.0 == 0 => Ok(inherited),
        // Nobody reads a removed file.
        None if status == Status::Deleted => Ok(inherited),
        None => Err(Fault::corrupt("existing file has no sequence number")),
    }
}

fn check_content(content: Content, manifest: ManifestContent) -> Result<(), Fault> {
    let is_data = content == Content::Data;
    match is_data == (manifest == ManifestContent::Data) {
        true => Ok(()),
        false => Err(Fault::corrupt("data and delete files in one manifest")),
    }
}

/// Row ids that a manifest gives to files that have none.
struct RowIds(Option<i64>);

impl RowIds {
    fn assign(&mut self, entry: &mut Entry) {
        let file = &mut entry.file;
        if entry.status == Status::Deleted || file.content != Content::Data {
            return;
        }
        if let (Some(next), None) = (self.0, file.first_row_id) {
            file.first_row_id = Some(next);
            let rows = i64::try_from(file.row_count).unwrap_or(i64::MAX);
            self.0 = next.checked_add(rows);
        }
    }
}
