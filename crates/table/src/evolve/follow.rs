//! Which schema of the source's history is followed.

use std::collections::BTreeMap;
use std::sync::Arc;

use growler_base::FieldId;
use growler_catalog::metadata::{PrimitiveType as P, Schema, Snapshot, Type};
use growler_catalog::{SchemaId, TableMetadata};

/// Why a snapshot's schema is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unresolved {
    /// The snapshot does not say which it has.
    NoSchemaId,
    /// The metadata has it no more.
    NoSchema(SchemaId),
}

/// Returns the schema that a snapshot was written with; the table's current one where
/// `follow_current` allows it: when the snapshot is the table's newest state, and the current schema
/// is a legal step from the snapshot's.
///
/// # Errors
/// [`Unresolved`].
pub fn followed(
    metadata: &TableMetadata,
    snapshot: &Snapshot,
    follow_current: bool,
) -> Result<Arc<Schema>, Unresolved> {
    let id = snapshot.schema_id.ok_or(Unresolved::NoSchemaId)?;
    let written = metadata.schema(id).ok_or(Unresolved::NoSchema(id))?;
    let current = metadata.current_schema();
    let takes_current = follow_current
        && current.id != id
        && metadata.current_snapshot_id == Some(snapshot.id)
        && !was_rolled_back(metadata, snapshot)
        && is_legal_step(written, current);
    Ok(Arc::clone(if takes_current { current } else { written }))
}

/// Tells whether some other state came after this one: it is current because somebody went back. The
/// log of `main` tells; where there is none, a state that was made from this one does.
fn was_rolled_back(metadata: &TableMetadata, snapshot: &Snapshot) -> bool {
    let log = &metadata.snapshot_log;
    if log.is_empty() {
        let mut others = metadata.snapshots().iter();
        return others.any(|other| other.parent == Some(snapshot.id));
    }
    let first = log.iter().position(|(_, id)| *id == snapshot.id);
    let mut later = log.iter().skip(first.unwrap_or(log.len()));
    later.any(|(_, id)| *id != snapshot.id)
}

/// Tells whether one schema can come of another by changes that Iceberg allows: fields are added and
/// dropped, renamed and moved, and widened.
fn is_legal_step(from: &Schema, to: &Schema) -> bool {
    let before: BTreeMap<FieldId, &Type> = types(from).collect();
    types(to).all(|(id, now)| before.get(&id).is_none_or(|then| is_legal_type(then, now)))
}

fn types(schema: &Schema) -> impl Iterator<Item = (FieldId, &Type)> {
    schema
        .fields
        .iter()
        .map(|field| (field.id, &field.field_type))
}

fn is_legal_type(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Primitive(from), Type::Primitive(to)) => is_legal_primitive(from, to),
        (Type::Primitive(P::Unknown), _) | (Type::Variant, Type::Variant) => true,
        (Type::Struct(from), Type::Struct(to)) => to.iter().all(|now| {
            let then = from.iter().find(|then| then.id == now.id);
            then.is_none_or(|then| is_legal_type(&then.field_type, &now.field_type))
        }),
        (Type::List(from), Type::List(to)) => {
            from.element_id == to.element_id && is_legal_type(&from.element, &to.element)
        }
        (Type::Map(from), Type::Map(to)) => {
            from.key_id == to.key_id
                && from.value_id == to.value_id
                && is_legal_type(&from.key, &to.key)
                && is_legal_type(&from.value, &to.value)
        }
        _ => false,
    }
}

fn is_legal_primitive(from: &P, to: &P) -> bool {
    match (from, to) {
        (P::Int, P::Long) | (P::Float, P::Double) | (P::Unknown, _) => true,
        (P::Date, P::Timestamp | P::TimestampNs) => true,
        (
            P::Decimal {
                precision: from,
                scale: old,
            },
            P::Decimal {
                precision: to,
                scale: new,
            },
        ) => old == new && from <= to,
        (from, to) => from == to,
    }
}
