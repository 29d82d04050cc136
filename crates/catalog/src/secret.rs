//! Text that must never be shown: passwords, keys and tokens.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What is shown instead of a secret.
pub const HIDDEN: &str = "***";
/// Shortest secret that is searched for in foreign texts; shorter ones would hide half the language.
const SEARCHED_LEN: usize = 6;

/// Text that no formatter, log or error prints; cheap to clone.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Makes a secret of a text.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the text itself, for the one who sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// Named settings as catalogs hand them out; any value may be a credential, so none is ever printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Properties(BTreeMap<String, Secret>);

impl Properties {
    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(Secret::expose)
    }

    /// Sets the value of a name.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Secret>) {
        self.0.insert(name.into(), value.into());
    }

    /// Takes over all values of others; theirs win.
    pub fn extend(&mut self, others: &Self) {
        let others = others.0.iter();
        self.0
            .extend(others.map(|(name, value)| (name.clone(), value.clone())));
    }

    /// Returns names and values, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Secret)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Tells whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the values that must not be shown, going by their names.
    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        let named = self.0.iter().filter(|(name, _)| names_a_secret(name));
        named.map(|(_, value)| value)
    }
}

impl<N: Into<String>, V: Into<Secret>> FromIterator<(N, V)> for Properties {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(properties: I) -> Self {
        let properties = properties.into_iter();
        Self(
            properties
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

impl fmt::Debug for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Tells whether a setting of that name is a credential.
pub fn names_a_secret(name: &str) -> bool {
    const MARKS: [&str; 8] = [
        "key",
        "secret",
        "token",
        "password",
        "credential",
        "signature",
        "sas",
        "authorization",
    ];
    // Where a token is asked for, when it ends, and what a catalog is asked to be for it, are none.
    const NONE: [&str; 4] = ["uri", "expires", "url", "type"];
    let name = name.to_ascii_lowercase();
    MARKS.iter().any(|mark| name.contains(mark)) && !NONE.iter().any(|mark| name.contains(mark))
}

/// Takes known secrets out of foreign texts before these are shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redactor(Vec<Secret>);

impl Redactor {
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let mut secrets: Vec<Secret> = secrets
            .into_iter()
            .filter(|secret| secret.expose().len() >= SEARCHED_LEN)
            .cloned()
            .collect();
        // The longest first: one may be part of another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        secrets.dedup();
        Self(secrets)
    }

    /// Returns the text without secrets, queries of addresses or control characters, cut to a
    /// bearable length.
    pub(crate) fn clean(&self, text: &str) -> String {
        const SHOWN_LEN: usize = 300;
        let mut text = without_queries(text);
        for secret in &self.0 {
            text = text.replace(secret.expose(), HIDDEN);
        }
        let text = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        text.take(SHOWN_LEN).collect()
    }
}

/// Cuts what follows a question mark inside an address: it may be a signature.
fn without_queries(text: &str) -> String {
    let words = text.split_inclusive(char::is_whitespace);
    words
        .map(|word| match (word.contains("://"), word.split_once('?')) {
            (true, Some((address, query))) => {
                let end = query.find(|c: char| c.is_whitespace() || matches!(c, ')' | '"' | '\''));
                let rest = end.and_then(|end| query.get(end..)).unwrap_or_default();
                format!("{address}{rest}")
            }
            _ => word.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_never_printed() {
        let secret = Secret::from("hunter2-long");
        let properties: Properties = [("s3.secret-access-key", secret.clone())]
            .into_iter()
            .collect();
        let texts = [
            format!("{secret}"),
            format!("{secret:?}"),
            format!("{properties:?}"),
        ];
        for text in texts {
            assert!(!text.contains("hunter2"), "{text}");
        }
        assert_eq!(properties.get("s3.secret-access-key"), Some("hunter2-long"));
    }

    #[test]
    fn foreign_texts_are_cleaned() {
        let redactor = Redactor::new(&[Secret::from("hunter2-long"), Secret::from("x")]);
        let cases = [
            ("key hunter2-long is wrong", "key *** is wrong"),
            (
                "GET http://h/a?sig=abc&x=1 failed (http://h/b?c) x",
                "GET http://h/a failed (http://h/b) x",
            ),
            ("is it? yes\n", "is it? yes "),
        ];
        for (text, expected) in cases {
            assert_eq!(redactor.clean(text), expected);
        }
        assert_eq!(redactor.clean(&"a".repeat(1000)).len(), 300);
    }

    #[test]
    fn names_tell_what_is_secret() {
        for (name, expected) in [
            ("s3.secret-access-key", true),
            ("s3.session-token", true),
            ("adls.sas-token.account", true),
            ("credential", true),
            ("oauth2-server-uri", false),
            ("s3.session-token-expires-at-ms", false),
            ("s3.endpoint", false),
        ] {
            assert_eq!(names_a_secret(name), expected, "{name}");
        }
    }
}
