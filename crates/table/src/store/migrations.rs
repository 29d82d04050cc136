//! The tables of the database, version by version.

use rusqlite::Connection;

/// Tells databases of growler from others: `grow` in ASCII.
pub(super) const APPLICATION_ID: i64 = 0x6772_6f77;

/// What leads from each version to the next. Never change one that was released: add one.
const MIGRATIONS: [&str; 1] = [VERSION_1];

const VERSION_1: &str = "
CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    applied_ms INTEGER NOT NULL
);
CREATE TABLE schema (
    name TEXT PRIMARY KEY,
    json BLOB NOT NULL,
    version INTEGER NOT NULL
);
CREATE TABLE table_config (
    name TEXT PRIMARY KEY,
    json BLOB NOT NULL,
    version INTEGER NOT NULL
);
CREATE TABLE sync_state (
    table_name TEXT PRIMARY KEY,
    view_version INTEGER NOT NULL,
    schema_version INTEGER,
    checkpoint TEXT,
    detached TEXT,
    rejection TEXT,
    skipped TEXT
);
CREATE TABLE source_metadata (
    table_name TEXT PRIMARY KEY REFERENCES sync_state (table_name) ON DELETE CASCADE,
    document BLOB NOT NULL
);
CREATE TABLE served_schema (
    table_name TEXT NOT NULL REFERENCES sync_state (table_name) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    json TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (table_name, version)
);
CREATE TRIGGER served_schema_is_append_only BEFORE UPDATE ON served_schema
BEGIN
    SELECT RAISE(ABORT, 'served schema versions never change');
END;
CREATE TABLE member (
    id INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL REFERENCES sync_state (table_name) ON DELETE CASCADE,
    table_uuid TEXT NOT NULL,
    path TEXT NOT NULL,
    len_bytes INTEGER NOT NULL,
    digest TEXT NOT NULL,
    state INTEGER NOT NULL,
    run_id INTEGER NOT NULL,
    sequence_number INTEGER NOT NULL,
    since_view INTEGER,
    until_view INTEGER,
    body BLOB NOT NULL,
    UNIQUE (table_name, table_uuid, path, len_bytes, digest)
);
CREATE INDEX member_by_state ON member (table_name, state);
CREATE TABLE sync_run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_name TEXT NOT NULL REFERENCES sync_state (table_name) ON DELETE CASCADE,
    state INTEGER NOT NULL,
    started_ms INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX sync_run_by_table ON sync_run (table_name, id);
CREATE TABLE lease (
    table_name TEXT PRIMARY KEY REFERENCES sync_state (table_name) ON DELETE CASCADE,
    owner TEXT NOT NULL,
    fence INTEGER NOT NULL,
    until_ms INTEGER NOT NULL
);
";

/// The last version known here.
pub(super) fn latest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Returns the version that a database has; 0 for one without tables.
pub(super) fn version(db: &Connection) -> Result<i64, rusqlite::Error> {
    db.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings a database from a version to the latest, each step in a transaction of its own.
pub(super) fn migrate(db: &mut Connection, from: i64) -> Result<(), rusqlite::Error> {
    for (version, sql) in (1_i64..).zip(MIGRATIONS) {
        if version <= from {
            continue;
        }
        let step = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        step.execute_batch(sql)?;
        step.execute(
            "INSERT INTO schema_version (version, applied_ms)
             VALUES (?1, CAST(unixepoch('subsec') * 1000 AS INTEGER))",
            [version],
        )?;
        step.pragma_update(None, "application_id", APPLICATION_ID)?;
        step.pragma_update(None, "user_version", version)?;
        step.commit()?;
    }
    Ok(())
}
