//! Everything an External Table is told, checked.

use growler_base::limits;
use growler_schema::validate::ValidationErrors;

use super::evolution::SchemaEvolution;
use super::key::Key;
use super::read::Reader;
use super::schedule::{self, Schedule};
use super::settings::{Form, Settings};
use super::source::{self, Source};
use super::storage::Storage;

/// The only executor there is.
const EXECUTOR: &str = "controller";

/// What decides when runs begin, and whether they may change the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SyncMode {
    /// `enabled` is absent: new snapshots are followed, the schema never changes.
    #[default]
    Snapshot,
    /// `enabled` is `true`: the periodic watcher, which the `schemaEvolution.*` settings are for.
    Watcher,
    /// `enabled` is `false`: nothing runs.
    Paused,
}

/// When new rows show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// All rows of a snapshot at once.
    #[default]
    Snapshot,
    /// Those of each batch as soon as it is in, where the snapshot takes none away.
    Batch,
}

/// What deletes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Deletes {
    /// Deleted rows are gone.
    #[default]
    Apply,
    /// A snapshot with deletes fails the run.
    Refuse,
}

/// Bounds of one batch of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Most files.
    pub max_files: usize,
    /// Most bytes that the files have.
    pub max_bytes: u64,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self {
            max_files: limits::SYNC_BATCH_FILES,
            max_bytes: limits::SYNC_BATCH_BYTES,
        }
    }
}

/// What an External Table is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalConfig {
    /// Where it comes from.
    pub source: Source,
    /// How the store of its files is reached.
    pub storage: Storage,
    /// Whether and how it follows the source.
    pub mode: SyncMode,
    /// When it does.
    pub schedule: Schedule,
    /// Files that cannot be read are left out instead of failing the run.
    pub continue_on_file_error: bool,
    /// Bounds of one batch of files.
    pub batch: BatchLimits,
    /// How its schema follows.
    pub evolution: SchemaEvolution,
    /// When new rows show.
    pub visibility: Visibility,
    /// What deletes do.
    pub deletes: Deletes,
    /// The source's partitions prune on the watcher's path too.
    pub import_partitions: bool,
    settings: Settings,
}

impl ExternalConfig {
    /// Reads settings; every breach is added to the errors, and there is a config only without any.
    pub fn read(mut settings: Settings, errors: &mut Vec<String>) -> Option<Self> {
        let before = errors.len();
        source::unify(&mut settings, errors);
        if settings.form() == Form::Sql && settings.get(Key::Executor).is_none() {
            settings.set(Key::Executor, EXECUTOR);
        }
        let mut reader = Reader {
            settings: &settings,
            errors,
        };
        let source = Source::read(&mut reader);
        let storage = Storage::read(&mut reader);
        executor(&mut reader);
        let mode = mode(&mut reader);
        let schedule = schedule::read(&mut reader);
        let continue_on_file_error = reader.is_on(Key::ContinueOnFileError);
        let batch = batch(&mut reader);
        let evolution = SchemaEvolution::read(&mut reader);
        reader.is_on(Key::EnableSchemaEvolution);
        let (visibility, deletes) = (visibility(&mut reader), deletes(&mut reader));
        let import_partitions = reader.is_on(Key::SyncImportPartitions);
        if errors.len() > before {
            return None;
        }
        Some(Self {
            source: source?,
            storage,
            mode,
            schedule,
            continue_on_file_error,
            batch,
            evolution,
            visibility,
            deletes,
            import_partitions,
            settings,
        })
    }

    /// Reads the settings of a table of a name.
    ///
    /// # Errors
    /// Every breach of the rules.
    pub fn try_new(table: &str, settings: Settings) -> Result<Self, ValidationErrors> {
        let mut errors = Vec::new();
        let config = Self::read(settings, &mut errors);
        ValidationErrors::check(table, errors)?;
        config.ok_or_else(|| ValidationErrors {
            table: table.to_owned(),
            errors: vec!["Requires a source".to_owned()],
        })
    }

    /// Returns the settings, secrets included.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns SQL's two words for the kind of source, `type` and `catalog_type`.
    pub fn sql_words(&self) -> (&'static str, &'static str) {
        let kind = self.settings.get(Key::CatalogType).unwrap_or_default();
        source::sql_words(kind).unwrap_or_default()
    }

    /// Returns the kind of source as table configs name it.
    pub fn catalog_type(&self) -> &str {
        self.settings.get(Key::CatalogType).unwrap_or_default()
    }

    /// Returns what the writer of the settings may have meant otherwise.
    pub fn warnings(&self) -> Vec<String> {
        let name = |key| self.settings.name(key);
        let evolution = name(Key::EvolutionEnabled);
        let mut warnings = Vec::new();
        if self.settings.get(Key::EnableSchemaEvolution).is_some() {
            warnings.push(format!(
                "'{}' is accepted but has no effect. Set '{evolution}' and '{}'",
                name(Key::EnableSchemaEvolution),
                name(Key::Enabled)
            ));
        }
        if self.evolution.enabled && self.mode == SyncMode::Snapshot {
            warnings.push(format!(
                "The snapshot path never updates the schema: '{evolution}' has no effect without \
                 '{}' set to true",
                name(Key::Enabled)
            ));
        }
        if self.evolution.enabled && !self.source.has_schema_history() {
            warnings.push(format!(
                "The source has no schema history: '{evolution}' has no effect"
            ));
        }
        if self.evolution.type_widening && !self.evolution.enabled {
            warnings.push(format!(
                "'{}' has no effect without '{evolution}'",
                name(Key::EvolutionTypeWidening)
            ));
        }
        warnings
    }
}

fn mode(reader: &mut Reader<'_>) -> SyncMode {
    match reader.switch(Key::Enabled) {
        None => SyncMode::Snapshot,
        Some(true) => SyncMode::Watcher,
        Some(false) => SyncMode::Paused,
    }
}

fn visibility(reader: &mut Reader<'_>) -> Visibility {
    let shows = [
        ("snapshot", Visibility::Snapshot),
        ("batch", Visibility::Batch),
    ];
    reader.choice(Key::SyncVisibility, &shows)
}

fn deletes(reader: &mut Reader<'_>) -> Deletes {
    let does = [("apply", Deletes::Apply), ("refuse", Deletes::Refuse)];
    reader.choice(Key::SyncDeletes, &does)
}

fn executor(reader: &mut Reader<'_>) {
    let found = reader.required(Key::Executor, "set to controller");
    if !found.is_empty() && found != EXECUTOR {
        reader.wrong(Key::Executor, EXECUTOR, &found);
    }
}

fn batch(reader: &mut Reader<'_>) -> BatchLimits {
    let default = BatchLimits::default();
    let files = reader.number(
        Key::BatchMaxFiles,
        default.max_files as u64,
        limits::SYNC_BATCH_FILES_MOST as u64,
    );
    BatchLimits {
        max_files: usize::try_from(files).unwrap_or(default.max_files),
        max_bytes: reader.number(Key::BatchMaxBytes, default.max_bytes, u64::MAX),
    }
}
