//! Whose keys sign.

use std::io;
use std::sync::Arc;

use object_store::StaticCredentialProvider;
use object_store::aws::{AmazonS3Builder, AwsCredential, AwsCredentialProvider};

use super::role::{AssumedRole, Role};
use crate::secret::{Properties, Secret};

/// What is said of keys; where nothing is, those of the machine sign: of its environment, its role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AwsKeys {
    pub(crate) access_key: Option<Secret>,
    pub(crate) secret_key: Option<Secret>,
    pub(crate) session_token: Option<Secret>,
    pub(crate) region: Option<String>,
    pub(crate) role: Option<Role>,
}

/// Names of the access key, the secret key and the session token, by who says them; the first counts.
const SIDES: [[&str; 3]; 4] = [
    [
        "rest.access-key-id",
        "rest.secret-access-key",
        "rest.session-token",
    ],
    [
        "client.access-key-id",
        "client.secret-access-key",
        "client.session-token",
    ],
    [
        "storage.accessKeyId",
        "storage.secretAccessKey",
        "storage.sessionToken",
    ],
    [
        "s3.access-key-id",
        "s3.secret-access-key",
        "s3.session-token",
    ],
];

/// What is said of a pair with one key.
pub(crate) const HALF_A_PAIR: &str =
    "of a pair of keys one is missing: an access key and its secret key go together";

/// Who signs.
#[derive(Debug, Clone)]
pub(crate) enum Signer {
    Keys(AwsCredentialProvider),
    Role(Arc<AssumedRole>),
}

impl AwsKeys {
    /// Reads the settings of one who signs requests to a catalog, under the names of Iceberg's clients
    /// and growler's own.
    pub(crate) fn of(properties: &Properties) -> Self {
        let first = |names: &[&str]| {
            let found = names.iter().find_map(|name| properties.get(name));
            found.filter(|text| !text.is_empty())
        };
        let secret = |names: &[&str]| first(names).map(Secret::from);
        let text = |names: &[&str]| first(names).map(str::to_owned);
        // All of a pair comes from one side: keys of two would be nobody's.
        let side = SIDES
            .iter()
            .find(|[key, secret, _]| first(&[key, secret]).is_some());
        let of_side = |idx: usize| side.and_then(|names| secret(&[names.get(idx).copied()?]));
        Self {
            access_key: of_side(0),
            secret_key: of_side(1),
            session_token: of_side(2),
            region: text(&[
                "rest.signing-region",
                "client.region",
                "storage.region",
                "s3.region",
            ]),
            role: text(&["client.assume-role.arn", "storage.roleArn", "s3.role-arn"]).map(|arn| {
                Role {
                    arn,
                    external_id: text(&["client.assume-role.external-id", "storage.externalId"]),
                    session_name: text(&[
                        "client.assume-role.session-name",
                        "s3.role-session-name",
                    ]),
                    endpoint: text(&["storage.stsEndpoint"]),
                    region: text(&["client.assume-role.region"]),
                }
            }),
        }
    }

    /// Returns who signs. Keys with a session token were lent already: they sign as they are.
    ///
    /// # Errors
    /// When the machine's own keys cannot be looked for.
    pub(crate) fn signer(&self) -> io::Result<Signer> {
        match &self.role {
            Some(role) if self.session_token.is_none() => {
                Ok(Signer::Role(AssumedRole::shared(self, role)?))
            }
            _ => Ok(Signer::Keys(self.given()?)),
        }
    }

    /// Returns the keys that are given, else the machine's.
    pub(super) fn given(&self) -> io::Result<AwsCredentialProvider> {
        if let (Some(key), Some(secret)) = (&self.access_key, &self.secret_key) {
            let token = self.session_token.as_ref();
            let credential = AwsCredential {
                key_id: key.expose().to_owned(),
                secret_key: secret.expose().to_owned(),
                token: token.map(|token| token.expose().to_owned()),
            };
            return Ok(Arc::new(StaticCredentialProvider::new(credential)));
        }
        // Whoever gives keys does not mean those of the machine.
        if self.access_key.is_some() || self.secret_key.is_some() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, HALF_A_PAIR));
        }
        // The store's client knows where keys lie on a machine; the bucket is not asked for.
        let mut builder = AmazonS3Builder::from_env().with_bucket_name("none");
        if let Some(region) = &self.region {
            builder = builder.with_region(region);
        }
        let client = builder.build();
        let client = client.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Arc::clone(client.credentials()))
    }
}

impl Signer {
    /// Returns what hands out the keys.
    pub(crate) fn provider(&self) -> AwsCredentialProvider {
        match self {
            Self::Keys(provider) => Arc::clone(provider),
            Self::Role(role) => Arc::clone(role) as _,
        }
    }

    /// Returns keys that are good as far as known.
    pub(crate) async fn current(&self) -> object_store::Result<Arc<AwsCredential>> {
        self.provider().get_credential().await
    }

    /// Returns other keys than those that were refused; none where there are no others.
    pub(crate) async fn instead_of(
        &self,
        refused: &AwsCredential,
    ) -> object_store::Result<Option<Arc<AwsCredential>>> {
        if let Self::Role(role) = self {
            role.forget(refused).await;
        }
        let current = self.current().await?;
        Ok((*current != *refused).then_some(current))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(named: &[(&str, &str)]) -> AwsKeys {
        AwsKeys::of(&named.iter().copied().collect())
    }

    #[test]
    fn keys_of_two_sides_are_not_mixed() {
        let mixed = keys(&[
            ("rest.access-key-id", "A"),
            ("rest.secret-access-key", "B"),
            ("s3.session-token", "T"),
        ]);
        assert!(mixed.session_token.is_none() && mixed.given().is_ok());
        let store = keys(&[
            ("storage.accessKeyId", "A"),
            ("storage.secretAccessKey", "B"),
            ("storage.sessionToken", "T"),
        ]);
        assert!(store.session_token.is_some() && store.given().is_ok());
    }

    #[test]
    fn half_a_pair_does_not_sign_with_the_machines_keys() {
        for half in ["rest.access-key-id", "s3.secret-access-key"] {
            let refused = keys(&[(half, "A"), ("client.access-key-id", "")]).given();
            assert_eq!(refused.unwrap_err().to_string(), HALF_A_PAIR, "{half}");
        }
    }
}
