//! Calls to one catalog: its addresses, who asks, and what its answers mean.

use std::collections::HashSet;

use super::answers::{self, Object};
use super::config::{Auth, RestConfig, Signing};
use super::error::RestError;
use super::load::{LoadAnswer, LoadedTable, Snapshots};
use super::names::{Namespace, TableId, percent_decoded, percent_encoded};
use super::proof::{Proof, Prover, advice};
use super::shown::{refusal, shown};
use super::transport::{Answer, Request, Transport};
use crate::secret::{Properties, Secret};

/// Longest answer to anything but a load, in bytes.
const LIST_LEN: usize = 16 << 20;
/// Most pages of a list.
const PAGES: usize = 10_000;
/// Most names in a list.
const NAMES: usize = 1_000_000;

/// A catalog that has told its configuration.
pub(crate) struct Session {
    transport: Transport,
    prover: Prover,
    /// Address that all but the configuration is under, without a slash at the end.
    base: String,
    separator: String,
    properties: Properties,
    headers: Vec<(String, Secret)>,
    vended_credentials: bool,
}

impl Session {
    pub(crate) async fn connect(config: RestConfig) -> Result<Self, RestError> {
        let uri = checked_uri(&config.uri)?;
        let transport = Transport::new(&config)?;
        let mut session = Self {
            prover: Prover::new(config.auth.clone(), &config.properties, &uri)?,
            base: format!("{uri}/v1"),
            separator: "\u{1f}".to_owned(),
            headers: headers(&config.properties),
            properties: config.properties,
            vended_credentials: config.vended_credentials,
            transport,
        };
        let query = config.warehouse.as_ref().map(|warehouse| {
            let warehouse = percent_encoded(warehouse);
            format!("?warehouse={warehouse}")
        });
        let url = format!("{uri}/v1/config{}", query.unwrap_or_default());
        let answer = session.get_object(&url, LIST_LEN).await?;
        session.take_over(&answer, &uri, config.auth)?;
        Ok(session)
    }

    /// Applies what the server configures: its defaults lose against the client's own properties, its
    /// overrides win.
    fn take_over(&mut self, answer: &Object, uri: &str, auth: Auth) -> Result<(), RestError> {
        let mut merged = answers::properties(answer, "defaults");
        merged.extend(&self.properties);
        let overrides = answers::properties(answer, "overrides");
        merged.extend(&overrides);
        merged
            .secrets()
            .for_each(|secret| self.transport.hide(secret));
        let uri = match overrides.get("uri") {
            Some(moved) => checked_uri(moved)?,
            None => uri.to_owned(),
        };
        let prefix = merged.get("prefix").unwrap_or_default().trim_matches('/');
        // A prefix may have slashes of its own.
        let prefix: String = prefix
            .split('/')
            .filter(|step| !step.is_empty())
            .map(|step| format!("/{}", percent_encoded(&percent_decoded(step))))
            .collect();
        self.base = format!("{uri}/v1{prefix}");
        if let Some(separator) = merged.get("namespace-separator") {
            self.separator = percent_decoded(separator);
        }
        if let (Some(token), Auth::None | Auth::Bearer(_)) = (overrides.get("token"), &auth) {
            self.prover = Prover::new(Auth::Bearer(token.into()), &self.properties, &uri)?;
        } else if let (Some(signing), Auth::None) = (Signing::of_properties(&merged), &auth) {
            // The keys are the client's own, whatever the server hands out.
            self.prover = Prover::new(Auth::Signed(signing), &self.properties, &uri)?;
        }
        self.headers = headers(&merged);
        self.properties = merged;
        Ok(())
    }

    pub(crate) async fn namespaces(
        &self,
        parent: Option<&Namespace>,
    ) -> Result<Vec<Namespace>, RestError> {
        let url = format!("{}/namespaces", self.base);
        let query = parent.map(|parent| format!("parent={}", parent.encoded(&self.separator)));
        let found = self
            .pages(&url, query.as_deref(), &answers::namespaces)
            .await?;
        let depth = parent.map_or(0, |parent| parent.levels().len());
        // A server that knows no parents answers with the outermost again.
        let is_below = |name: &Namespace| match parent {
            Some(parent) => {
                name.levels().len() > depth && name.levels().starts_with(parent.levels())
            }
            None => true,
        };
        Ok(found.into_iter().filter(is_below).collect())
    }

    pub(crate) async fn tables(&self, namespace: &Namespace) -> Result<Vec<TableId>, RestError> {
        let url = format!("{}/tables", self.namespace_url(namespace));
        self.pages(&url, None, &answers::tables).await
    }

    /// Reads all pages of a list.
    async fn pages<T>(
        &self,
        url: &str,
        query: Option<&str>,
        take: &(dyn Fn(&Object) -> Result<Vec<T>, String> + Sync),
    ) -> Result<Vec<T>, RestError> {
        let mut found = Vec::new();
        // An empty token asks for pages; servers that know none give all names at once.
        let mut token = String::new();
        let mut seen = HashSet::new();
        for _ in 0..PAGES {
            let and = query.map(|query| format!("{query}&")).unwrap_or_default();
            let page_url = format!("{url}?{and}pageToken={}", percent_encoded(&token));
            let page = self.get_object(&page_url, LIST_LEN).await?;
            let names = take(&page).map_err(|cause| self.malformed(url, &cause))?;
            found.extend(names);
            if found.len() > NAMES {
                return Err(self.too_much(url, &format!("list has too many names limit={NAMES}")));
            }
            match answers::next_page(&page) {
                None => return Ok(found),
                Some(next) if seen.insert(next.clone()) => token = next,
                Some(_) => return Err(self.malformed(url, "a page token comes again")),
            }
        }
        Err(self.too_much(url, &format!("list has too many pages limit={PAGES}")))
    }

    /// Loads a table; none when it still has the tag given.
    pub(crate) async fn load(
        &self,
        id: &TableId,
        snapshots: Snapshots,
        etag: Option<&str>,
    ) -> Result<Option<LoadedTable>, RestError> {
        let url = self.table_url(id);
        let mut headers = Vec::new();
        if self.vended_credentials {
            let header = "X-Iceberg-Access-Delegation".to_owned();
            headers.push((header, Secret::from("vended-credentials")));
        }
        if let Some(etag) = etag {
            headers.push(("If-None-Match".to_owned(), Secret::from(etag)));
        }
        let most = growler_base::limits::METADATA_LEN_BYTES;
        let asked = format!("{url}?{}", snapshots.query());
        let mut answer = self.get(&asked, &headers, most).await?;
        // Some servers refuse a parameter that they do not know; without it all snapshots are meant.
        if matches!(answer.status, 400 | 405 | 422 | 501) {
            answer = self.get(&url, &headers, most).await?;
        }
        if answer.status == 304 {
            return Ok(None);
        }
        let etag = answer.etag.clone();
        let object = self.object_of(&url, &answer)?;
        let loaded = LoadAnswer::of(object, etag);
        let loaded = loaded.ok_or_else(|| self.malformed(&url, "no metadata"))?;
        if loaded.config().get("scan-planning-mode") == Some("server") {
            return Err(RestError::Unsupported {
                url: self.transport.clean(shown(&url)),
                cause: "scan planning by the server".into(),
            });
        }
        let secrets = loaded.config().secrets();
        secrets.for_each(|secret| self.transport.hide(secret));
        Ok(Some(loaded.into_table(id, snapshots, &self.properties)?))
    }

    fn namespace_url(&self, namespace: &Namespace) -> String {
        format!(
            "{}/namespaces/{}",
            self.base,
            namespace.encoded(&self.separator)
        )
    }

    fn table_url(&self, id: &TableId) -> String {
        let namespace = self.namespace_url(&id.namespace);
        format!("{namespace}/tables/{}", percent_encoded(&id.name))
    }

    async fn get_object(&self, url: &str, most: usize) -> Result<Object, RestError> {
        let answer = self.get(url, &[], most).await?;
        self.object_of(url, &answer)
    }

    /// Asks with a proof of who the client is; once more with another one when that is refused.
    async fn get(
        &self,
        url: &str,
        headers: &[(String, Secret)],
        most: usize,
    ) -> Result<Answer, RestError> {
        let proof = self.prover.current(&self.transport).await?;
        let answer = self.ask(url, headers, &proof, most).await?;
        if !answer.wants_credentials() {
            return Ok(answer);
        }
        let other = self.prover.instead_of(&proof, &self.transport).await?;
        match other {
            Some(other) => self.ask(url, headers, &other, most).await,
            None => Ok(answer),
        }
    }

    async fn ask(
        &self,
        url: &str,
        headers: &[(String, Secret)],
        proof: &Proof,
        most: usize,
    ) -> Result<Answer, RestError> {
        let (bearer, signed) = match proof {
            Proof::None => (None, None),
            Proof::Token(token) => {
                let header = format!("Bearer {}", token.expose());
                (
                    Some(("Authorization".to_owned(), Secret::from(header))),
                    None,
                )
            }
            Proof::Signed(signed) => (None, Some(signed.clone())),
        };
        let own = self.headers.iter().cloned();
        let request = Request {
            url: url.to_owned(),
            headers: own.chain(headers.iter().cloned()).chain(bearer).collect(),
            form: None,
            signed,
            most,
        };
        self.transport.send(&request).await
    }

    fn object_of(&self, url: &str, answer: &Answer) -> Result<Object, RestError> {
        if answer.is_success() {
            let object = answers::object(&answer.body);
            return object.ok_or_else(|| self.malformed(url, "no JSON object"));
        }
        let status = answer.status;
        let url = self.transport.clean(shown(url));
        let cause = refusal(&answer.body);
        let advice = match &self.prover {
            Prover::Signs(_) => advice(&cause),
            Prover::Tokens(_) => "",
        };
        let cause = format!("{}{advice}", self.transport.clean(&cause)).into();
        Err(match status {
            _ if answer.wants_credentials() => RestError::Unauthorized { status, url, cause },
            404 => RestError::NotFound { url, cause },
            _ => RestError::Refused { status, url, cause },
        })
    }

    fn malformed(&self, url: &str, cause: &str) -> RestError {
        RestError::Malformed {
            url: self.transport.clean(shown(url)),
            cause: cause.into(),
        }
    }

    fn too_much(&self, url: &str, cause: &str) -> RestError {
        RestError::TooMuch {
            url: self.transport.clean(shown(url)),
            cause: cause.into(),
        }
    }
}

/// Properties `header.NAME` are sent as headers.
fn headers(properties: &Properties) -> Vec<(String, Secret)> {
    let named = properties.iter().filter_map(|(name, value)| {
        let name = name.strip_prefix("header.")?;
        let is_name = reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_ok();
        is_name.then(|| (name.to_owned(), value.clone()))
    });
    named.collect()
}

/// Returns an address of a catalog without a slash, or `/v1`, at its end.
fn checked_uri(uri: &str) -> Result<String, RestError> {
    let trimmed = uri.trim().trim_end_matches('/');
    let trimmed = trimmed.strip_suffix("/v1").unwrap_or(trimmed);
    let parsed = reqwest::Url::parse(trimmed).ok();
    let is_http = |url: &reqwest::Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    if !parsed.as_ref().is_some_and(is_http) {
        let cause = format!(
            "catalog uri is no http or https address uri={}",
            shown(trimmed)
        );
        return Err(RestError::Settings(cause.into()));
    }
    Ok(trimmed.to_owned())
}
