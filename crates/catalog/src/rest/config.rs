//! What a client is told about its catalog.

use std::time::Duration;

use crate::secret::{Properties, Secret};

/// Settings of a catalog client.
#[derive(Debug, Clone)]
pub struct RestConfig {
    /// Address of the catalog, without `/v1`.
    pub uri: String,
    /// Warehouse to ask for.
    pub warehouse: Option<String>,
    /// How the client proves who it is.
    pub auth: Auth,
    /// The client's own properties: what the server offers as default loses against them.
    pub properties: Properties,
    /// Whether to ask for credentials of the object store.
    pub vended_credentials: bool,
    /// How long to wait.
    pub timeouts: Timeouts,
    /// When to ask again.
    pub retries: Retries,
}

impl RestConfig {
    /// Makes the settings of a catalog that asks for no credentials.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            warehouse: None,
            auth: Auth::None,
            properties: Properties::default(),
            vended_credentials: true,
            timeouts: Timeouts::default(),
            retries: Retries::default(),
        }
    }

    /// Makes settings of properties as pyiceberg and Iceberg Java name them: `uri`, `warehouse`, `token`,
    /// `credential`, `scope`, `oauth2-server-uri`, `header.*`, `rest.sigv4-enabled` and what goes with it,
    /// and those of the object store.
    pub fn of_properties(properties: &Properties) -> Self {
        let mut config = Self::new(properties.get("uri").unwrap_or_default());
        config.warehouse = properties.get("warehouse").map(str::to_owned);
        config.auth = Auth::of_properties(properties);
        config.properties = properties.clone();
        config
    }
}

/// How a client proves who it is.
#[derive(Debug, Clone, Default)]
pub enum Auth {
    /// Not at all.
    #[default]
    None,
    /// By a token that somebody else renews.
    Bearer(Secret),
    /// By OAuth2 client credentials, for which tokens are fetched and renewed.
    ClientCredentials {
        /// Client id; may be empty.
        id: Secret,
        /// Client secret.
        secret: Secret,
        /// Where tokens are; the catalog's own `/v1/oauth/tokens` unless said otherwise.
        server_uri: Option<String>,
        /// What for; `catalog` unless said otherwise.
        scope: Option<String>,
    },
    /// By signing every request for Amazon, with keys that the properties name or the machine has.
    Signed(Signing),
}

/// For which service and region requests are signed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signing {
    /// Name of the service, such as `glue`; the first part of the catalog's host unless said otherwise.
    pub service: Option<String>,
    /// Region; the one of the keys, or of the catalog's host, unless said otherwise.
    pub region: Option<String>,
}

impl Signing {
    /// Reads `rest.signing-name` and `rest.signing-region`; none unless `rest.sigv4-enabled` is on, or
    /// `rest.auth.type` is `sigv4`.
    pub fn of_properties(properties: &Properties) -> Option<Self> {
        let says = |name: &str, text: &str| {
            let found = properties.get(name);
            found.is_some_and(|found| found.eq_ignore_ascii_case(text))
        };
        let is_on = says("rest.sigv4-enabled", "true") || says("rest.auth.type", "sigv4");
        is_on.then(|| Self {
            service: properties.get("rest.signing-name").map(str::to_owned),
            region: properties.get("rest.signing-region").map(str::to_owned),
        })
    }
}

impl Auth {
    /// Reads whether requests are signed; else `token`, or `credential` (`id:secret`) with `scope` and
    /// `oauth2-server-uri`.
    pub fn of_properties(properties: &Properties) -> Self {
        if let Some(signing) = Signing::of_properties(properties) {
            return Self::Signed(signing);
        }
        if let Some(credential) = properties.get("credential") {
            let (id, secret) = credential.split_once(':').unwrap_or(("", credential));
            return Self::ClientCredentials {
                id: id.into(),
                secret: secret.into(),
                server_uri: properties.get("oauth2-server-uri").map(str::to_owned),
                scope: properties.get("scope").map(str::to_owned),
            };
        }
        properties
            .get("token")
            .map_or(Self::None, |token| Self::Bearer(token.into()))
    }

    pub(crate) fn secrets(&self) -> Vec<&Secret> {
        match self {
            Self::None | Self::Signed(_) => Vec::new(),
            Self::Bearer(token) => vec![token],
            Self::ClientCredentials { id, secret, .. } => vec![id, secret],
        }
    }
}

/// How long to wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// For the next bytes of an answer.
    pub read: Duration,
    /// For one whole answer.
    pub whole: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            whole: Duration::from_secs(120),
        }
    }
}

/// When to ask again after no answer, 429 or 5xx.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// Most attempts at one request, the first included.
    pub attempts: u32,
    /// Longest pause before the second attempt; each later one may be twice as long.
    pub first_pause: Duration,
    /// Longest pause, also where the server asks for a longer one.
    pub longest_pause: Duration,
    /// No attempt starts later than this after the first.
    pub within: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            attempts: 5,
            first_pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(20),
            within: Duration::from_secs(90),
        }
    }
}
