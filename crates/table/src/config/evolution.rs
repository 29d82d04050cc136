//! How the served schema follows the source's.

use super::key::Key;
use super::read::Reader;

/// What a column that the source dropped does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DropColumns {
    /// The whole update is rejected.
    #[default]
    Reject,
    /// It leaves `SELECT *` and reads as null.
    Tombstone,
}

/// The `schemaEvolution.*` settings; everything is off unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SchemaEvolution {
    /// Added and renamed columns are followed; nothing else here counts without it.
    pub enabled: bool,
    /// INT to LONG is followed.
    pub type_widening: bool,
    /// A rejected update fails the run instead of going on with the old schema.
    pub fail_fast: bool,
    /// FLOAT to DOUBLE is followed.
    pub float_widening: bool,
    /// A growing decimal precision is followed and shown.
    pub decimal_widening: bool,
    /// What a dropped column does.
    pub drop_columns: DropColumns,
    /// Renames inside of columns are followed, by field id.
    pub nested_renames: bool,
    /// A schema change without a snapshot is acted on.
    pub follow_current_schema: bool,
    /// Served columns that the source never had block nothing.
    pub ignore_served_only_columns: bool,
    /// What can be applied of an update is, the rest is rejected with its reasons.
    pub partial: bool,
}

impl SchemaEvolution {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let drops = [
            ("reject", DropColumns::Reject),
            ("tombstone", DropColumns::Tombstone),
        ];
        Self {
            enabled: reader.is_on(Key::EvolutionEnabled),
            type_widening: reader.is_on(Key::EvolutionTypeWidening),
            fail_fast: reader.is_on(Key::EvolutionFailFast),
            float_widening: reader.is_on(Key::EvolutionFloatWidening),
            decimal_widening: reader.is_on(Key::EvolutionDecimalWidening),
            drop_columns: reader.choice(Key::EvolutionDropColumns, &drops),
            nested_renames: reader.is_on(Key::EvolutionNestedRenames),
            follow_current_schema: reader.is_on(Key::EvolutionFollowCurrentSchema),
            ignore_served_only_columns: reader.is_on(Key::EvolutionIgnoreServedOnlyColumns),
            partial: reader.is_on(Key::EvolutionPartial),
        }
    }
}
