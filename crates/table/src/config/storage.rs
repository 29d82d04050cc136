//! How the object store that holds the files is reached.

use super::key::{Key, Kind};
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
    values: Vec<(Key, Secret)>,
}

const ALL: [Key; 20] = [
    Key::StorageProvider,
    Key::StorageRegion,
    Key::StorageEndpoint,
    Key::StorageAccessKey,
    Key::StorageSecretKey,
    Key::StorageSessionToken,
    Key::StorageRoleArn,
    Key::StorageExternalId,
    Key::StorageStsEndpoint,
    Key::StoragePathStyle,
    Key::StorageAllowHttp,
    Key::StorageAnonymous,
    Key::StorageAccountName,
    Key::StorageAccountKey,
    Key::StorageSasToken,
    Key::StorageServiceAccountKey,
    Key::StorageOauthToken,
    Key::StorageClientId,
    Key::StorageClientSecret,
    Key::StorageTenantId,
];

impl Storage {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let providers = [
            ("s3", Provider::S3),
            ("gcs", Provider::Gcs),
            ("azure", Provider::Azure),
            ("local", Provider::Local),
        ];
        let provider = reader.choice(Key::StorageProvider, &providers);
        let mut storage = Self {
            provider: reader.settings.get(Key::StorageProvider).map(|_| provider),
            values: Vec::new(),
        };
        for key in ALL {
            let value = match key.kind() {
                Kind::Secret => reader.secret(key),
                Kind::Switch => reader.switch(key).map(|on| Secret::new(&on.to_string())),
                _ if matches!(key, Key::StorageEndpoint | Key::StorageStsEndpoint) => {
                    reader.address(key).map(|text| Secret::new(&text))
                }
                _ => reader.text(key).map(|text| Secret::new(&text)),
            };
            storage.values.extend(value.map(|value| (key, value)));
        }
        storage.check(reader);
        storage
    }

    /// Returns what is set; what is no secret is one here all the same.
    pub fn values(&self) -> impl Iterator<Item = (Key, &Secret)> {
        self.values.iter().map(|(key, value)| (*key, value))
    }

    fn has(&self, key: Key) -> bool {
        self.values.iter().any(|(found, _)| *found == key)
    }

    fn check(&self, reader: &mut Reader<'_>) {
        let name = |key| reader.settings.name(key);
        let (id, key) = (name(Key::StorageAccessKey), name(Key::StorageSecretKey));
        let mut errors = Vec::new();
        if self.has(Key::StorageAccessKey) != self.has(Key::StorageSecretKey) {
            errors.push(format!("Requires '{id}' and '{key}' together"));
        }
        if self.has(Key::StorageSessionToken) && !self.has(Key::StorageAccessKey) {
            let token = name(Key::StorageSessionToken);
            errors.push(format!("Requires '{id}' and '{key}' with '{token}'"));
        }
        let is_anonymous = reader.settings.get(Key::StorageAnonymous);
        let is_anonymous = is_anonymous.is_some_and(|text| text.eq_ignore_ascii_case("true"));
        if is_anonymous && self.values.iter().any(|(key, _)| key.is_secret()) {
            let anonymous = name(Key::StorageAnonymous);
            errors.push(format!("Does not use credentials with '{anonymous}'"));
        }
        let role = name(Key::StorageRoleArn);
        for with_role in [Key::StorageExternalId, Key::StorageStsEndpoint] {
            if self.has(with_role) && !self.has(Key::StorageRoleArn) {
                errors.push(format!("Requires '{role}' with '{}'", name(with_role)));
            }
        }
        if self.has(Key::StorageSessionToken) && self.has(Key::StorageRoleArn) {
            let token = name(Key::StorageSessionToken);
            errors.push(format!("Does not use '{role}' and '{token}' together"));
        }
        if is_anonymous && self.has(Key::StorageRoleArn) {
            let anonymous = name(Key::StorageAnonymous);
            errors.push(format!("Does not assume '{role}' with '{anonymous}'"));
        }
        reader.errors.append(&mut errors);
    }
}
