//! INGESTING: footers are read in parallel, batch by batch, and members staged.

use std::collections::BTreeSet;

use growler_base::{ErrorKind, Interrupt};
use growler_catalog::Plan;
use growler_catalog::table::DataFile;
use growler_segment::Segment;
use rayon::prelude::*;

use super::failure::{Code, Failure};
use super::layouts::{StoredMember, variants};
use super::plan::{Stage, Work, empty_plan};
use super::record::{SKIPPED_NAMED, SkippedFile};
use super::run::Run;
use super::snapshot::Target;
use super::views::{FileError, Opened};
use crate::config::Visibility;
use crate::iceberg::Member;
use crate::store::NewMember;

impl Run<'_> {
    /// Stages all files that need it. Files that cannot be read fail the run, or are left out of the
    /// plan, as the config says.
    pub(super) fn ingest(&mut self, work: &mut Work) -> Result<(), Failure> {
        let batches = self.batches(work);
        self.record.batches.total = u64::try_from(batches.len()).unwrap_or(u64::MAX);
        let mut failed = Vec::new();
        self.stage_known(work)?;
        for batch in batches {
            self.stop_if_cancelled()?;
            failed.extend(self.ingest_batch(work, &batch)?);
            self.record.batches.done = self.record.batches.done.saturating_add(1);
            self.save()?;
            if self.shows_batches(work) && self.record.batches.done < self.record.batches.total {
                self.publish_batch(work, &failed)?;
            }
        }
        leave_out(work, &failed);
        Ok(())
    }

    /// Takes over what is staged already, and drops what nobody wants.
    fn stage_known(&mut self, work: &Work) -> Result<(), Failure> {
        let run = self.id;
        self.write("adopt", |writer| {
            writer.adopt_members(&work.adopt, run)?;
            writer.drop_staged_of_others(&self.table, run)?;
            Ok(())
        })?;
        self.ingested(work.adopt.len());
        Ok(())
    }

    fn shows_batches(&self, work: &Work) -> bool {
        self.followed.config.visibility == Visibility::Batch
            && work.remove.is_empty()
            && self.served.is_some()
    }

    fn batches(&self, work: &Work) -> Vec<Vec<Stage>> {
        let limits = self.followed.config.batch;
        let mut batches: Vec<Vec<Stage>> = Vec::new();
        let mut bytes: u64 = 0;
        for stage in &work.stage {
            let len = work
                .plan
                .files
                .get(stage.idx)
                .map_or(0, |file| file.len_bytes);
            let fits = batches.last().is_some_and(|batch| {
                batch.len() < limits.max_files.max(1)
                    && bytes.saturating_add(len) <= limits.max_bytes
            });
            match batches.last_mut().filter(|_| fits) {
                Some(batch) => batch.push(*stage),
                None => {
                    batches.push(vec![*stage]);
                    bytes = 0;
                }
            }
            bytes = bytes.saturating_add(len);
        }
        batches
    }

    /// Reads and stages one batch; returns the files that cannot be read.
    fn ingest_batch(&mut self, work: &mut Work, batch: &[Stage]) -> Result<Vec<usize>, Failure> {
        let opened = self.open_all(work, batch);
        let mut segments = Opened::new();
        let mut failed = Vec::new();
        for (stage, opened) in batch.iter().zip(opened) {
            match opened {
                Ok(None) => {}
                Ok(Some(segment)) => {
                    self.record.files.read = self.record.files.read.saturating_add(1);
                    let file = work.plan.files.get_mut(stage.idx);
                    if let Some(file) = file {
                        file.row_count = u64::try_from(segment.row_count()).unwrap_or(u64::MAX);
                        segments.insert(file.path.clone(), segment);
                    }
                }
                Err(error) => {
                    self.fail_or_skip(work, stage.idx, &error)?;
                    failed.push(stage.idx);
                }
            }
        }
        let members = self.members_of(work, batch, &failed, &segments)?;
        if matches!(self.target, Some(Target::Files(_))) {
            self.opened.extend(segments);
        }
        let run = self.id;
        self.write("stage", |writer| {
            for member in &members {
                writer.stage_member(&self.table, run, member)?;
            }
            Ok(())
        })?;
        self.ingested(members.len());
        Ok(failed)
    }

    /// Makes the members of a batch; what was opened for them is closed by the caller.
    fn members_of(
        &self,
        work: &Work,
        batch: &[Stage],
        failed: &[usize],
        segments: &Opened,
    ) -> Result<Vec<NewMember>, Failure> {
        let staged = batch.iter().filter(|stage| !failed.contains(&stage.idx));
        let staged = staged.filter_map(|stage| {
            let file = work.plan.files.get(stage.idx)?;
            Some((file, work.keys.get(stage.idx)?))
        });
        let (files, keys): (Vec<&DataFile>, Vec<_>) = staged.unzip();
        let (members, surveyed) = match &self.target {
            Some(target @ Target::Iceberg(_)) => {
                let plan = Plan {
                    files: Vec::new(),
                    ..empty_plan(&work.plan.schema)
                };
                let content = self.content_of(target, plan)?;
                let surveyed = variants(&content.schema);
                (self.surveyed(&content, &files, segments)?, surveyed)
            }
            _ => {
                let members = files.into_iter().cloned().map(Member::new);
                (members.collect(), BTreeSet::new())
            }
        };
        let new = members
            .into_iter()
            .zip(keys)
            .map(|(member, key)| NewMember {
                key: key.clone(),
                sequence_number: member.file.sequence_number.0,
                body: body(member, &surveyed),
            });
        Ok(new.collect())
    }

    fn ingested(&mut self, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.record.files.ingested = self.record.files.ingested.saturating_add(count);
    }

    /// Opens the files of a batch that nobody has seen yet.
    fn open_all(&self, work: &Work, batch: &[Stage]) -> Vec<Result<Option<Segment>, FileError>> {
        let is_iceberg = work
            .keys
            .first()
            .is_some_and(|key| !key.table_uuid.is_empty())
            || !work.plan.schema.fields.is_empty();
        let open = |stage: &Stage| {
            let Some(file) = work.plan.files.get(stage.idx).filter(|_| stage.is_new) else {
                return Ok(None);
            };
            let segment = self.retry(
                || self.followed.views.open(file),
                |error| error.kind == ErrorKind::Unavailable,
            )?;
            check(file, &segment, is_iceberg)?;
            Ok(Some(segment))
        };
        let interrupt = &Interrupt::current();
        let open = |stage: &Stage| Interrupt::within(interrupt.as_ref(), || open(stage));
        let all = || batch.par_iter().map(open).collect();
        self.engine.pool.install(all)
    }

    fn fail_or_skip(&mut self, work: &Work, idx: usize, error: &FileError) -> Result<(), Failure> {
        if !self.followed.config.continue_on_file_error {
            return Err(Failure::new(Code::FileUnreadable, error.text.clone()));
        }
        let path = work.plan.files.get(idx).map(|file| file.path.clone());
        tracing::warn!(table = %self.table, "[{}] data file is left out: {}", self.record.request_id, error.text);
        self.record.files.failed = self.record.files.failed.saturating_add(1);
        self.skipped.total = self.skipped.total.saturating_add(1);
        if self.skipped.files.len() < SKIPPED_NAMED {
            self.skipped.files.push(SkippedFile {
                path: path.unwrap_or_default(),
                reason: error.text.clone(),
            });
        }
        Ok(())
    }
}

fn body(member: Member, surveyed: &BTreeSet<i32>) -> Vec<u8> {
    let stored = StoredMember {
        member,
        surveyed: surveyed.clone(),
    };
    serde_json::to_vec(&stored).unwrap_or_default()
}

/// A file of another length than its table says is another file, or a cut one.
fn check(file: &DataFile, segment: &Segment, is_iceberg: bool) -> Result<(), FileError> {
    let found = u64::try_from(segment.row_count()).unwrap_or(u64::MAX);
    if !is_iceberg || found == file.row_count {
        return Ok(());
    }
    Err(FileError {
        kind: ErrorKind::Corrupt,
        text: format!(
            "data file has another number of rows than its table says: found={found} expected={} \
             path={}",
            file.row_count, file.path
        ),
    })
}

/// Takes files out of a plan.
pub(super) fn leave_out(work: &mut Work, failed: &[usize]) {
    if failed.is_empty() {
        return;
    }
    let mut idx = 0;
    work.plan.files.retain(|_| {
        let keep = !failed.contains(&idx);
        idx += 1;
        keep
    });
}
