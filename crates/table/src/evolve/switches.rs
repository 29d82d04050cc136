//! What of a source's changes is followed. Everything is off unless a config says otherwise.

/// The `schemaEvolution.*` keys of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Switches {
    /// `schemaEvolution.enabled`: whether the schema is followed at all.
    pub enabled: bool,
    /// `schemaEvolution.typeWidening.enabled`: INT to LONG.
    pub type_widening: bool,
    /// `schemaEvolution.failFast`: whether a change that is refused fails the run.
    pub fail_fast: bool,
    /// `schemaEvolution.floatWidening`: FLOAT to DOUBLE.
    pub float_widening: bool,
    /// `schemaEvolution.decimalWidening`: whether a decimal's growing precision makes a version.
    pub decimal_widening: bool,
    /// `schemaEvolution.dropColumns`.
    pub drops: Drops,
    /// `schemaEvolution.nestedRenames`: whether renames inside of columns are followed.
    pub nested_renames: bool,
    /// `schemaEvolution.followCurrentSchema`: whether a schema that no snapshot has yet is followed.
    pub follow_current_schema: bool,
    /// `schemaEvolution.ignoreServedOnlyColumns`: whether columns may be declared that the source lacks.
    pub ignore_served_only_columns: bool,
    /// `schemaEvolution.partialApplication`: whether what can be followed is followed when the rest of
    /// an update cannot.
    pub partial_application: bool,
}

/// What happens when the source drops a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Drops {
    /// The update is refused.
    #[default]
    Reject,
    /// The column leaves the schema; its name is free for another one.
    Tombstone,
}
