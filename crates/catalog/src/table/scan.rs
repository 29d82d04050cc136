//! Listing what a scan of one snapshot reads: section "Scan Planning".

use std::sync::Arc;

use growler_base::{FieldId, limits};

use super::delete_index::DeleteIndex;
use super::manifests::ManifestReader;
use super::open::IcebergTable;
use super::plan::{
    DataFile, DeleteFile, DeleteKind, Plan, PlanStats, ScanOptions, SnapshotSelector,
};
use crate::error::{Error, FileKind};
use crate::location::canonical;
use crate::manifest::{
    Content, Entry, FileEntry, FileFormat, Manifest, ManifestContent, PartitionTuple,
};
use crate::metadata::{PartitionSpec, RefKind, Schema, Snapshot, Transform};
use crate::prune::FileFilter;
use crate::{Datum, SnapshotId, SpecId};

impl IcebergTable {
    /// Lists the files of a snapshot and the deletes that apply to each.
    ///
    /// # Errors
    /// `NotFound` for an unknown snapshot or name, or a lost file; `Corrupt`; `Unsupported` for files
    /// that are encrypted or not Parquet; `LimitExceeded`.
    pub fn scan_plan(&self, options: &ScanOptions) -> Result<Plan, Error> {
        let (snapshot, schema) = self.select(&options.snapshot)?;
        let filter = options.predicate.clone();
        let filter = filter.map(|predicate| FileFilter::new(predicate, &schema));
        let mut plan = Plan {
            snapshot_id: snapshot.map(|snapshot| snapshot.id),
            schema,
            files: Vec::new(),
            stats: PlanStats::default(),
        };
        let manifests = match snapshot {
            Some(snapshot) => self.manifests(snapshot)?,
            None => Vec::new(),
        };
        let of_deletes = |manifest: &&Manifest| {
            manifest.content == ManifestContent::Deletes && manifest.live_files != Some(0)
        };
        let with_deletes: Vec<&Manifest> = manifests.iter().filter(of_deletes).collect();
        plan.stats.manifests_read = with_deletes.len();
        let mut reader = ManifestReader::new(self);
        let mut deletes = DeleteIndex::default();
        reader.each_live(&with_deletes, |manifest, entry| {
            deletes.add(self.delete_file(manifest, entry)?)
        })?;
        deletes.finish();
        self.plan_data(&manifests, &mut reader, filter.as_ref(), &mut plan)?;
        plan.stats.manifests_known = reader.known();
        let order = |file: &DataFile| (file.sequence_number, file.recorded_path.clone());
        plan.files.sort_by_cached_key(order);
        deletes.assign(&mut plan.files)?;
        Ok(plan)
    }

    /// Returns a snapshot and the schema to read it with.
    ///
    /// # Errors
    /// `NotFound` for an unknown snapshot or name.
    pub fn select(
        &self,
        selector: &SnapshotSelector,
    ) -> Result<(Option<&Snapshot>, Arc<Schema>), Error> {
        let metadata = &self.metadata;
        let travelled = |id: SnapshotId| {
            let snapshot = metadata.snapshot(id).ok_or_else(|| self.unknown(id))?;
            Ok((Some(snapshot), Arc::clone(self.schema_of(snapshot))))
        };
        match selector {
            SnapshotSelector::Current => {
                let current = Arc::clone(metadata.current_schema());
                Ok((metadata.current_snapshot(), current))
            }
            SnapshotSelector::Id(id) => travelled(*id),
            SnapshotSelector::Ref(name) => {
                let found = metadata.refs.get(name).ok_or_else(|| Error::UnknownRef {
                    name: name.as_str().into(),
                    table: self.root().into(),
                })?;
                let (snapshot, schema) = travelled(found.snapshot_id)?;
                match found.kind {
                    RefKind::Tag => Ok((snapshot, schema)),
                    RefKind::Branch => Ok((snapshot, Arc::clone(metadata.current_schema()))),
                }
            }
            SnapshotSelector::AsOf(time_ms) => {
                let log = metadata.snapshot_log.iter();
                let then = log.filter(|(since_ms, _)| since_ms <= time_ms);
                match then.max_by_key(|(since_ms, _)| *since_ms) {
                    Some((_, id)) => travelled(*id),
                    None => Err(Error::UnknownRef {
                        name: format!("as of {time_ms}").into(),
                        table: self.root().into(),
                    }),
                }
            }
        }
    }

    fn plan_data(
        &self,
        manifests: &[Manifest],
        reader: &mut ManifestReader<'_>,
        filter: Option<&FileFilter>,
        plan: &mut Plan,
    ) -> Result<(), Error> {
        let spec_of = |manifest: &Manifest| self.metadata.partition_spec(manifest.spec_id);
        let may_match = |manifest: &&Manifest| match (filter, spec_of(manifest)) {
            _ if manifest.live_files == Some(0) => false,
            (Some(filter), Some(spec)) => filter.may_match_manifest(spec, &manifest.partitions),
            _ => true,
        };
        let of_data = |manifest: &&Manifest| manifest.content == ManifestContent::Data;
        let with_data = manifests.iter().filter(of_data);
        let (wanted, pruned): (Vec<&Manifest>, Vec<&Manifest>) = with_data.partition(may_match);
        plan.stats.manifests_pruned = pruned.len();
        plan.stats.manifests_read = plan.stats.manifests_read.saturating_add(wanted.len());
        let Plan {
            schema,
            files,
            stats,
            ..
        } = plan;
        reader.each_live(&wanted, |manifest, entry| {
            let file = self.data_file(manifest.spec_id, spec_of(manifest), entry, schema)?;
            match filter.is_none_or(|filter| filter.may_match(&file.facts(self))) {
                true => files.push(file),
                false => stats.files_pruned = stats.files_pruned.saturating_add(1),
            }
            match files.len() > limits::SNAPSHOT_FILES {
                true => Err(self.too_many_files()),
                false => Ok(()),
            }
        })
    }

    fn data_file(
        &self,
        spec_id: SpecId,
        spec: Option<&PartitionSpec>,
        entry: Entry,
        schema: &Schema,
    ) -> Result<DataFile, Error> {
        let file = entry.file;
        self.check_readable(&file, &[FileFormat::Parquet])?;
        let constants = constants(spec, &file.partition, schema);
        let constants = constants.map_err(|id| Error::Corrupt {
            file: FileKind::Manifest,
            path: self.resolve(&file.path).into(),
            cause: format!("partition value does not fit its column field={id}").into(),
        })?;
        Ok(DataFile {
            path: self.resolve(&file.path),
            recorded_path: canonical(&file.path),
            row_count: file.row_count,
            len_bytes: file.len_bytes,
            spec_id,
            constants,
            partition: file.partition,
            columns: file.columns,
            sequence_number: entry.sequence_number,
            first_row_id: file.first_row_id,
            sort_order_id: file.sort_order_id,
            deletes: Vec::new(),
        })
    }

    fn delete_file(&self, manifest: &Manifest, entry: Entry) -> Result<DeleteFile, Error> {
        let file = entry.file;
        let readable = [FileFormat::Parquet, FileFormat::Puffin];
        self.check_readable(&file, &readable)?;
        let spec = self.metadata.partition_spec(manifest.spec_id);
        Ok(DeleteFile {
            path: self.resolve(&file.path),
            kind: self.delete_kind(&file)?,
            row_count: file.row_count,
            len_bytes: file.len_bytes,
            spec_id: manifest.spec_id,
            is_global: spec.is_some_and(PartitionSpec::is_unpartitioned),
            partition: file.partition,
            sequence_number: entry.sequence_number,
        })
    }

    fn delete_kind(&self, file: &FileEntry) -> Result<DeleteKind, Error> {
        let corrupt = |cause: &str| Error::Corrupt {
            file: FileKind::Manifest,
            path: Arc::from(self.resolve(&file.path)),
            cause: cause.into(),
        };
        let referenced = file.referenced_data_file.as_deref();
        let data_file = referenced.map(canonical);
        match (file.content, &file.format) {
            (Content::EqualityDeletes, FileFormat::Puffin) => {
                Err(corrupt("equality deletes cannot be a deletion vector"))
            }
            (Content::EqualityDeletes, _) if file.equality_ids.is_empty() => {
                Err(corrupt("equality deletes compare no column"))
            }
            (Content::EqualityDeletes, _) => {
                let mut ids = file.equality_ids.clone();
                ids.sort_unstable();
                ids.dedup();
                Ok(DeleteKind::Equality { ids })
            }
            (_, FileFormat::Puffin) => {
                let place = file.content_offset.zip(file.content_len_bytes);
                let (offset, len_bytes) =
                    place.ok_or_else(|| corrupt("deletion vector has no place in its file"))?;
                Ok(DeleteKind::Vector {
                    data_file: data_file
                        .ok_or_else(|| corrupt("deletion vector names no data file"))?,
                    offset,
                    len_bytes,
                })
            }
            _ => Ok(DeleteKind::Positions { data_file }),
        }
    }

    fn check_readable(&self, file: &FileEntry, formats: &[FileFormat]) -> Result<(), Error> {
        let refused = |cause: &str| {
            Err(self.unsupported(FileKind::Manifest, &self.resolve(&file.path), cause))
        };
        if file.is_encrypted {
            return refused("file is encrypted");
        }
        if !formats.contains(&file.format) {
            // Whatever a manifest calls it.
            let name: String = file.format.name().chars().take(64).collect();
            return refused(&format!("file format is not read format={name}"));
        }
        Ok(())
    }

    fn unknown(&self, snapshot: SnapshotId) -> Error {
        Error::UnknownSnapshot {
            snapshot,
            table: self.root().into(),
        }
    }

    pub(super) fn unsupported(&self, file: FileKind, path: &str, cause: &str) -> Error {
        Error::Unsupported {
            file,
            path: path.into(),
            cause: cause.into(),
        }
    }

    fn too_many_files(&self) -> Error {
        Error::Limit {
            file: FileKind::Manifest,
            path: self.root().into(),
            cause: format!("too many files limit={}", limits::SNAPSHOT_FILES).into(),
        }
    }
}

/// Values of columns that a file is partitioned by as they are, in the columns' types; the column
/// whose type cannot hold its value, if there is one.
fn constants(
    spec: Option<&PartitionSpec>,
    partition: &PartitionTuple,
    schema: &Schema,
) -> Result<Vec<(FieldId, Option<Datum>)>, FieldId> {
    let mut constants = Vec::new();
    for field in spec.map_or(&[][..], |spec| &spec.fields) {
        let source = field
            .source()
            .filter(|_| field.transform == Transform::Identity);
        let Some((source, value)) = source.zip(partition.get(field.id)) else {
            continue;
        };
        // A column that was dropped since is read by nobody.
        let column = schema.field(source);
        let Some(primitive) = column.and_then(|column| column.field_type.primitive()) else {
            continue;
        };
        let value = value.map(|value| value.cast(primitive).ok_or(source));
        constants.push((source, value.transpose()?));
    }
    Ok(constants)
}
