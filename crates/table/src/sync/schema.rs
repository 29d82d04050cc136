//! UPDATING_SCHEMA: the served schema follows, and is served at once.

use std::sync::Arc;

use growler_catalog::metadata::{NestedField, Schema, Type};
use growler_catalog::{SnapshotId, TableMetadata};
use growler_exec::View;
use growler_schema::convert::schema_to_json;
use growler_schema::wire::SchemaJson;

use super::commit;
use super::failure::{Code, Failure};
use super::layouts::variants;
use super::record::RejectionRecord;
use super::run::Run;
use super::snapshot::{IcebergTarget, Target};
use super::views::Content;
use crate::config::SyncMode;
use crate::evolve::{
    self, Decision, Outcome, ServedColumn, ServedSchema, SourceVersion, Unresolved, message, wire,
};
use crate::store::{DocumentKind, SchemaVersion};

/// A schema that is served.
#[derive(Debug, Clone)]
pub(super) struct Served {
    pub(super) version: SchemaVersion,
    pub(super) schema: Arc<ServedSchema>,
}

impl Run<'_> {
    /// Brings the served schema in step with a state of an Iceberg table.
    pub(super) fn update_schema(&mut self, target: &IcebergTarget) -> Result<(), Failure> {
        match self.served.clone() {
            None => self.onboard(target)?,
            Some(served) => self.adopt_declared(&served.schema)?,
        }
        if !self.follows_schema() {
            self.bind_anew(target)?;
            let evolution = self.followed.config.evolution;
            if evolution.type_widening && !evolution.enabled {
                self.log(&message::widening_alone(&self.table_with_type));
            }
            if self.state.rejection.take().is_some() {
                self.save_state("rejection")?;
            }
            return Ok(());
        }
        let Some(snapshot) = &target.snapshot else {
            return Ok(());
        };
        let follow_current = self.followed.config.evolution.follow_current_schema;
        match evolve::followed(target.metadata(), snapshot, follow_current) {
            Ok(schema) => self.unite(target, snapshot.id, &schema),
            Err(unresolved) => self.unresolved(snapshot.id, unresolved),
        }
    }

    /// Tells whether the source's schema is followed: by the watcher, where it is switched on.
    pub(super) fn follows_schema(&self) -> bool {
        let config = &self.followed.config;
        config.mode == SyncMode::Watcher
            && config.evolution.enabled
            && config.source.has_schema_history()
    }

    fn onboard(&mut self, target: &IcebergTarget) -> Result<(), Failure> {
        let metadata = target.metadata();
        let snapshot = target.snapshot.as_ref();
        // The snapshot's schema is what its files have; a history that lies leaves the current one.
        let written = snapshot.and_then(|s| metadata.schema(s.schema_id?));
        let schema = written.unwrap_or_else(|| metadata.current_schema());
        let mapping = metadata
            .name_mapping()
            .map_err(|error| unreadable(&error))?;
        let source = SourceVersion {
            snapshot_id: snapshot.map(|snapshot| snapshot.id),
            schema_id: schema.id,
        };
        let declared = self.followed.declared.as_ref();
        let served = evolve::onboard(&self.table, schema, mapping.as_ref(), declared, source);
        self.serve_schema(served, false)
    }

    /// Columns of a table that was attached to another one are found by their names, which does not
    /// wait for its schema to be followed.
    fn bind_anew(&mut self, target: &IcebergTarget) -> Result<(), Failure> {
        let served = self.served.as_ref().map(|served| &served.schema);
        let Some(served) = served.filter(|served| served.source.is_none()) else {
            return Ok(());
        };
        let metadata = target.metadata();
        let snapshot = target.snapshot.as_ref();
        let written = snapshot.and_then(|s| metadata.schema(s.schema_id?));
        let schema = written.unwrap_or_else(|| metadata.current_schema());
        let mut bound = ServedSchema::clone(served);
        evolve::bind(&mut bound, schema, metadata.schemas());
        bound.source = Some(SourceVersion {
            snapshot_id: snapshot.map(|snapshot| snapshot.id),
            schema_id: schema.id,
        });
        self.serve_schema(bound, false)
    }

    /// A user may have declared other columns since.
    pub(super) fn adopt_declared(&mut self, served: &ServedSchema) -> Result<(), Failure> {
        let declared = self.followed.declared.as_ref();
        match declared.and_then(|declared| evolve::adopt(served, declared)) {
            Some(adopted) => {
                tracing::info!(table = %self.table, "[{}] a declared schema is served", self.record.request_id);
                self.serve_schema(adopted, false)
            }
            None => {
                self.declared_is_served();
                Ok(())
            }
        }
    }

    /// What a user declared is in the served schema now; the source may lead on from there.
    fn declared_is_served(&mut self) {
        if let Some(declared) = self.followed.declared.take() {
            self.engine.tables.adopted(&self.table, &declared);
        }
    }

    fn unite(
        &mut self,
        target: &IcebergTarget,
        snapshot_id: SnapshotId,
        schema: &Schema,
    ) -> Result<(), Failure> {
        let Some(served) = self.served.clone() else {
            return Ok(());
        };
        let metadata = target.metadata();
        let mut bound = ServedSchema::clone(&served.schema);
        evolve::bind(&mut bound, schema, metadata.schemas());
        let mapping = metadata
            .name_mapping()
            .map_err(|error| unreadable(&error))?;
        let followed = evolve::Target {
            table: &self.table_with_type,
            snapshot_id: Some(snapshot_id),
            schema,
            mapping: mapping.as_ref(),
        };
        let outcome = evolve::unite(&bound, &followed, &self.followed.config.evolution);
        self.note_rejection(&outcome, snapshot_id, schema)?;
        let mut reload = false;
        match outcome.decision {
            Decision::Update(update) if !outcome.fails => {
                let changes = update.changes.iter().map(evolve::Change::text);
                self.record.schema_changes = changes.collect();
                reload = update.forced;
                self.serve_schema(update.schema, update.forced)?;
            }
            // Identities that were found are kept, though nothing else changes.
            _ if bound != *served.schema => self.serve_schema(bound, false)?,
            _ => {}
        }
        for line in &outcome.lines {
            self.log(line);
        }
        if reload && self.has_content() {
            self.engine.publisher.reload(&self.table);
        }
        match outcome.fails {
            true => {
                let rejected = outcome.lines.last();
                let text = rejected.map(|line| line.text.clone()).unwrap_or_default();
                Err(Failure::new(Code::SchemaRejected, text))
            }
            false => Ok(()),
        }
    }

    /// Keeps why a change is not followed, or forgets it when it is.
    fn note_rejection(
        &mut self,
        outcome: &Outcome,
        snapshot_id: SnapshotId,
        schema: &Schema,
    ) -> Result<(), Failure> {
        let rejection = RejectionRecord {
            snapshot_id: Some(snapshot_id.0),
            schema_id: Some(schema.id.0),
            reasons: outcome.reasons.iter().map(ToString::to_string).collect(),
            at_ms: self.engine.clock.now_ms(),
        };
        let is_rejected = !outcome.reasons.is_empty();
        if is_rejected {
            self.engine.metrics.schema_rejected(&self.table);
        }
        let now = is_rejected.then(|| serde_json::to_string(&rejection).unwrap_or_default());
        if now.is_none() && self.state.rejection.is_none() {
            return Ok(());
        }
        self.state.rejection = now;
        self.save_state("rejection")
    }

    fn unresolved(&mut self, snapshot: SnapshotId, why: Unresolved) -> Result<(), Failure> {
        let snapshot = snapshot.to_string();
        let mut line = match why {
            Unresolved::NoSchemaId => message::no_schema_id(&snapshot),
            Unresolved::NoSchema(id) => message::no_schema(&snapshot, &id.to_string()),
        };
        let failure = Failure::new(Code::SnapshotSchemaUnknown, line.text.clone());
        if self.followed.config.evolution.fail_fast {
            self.log(&line);
            return Err(failure);
        }
        line.text = format!(
            "{}. {}",
            line.text,
            message::continuing(&self.table_with_type)
        );
        self.log(&line);
        Ok(())
    }

    /// Keeps another schema, and serves the files that are served with it.
    pub(super) fn serve_schema(
        &mut self,
        schema: ServedSchema,
        widened: bool,
    ) -> Result<(), Failure> {
        let json = wire::to_json(&schema);
        let now_ms = self.engine.clock.now_ms();
        let schema = Arc::new(schema);
        let before = self.content();
        let view = before
            .as_ref()
            .and_then(|content| self.served_with(content, &schema));
        let mut state = self.state.clone();
        // Where there is no view of it yet, what is served is behind until the run publishes.
        if before.is_some() {
            state.view_version.0 = state.view_version.0.saturating_add(1);
        }
        let metadata = view
            .as_ref()
            .and_then(|(_, content)| commit::document(content));
        let version = self.write("schema", |writer| {
            let version = writer.add_served_schema(&self.table, &json, now_ms)?;
            state.schema_version = Some(version);
            writer.put_state(&self.table, &state)?;
            let before = writer.document(DocumentKind::Schema, &self.table)?;
            let shown = document(&schema, before.as_deref());
            writer.put_document(DocumentKind::Schema, &self.table, &shown)?;
            if let Some(metadata) = &metadata {
                writer.put_source_metadata(&self.table, metadata)?;
            }
            Ok(version)
        })?;
        state.schema_version = Some(version);
        self.state = state;
        self.served = Some(Served { version, schema });
        self.declared_is_served();
        self.engine.metrics.schema_updated(&self.table, widened);
        if let Some((view, content)) = view {
            self.hand_over(view, content);
        }
        Ok(())
    }

    /// The files that are served under another schema; none where they cannot be: the source may have
    /// taken them away since, and what it has now is served by the end of the run.
    fn served_with(
        &self,
        content: &Content,
        schema: &Arc<ServedSchema>,
    ) -> Option<(View, Content)> {
        if self.is_of_another_table(content) {
            return None;
        }
        let mut content = self.with_schema(content, schema);
        let view = self
            .survey_all(&mut content)
            .and_then(|()| self.view(&content));
        match view {
            Ok(view) => Some((view, content)),
            Err(error) => {
                tracing::warn!(
                    table = %self.table, %error,
                    "[{}] a schema is served with the next files only", self.record.request_id
                );
                None
            }
        }
    }

    /// Files of a table that the source has made anew since are not to be read as the new one's.
    fn is_of_another_table(&self, content: &Content) -> bool {
        let (Some(Target::Iceberg(target)), Some(table)) = (&self.target, &content.table) else {
            return false;
        };
        table.metadata().table_uuid != target.metadata().table_uuid
    }

    /// The same files under another schema.
    fn with_schema(&self, content: &Content, schema: &Arc<ServedSchema>) -> Content {
        let mut content = content.clone();
        if variants(schema) != variants(&content.schema) {
            content.layouts = Arc::default();
        }
        content.schema = Arc::clone(schema);
        // The metadata that was just loaded knows the new schema.
        if let Some(Target::Iceberg(target)) = &self.target {
            content.table = Some(target.table.clone());
        }
        if let Some(table) = &content.table {
            let read_with = read_schema(table.metadata(), &content.plan.schema, schema);
            let mut plan = growler_catalog::Plan::clone(&content.plan);
            plan.schema = Arc::new(read_with);
            content.plan = Arc::new(plan);
        }
        content
    }
}

/// Returns the schema to read files with: the one that was followed last, and with it the columns that
/// are served though it has them no more, as the latest schema has them that does. Fields inside of
/// columns keep the names that they are served under.
pub(super) fn read_schema(
    metadata: &TableMetadata,
    state: &Schema,
    served: &ServedSchema,
) -> Schema {
    let followed = served
        .source
        .and_then(|source| metadata.schema(source.schema_id));
    let mut schema = followed.map_or_else(|| state.clone(), |schema| Schema::clone(schema));
    let history = metadata.schemas().iter().rev().map(AsRef::as_ref);
    let schemas: Vec<&Schema> = [state, metadata.current_schema()]
        .into_iter()
        .chain(history)
        .collect();
    for column in &served.columns {
        let Some(id) = column.field.field_id else {
            continue;
        };
        let has_id = |field: &&mut NestedField| field.id == id;
        if !schema.fields.iter().any(|field| field.id == id) {
            let found = |schema: &&Schema| schema.fields.iter().find(|f| f.id == id).cloned();
            // Files that were written since lack it, whatever it was once.
            schema
                .fields
                .extend(schemas.iter().find_map(found).map(|field| NestedField {
                    required: false,
                    ..field
                }));
        }
        if let Some(field) = schema.fields.iter_mut().find(has_id) {
            keep_names(&mut field.field_type, column);
        }
    }
    schema
}

fn keep_names(field_type: &mut Type, column: &ServedColumn) {
    match field_type {
        Type::Struct(fields) => {
            for field in fields {
                let known = column
                    .nested
                    .get(&field.id)
                    .filter(|name| !name.aliases.is_empty());
                if let Some(known) = known {
                    field.name.clone_from(&known.name);
                }
                keep_names(&mut field.field_type, column);
            }
        }
        Type::List(list) => keep_names(&mut list.element, column),
        Type::Map(map) => {
            keep_names(&mut map.key, column);
            keep_names(&mut map.value, column);
        }
        Type::Primitive(_) | Type::Variant => {}
    }
}

/// Writes the schema as users see it; what growler does not look at stays as it was.
pub(super) fn document(schema: &ServedSchema, before: Option<&[u8]>) -> Vec<u8> {
    let made = schema_to_json(&schema.table_schema());
    let before = before.and_then(|text| SchemaJson::parse(text).ok());
    let json = match before {
        Some(before) => SchemaJson {
            dimension_field_specs: made.dimension_field_specs,
            metric_field_specs: made.metric_field_specs,
            date_time_field_specs: made.date_time_field_specs,
            complex_field_specs: made.complex_field_specs,
            ..before
        },
        None => made,
    };
    json.to_json().to_string().into_bytes()
}

fn unreadable(error: &growler_catalog::Error) -> Failure {
    Failure::new(Code::CatalogUnreadable, error.to_string())
}
