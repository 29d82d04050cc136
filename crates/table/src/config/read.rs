//! From the text of a setting to its value.

use super::key::Key;
use super::secret::Secret;
use super::settings::Settings;

/// Settings being read, and the breaches found so far.
pub(super) struct Reader<'a> {
    pub(super) settings: &'a Settings,
    pub(super) errors: &'a mut Vec<String>,
}

impl Reader<'_> {
    /// Returns a text; an empty one is none.
    pub(super) fn text(&mut self, key: Key) -> Option<String> {
        let text = self.settings.get(key)?.trim();
        if text.is_empty() {
            let name = self.settings.name(key);
            self.errors.push(format!("'{name}' is empty"));
            return None;
        }
        Some(text.to_owned())
    }

    /// Returns a text that must be there.
    pub(super) fn required(&mut self, key: Key, why: &str) -> String {
        if self.settings.get(key).is_none() {
            let name = self.settings.name(key);
            self.errors.push(format!("Requires '{name}' {why}"));
        }
        self.text(key).unwrap_or_default()
    }

    /// Returns a secret.
    pub(super) fn secret(&mut self, key: Key) -> Option<Secret> {
        let secret = Secret::new(&self.text(key)?);
        if let Some(breach) = secret.breach() {
            let name = self.settings.name(key);
            self.errors
                .push(format!("Value of '{name}' cannot be used: {breach}"));
        }
        Some(secret)
    }

    /// Returns an address over HTTP that holds no credentials.
    pub(super) fn address(&mut self, key: Key) -> Option<String> {
        let text = self.text(key)?;
        let name = self.settings.name(key);
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"));
        let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
        match host {
            // The text may be a misplaced secret, so it is not repeated.
            None | Some("") => self.errors.push(format!(
                "Requires an address that begins with http:// or https:// in '{name}'"
            )),
            Some(host) if host.contains('@') => self.errors.push(format!(
                "Does not allow credentials in '{name}'. Use 'credential', 'token' or the keys under \
                 'storage'"
            )),
            Some(_) => {}
        }
        Some(text)
    }

    /// Returns whether something is on.
    pub(super) fn switch(&mut self, key: Key) -> Option<bool> {
        let text = self.text(key)?;
        if text.eq_ignore_ascii_case("true") {
            return Some(true);
        }
        if !text.eq_ignore_ascii_case("false") {
            self.wrong(key, "true or false", &text);
        }
        Some(false)
    }

    /// Returns whether something is on, off unless it says so.
    pub(super) fn is_on(&mut self, key: Key) -> bool {
        self.switch(key).unwrap_or_default()
    }

    /// Returns a number between 1 and a bound.
    pub(super) fn number(&mut self, key: Key, default: u64, most: u64) -> u64 {
        let Some(text) = self.text(key) else {
            return default;
        };
        match text.parse::<u64>() {
            Ok(number) if (1..=most).contains(&number) => number,
            _ => {
                self.wrong(key, &format!("a number from 1 to {most}"), &text);
                default
            }
        }
    }

    /// Returns one of several named values, the first unless it says which.
    pub(super) fn choice<T: Copy + Default>(&mut self, key: Key, choices: &[(&str, T)]) -> T {
        let Some(text) = self.text(key) else {
            return T::default();
        };
        let found = choices
            .iter()
            .find(|(name, _)| text.eq_ignore_ascii_case(name));
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.wrong(key, &names.join(" or "), &text);
        }
        found.map(|(_, value)| *value).unwrap_or_default()
    }

    /// Lists keys that a kind of source has no use for.
    pub(super) fn refuse(&mut self, keys: &[Key], catalog_type: &str) {
        for key in keys {
            if self.settings.get(*key).is_some() {
                let name = self.settings.name(*key);
                self.errors.push(format!(
                    "Does not use '{name}' with catalogType={catalog_type}"
                ));
            }
        }
    }

    pub(super) fn wrong(&mut self, key: Key, expected: &str, found: &str) {
        let name = self.settings.name(key);
        let found: String = found.chars().take(200).collect();
        self.errors
            .push(format!("Requires {expected} in '{name}'. Found {found}"));
    }
}
