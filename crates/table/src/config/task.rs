//! The place of the settings in a table config: `task.taskTypeConfigsMap.ExternalTableSyncTask`.

use growler_schema::validate::ValidationErrors;
use growler_schema::wire::TableConfigJson;
use serde_json::{Map, Value, json};

use super::external::ExternalConfig;
use super::key::Key;
use super::secret::{HIDDEN, Secret};
use super::settings::{Form, Settings};

/// Name of the task that keeps an External Table in step.
pub const TASK: &str = "ExternalTableSyncTask";
/// Name that the task had once.
const OLD_TASK: &str = "IcebergIngestionTask";

/// What a hidden secret may go to; one that was given for another place is asked for again.
const DESTINATIONS: [Key; 5] = [
    Key::CatalogUri,
    Key::Oauth2ServerUri,
    Key::StorageEndpoint,
    Key::StorageStsEndpoint,
    Key::Path,
];

impl ExternalConfig {
    /// Reads the settings of a table config; none when the table is no External Table.
    ///
    /// # Errors
    /// Every breach of the rules.
    pub fn of_table(json: &TableConfigJson) -> Result<Option<Self>, ValidationErrors> {
        let mut errors = Vec::new();
        let config = Self::find(json, &mut errors);
        ValidationErrors::check(json.raw_name(), errors)?;
        Ok(config)
    }

    /// As [`Self::of_table`], with the breaches added to others.
    pub fn find(json: &TableConfigJson, errors: &mut Vec<String>) -> Option<Self> {
        let task = task(json)?;
        Self::read(settings_of(task, errors), errors)
    }

    /// Puts the settings, secrets included, into a table config.
    pub fn put_into(&self, json: &mut TableConfigJson) {
        let values = self
            .settings()
            .iter()
            .map(|(key, value)| (key.name().to_owned(), json!(value)));
        let values: Map<String, Value> = values.collect();
        let task = json.extra.entry("task").or_insert_with(|| json!({}));
        task["taskTypeConfigsMap"][TASK] = Value::Object(values);
    }
}

/// Tells whether a table config is that of an External Table.
pub fn is_external(json: &TableConfigJson) -> bool {
    task(json).is_some()
}

/// Replaces every secret of a table config by what may be shown.
pub fn hide_secrets(json: &mut TableConfigJson) {
    for_secrets(json, |_, value| {
        let text = value.as_str().map(|text| Secret::new(text).to_string());
        *value = json!(text.as_deref().unwrap_or(HIDDEN));
    });
}

/// Replaces secrets that are only hidden by those that the table has, as long as they would go to the
/// same place.
pub fn restore_secrets(json: &mut TableConfigJson, of: &TableConfigJson) {
    let (Some(new), Some(old)) = (task(json), task(of)) else {
        return;
    };
    let mut ignored = Vec::new();
    let (new, old) = (
        settings_of(new, &mut ignored),
        settings_of(old, &mut ignored),
    );
    if DESTINATIONS
        .iter()
        .any(|key| new.get(*key) != old.get(*key))
    {
        return;
    }
    for_secrets(json, |key, value| {
        if let Some(secret) = old.get(key).filter(|_| value == HIDDEN) {
            *value = json!(secret);
        }
    });
}

/// Reads the texts of a task's settings.
fn settings_of(task: &Map<String, Value>, errors: &mut Vec<String>) -> Settings {
    let mut wrong = Vec::new();
    let pairs = task.iter().filter_map(|(name, value)| match value {
        Value::String(text) => Some((name.as_str(), text.clone())),
        Value::Bool(_) | Value::Number(_) => Some((name.as_str(), value.to_string())),
        Value::Null => None,
        Value::Array(_) | Value::Object(_) => {
            let name: String = name.chars().take(100).collect();
            wrong.push(format!("Requires a text in '{name}' of {TASK}"));
            None
        }
    });
    let settings = Settings::new(Form::Json, pairs, errors);
    errors.append(&mut wrong);
    settings
}

fn task(json: &TableConfigJson) -> Option<&Map<String, Value>> {
    let tasks = json.extra.get("task")?.get("taskTypeConfigsMap")?;
    tasks.get(TASK).or_else(|| tasks.get(OLD_TASK))?.as_object()
}

fn for_secrets(json: &mut TableConfigJson, change: impl Fn(Key, &mut Value)) {
    let tasks = json
        .extra
        .get_mut("task")
        .and_then(|task| task.get_mut("taskTypeConfigsMap"));
    let Some(tasks) = tasks.and_then(Value::as_object_mut) else {
        return;
    };
    for name in [TASK, OLD_TASK] {
        let values = tasks.get_mut(name).and_then(Value::as_object_mut);
        for (name, value) in values.into_iter().flatten() {
            if let Some(key) = Key::find(name).filter(|key| key.is_secret()) {
                change(key, value);
            }
        }
    }
}
