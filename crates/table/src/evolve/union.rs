//! The union of a served schema with a schema of its source.
//!
//! ```text
//! a served column    gone at the source         -> reason, or a tombstone
//!                    another name               -> alias; reason where it is another column's
//!                    INT -> LONG, other types   -> widened; reason
//! a source's column  not served                 -> added; reason where the name is taken
//! any reason         -> the whole update is refused, unless it may be followed in part
//! ```

use growler_base::FieldId;
use growler_catalog::SnapshotId;
use growler_catalog::convert::{Converted, to_table_schema};
use growler_catalog::metadata::{NameMapping, NestedField, PrimitiveType, Schema, Type};
use growler_schema::{ColumnType, DataType, Field, default_null};

use super::change::names;
use super::{
    Change, Line, Reason, ServedColumn, ServedSchema, SourceVersion, message, nested, onboard,
};
use crate::config::{DropColumns, SchemaEvolution};

/// What is followed.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Table, with `_OFFLINE`, as lines name it.
    pub table: &'a str,
    /// Snapshot to be served; none before the first.
    pub snapshot_id: Option<SnapshotId>,
    /// Its schema.
    pub schema: &'a Schema,
    /// Names of columns in files without identities.
    pub mapping: Option<&'a NameMapping>,
}

/// What comes of an update.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What to do.
    pub decision: Decision,
    /// What to log, in this order.
    pub lines: Vec<Line>,
    /// Why some of it, or all, is not followed.
    pub reasons: Vec<Reason>,
    /// Whether the run fails.
    pub fails: bool,
}

/// What to do about an update.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Nothing: the source has what is served.
    Unchanged,
    /// To serve another schema from now on.
    Update(Box<Update>),
    /// To go on with the schema that is served.
    Rejected,
}

/// Another schema to serve.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// The schema.
    pub schema: ServedSchema,
    /// What was followed.
    pub changes: Vec<Change>,
    /// Whether a type was widened: segments are reloaded.
    pub forced: bool,
}

impl Target<'_> {
    pub(super) fn snapshot(&self) -> String {
        self.snapshot_id
            .map_or_else(|| "none".to_owned(), |id| id.to_string())
    }
}

/// Unites a served schema with a schema of its source. Columns should be bound before.
pub fn unite(served: &ServedSchema, target: &Target<'_>, switches: &SchemaEvolution) -> Outcome {
    let mut diff = Diff::new(served, target, switches);
    for idx in 0..served.columns.len() {
        diff.served_column(idx);
    }
    diff.new_columns();
    diff.decide()
}

struct Diff<'a> {
    target: &'a Target<'a>,
    switches: &'a SchemaEvolution,
    converted: Converted,
    next: ServedSchema,
    changes: Vec<Change>,
    /// Columns to be widened once it is known that they may.
    widen: Vec<Widen>,
    reasons: Vec<Reason>,
    nested_ignored: Vec<String>,
}

impl<'a> Diff<'a> {
    fn new(served: &ServedSchema, target: &'a Target<'a>, switches: &'a SchemaEvolution) -> Self {
        Self {
            target,
            switches,
            converted: to_table_schema(&served.name, target.schema, target.mapping),
            next: served.clone(),
            changes: Vec::new(),
            widen: Vec::new(),
            reasons: Vec::new(),
            nested_ignored: Vec::new(),
        }
    }

    fn source(&self, id: Option<FieldId>) -> Option<(&'a NestedField, Option<Field>)> {
        let id = id?;
        let source = self.target.schema.fields.iter().find(|f| f.id == id)?;
        let fields = self.converted.schema.fields();
        let field = fields.iter().find(|field| field.field_id == Some(id));
        Some((source, field.cloned()))
    }

    fn served_column(&mut self, idx: usize) {
        let Some(column) = self.next.columns.get(idx).cloned() else {
            return;
        };
        let found = self.source(column.field.field_id);
        match found {
            None if column.dropped => {}
            None => self.gone(idx, &column),
            Some((source, field)) => {
                self.renamed(idx, &column, source);
                self.retyped(idx, &column, source, field);
                self.renamed_inside(idx, &column, source);
                if column.dropped {
                    self.restored(idx, &column);
                }
            }
        }
    }

    /// A column that the source has no more, or that it never had.
    fn gone(&mut self, idx: usize, column: &ServedColumn) {
        let name = column.name().to_owned();
        let is_bound = column.field.field_id.is_some();
        match (is_bound, self.switches.drop_columns) {
            (true, DropColumns::Tombstone) => {
                if let Some(next) = self.next.columns.get_mut(idx) {
                    next.dropped = true;
                }
                self.changes.push(Change::Drop { column: name });
            }
            (false, _) if self.switches.ignore_served_only_columns => {}
            _ => self.reasons.push(Reason::Dropped { column: name }),
        }
    }

    fn restored(&mut self, idx: usize, column: &ServedColumn) {
        if let Some(next) = self.next.columns.get_mut(idx) {
            next.dropped = false;
            self.changes.push(Change::Restore {
                column: column.name().to_owned(),
            });
        }
    }

    fn renamed(&mut self, idx: usize, column: &ServedColumn, source: &NestedField) {
        if column.is_called(&source.name) || is_renamed_tombstone(column, &source.name) {
            return;
        }
        let (name, alias) = (column.name().to_owned(), source.name.clone());
        if let Some(other) = self.other_called(idx, &alias) {
            return self.reasons.push(Reason::RenameCollides {
                column: name,
                alias,
                other,
            });
        }
        if let Some(next) = self.next.columns.get_mut(idx) {
            next.field.aliases.push(alias.clone());
        }
        self.changes.push(Change::Rename {
            column: name,
            alias,
        });
    }

    /// The name of another column that has a name, or had it; tombstones give way.
    fn other_called(&mut self, idx: usize, name: &str) -> Option<String> {
        let source = self.target.schema;
        let tombstones = self.switches.drop_columns == DropColumns::Tombstone;
        for (position, other) in self.next.columns.iter_mut().enumerate() {
            if position == idx || !other.is_called(name) {
                continue;
            }
            let is_gone = |id: FieldId| source.fields.iter().all(|field| field.id != id);
            match other.field.field_id {
                Some(id) if other.dropped || (tombstones && is_gone(id)) => {
                    give_way(other, id, name)
                }
                _ => return Some(other.name().to_owned()),
            }
        }
        None
    }

    fn retyped(
        &mut self,
        idx: usize,
        column: &ServedColumn,
        source: &NestedField,
        field: Option<Field>,
    ) {
        let served = column.field.column_type;
        let name = column.name().to_owned();
        let Some(field) = field else {
            let to = source.field_type.to_string();
            let from = served.data_type.name().to_owned();
            let column = name;
            return self.reasons.push(Reason::Type { column, from, to });
        };
        let now = field.column_type;
        if served.multi_value != now.multi_value {
            return self.reasons.push(Reason::Multiplicity {
                column: name,
                to_multi_value: now.multi_value,
            });
        }
        let widened = |by_type_switch| Widen {
            idx,
            to: now,
            by_type_switch,
        };
        match self.widening(column, source, now) {
            Widening::None => {}
            Widening::IntToLong => self.widen.push(widened(true)),
            Widening::Other => self.widen.push(widened(false)),
            Widening::Refused => {
                let (from, to) = match (served == now, &column.source_type) {
                    (true, Some(from)) => (from.clone(), source.field_type.to_string()),
                    _ => names(served, now),
                };
                self.reasons.push(Reason::Type {
                    column: name,
                    from,
                    to,
                });
            }
        }
    }

    fn widening(&self, column: &ServedColumn, source: &NestedField, now: ColumnType) -> Widening {
        let element = element(&source.field_type);
        match (column.field.column_type.data_type, now.data_type) {
            (DataType::Int, DataType::Long) if element == Some(&PrimitiveType::Long) => {
                Widening::IntToLong
            }
            (DataType::Float, DataType::Double) if self.switches.float_widening => Widening::Other,
            (from, to) if from != to => Widening::Refused,
            _ if changed_kind(column, element) => Widening::Refused,
            (DataType::BigDecimal { .. }, _)
                if self.switches.decimal_widening && has_more_digits(column, element) =>
            {
                Widening::Other
            }
            _ => Widening::None,
        }
    }

    fn renamed_inside(&mut self, idx: usize, column: &ServedColumn, source: &NestedField) {
        let renamed = nested::renamed(&column.nested, source);
        if renamed.is_empty() {
            return;
        }
        if !self.switches.nested_renames {
            return self.nested_ignored.push(column.name().to_owned());
        }
        let Some(next) = self.next.columns.get_mut(idx) else {
            return;
        };
        for (id, alias) in renamed {
            let Some(known) = next.nested.get_mut(&id) else {
                continue;
            };
            known.aliases.push(alias.clone());
            self.changes.push(Change::NestedRename {
                column: column.name().to_owned(),
                field: known.name.clone(),
                alias,
            });
        }
    }

    fn new_columns(&mut self) {
        for source in &self.target.schema.fields {
            let is_served = |column: &ServedColumn| column.field.field_id == Some(source.id);
            if self.next.columns.iter().any(is_served) {
                continue;
            }
            // A type that nobody knows is no column, as when the table was onboarded.
            let Some((_, Some(mut field))) = self.source(Some(source.id)) else {
                continue;
            };
            let column = source.name.clone();
            match self.other_called(usize::MAX, &column) {
                Some(other) => self.reasons.push(Reason::AddCollides { column, other }),
                None => {
                    field.aliases.retain(|alias| self.is_free(alias));
                    self.next.columns.push(ServedColumn::of(field));
                    self.changes.push(Change::Add { column });
                }
            }
        }
    }

    fn is_free(&self, name: &str) -> bool {
        !self
            .next
            .columns
            .iter()
            .any(|column| column.is_called(name))
    }

    fn decide(mut self) -> Outcome {
        let mut lines = Vec::new();
        if !self.nested_ignored.is_empty() {
            let table = self.target.table;
            lines.push(message::nested_renames_not_followed(
                table,
                &self.nested_ignored,
            ));
        }
        let is_mixed = !self.reasons.is_empty() && !self.switches.partial;
        let widened: Vec<String> = self.widen.iter().map(|w| self.name(w.idx)).collect();
        if is_mixed && !widened.is_empty() {
            let table = self.target.table;
            lines.push(message::widening_mixed(&widened, table, &self.reasons));
        }
        if !is_mixed {
            self.refuse_widening_when_off(&mut lines);
        }
        let is_refused = !self.reasons.is_empty() && !self.switches.partial;
        let is_empty = self.changes.is_empty() && self.widen.is_empty();
        let decision = match (is_refused || is_empty, self.reasons.is_empty()) {
            (true, true) => Decision::Unchanged,
            (true, false) => Decision::Rejected,
            (false, _) => self.update(&mut lines),
        };
        let fails = !self.reasons.is_empty() && self.switches.fail_fast;
        if !self.reasons.is_empty() {
            lines.push(message::rejected(
                self.target,
                &self.reasons,
                self.switches.fail_fast,
            ));
        }
        Outcome {
            decision,
            lines,
            reasons: self.reasons,
            fails,
        }
    }

    fn refuse_widening_when_off(&mut self, lines: &mut Vec<Line>) {
        if self.switches.type_widening {
            return;
        }
        let off: Vec<Widen> = self.widen.extract_if(.., |w| w.by_type_switch).collect();
        if off.is_empty() {
            return;
        }
        let columns: Vec<String> = off.iter().map(|w| self.name(w.idx)).collect();
        lines.push(message::widening_off(&columns, self.target.table));
        for Widen { idx, to, .. } in &off {
            let Some(column) = self.next.columns.get(*idx) else {
                continue;
            };
            let (from, to) = names(column.field.column_type, *to);
            let column = column.name().to_owned();
            self.reasons.push(Reason::Type { column, from, to });
        }
    }

    fn update(&mut self, lines: &mut Vec<Line>) -> Decision {
        let mut schema = self.next.clone();
        let mut changes = std::mem::take(&mut self.changes);
        let mut widened = Vec::new();
        for Widen { idx, to, .. } in &self.widen {
            if let Some(column) = schema.columns.get_mut(*idx) {
                widen(&mut column.field, *to);
                let column = column.name().to_owned();
                widened.push(column.clone());
                changes.push(Change::Widen { column });
            }
        }
        schema.source = Some(SourceVersion {
            snapshot_id: self.target.snapshot_id,
            schema_id: self.target.schema.id,
        });
        self.describe(&mut schema);
        let forced = !widened.is_empty();
        if forced {
            lines.push(message::widening_applied(&widened, self.target));
        }
        lines.push(message::schema_updated(self.target, forced));
        Decision::Update(Box::new(Update {
            schema,
            changes,
            forced,
        }))
    }

    /// Notes what the source says of columns, but of those that are not followed.
    fn describe(&self, schema: &mut ServedSchema) {
        let before = schema.columns.clone();
        onboard::describe(schema, self.target.schema, self.target.mapping);
        let refused = |served: &ServedColumn| {
            self.reasons.iter().any(|reason| match reason {
                Reason::Type { column, .. } | Reason::Multiplicity { column, .. } => {
                    column == served.name()
                }
                _ => false,
            })
        };
        for (column, before) in schema.columns.iter_mut().zip(before) {
            if refused(column) {
                column.source_type = before.source_type;
            }
        }
    }

    fn name(&self, idx: usize) -> String {
        let column = self.next.columns.get(idx);
        column
            .map(|column| column.name().to_owned())
            .unwrap_or_default()
    }
}

/// A column that another type would hold as well.
struct Widen {
    idx: usize,
    to: ColumnType,
    /// Whether `schemaEvolution.typeWidening.enabled` decides about it.
    by_type_switch: bool,
}

enum Widening {
    None,
    IntToLong,
    Other,
    Refused,
}

/// Gives a field another type, and with it the default null value that goes with it.
fn widen(field: &mut Field, to: ColumnType) {
    let usual = field.role.default_null(field.column_type.data_type);
    let kept = (field.default_null != usual).then(|| {
        let written = default_null::write(&field.default_null);
        default_null::parse(&written, to.data_type)
    });
    field.column_type = to;
    field.default_null = kept
        .flatten()
        .unwrap_or_else(|| field.role.default_null(to.data_type));
}

/// A tombstone whose name went to another column.
fn is_renamed_tombstone(column: &ServedColumn, name: &str) -> bool {
    let id = column.field.field_id;
    id.is_some_and(|id| column.field.name == tombstone_name(name, id))
}

fn tombstone_name(name: &str, id: FieldId) -> String {
    format!("{name}${id}")
}

/// Frees a name of a tombstone for another column.
fn give_way(tombstone: &mut ServedColumn, id: FieldId, name: &str) {
    tombstone.field.aliases.retain(|alias| alias != name);
    if tombstone.field.name == name {
        tombstone.field.name = tombstone_name(name, id);
    }
}

/// The single type of a column, or of a list's elements.
fn element(field_type: &Type) -> Option<&PrimitiveType> {
    match field_type {
        Type::Primitive(primitive) => Some(primitive),
        Type::List(list) => list.element.primitive(),
        Type::Struct(_) | Type::Map(_) | Type::Variant => None,
    }
}

/// Tells whether values of one engine type mean something else than before: a history that Iceberg
/// does not allow.
fn changed_kind(column: &ServedColumn, now: Option<&PrimitiveType>) -> bool {
    let kind = |primitive: &PrimitiveType| match primitive {
        PrimitiveType::Int | PrimitiveType::Long => Some(0),
        PrimitiveType::Date => Some(1),
        PrimitiveType::Time => Some(2),
        _ => None,
    };
    let before = column.source_type.as_deref().map(PrimitiveType::parse);
    let before = before.as_ref().and_then(kind);
    before.is_some_and(|before| now.and_then(kind).is_some_and(|now| now != before))
}

fn has_more_digits(column: &ServedColumn, now: Option<&PrimitiveType>) -> bool {
    let digits = |primitive: &PrimitiveType| match primitive {
        PrimitiveType::Decimal { precision, .. } => Some(*precision),
        _ => None,
    };
    let before = column.source_type.as_deref().map(PrimitiveType::parse);
    let before = before.as_ref().and_then(digits);
    before.is_some_and(|before| now.and_then(digits).is_some_and(|now| now > before))
}
