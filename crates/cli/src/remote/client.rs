//! Calls over HTTP.

use std::time::Duration;

use growler_base::ErrorKind;
use reqwest::{Method, StatusCode, Url};
use serde_json::Value;

use crate::failure::Failure;

/// Time that a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// Time that an answer may take.
const ANSWER: Duration = Duration::from_secs(120);

/// A server to be asked, one call at a time.
pub struct Client {
    base: Url,
    http: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

impl Client {
    /// Makes a client of a server; nothing is sent.
    ///
    /// # Errors
    /// The address is none.
    pub fn new(server: &str) -> Result<Self, Failure> {
        let base = if server.contains("://") {
            server.to_owned()
        } else {
            format!("http://{server}")
        };
        let base = Url::parse(&base).ok().filter(|url| url.has_host());
        let base = base.ok_or_else(|| {
            // Whatever lies before an at sign may be a password.
            let server = server.rsplit('@').next().unwrap_or_default();
            Failure::refused(format_args!("not the address of a server: server={server}"))
                .with_help("--server http://HOST:PORT")
        })?;
        let failed = |error: &dyn std::fmt::Display| {
            Failure::failed(format_args!("cannot start the client: {error}"))
        };
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
            .build()
            .map_err(|error| failed(&error))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| failed(&error))?;
        Ok(Self {
            base,
            http,
            runtime,
        })
    }

    /// Gets a path, whose parts are encoded.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub fn get(&self, path: &[&str]) -> Result<Value, Failure> {
        self.call(Method::GET, path, None)
    }

    /// Posts JSON to a path.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn post(&self, path: &[&str], body: &Value) -> Result<Value, Failure> {
        self.call(Method::POST, path, Some(body))
    }

    fn call(&self, method: Method, path: &[&str], body: Option<&Value>) -> Result<Value, Failure> {
        let mut url = self.base.clone();
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.pop_if_empty().extend(path);
        }
        let mut request = self.http.request(method, url);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = self.runtime.block_on(async {
            let response = request.send().await?;
            Ok::<_, reqwest::Error>((response.status(), response.bytes().await?))
        });
        let (status, bytes) = answer.map_err(|error| self.unreachable(&error))?;
        let json = serde_json::from_slice(&bytes);
        if !status.is_success() {
            return Err(refused(status, json.ok().as_ref()));
        }
        json.map_err(|error| {
            Failure::failed(format_args!(
                "server gave a malformed answer: {error}: server={}",
                self.shown_base()
            ))
            .with_help("is it a growler server? --server names another one")
        })
    }

    /// Returns the address without a user and a password.
    fn shown_base(&self) -> Url {
        let mut base = self.base.clone();
        // An address with a host can be without them.
        let _ = base.set_username("");
        let _ = base.set_password(None);
        base
    }

    fn unreachable(&self, error: &reqwest::Error) -> Failure {
        // The last cause says most: the others only repeat the address.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        Failure::failed(format_args!(
            "cannot reach the server: {cause}: server={}",
            self.shown_base()
        ))
        .with_help(
            "growler serve --data-dir FOLDER starts one; --server or GROWLER_SERVER names another",
        )
    }
}

fn refused(status: StatusCode, json: Option<&Value>) -> Failure {
    let text = json.and_then(|json| json["error"].as_str());
    let text = text.map_or_else(|| format!("server refused: status={status}"), str::to_owned);
    let kind = match status {
        StatusCode::NOT_FOUND => ErrorKind::NotFound,
        status if status.is_client_error() => ErrorKind::InvalidInput,
        _ => ErrorKind::Unavailable,
    };
    Failure::new(kind, text)
}
