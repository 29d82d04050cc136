//! PUBLISHING: one transaction, and then the view goes out.

use std::collections::HashSet;
use std::sync::Arc;

use growler_catalog::Plan;
use growler_exec::View;

use super::failure::{Code, Failure};
use super::plan::Work;
use super::publish::Published;
use super::record::{CheckpointRecord, TargetRecord};
use super::run::Run;
use super::schema::read_schema;
use super::snapshot::Target;
use super::views::Content;
use crate::store::ViewVersion;

/// For how many views members are remembered that are served no more: a state that comes back finds
/// them.
const REMEMBERED_VIEWS: i64 = 16;

impl Run<'_> {
    /// Serves a state: what is staged becomes served, what is not in it ceases to be.
    pub(super) fn publish(&mut self, target: &Target, work: Work) -> Result<(), Failure> {
        let mut content = self.content_of(target, work.plan)?;
        content.layouts = Arc::new(self.known_layouts()?);
        self.survey_all(&mut content)?;
        let view = self.view(&content)?;
        let mut state = self.next_state()?;
        let checkpoint = CheckpointRecord {
            target: self.record.target.clone().unwrap_or_default(),
            published_at_ms: self.engine.clock.now_ms(),
        };
        state.checkpoint = serde_json::to_string(&checkpoint).ok();
        state.skipped = (self.skipped.total > 0)
            .then(|| serde_json::to_string(&self.skipped).ok())
            .flatten();
        let document = document(&content);
        let (run, table) = (self.id, &self.table);
        self.write("publish", |writer| {
            writer.activate_members(table, run, state.view_version)?;
            writer.retire_members(&work.remove, state.view_version)?;
            let oldest = state.view_version.0.saturating_sub(REMEMBERED_VIEWS);
            writer.forget_retired(table, ViewVersion(oldest))?;
            if let Some(document) = &document {
                writer.put_source_metadata(table, document)?;
            }
            writer.put_state(table, &state)
        })?;
        let files = self.record.files;
        let metrics = &self.engine.metrics;
        metrics.files(&self.table, files.ingested, files.removed, files.failed);
        self.state = state;
        self.checkpoint = Some(checkpoint);
        self.hand_over(view, content);
        Ok(())
    }

    /// Serves what is staged so far, of a state that takes nothing away.
    pub(super) fn publish_batch(&mut self, work: &Work, failed: &[usize]) -> Result<(), Failure> {
        let Some(target) = self.target.clone() else {
            return Ok(());
        };
        let later: HashSet<usize> = {
            let done = self
                .record
                .files
                .ingested
                .saturating_add(self.record.files.failed);
            let done = usize::try_from(done).unwrap_or(usize::MAX);
            let staged = done.saturating_sub(work.adopt.len());
            work.stage
                .iter()
                .skip(staged)
                .map(|stage| stage.idx)
                .collect()
        };
        let mut plan = work.plan.clone();
        let mut idx = 0;
        plan.files.retain(|_| {
            let keep = !later.contains(&idx) && !failed.contains(&idx);
            idx += 1;
            keep
        });
        let mut content = self.content_of(&target, plan)?;
        content.layouts = Arc::new(self.known_layouts()?);
        self.survey_all(&mut content)?;
        let view = self.view(&content)?;
        let mut state = self.next_state()?;
        // It is no state of the source: a run that is to serve one has something to do.
        let wanted = self.record.target.clone().unwrap_or_default();
        let checkpoint = CheckpointRecord {
            target: TargetRecord {
                snapshot_id: None,
                schema_id: None,
                listing: None,
                ..wanted
            },
            published_at_ms: self.engine.clock.now_ms(),
        };
        state.checkpoint = serde_json::to_string(&checkpoint).ok();
        let document = document(&content);
        let (run, table) = (self.id, &self.table);
        self.write("publish batch", |writer| {
            writer.activate_members(table, run, state.view_version)?;
            if let Some(document) = &document {
                writer.put_source_metadata(table, document)?;
            }
            writer.put_state(table, &state)
        })?;
        self.state = state;
        self.checkpoint = Some(checkpoint);
        self.hand_over(view, content);
        // What is open now is this run's.
        self.replaced.clear();
        Ok(())
    }

    fn next_state(&self) -> Result<crate::store::StateRow, Failure> {
        let mut state = self.state.clone();
        state.view_version.0 = state.view_version.0.saturating_add(1);
        Ok(state)
    }

    pub(super) fn content_of(&self, target: &Target, mut plan: Plan) -> Result<Content, Failure> {
        let served = self.served.as_ref().ok_or_else(|| {
            Failure::new(
                Code::ViewFailed,
                format!("table has no schema yet: table={}", self.table),
            )
        })?;
        let table = match target {
            Target::Iceberg(target) => {
                let read_with = read_schema(target.metadata(), &plan.schema, &served.schema);
                plan.schema = Arc::new(read_with);
                Some(target.table.clone())
            }
            Target::Files(_) => None,
        };
        Ok(Content {
            name: self.table.clone(),
            schema: Arc::clone(&served.schema),
            table,
            plan: Arc::new(plan),
            layouts: Arc::default(),
        })
    }

    /// Makes a view; plain files that are open stay so.
    pub(super) fn view(&self, content: &Content) -> Result<View, Failure> {
        let mut opened = self.engine.opened(&self.table);
        // What is open under the name of a file that was replaced is the old one.
        opened.retain(|path, _| !self.replaced.contains(path));
        opened.extend(
            self.opened
                .iter()
                .map(|(path, s)| (path.clone(), s.clone())),
        );
        let view = self.followed.views.view(content, &opened);
        view.map_err(|error| Failure::new(Code::ViewFailed, error.text))
    }

    /// Gives a view, which the store has promised, to those who answer queries.
    pub(super) fn hand_over(&self, view: View, content: Content) {
        let Some(served) = &self.served else {
            return;
        };
        let version = self.state.view_version;
        self.engine.keep(&self.table, content, &view, version);
        self.engine.publisher.publish(Published {
            table: self.table.clone(),
            view,
            view_version: version,
            schema: Arc::clone(&served.schema),
            schema_version: served.version,
        });
    }
}

pub(super) fn document(content: &Content) -> Option<Vec<u8>> {
    let table = content.table.as_ref()?;
    Some(table.metadata().to_json().into_bytes())
}
