//! How the object store that holds the files is reached.

use super::key::Key;
use super::read::Reader;
use super::secret::Secret;

/// Kinds of object stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Provider {
    /// Amazon S3, and everything that speaks like it.
    #[default]
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
    /// Files of this machine.
    Local,
}

/// The `storage.*` settings. What is not set comes from the catalog (vended credentials) or from the
/// server's environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Storage {
    /// Kind of store, where the files' addresses do not say.
    pub provider: Option<Provider>,
    /// Region.
    pub region: Option<String>,
    /// Address, where it is not the provider's own.
    pub endpoint: Option<String>,
    /// Id of the key.
    pub access_key: Option<Secret>,
    /// Key.
    pub secret_key: Option<Secret>,
    /// Token of a temporary key.
    pub session_token: Option<Secret>,
    /// Buckets in the path rather than in the host, where it says so.
    pub path_style: Option<bool>,
    /// No credentials at all.
    pub anonymous: bool,
    /// Azure storage account.
    pub account_name: Option<String>,
    /// Key of that account.
    pub account_key: Option<Secret>,
    /// Shared access signature.
    pub sas_token: Option<Secret>,
    /// JSON text of a Google service account.
    pub service_account_key: Option<Secret>,
}

impl Storage {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let providers = [
            ("s3", Provider::S3),
            ("gcs", Provider::Gcs),
            ("azure", Provider::Azure),
            ("local", Provider::Local),
        ];
        let provider = reader.choice(Key::StorageProvider, &providers);
        let provider = reader.settings.get(Key::StorageProvider).map(|_| provider);
        let storage = Self {
            provider,
            region: reader.text(Key::StorageRegion),
            endpoint: reader.address(Key::StorageEndpoint),
            access_key: reader.secret(Key::StorageAccessKey),
            secret_key: reader.secret(Key::StorageSecretKey),
            session_token: reader.secret(Key::StorageSessionToken),
            path_style: reader.switch(Key::StoragePathStyle),
            anonymous: reader.is_on(Key::StorageAnonymous),
            account_name: reader.text(Key::StorageAccountName),
            account_key: reader.secret(Key::StorageAccountKey),
            sas_token: reader.secret(Key::StorageSasToken),
            service_account_key: reader.secret(Key::StorageServiceAccountKey),
        };
        storage.check(reader);
        storage
    }

    fn check(&self, reader: &mut Reader<'_>) {
        let name = |key| reader.settings.name(key);
        let (id, key) = (name(Key::StorageAccessKey), name(Key::StorageSecretKey));
        let mut errors = Vec::new();
        if self.access_key.is_some() != self.secret_key.is_some() {
            errors.push(format!("Requires '{id}' and '{key}' together"));
        }
        if self.session_token.is_some() && self.access_key.is_none() {
            let token = name(Key::StorageSessionToken);
            errors.push(format!("Requires '{id}' and '{key}' with '{token}'"));
        }
        let has_credentials = [
            &self.access_key,
            &self.account_key,
            &self.sas_token,
            &self.service_account_key,
        ];
        if self.anonymous && has_credentials.iter().any(|secret| secret.is_some()) {
            let anonymous = name(Key::StorageAnonymous);
            errors.push(format!("Does not use credentials with '{anonymous}'"));
        }
        for role in [Key::StorageRoleArn, Key::StorageExternalId] {
            if reader.settings.get(role).is_some() {
                errors.push(format!(
                    "Does not support '{}'. Give '{id}' and '{key}', or run the server with the role",
                    name(role)
                ));
            }
        }
        reader.errors.append(&mut errors);
    }
}
