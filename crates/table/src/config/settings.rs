//! Keys and their values as texts, as they were given.

use std::collections::BTreeMap;
use std::fmt;

use growler_base::limits;

use super::key::{Key, Kind};
use super::secret::Secret;
use super::suggest;

/// Which spelling of the keys its writer uses; texts about the settings use the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// `catalogUri`, of table configs.
    #[default]
    Json,
    /// `catalog_uri`, of SQL.
    Sql,
}

/// What an External Table was told, by key.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Settings {
    values: BTreeMap<Key, String>,
    form: Form,
}

impl Settings {
    /// Takes names and values; what cannot be taken is listed among the errors.
    pub fn new<'a>(
        form: Form,
        pairs: impl IntoIterator<Item = (&'a str, String)>,
        errors: &mut Vec<String>,
    ) -> Self {
        let mut settings = Self {
            values: BTreeMap::new(),
            form,
        };
        for (name, value) in pairs {
            settings.take(name, value, errors);
        }
        settings
    }

    fn take(&mut self, name: &str, value: String, errors: &mut Vec<String>) {
        let Some(key) = Key::find(name) else {
            errors.push(unknown(name, self.form));
            return;
        };
        if value.len() > limits::OPTION_LEN_BYTES {
            errors.push(format!(
                "Value of '{}' is too long: lenBytes={} limit={}",
                self.name(key),
                value.len(),
                limits::OPTION_LEN_BYTES
            ));
            return;
        }
        if self.values.insert(key, value).is_some() {
            errors.push(format!("'{}' is given more than once", self.name(key)));
        }
    }

    /// Returns the value of a key.
    pub fn get(&self, key: Key) -> Option<&str> {
        self.values.get(&key).map(String::as_str)
    }

    /// Gives a key a value, in place of the one it has.
    pub fn set(&mut self, key: Key, value: impl Into<String>) {
        self.values.insert(key, value.into());
    }

    /// Takes a key's value out.
    pub fn remove(&mut self, key: Key) -> Option<String> {
        self.values.remove(&key)
    }

    /// Returns all keys and values in the order in which they are written. They hold secrets.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &str)> {
        self.values
            .iter()
            .map(|(key, value)| (*key, value.as_str()))
    }

    /// Returns a value as it may be shown.
    pub fn shown(&self, key: Key) -> Option<String> {
        let value = self.get(key)?;
        Some(if key.kind() == Kind::Secret {
            Secret::new(value).to_string()
        } else {
            value.to_owned()
        })
    }

    /// Returns the name of a key as the settings' writer spells it.
    pub fn name(&self, key: Key) -> String {
        match self.form {
            Form::Json => key.name().to_owned(),
            Form::Sql => key.sql_name(),
        }
    }

    /// Returns the spelling.
    pub fn form(&self) -> Form {
        self.form
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for key in self.values.keys() {
            map.entry(&key.name(), &self.shown(*key).unwrap_or_default());
        }
        map.finish()
    }
}

fn unknown(name: &str, form: Form) -> String {
    // A name is the client's text; its end says nothing more.
    let shown: String = name.chars().take(100).collect();
    match suggest::closest(name, form == Form::Sql) {
        Some(key) => format!("Does not know the option '{shown}'. Did you mean '{key}'?"),
        None => format!("Does not know the option '{shown}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_it_knows_and_lists_the_rest() {
        let mut errors = Vec::new();
        let long = "x".repeat(limits::OPTION_LEN_BYTES + 1);
        let pairs = [
            ("catalog_uri", "http://a".to_owned()),
            ("catalogUri", "http://b".to_owned()),
            ("catalog_url", String::new()),
            ("zzz", String::new()),
            ("scope", long),
            ("token", "s3cret".to_owned()),
        ];
        let settings = Settings::new(Form::Sql, pairs, &mut errors);
        assert_eq!(
            errors,
            [
                "'catalog_uri' is given more than once",
                "Does not know the option 'catalog_url'. Did you mean 'catalog_uri'?",
                "Does not know the option 'zzz'",
                "Value of 'scope' is too long: lenBytes=65537 limit=65536",
            ]
        );
        let shown = format!("{settings:?}");
        assert!(
            shown.contains("***") && !shown.contains("s3cret"),
            "{shown}"
        );
    }
}
