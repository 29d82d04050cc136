//! Settings as catalogs and object stores want them: under the names of Iceberg's properties.

use growler_catalog::secret::Properties;

use super::external::ExternalConfig;
use super::key::Key;
use super::secret::Secret;
use super::source::Source;

/// Where Google's storage answers requests in S3's manner.
const GCS_AS_S3: &str = "https://storage.googleapis.com";

/// Settings of a catalog, under the names that Iceberg has for them.
const OF_CATALOG: [(Key, &str); 6] = [
    (Key::CatalogUri, "uri"),
    (Key::Warehouse, "warehouse"),
    (Key::Credential, "credential"),
    (Key::Token, "token"),
    (Key::Oauth2ServerUri, "oauth2-server-uri"),
    (Key::Scope, "scope"),
];

impl ExternalConfig {
    /// Returns the settings of catalog and store, secrets in clear.
    ///
    /// # Errors
    /// What is wrong with an environment variable that a secret names.
    pub fn properties(&self) -> Result<Properties, String> {
        let mut properties = Properties::default();
        for (key, name) in OF_CATALOG {
            if let Some(value) = self.settings().get(key) {
                properties.set(name, self.exposed(key, &Secret::new(value))?);
            }
        }
        if let Source::IcebergRest { catalog, .. } = &self.source {
            properties.set("uri", catalog.uri.as_str());
            if let Some(service) = catalog.signed_for {
                properties.set("rest.sigv4-enabled", "true");
                properties.set("rest.signing-name", service.signing_name());
            }
        }
        for (key, value) in self.storage.values() {
            properties.set(key.name(), self.exposed(key, value)?);
        }
        if let Source::Parquet {
            is_gcs_interop: true,
            ..
        } = &self.source
            && self.settings().get(Key::StorageEndpoint).is_none()
        {
            properties.set(Key::StorageEndpoint.name(), GCS_AS_S3.to_owned());
        }
        Ok(properties)
    }

    /// Returns where the files or the table's folder is, as the object store wants it; none when a
    /// catalog tells.
    pub fn location(&self) -> Option<String> {
        let path = self.source.path()?;
        Some(match &self.source {
            // Google's storage is asked as S3.
            Source::Parquet {
                is_gcs_interop: true,
                ..
            } => path
                .strip_prefix("gs://")
                .map_or_else(|| path.to_owned(), |rest| format!("s3://{rest}")),
            _ => path.to_owned(),
        })
    }

    fn exposed(&self, key: Key, secret: &Secret) -> Result<String, String> {
        let text = if key.is_secret() {
            secret.expose()
        } else {
            Ok(secret.plain().to_owned())
        };
        text.map_err(|error| format!("'{}' cannot be used: {error}", self.settings().name(key)))
    }
}
