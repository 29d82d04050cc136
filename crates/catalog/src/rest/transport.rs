//! One request and its answer: bounded, and asked again while that may help.

use std::error::Error as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, RequestBuilder, Response};

use super::config::{RestConfig, Retries};
use super::error::RestError;
use super::retry::{pause, retry_after};
use super::shown::{refusal, shown};
use crate::aws::Signed;
use crate::secret::{Redactor, Secret};

/// Most secrets that are searched for in texts; tokens come and go.
const SECRETS: usize = 64;
/// Most of an answer that says no, in bytes.
const REFUSAL_LEN: usize = 64 << 10;

/// Sends requests.
pub(crate) struct Transport {
    client: Client,
    retries: Retries,
    secrets: Mutex<Vec<Secret>>,
}

/// What is sent.
pub(crate) struct Request {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, Secret)>,
    /// Form to post; without one it is a GET.
    pub(crate) form: Option<Secret>,
    /// How it is signed, each time that it is sent.
    pub(crate) signed: Option<Signed>,
    /// Longest body of an answer, in bytes.
    pub(crate) most: usize,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) etag: Option<String>,
    pub(crate) body: Vec<u8>,
    retry_after: Option<Duration>,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Tells whether fresh credentials may help.
    pub(crate) fn wants_credentials(&self) -> bool {
        matches!(self.status, 401 | 403 | 419)
    }

    fn is_transient(&self) -> bool {
        matches!(self.status, 408 | 429 | 500 | 502..=504)
    }
}

/// Why there is no answer.
enum Broken {
    /// Asking again may help.
    Lost(String),
    TooMuch,
    /// For good.
    Refused(String),
}

impl Transport {
    pub(crate) fn new(config: &RestConfig) -> Result<Self, RestError> {
        let client = Client::builder()
            .connect_timeout(config.timeouts.connect)
            .read_timeout(config.timeouts.read)
            .timeout(config.timeouts.whole)
            .redirect(Policy::custom(redirect))
            .user_agent(concat!("growler/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| RestError::Internal(error.to_string().into()))?;
        let secrets = config.auth.secrets().into_iter();
        let secrets = secrets.chain(config.properties.secrets());
        Ok(Self {
            client,
            retries: config.retries,
            secrets: Mutex::new(secrets.cloned().collect()),
        })
    }

    /// Keeps a secret out of all texts from now on.
    pub(crate) fn hide(&self, secret: &Secret) {
        let mut secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        if secrets.contains(secret) {
            return;
        }
        if secrets.len() >= SECRETS {
            secrets.remove(SECRETS / 2);
        }
        secrets.push(secret.clone());
    }

    /// Returns a foreign text as it may be shown.
    pub(crate) fn clean(&self, text: &str) -> Box<str> {
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        Redactor::new(secrets.iter()).clean(text).into()
    }

    /// Sends a request until it is answered, be it by a refusal.
    pub(crate) async fn send(&self, request: &Request) -> Result<Answer, RestError> {
        let started = Instant::now();
        let mut made: u32 = 0;
        loop {
            let outcome = self.attempt(request).await;
            made = made.saturating_add(1);
            let asked = match &outcome {
                Ok(answer) if answer.is_transient() => answer.retry_after,
                Err(Broken::Lost(_)) => None,
                Ok(_) | Err(_) => return self.last(request, outcome),
            };
            let Some(pause) = pause(&self.retries, made, started.elapsed(), asked) else {
                return self.last(request, outcome);
            };
            tracing::debug!(
                url = shown(&request.url),
                made,
                ?pause,
                "catalog call failed, trying again"
            );
            tokio::time::sleep(pause).await;
        }
    }

    fn last(
        &self,
        request: &Request,
        outcome: Result<Answer, Broken>,
    ) -> Result<Answer, RestError> {
        let url = self.clean(shown(&request.url));
        match outcome {
            Ok(answer) if answer.is_transient() => Err(RestError::Unavailable {
                status: answer.status,
                cause: self.clean(&refusal(&answer.body)),
                url,
            }),
            Ok(answer) => Ok(answer),
            Err(Broken::Lost(cause)) => Err(RestError::Unreachable {
                cause: self.clean(&cause),
                url,
            }),
            Err(Broken::TooMuch) => Err(RestError::TooMuch {
                cause: format!("answer is too long limit={}", request.most).into(),
                url,
            }),
            Err(Broken::Refused(cause)) => Err(RestError::Settings(self.clean(&cause))),
        }
    }

    async fn attempt(&self, request: &Request) -> Result<Answer, Broken> {
        let response = self.build(request)?.send().await.map_err(broken)?;
        let status = response.status().as_u16();
        let header = |name| text_of(response.headers(), name);
        let etag = header("etag").map(str::to_owned);
        let retry_after = header("retry-after").and_then(retry_after);
        let is_success = response.status().is_success();
        let body = match is_success {
            true => body(response, request.most).await?,
            // What a refusal says is of use, but not needed.
            false => body(response, REFUSAL_LEN).await.unwrap_or_default(),
        };
        Ok(Answer {
            status,
            etag,
            body,
            retry_after,
        })
    }

    fn build(&self, request: &Request) -> Result<RequestBuilder, Broken> {
        let mut builder = match &request.form {
            None => self.client.get(&request.url),
            Some(form) => self
                .client
                .post(&request.url)
                .header("content-type", "application/x-www-form-urlencoded")
                .body(form.expose().to_owned()),
        };
        builder = builder.header("accept", "application/json");
        let signature = match &request.signed {
            Some(signed) => {
                let (method, body) = match &request.form {
                    None => ("GET", ""),
                    Some(form) => ("POST", form.expose()),
                };
                signed
                    .headers(method, &request.url, body)
                    .map_err(Broken::Refused)?
            }
            None => Vec::new(),
        };
        for (name, value) in request.headers.iter().chain(&signature) {
            let mut value = match reqwest::header::HeaderValue::from_str(value.expose()) {
                Ok(value) => value,
                Err(_) => continue,
            };
            value.set_sensitive(true);
            builder = builder.header(name, value);
        }
        Ok(builder)
    }
}

/// Follows a few redirects on the same host only: others would be handed the credentials.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let same_host = attempt.previous().last().is_some_and(|last| {
        (last.scheme(), last.host_str(), last.port_or_known_default())
            == (
                attempt.url().scheme(),
                attempt.url().host_str(),
                attempt.url().port_or_known_default(),
            )
    });
    match same_host && attempt.previous().len() <= 3 {
        true => attempt.follow(),
        false => attempt.stop(),
    }
}

async fn body(mut response: Response, most: usize) -> Result<Vec<u8>, Broken> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if body.len().saturating_add(chunk.len()) > most {
            return Err(Broken::TooMuch);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn broken(error: reqwest::Error) -> Broken {
    let error = error.without_url();
    let mut cause = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !cause.contains(&inner_text) {
            cause = format!("{cause}: {inner_text}");
        }
        source = inner.source();
    }
    match error.is_builder() {
        true => Broken::Refused(cause),
        false => Broken::Lost(cause),
    }
}

fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
