//! Settings of one store, under the names that Iceberg's catalogs, pyiceberg and growler give them.

use crate::aws::{AwsKeys, Role};
use crate::secret::{Properties, Secret};

/// What a store is told; what is not said stays open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StoreOptions {
    pub(crate) endpoint: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) access_key: Option<Secret>,
    pub(crate) secret_key: Option<Secret>,
    pub(crate) session_token: Option<Secret>,
    pub(crate) path_style: Option<bool>,
    pub(crate) allow_http: Option<bool>,
    pub(crate) anonymous: bool,
    pub(crate) remote_signing: bool,
    /// Role to assume, with what goes with it.
    pub(crate) role: Role,
    /// OAuth2 token of Google's storage.
    pub(crate) oauth_token: Option<Secret>,
    /// Service account of Google's storage, as JSON.
    pub(crate) service_account: Option<Secret>,
    /// Account of Azure's storage.
    pub(crate) account: Option<String>,
    pub(crate) account_key: Option<Secret>,
    pub(crate) sas_token: Option<Secret>,
    pub(crate) client_id: Option<Secret>,
    pub(crate) client_secret: Option<Secret>,
    pub(crate) tenant_id: Option<String>,
}

/// Settings under `storage.`, as growler spells them in its own documents; upper case, hyphens,
/// underscores and dots do not matter.
pub const STORAGE_KEYS: &[&str] = &[
    "storage.provider",
    "storage.region",
    "storage.endpoint",
    "storage.access_key_id",
    "storage.secret_access_key",
    "storage.session_token",
    "storage.role_arn",
    "storage.external_id",
    "storage.sts_endpoint",
    "storage.path_style_access",
    "storage.allow_http",
    "storage.anonymous",
    "storage.oauth_token",
    "storage.service_account_key",
    "storage.account_name",
    "storage.account_key",
    "storage.sas_token",
    "storage.client_id",
    "storage.client_secret",
    "storage.tenant_id",
];

impl StoreOptions {
    pub(crate) fn of(properties: &Properties) -> Self {
        let mut options = Self::default();
        // Iceberg's own names win: the table's catalog hands them out.
        for of_catalog in [false, true] {
            for (name, value) in properties.iter() {
                let plain = plain(name);
                if of_catalog == plain.starts_with("storage") || value.expose().is_empty() {
                    continue;
                }
                options.set(&plain, name, value);
            }
        }
        options
    }

    fn set(&mut self, plain: &str, name: &str, value: &Secret) {
        let text = || Some(value.expose().to_owned());
        let flag = || value.expose().eq_ignore_ascii_case("true");
        let secret = || Some(value.clone());
        match plain {
            "s3endpoint" | "storageendpoint" | "gcsservicehost" | "gcsendpoint"
            | "adlsendpoint" => {
                self.endpoint = text();
            }
            "clientregion" | "s3region" | "storageregion" => self.region = text(),
            "s3accesskeyid" | "storageaccesskeyid" => self.access_key = secret(),
            "s3secretaccesskey" | "storagesecretaccesskey" => self.secret_key = secret(),
            "s3sessiontoken" | "storagesessiontoken" => self.session_token = secret(),
            "s3pathstyleaccess" | "storagepathstyleaccess" => self.path_style = Some(flag()),
            "s3forcevirtualaddressing" => self.path_style = Some(!flag()),
            "s3allowhttp" | "storageallowhttp" => self.allow_http = Some(flag()),
            "s3anonymous" | "storageanonymous" | "gcsnoauth" => self.anonymous = flag(),
            "s3remotesigningenabled" => self.remote_signing = flag(),
            "s3rolearn" | "clientassumerolearn" | "storagerolearn" => {
                self.role.arn = value.expose().to_owned();
            }
            "clientassumeroleexternalid" | "storageexternalid" => self.role.external_id = text(),
            "s3rolesessionname" | "clientassumerolesessionname" => self.role.session_name = text(),
            "clientassumeroleregion" => self.role.region = text(),
            "storagestsendpoint" => self.role.endpoint = text(),
            "gcsoauth2token" | "storageoauthtoken" => self.oauth_token = secret(),
            "gcsserviceaccountkey" | "storageserviceaccountkey" => self.service_account = secret(),
            "adlsaccountname" | "adlsauthsharedkeyaccountname" | "storageaccountname" => {
                self.account = text();
            }
            "adlsaccountkey" | "adlsauthsharedkeyaccountkey" | "storageaccountkey" => {
                self.account_key = secret();
            }
            "adlssastoken" | "storagesastoken" => self.sas_token = secret(),
            "adlsclientid" | "storageclientid" => self.client_id = secret(),
            "adlsclientsecret" | "storageclientsecret" => self.client_secret = secret(),
            "adlstenantid" | "storagetenantid" => self.tenant_id = text(),
            _ => self.set_by_account(name, value),
        }
    }

    /// `adls.sas-token.ACCOUNT`, where the account may have its host behind it.
    fn set_by_account(&mut self, name: &str, value: &Secret) {
        if let Some(account) = name.strip_prefix("adls.sas-token.") {
            let account = account.split('.').next().unwrap_or_default();
            self.sas_token = Some(value.clone());
            self.account.get_or_insert_with(|| account.to_owned());
        }
    }

    /// Tells whether a store can be reached with what is said: by credentials, or by nobody's name.
    pub(crate) fn has_credentials(&self) -> bool {
        let secrets = [
            &self.access_key,
            &self.oauth_token,
            &self.service_account,
            &self.account_key,
            &self.sas_token,
            &self.client_secret,
        ];
        self.anonymous || secrets.iter().any(|secret| secret.is_some())
    }

    /// Returns the keys and the role that requests to S3 are signed with; no role where keys of one are
    /// handed out already.
    pub(crate) fn keys(&self) -> AwsKeys {
        let has_role = !self.role.arn.is_empty() && self.session_token.is_none();
        AwsKeys {
            access_key: self.access_key.clone(),
            secret_key: self.secret_key.clone(),
            session_token: self.session_token.clone(),
            region: self.region.clone(),
            role: has_role.then(|| self.role.clone()),
        }
    }

    /// Returns whether plain HTTP may be spoken: an endpoint that asks for it does, unless forbidden.
    pub(crate) fn allows_http(&self) -> bool {
        let asked = self.endpoint.as_deref();
        self.allow_http
            .unwrap_or_else(|| asked.is_some_and(|endpoint| endpoint.starts_with("http://")))
    }
}

fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_ascii_alphanumeric());
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_sides_are_understood() {
        let properties: Properties = [
            ("storage.accessKeyId", "own"),
            ("storage.secret_access_key", "secret"),
            ("s3.access-key-id", "vended"),
            ("s3.endpoint", "http://h:1"),
            ("client.region", "eu"),
            ("s3.path-style-access", "true"),
            ("adls.sas-token.acc.dfs.core.windows.net", "sas"),
            ("unknown", "x"),
            ("s3.session-token", ""),
        ]
        .into_iter()
        .collect();
        let options = StoreOptions::of(&properties);
        let expected = StoreOptions {
            endpoint: Some("http://h:1".to_owned()),
            region: Some("eu".to_owned()),
            access_key: Some("vended".into()),
            secret_key: Some("secret".into()),
            path_style: Some(true),
            account: Some("acc".to_owned()),
            sas_token: Some("sas".into()),
            ..StoreOptions::default()
        };
        assert_eq!(options, expected);
        assert!(options.allows_http());
    }

    #[test]
    fn every_key_of_growler_is_known() {
        for key in STORAGE_KEYS
            .iter()
            .filter(|key| **key != "storage.provider")
        {
            let properties = Properties::from_iter([(*key, "true")]);
            assert_ne!(
                StoreOptions::of(&properties),
                StoreOptions::default(),
                "{key}"
            );
        }
    }
}
