//! The lines that operators look for, as the documents of schema evolution print them.

use super::change::Reason;
use super::union::Target;

/// How loud a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// What was done.
    Info,
    /// What was not done.
    Warn,
}

/// One line of the log, without the request id that stands before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// How loud.
    pub level: Level,
    /// Stable code.
    pub code: &'static str,
    /// Text.
    pub text: String,
}

/// Code of a snapshot whose schema is not known.
pub const SNAPSHOT_SCHEMA_UNKNOWN: &str = "SNAPSHOT_SCHEMA_UNKNOWN";
/// Code of metadata that cannot be loaded.
pub const CATALOG_UNREADABLE: &str = "CATALOG_UNREADABLE";
/// Code of an update that is refused.
pub const SCHEMA_REJECTED: &str = "SCHEMA_REJECTED";

pub(super) fn widening_off(columns: &[String], table: &str) -> Line {
    warn(
        "WIDENING_OFF",
        format!(
            "Not applying the source type widening on columns [{}] for {table}: \
             schemaEvolution.typeWidening.enabled is false.",
            columns.join(", ")
        ),
    )
}

pub(super) fn widening_mixed(columns: &[String], table: &str, reasons: &[Reason]) -> Line {
    warn(
        "WIDENING_MIXED",
        format!(
            "Not applying the source type widening on columns [{}] for {table}: the diff also \
             carries unsupported changes [{}]",
            columns.join(", "),
            listed(reasons, ", ")
        ),
    )
}

pub(super) fn widening_applied(columns: &[String], target: &Target<'_>) -> Line {
    info(
        "WIDENING_APPLY",
        format!(
            "Applying source type widening for {} on columns [{}] (snapshot {}, schema-id {}). \
             Segments reload onto the widened type; until every one has, queries spanning both \
             generations of segments may fail or return partial rows.",
            target.table,
            columns.join(", "),
            target.snapshot(),
            target.schema.id
        ),
    )
}

pub(super) fn schema_updated(target: &Target<'_>, forced: bool) -> Line {
    info(
        "SCHEMA_UPDATED",
        format!(
            "Updated Pinot schema for {}: unioned snapshot {} (schema-id {}, forced={forced})",
            target.table,
            target.snapshot(),
            target.schema.id
        ),
    )
}

pub(super) fn rejected(target: &Target<'_>, reasons: &[Reason], fail_fast: bool) -> Line {
    let mut text = format!(
        "Schema update rejected for snapshot {} (e.g. unsupported type widening): {}",
        target.snapshot(),
        listed(reasons, "; ")
    );
    if !fail_fast {
        text.push_str(&format!(". {}", continuing(target.table)));
    }
    warn(SCHEMA_REJECTED, text)
}

/// What ends a line about a schema that could not be followed when the run goes on.
pub fn continuing(table: &str) -> String {
    format!(
        "Continuing ingestion with the existing schema for {table} (schemaEvolution.failFast=false)."
    )
}

/// Metadata could not be loaded, so no schema could be followed.
pub fn catalog_unreadable(cause: &str) -> Line {
    warn(
        CATALOG_UNREADABLE,
        format!("Failed to load catalog metadata for schema union: {cause}"),
    )
}

/// A snapshot does not say which schema it has.
pub fn no_schema_id(snapshot: &str) -> Line {
    warn(
        SNAPSHOT_SCHEMA_UNKNOWN,
        format!(
            "Could not resolve schema-id for snapshot {snapshot} from catalog metadata snapshots"
        ),
    )
}

/// A snapshot names a schema that the metadata has no more.
pub fn no_schema(snapshot: &str, schema: &str) -> Line {
    warn(
        SNAPSHOT_SCHEMA_UNKNOWN,
        format!(
            "Could not resolve schema-id {schema} for snapshot {snapshot} from catalog metadata schemas"
        ),
    )
}

/// A switch that does nothing alone is on.
pub fn widening_alone(table: &str) -> Line {
    info(
        "WIDENING_ALONE",
        format!(
            "schemaEvolution.typeWidening.enabled has no effect for {table}: schemaEvolution.enabled \
             is false."
        ),
    )
}

pub(super) fn nested_renames_not_followed(table: &str, columns: &[String]) -> Line {
    info(
        "NESTED_RENAME_IGNORED",
        format!(
            "Not resolving renamed fields inside of columns [{}] for {table}: \
             schemaEvolution.nestedRenames is false.",
            columns.join(", ")
        ),
    )
}

fn info(code: &'static str, text: String) -> Line {
    let level = Level::Info;
    Line { level, code, text }
}

fn warn(code: &'static str, text: String) -> Line {
    let level = Level::Warn;
    Line { level, code, text }
}

fn listed(reasons: &[Reason], between: &str) -> String {
    let texts: Vec<_> = reasons.iter().map(Reason::to_string).collect();
    texts.join(between)
}
