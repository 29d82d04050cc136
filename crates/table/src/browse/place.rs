//! Where is looked.

use crate::config::key::Key;
use crate::config::{ExternalConfig, Settings};

/// Stands for a table or a namespace that is not chosen yet.
const ANY: &str = "*";

/// A place to look at: a catalog, a namespace of it, or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub(super) config: ExternalConfig,
    /// Levels of the namespace; none for the whole catalog.
    pub(super) namespace: Option<String>,
}

impl Place {
    /// Reads settings in which the table, and perhaps the namespace, is left open; every breach is
    /// added to the errors.
    pub fn read(mut settings: Settings, errors: &mut Vec<String>) -> Option<Self> {
        let namespace = settings.get(Key::SchemaName).map(str::to_owned);
        let is_catalog = settings.get(Key::CatalogUri).is_some();
        if is_catalog && settings.get(Key::CatalogType).is_none() {
            settings.set(Key::CatalogType, "iceberg-rest");
        }
        let asked = if is_catalog {
            &[Key::SchemaName, Key::TableName][..]
        } else {
            &[]
        };
        for key in asked {
            if settings.get(*key).is_none() {
                settings.set(*key, ANY);
            }
        }
        if settings.get(Key::Executor).is_none() {
            settings.set(Key::Executor, "controller");
        }
        let config = ExternalConfig::read(settings, errors)?;
        Some(Self { config, namespace })
    }

    /// Returns the settings of the place.
    pub fn config(&self) -> &ExternalConfig {
        &self.config
    }
}
