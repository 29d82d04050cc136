//! The reload of one segment.

use std::fmt;
use std::io;
use std::sync::Arc;

use growler_index::write::sync_folder;
use growler_index::{IndexWriter, Remainder, SegmentIndexes};
use growler_schema::IndexPlan;
use growler_segment::Segment;

use super::build::Build;
use super::compare::{Present, is_current};
use super::documents::DocumentsBuild;
use super::ids;
use super::metadata::Reconcile;
use super::passes::passes;
use super::store::{StoredFiles, identity, sweep};
use super::wanted::{Survey, Wanted, WantedSet};
use super::watch::Watch;
use super::{Error, IndexStore, Reloaded, load_indexes};
use crate::{run::CancelFlag, table::View};

/// Memory that the build of one segment's indexes may use unless configured otherwise, in bytes.
pub const BUDGET_BYTES: usize = 256 << 20;

/// How to reload.
#[derive(Clone)]
pub struct ReloadOptions {
    /// Memory that builds may use at a time, in bytes.
    pub budget_bytes: usize,
    /// Whether everything is built anew, whatever is there.
    pub rebuild: bool,
    /// Stops the reload; the indexes stay as they were.
    pub cancel: CancelFlag,
    /// Called now and then with how far the reload is.
    pub progress: Option<Arc<dyn Fn(Advance) + Send + Sync>>,
}

/// How far the reload of one segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Advance {
    /// Rows read so far, counted once for every pass over them.
    pub rows_done: u64,
    /// Rows to read, as far as is known by now.
    pub rows_total: u64,
}

impl Default for ReloadOptions {
    fn default() -> Self {
        Self {
            budget_bytes: BUDGET_BYTES,
            rebuild: false,
            cancel: CancelFlag::default(),
            progress: None,
        }
    }
}

impl fmt::Debug for ReloadOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReloadOptions")
            .field("budget_bytes", &self.budget_bytes)
            .field("rebuild", &self.rebuild)
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}

/// Brings the metadata and the indexes of a segment of a view to what is wanted.
///
/// Indexes are built from the Parquet values, beside those that are there, and replace them at once;
/// a view with them is made by the caller. Where nothing is to be done, nothing is written.
///
/// # Errors
/// The segment cannot be read, or the store cannot be written. Its indexes are as they were then;
/// column types and null defaults that were brought up to the schema before stay recorded.
///
/// # Cancellation
/// Stops at the next batch once `options.cancel` is set.
pub fn reload_segment(
    view: &View,
    segment_idx: usize,
    plan: &IndexPlan,
    store: &IndexStore,
    options: &ReloadOptions,
) -> Result<Reloaded, Error> {
    let segment = view.segments().get(segment_idx);
    let segment = segment.ok_or(Error::NoSegment(segment_idx))?;
    let Some(files) = store.files(view.name(), segment.path()) else {
        if *store == IndexStore::Beside && !plan.is_empty() {
            tracing::warn!(
                table = view.name(),
                segment = %segment.id(),
                "no indexes are built: there is no place for them beside a file of an object store"
            );
        }
        return Ok(Reloaded::default());
    };
    // Open for the reload only, if a table has it closed.
    let segment = &segment.opened().map_err(|source| Error::Read {
        segment: segment.id().clone(),
        subject: "footer".into(),
        source: Box::new(source),
    })?;
    let watch = Watch::new(options);
    let reload = Reload {
        view,
        segment,
        files: &files,
        plan,
        options,
        watch: &watch,
    };
    let reconcile = Reconcile::of(segment, view.schema(), &files);
    let reconciled = reconcile.apply(segment, &files)?;
    ids::settle(segment, &files).map_err(|source| Error::File {
        segment: segment.id().clone(),
        action: "record the field ids of",
        path: Box::new(files.index_path()),
        source: Box::new(source),
    })?;
    let present = load_indexes(segment, view.name(), store);
    let mut reloaded = reload.indexes(present)?;
    reloaded.changed |= !reconciled.is_empty();
    reloaded.reconciled = reconciled;
    Ok(reloaded)
}

/// Tells whether [`reload_segment`] would change anything. No data is read.
pub fn needs_reload(view: &View, segment_idx: usize, plan: &IndexPlan, store: &IndexStore) -> bool {
    let Some(segment) = view.segments().get(segment_idx) else {
        return false;
    };
    let Some(files) = store.files(view.name(), segment.path()) else {
        return false;
    };
    // Open for this only. One that cannot be opened is for the reload to tell of.
    let Ok(segment) = &segment.opened() else {
        return true;
    };
    if !Reconcile::of(segment, view.schema(), &files).is_empty() {
        return true;
    }
    if plan.is_empty() {
        return files.index_path().exists();
    }
    match SegmentIndexes::open(&files.index_path(), &identity(segment)) {
        Ok(Some(present)) => {
            !is_current(&present, plan, view) || !ids::are_of(&present, segment, &files)
        }
        Ok(None) | Err(_) => true,
    }
}

/// Tells whether a view uses the indexes of a segment that are stored, and met no damage in them: files
/// may have been put there since it was made. No data is read.
pub fn uses_stored(view: &View, segment_idx: usize, store: &IndexStore) -> bool {
    let Some(segment) = view.segments().get(segment_idx) else {
        return true;
    };
    let Some(files) = store.files(view.name(), segment.path()) else {
        return true;
    };
    let stored = SegmentIndexes::open(&files.index_path(), &identity(segment));
    match (view.indexes(segment_idx), stored) {
        (Some(used), Ok(Some(stored))) => !used.is_damaged() && used.is_same_as(&stored),
        (None, Ok(None)) => true,
        (Some(_), Ok(None)) | (_, Err(_)) | (None, Ok(Some(_))) => false,
    }
}

/// The reload of the indexes of one segment.
struct Reload<'a> {
    view: &'a View,
    segment: &'a Segment,
    files: &'a StoredFiles,
    plan: &'a IndexPlan,
    options: &'a ReloadOptions,
    watch: &'a Watch<'a>,
}

impl Reload<'_> {
    fn indexes(&self, present: Option<SegmentIndexes>) -> Result<Reloaded, Error> {
        if self.plan.is_empty() {
            return self.remove(present.as_ref());
        }
        let sound = present.as_ref().filter(|present| {
            let damaged = present.verify();
            for error in &damaged {
                tracing::warn!(segment = %self.segment.id(), "an index is built anew: {error}");
            }
            damaged.is_empty() && !self.options.rebuild
        });
        if let Some(sound) = sound
            && is_current(sound, self.plan, self.view)
        {
            return Ok(Reloaded {
                kept: sound.entries().len(),
                indexes: present,
                ..Reloaded::default()
            });
        }
        let survey = Survey {
            view: self.view,
            segment: self.segment,
            watch: self.watch,
        };
        let set = survey.wanted(self.plan)?;
        self.write(set, sound, present.as_ref())
    }

    /// Removes what nobody wants any more.
    fn remove(&self, present: Option<&SegmentIndexes>) -> Result<Reloaded, Error> {
        let path = self.files.index_path();
        let removed = std::fs::remove_file(&path).and_then(|()| sync_folder(&self.files.folder));
        match removed {
            Ok(()) => Ok(Reloaded {
                changed: true,
                removed: present.map_or(0, |present| present.entries().len()),
                ..Reloaded::default()
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Reloaded::default()),
            Err(source) => Err(Error::File {
                segment: self.segment.id().clone(),
                action: "remove the indexes",
                path: Box::new(path),
                source: Box::new(source),
            }),
        }
    }

    fn write(
        &self,
        set: WantedSet,
        sound: Option<&SegmentIndexes>,
        before: Option<&SegmentIndexes>,
    ) -> Result<Reloaded, Error> {
        let failed = |source| Error::Write {
            segment: self.segment.id().clone(),
            source: Box::new(source),
        };
        let source = identity(self.segment);
        let mut writer = IndexWriter::create(
            &self.files.folder,
            &self.files.index,
            source,
            self.plan.hash(),
        )
        .map_err(failed)?;
        sweep(self.files);
        let present = sound.map(Present::new);
        let mut kept = 0;
        let mut missing = Vec::new();
        let key_counts = key_counts(&set);
        for wanted in set.wanted {
            let is_stale = set.bounds_texts && wanted.remainder;
            let entries = present
                .as_ref()
                .filter(|_| !is_stale)
                .and_then(|p| p.kept(&wanted));
            let (Some(present), Some(entries)) = (&present, entries) else {
                missing.push(wanted);
                continue;
            };
            for entry in entries {
                writer.copy_from(present.file, entry).map_err(failed)?;
                kept += 1;
            }
        }
        let mut built = self.build(missing, &mut writer)?;
        let documents = DocumentsBuild {
            segment: self.segment,
            watch: self.watch,
            budget_bytes: self.options.budget_bytes,
        };
        for column in &set.documents {
            built.extend(documents.run(column, &mut writer)?);
        }
        for ((column, complete), key_count) in set.remainders.into_iter().zip(key_counts) {
            writer.add_remainder(Remainder {
                column,
                complete,
                key_count,
            });
        }
        self.watch.check(self.segment)?;
        let finished = ids::while_settled(self.segment, self.files, || writer.finish());
        let finished = finished.map_err(|source| Error::File {
            segment: self.segment.id().clone(),
            action: "compare the field ids of",
            path: Box::new(self.files.index_path()),
            source: Box::new(source),
        })?;
        let finished = finished.ok_or_else(|| Error::Overtaken(self.segment.id().clone()))?;
        finished.map_err(failed)?;
        let opened = SegmentIndexes::open(&self.files.index_path(), &source).map_err(failed)?;
        Ok(Reloaded {
            indexes: opened,
            changed: true,
            removed: removed(before, kept),
            built,
            kept,
            reconciled: Vec::new(),
        })
    }

    fn build(
        &self,
        missing: Vec<Wanted>,
        writer: &mut IndexWriter,
    ) -> Result<Vec<super::BuiltIndex>, Error> {
        let build = Build {
            segment: self.segment,
            watch: self.watch,
        };
        let row_count = u32::try_from(self.segment.row_count()).unwrap_or(u32::MAX);
        let passes = passes(missing, row_count, self.options.budget_bytes);
        self.watch
            .expect(self.segment.row_count() as u64 * passes.len() as u64);
        let mut built = Vec::new();
        for pass in passes {
            built.extend(build.run(pass, writer)?);
        }
        Ok(built)
    }
}

fn removed(before: Option<&SegmentIndexes>, kept: usize) -> usize {
    before.map_or(0, |before| before.entries().len().saturating_sub(kept))
}

/// Counts the keys of each remainder.
fn key_counts(set: &WantedSet) -> Vec<u32> {
    let count = |column: &str| {
        let keys = set.wanted.iter().filter(|wanted| {
            let is_values = wanted.subject.reading == growler_index::Reading::Values;
            wanted.remainder && is_values && &*wanted.subject.column == column
        });
        u32::try_from(keys.count()).unwrap_or(u32::MAX)
    };
    set.remainders
        .iter()
        .map(|(column, _)| count(column))
        .collect()
}
