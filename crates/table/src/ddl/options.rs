//! Options of a statement to settings, and back.

use crate::config::key::{Key, Kind};
use crate::config::settings::Form;
use crate::config::{ExternalConfig, Settings};

use super::statement::OptionValue;

/// Takes options as settings; those that cannot be taken are listed among the errors.
pub fn to_settings(options: Vec<(String, OptionValue)>, errors: &mut Vec<String>) -> Settings {
    // Settings borrow the names.
    let pairs: Vec<(String, String)> = options
        .into_iter()
        .map(|(name, value)| (name, value.into_text()))
        .collect();
    let pairs = pairs
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()));
    Settings::new(Form::Sql, pairs, errors)
}

/// Returns a config's options as they may be shown: secrets are hidden.
pub fn of_config(config: &ExternalConfig) -> Vec<(String, OptionValue)> {
    let settings = config.settings();
    let mut options = Vec::new();
    for (key, value) in settings.iter() {
        let text = |text: &str| OptionValue::Text(text.to_owned());
        match key {
            Key::CatalogType => {
                let (family, word) = config.sql_words();
                options.push((Key::Type.sql_name(), text(family)));
                options.push((key.sql_name(), text(word)));
                continue;
            }
            // It is the only one; SQL leaves it out.
            Key::Executor => continue,
            _ => {}
        }
        let shown = settings.shown(key).unwrap_or_default();
        let value = match key.kind() {
            Kind::Switch if value.eq_ignore_ascii_case("true") => OptionValue::Switch(true),
            Kind::Switch if value.eq_ignore_ascii_case("false") => OptionValue::Switch(false),
            Kind::Number if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                OptionValue::Number(shown)
            }
            _ => OptionValue::Text(shown),
        };
        options.push((key.sql_name(), value));
    }
    options
}
