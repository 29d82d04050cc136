//! Reading the manifests of a snapshot.

use std::sync::Arc;

use bytes::Bytes;
use growler_base::limits;

use super::manifest_cache::Planning;
use super::open::IcebergTable;
use crate::error::{Error, FileKind};
use crate::files::read_whole;
use crate::manifest::{Entry, Manifest};
use crate::metadata::Snapshot;
use crate::metadata::snapshot::ManifestSource;

/// Manifests that are read together, and held; they are some megabytes each.
const MANIFESTS_AT_A_TIME: usize = 16;

impl IcebergTable {
    /// Lists the manifests of a snapshot.
    ///
    /// # Errors
    /// As [`Self::scan_plan`].
    pub fn manifests(&self, snapshot: &Snapshot) -> Result<Vec<Manifest>, Error> {
        if snapshot.key_id.is_some() {
            let cause = "manifest list is encrypted";
            return Err(self.unsupported(FileKind::ManifestList, self.metadata.path(), cause));
        }
        match &snapshot.manifests {
            ManifestSource::List(recorded) => {
                let path: Arc<str> = self.resolve(recorded).into();
                let bytes = self.read(&path, FileKind::ManifestList)?;
                Manifest::parse_list(&bytes, &path)
            }
            ManifestSource::Embedded(paths) => {
                let embedded = paths.iter().map(|recorded| {
                    let path: Arc<str> = self.resolve(recorded).into();
                    Manifest::embedded(&self.read(&path, FileKind::Manifest)?, recorded)
                });
                embedded.collect()
            }
        }
    }

    fn read(&self, path: &Arc<str>, kind: FileKind) -> Result<Bytes, Error> {
        read_whole(self.files.as_ref(), path, kind, limits::MANIFEST_LEN_BYTES)
    }
}

/// Reads manifests for one plan; what plans before have read is not read again.
pub(super) struct ManifestReader<'t> {
    table: &'t IcebergTable,
    planning: Option<Planning<'t>>,
    known: usize,
}

/// A manifest, where it lies, and its bytes if they were kept.
type Asked<'m> = (&'m Manifest, Arc<str>, Option<Bytes>);

impl<'t> ManifestReader<'t> {
    pub(super) fn new(table: &'t IcebergTable) -> Self {
        Self {
            table,
            planning: table.known.as_ref().map(|known| known.begin()),
            known: 0,
        }
    }

    /// Returns how many manifests were known from plans before.
    pub(super) fn known(&self) -> usize {
        self.known
    }

    /// Takes the live entries of manifests, in their order; some manifests are read at a time.
    pub(super) fn each_live(
        &mut self,
        manifests: &[&Manifest],
        mut take: impl FnMut(&Manifest, Entry) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for manifests in manifests.chunks(MANIFESTS_AT_A_TIME) {
            let asked = self.ask(manifests)?;
            let missing = asked.iter().filter(|(_, _, kept)| kept.is_none());
            let missing: Vec<&str> = missing.map(|(_, path, _)| path.as_ref()).collect();
            self.known = self
                .known
                .saturating_add(asked.len().saturating_sub(missing.len()));
            let (files, most) = (&self.table.files, limits::MANIFEST_LEN_BYTES);
            let mut read = match missing.is_empty() {
                true => Vec::new().into_iter(),
                false => files
                    .read_many(&missing, FileKind::Manifest, most)
                    .into_iter(),
            };
            for (manifest, path, kept) in &asked {
                match kept {
                    Some(bytes) => self.entries(bytes, path, manifest, &mut take)?,
                    None => {
                        let bytes = read.next().ok_or_else(|| unanswered(path))??;
                        self.entries(&bytes, path, manifest, &mut take)?;
                        if let Some(planning) = self.planning {
                            planning.put(manifest, path, &bytes);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn ask<'m>(&self, manifests: &[&'m Manifest]) -> Result<Vec<Asked<'m>>, Error> {
        let ask = |manifest: &&'m Manifest| {
            let path: Arc<str> = self.table.resolve(&manifest.path).into();
            if manifest.is_encrypted {
                let cause = "manifest is encrypted";
                return Err(self.table.unsupported(FileKind::Manifest, &path, cause));
            }
            let kept = self.planning.and_then(|kept| kept.get(manifest, &path));
            Ok((*manifest, path, kept))
        };
        manifests.iter().map(ask).collect()
    }

    fn entries(
        &self,
        bytes: &[u8],
        path: &Arc<str>,
        manifest: &Manifest,
        take: &mut impl FnMut(&Manifest, Entry) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let spec = |id| self.table.metadata.partition_spec(id);
        Entry::each_of(bytes, path, manifest, spec, |entry| match entry.is_live() {
            true => take(manifest, entry),
            false => Ok(()),
        })
    }
}

fn unanswered(path: &Arc<str>) -> Error {
    Error::Unreadable {
        path: Arc::clone(path),
        source: std::io::ErrorKind::UnexpectedEof.into(),
    }
}
