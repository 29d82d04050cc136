//! Clients of object stores, one a bucket.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GcpCredential, GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::list::PaginatedListStore;
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, RetryConfig, StaticCredentialProvider,
};

use super::options::StoreOptions;
use crate::aws::{HALF_A_PAIR, Signer};

/// A store whose listings may be read page by page.
pub(crate) trait Bucket: ObjectStore + PaginatedListStore {}

impl<S: ObjectStore + PaginatedListStore> Bucket for S {}

/// Which kind of store a scheme names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    S3,
    Google,
    Azure,
}

/// A location in an object store, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ObjectUrl {
    kind: Kind,
    /// Scheme and authority: everything up to the path.
    pub(crate) root: String,
    /// Bucket or container.
    bucket: String,
    pub(crate) key: Path,
}

impl ObjectUrl {
    /// Takes a location apart; none when it is a local path.
    pub(crate) fn parse(location: &str) -> io::Result<Option<Self>> {
        let Some((scheme, rest)) = location.split_once("://") else {
            return Ok(None);
        };
        let kind = match scheme {
            "s3" | "s3a" | "s3n" => Kind::S3,
            "gs" | "gcs" => Kind::Google,
            "abfs" | "abfss" | "wasb" | "wasbs" | "az" | "azure" => Kind::Azure,
            _ => {
                let cause = format!("scheme is not supported: use s3, gs or abfs scheme={scheme}");
                return Err(io::Error::new(io::ErrorKind::Unsupported, cause));
            }
        };
        let (authority, key) = rest.split_once('/').unwrap_or((rest, ""));
        let bucket = authority.split('@').next().unwrap_or_default();
        if bucket.is_empty() {
            let cause = "location names no bucket";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, cause));
        }
        // Keys are taken as they are: a percent sign in one is a percent sign.
        let key = Path::parse(key).map_err(|error| {
            let cause = format!("location is no key of an object: {error}");
            io::Error::new(io::ErrorKind::InvalidInput, cause)
        })?;
        Ok(Some(Self {
            kind,
            root: format!("{scheme}://{authority}"),
            bucket: bucket.to_owned(),
            key,
        }))
    }

    /// Makes the client of the bucket, and tells who assumes a role for it.
    pub(crate) fn connect(
        &self,
        options: &StoreOptions,
    ) -> io::Result<(Arc<dyn Bucket>, Option<Signer>)> {
        let keys = options.keys();
        let signer = match (self.kind, &keys.role) {
            (Kind::S3, Some(_)) => Some(keys.signer()?),
            _ => None,
        };
        let built = match self.kind {
            Kind::S3 if options.remote_signing && options.access_key.is_none() => {
                let cause = "the catalog wants to sign requests itself, which is not supported: \
                             have it vend credentials, or set s3.access-key-id";
                return Err(io::Error::new(io::ErrorKind::Unsupported, cause));
            }
            Kind::S3 => self.s3(options, signer.as_ref()),
            Kind::Google => self.google(options),
            Kind::Azure => self.azure(options),
        };
        let built = built.map_err(|error| {
            let cause = format!("storage settings cannot be used: {error}");
            io::Error::new(io::ErrorKind::InvalidInput, cause)
        });
        Ok((built?, signer))
    }

    fn s3(
        &self,
        options: &StoreOptions,
        signer: Option<&Signer>,
    ) -> object_store::Result<Arc<dyn Bucket>> {
        if signer.is_none() && options.access_key.is_some() != options.secret_key.is_some() {
            return Err(object_store::Error::Generic {
                store: "S3",
                source: HALF_A_PAIR.into(),
            });
        }
        let has_keys = options.access_key.is_some() || signer.is_some();
        let mut builder = match has_keys || options.anonymous {
            true => AmazonS3Builder::new(),
            false => AmazonS3Builder::from_env(),
        }
        .with_bucket_name(&self.bucket)
        .with_retry(retries())
        .with_client_options(client(options));
        if let Some(signer) = signer {
            builder = builder.with_credentials(signer.provider());
        } else if let (Some(key), Some(secret)) = (&options.access_key, &options.secret_key) {
            builder = builder
                .with_access_key_id(key.expose())
                .with_secret_access_key(secret.expose());
        }
        if let Some(token) = &options.session_token {
            builder = builder.with_token(token.expose());
        }
        if let Some(region) = &options.region {
            builder = builder.with_region(region);
        }
        if let Some(endpoint) = &options.endpoint {
            builder = builder
                .with_endpoint(endpoint.trim_end_matches('/'))
                .with_virtual_hosted_style_request(false);
        } else if options.path_style == Some(false) {
            builder = builder.with_virtual_hosted_style_request(true);
        }
        let store = builder.with_skip_signature(options.anonymous).build()?;
        Ok(Arc::new(store))
    }

    fn google(&self, options: &StoreOptions) -> object_store::Result<Arc<dyn Bucket>> {
        let is_given = options.oauth_token.is_some() || options.service_account.is_some();
        let mut builder = match is_given || options.anonymous {
            true => GoogleCloudStorageBuilder::new(),
            false => GoogleCloudStorageBuilder::from_env(),
        }
        .with_bucket_name(&self.bucket)
        .with_retry(retries())
        .with_client_options(client(options));
        if let Some(token) = &options.oauth_token {
            let bearer = token.expose().to_owned();
            let provider = StaticCredentialProvider::new(GcpCredential { bearer });
            builder = builder.with_credentials(Arc::new(provider));
        } else if let Some(account) = &options.service_account {
            builder = builder.with_service_account_key(account.expose());
        }
        if let Some(endpoint) = &options.endpoint {
            builder = builder.with_config(GoogleConfigKey::BaseUrl, endpoint.trim_end_matches('/'));
        }
        let store = builder.with_skip_signature(options.anonymous).build()?;
        Ok(Arc::new(store))
    }

    fn azure(&self, options: &StoreOptions) -> object_store::Result<Arc<dyn Bucket>> {
        let is_given = options.account_key.is_some()
            || options.sas_token.is_some()
            || options.client_secret.is_some();
        let mut builder = match is_given || options.anonymous {
            true => MicrosoftAzureBuilder::new(),
            false => MicrosoftAzureBuilder::from_env(),
        }
        .with_container_name(&self.bucket)
        .with_retry(retries())
        .with_client_options(client(options));
        let host = self.root.split_once('@').map(|(_, host)| host);
        let account = host.and_then(|host| host.split('.').next());
        if let Some(account) = account.or(options.account.as_deref()) {
            builder = builder.with_account(account);
        }
        let secrets = [
            (AzureConfigKey::AccessKey, &options.account_key),
            (AzureConfigKey::SasKey, &options.sas_token),
            (AzureConfigKey::ClientId, &options.client_id),
            (AzureConfigKey::ClientSecret, &options.client_secret),
        ];
        for (key, secret) in secrets {
            if let Some(secret) = secret {
                builder = builder.with_config(key, secret.expose());
            }
        }
        if let Some(tenant) = &options.tenant_id {
            builder = builder.with_tenant_id(tenant);
        }
        if let Some(endpoint) = &options.endpoint {
            builder = builder.with_endpoint(endpoint.trim_end_matches('/').to_owned());
        }
        let store = builder.with_skip_signature(options.anonymous).build()?;
        Ok(Arc::new(store))
    }
}

fn client(options: &StoreOptions) -> ClientOptions {
    ClientOptions::new()
        .with_allow_http(options.allows_http())
        .with_connect_timeout(Duration::from_secs(10))
        .with_timeout(Duration::from_secs(60))
}

fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(5),
            base: 2.0,
        },
        max_retries: 4,
        retry_timeout: Duration::from_secs(60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_come_apart() {
        let cases = [
            ("s3://b/a/f%3A.parquet", "s3://b", "b", "a/f%3A.parquet"),
            ("gs://b", "gs://b", "b", ""),
            (
                "abfss://c@acc.dfs.core.windows.net/a b/f",
                "abfss://c@acc.dfs.core.windows.net",
                "c",
                "a b/f",
            ),
        ];
        for (location, root, bucket, key) in cases {
            let url = ObjectUrl::parse(location).unwrap().unwrap();
            assert_eq!((url.root.as_str(), url.bucket.as_str()), (root, bucket));
            assert_eq!(url.key.as_ref(), key);
        }
        assert_eq!(ObjectUrl::parse("/local/a").unwrap(), None);
        for location in ["ftp://b/a", "s3:///a", "s3://b/../a", "s3://b/a//c"] {
            assert!(ObjectUrl::parse(location).is_err(), "{location}");
        }
    }
}
