//! Settings of object stores: which hold for which location, and until when.

use std::fmt;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::options::StoreOptions;
use crate::location::canonical;
use crate::rest::shown::shown;
use crate::secret::Properties;

/// How to reach the files of a table: settings for all of them, and some for prefixes of locations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Storage {
    properties: Properties,
    /// The longest prefix first.
    by_prefix: Vec<(String, Properties)>,
}

impl Storage {
    /// Makes settings; those of the longest prefix that fits a location win over those for all.
    pub fn new(
        properties: Properties,
        by_prefix: impl IntoIterator<Item = (String, Properties)>,
    ) -> Self {
        let by_prefix = by_prefix.into_iter();
        let mut by_prefix: Vec<_> = by_prefix
            .map(|(prefix, properties)| {
                let slash = if prefix.ends_with('/') { "/" } else { "" };
                (canonical(&prefix) + slash, properties)
            })
            .collect();
        by_prefix.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        Self {
            properties,
            by_prefix,
        }
    }

    /// Returns the settings that hold for a location.
    pub fn properties_for(&self, location: &str) -> Properties {
        let mut properties = self.properties.clone();
        if let Some((_, own)) = self.entry(location) {
            properties.extend(own);
        }
        properties
    }

    /// Returns the prefix whose settings hold for a location; empty when there is none.
    pub(crate) fn prefix_for(&self, location: &str) -> &str {
        self.entry(location).map_or("", |(prefix, _)| prefix)
    }

    /// Tells whether there are credentials, or none are needed.
    pub(crate) fn has_credentials(&self) -> bool {
        !self.by_prefix.is_empty() || StoreOptions::of(&self.properties).has_credentials()
    }

    /// Returns the endpoint, else the catalog, that the settings name; no passwords.
    pub(crate) fn place(&self) -> String {
        let endpoint = StoreOptions::of(&self.properties).endpoint;
        let named = endpoint.as_deref().or_else(|| self.properties.get("uri"));
        shown(named.unwrap_or_default()).to_owned()
    }

    fn entry(&self, location: &str) -> Option<&(String, Properties)> {
        let location = canonical(location);
        self.by_prefix
            .iter()
            .find(|(prefix, _)| is_below(&location, prefix))
    }

    /// Returns when the first of the credentials ends; none when none says so.
    pub fn expires_at(&self) -> Option<SystemTime> {
        let all = self.by_prefix.iter().map(|(_, properties)| properties);
        let ends = all
            .chain([&self.properties])
            .flat_map(Properties::iter)
            .filter_map(|(name, value)| {
                let is_end =
                    name.contains("expires-at-ms") || name == "gcs.oauth2.token-expires-at";
                let millis = value.expose().parse().ok().filter(|_| is_end)?;
                UNIX_EPOCH.checked_add(Duration::from_millis(millis))
            });
        ends.min()
    }
}

/// Tells whether a prefix holds for a location: one that ends with a slash for what lies below it alone,
/// a bucket for no other whose name begins alike.
fn is_below(location: &str, prefix: &str) -> bool {
    let folder = prefix.trim_end_matches('/');
    let is_bucket = folder
        .split_once("://")
        .is_some_and(|(_, rest)| !rest.contains('/'));
    match location.strip_prefix(folder) {
        Some(rest) if is_bucket || folder.len() < prefix.len() => {
            rest.is_empty() || rest.starts_with('/')
        }
        rest => rest.is_some(),
    }
}

impl From<Properties> for Storage {
    fn from(properties: Properties) -> Self {
        Self {
            properties,
            by_prefix: Vec::new(),
        }
    }
}

/// Hands out settings whose credentials end: asked again before they do, or when they are refused.
pub trait StorageVendor: fmt::Debug + Send + Sync {
    /// Fetches settings that are good from now on.
    ///
    /// # Errors
    /// Why there are none.
    fn vend(&self) -> io::Result<Storage>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_where_the_settings_lead() {
        let of = |pairs: &[(&'static str, &'static str)]| {
            Storage::from(Properties::from_iter(pairs.iter().copied())).place()
        };
        assert_eq!(of(&[]), "");
        assert_eq!(of(&[("uri", "http://user:pw@h/c")]), "h/c");
        let both = [("uri", "http://h/c"), ("s3.endpoint", "http://e:1")];
        assert_eq!(of(&both), "http://e:1");
    }

    #[test]
    fn the_longest_prefix_wins() {
        let of = |key: &str| Properties::from_iter([("s3.access-key-id", key)]);
        let mut all = of("all");
        all.set("s3.region", "r");
        all.set("s3.session-token-expires-at-ms", "2000");
        let mut own = of("table");
        own.set("s3.session-token-expires-at-ms", "1000");
        let storage = Storage::new(
            all,
            [
                ("s3://b/".to_owned(), of("bucket")),
                ("s3a://b/t".to_owned(), own),
            ],
        );
        for (location, expected) in [
            ("s3://b/t/data/f.parquet", "table"),
            ("s3://b/u", "bucket"),
            ("s3://c/t", "all"),
            ("s3://b", "bucket"),
            ("s3://b-x/t", "all"),
        ] {
            let properties = storage.properties_for(location);
            assert_eq!(
                properties.get("s3.access-key-id"),
                Some(expected),
                "{location}"
            );
            assert_eq!(properties.get("s3.region"), Some("r"));
        }
        let end = UNIX_EPOCH.checked_add(Duration::from_secs(1));
        assert_eq!(storage.expires_at(), end);
    }
}
