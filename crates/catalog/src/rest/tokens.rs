//! Bearer tokens: fetched when first needed, again before they end, and once when one is refused.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::answers;
use super::config::Auth;
use super::error::RestError;
use super::names::percent_encoded;
use super::shown::{refusal, shown};
use super::transport::{Answer, Request, Transport};
use crate::secret::Secret;

/// Longest answer of a token endpoint, in bytes.
const ANSWER_LEN: usize = 1 << 20;
/// A token is renewed so long before it ends, or after nine tenths of a short life.
const MARGIN: Duration = Duration::from_secs(60);

/// The token of a client.
pub(crate) struct Tokens {
    auth: Auth,
    /// Where tokens are unless `auth` says otherwise.
    default_uri: String,
    current: Mutex<Option<Token>>,
}

#[derive(Clone)]
struct Token {
    value: Secret,
    renew_at: Option<Instant>,
}

impl Tokens {
    pub(crate) fn new(auth: Auth, default_uri: String) -> Self {
        let given = match &auth {
            Auth::Bearer(token) => Some(Token {
                value: token.clone(),
                renew_at: None,
            }),
            _ => None,
        };
        Self {
            auth,
            default_uri,
            current: Mutex::new(given),
        }
    }

    /// Returns a token that is good as far as known; none where none is needed.
    pub(crate) async fn current(&self, transport: &Transport) -> Result<Option<Secret>, RestError> {
        let mut current = self.current.lock().await;
        let is_good = |token: &&Token| token.renew_at.is_none_or(|at| Instant::now() < at);
        if let Some(token) = current.as_ref().filter(is_good) {
            return Ok(Some(token.value.clone()));
        }
        if !matches!(self.auth, Auth::ClientCredentials { .. }) {
            return Ok(None);
        }
        let token = self.fetch(transport).await?;
        Ok(Some(current.insert(token).value.clone()))
    }

    /// Returns another token than one that was refused; none where there is no other.
    ///
    /// Calls that were refused together wait here for one fetch.
    pub(crate) async fn instead_of(
        &self,
        refused: Option<&Secret>,
        transport: &Transport,
    ) -> Result<Option<Secret>, RestError> {
        if !matches!(self.auth, Auth::ClientCredentials { .. }) {
            return Ok(None);
        }
        let mut current = self.current.lock().await;
        if let Some(token) = current
            .as_ref()
            .filter(|token| Some(&token.value) != refused)
        {
            return Ok(Some(token.value.clone()));
        }
        let token = self.fetch(transport).await?;
        Ok(Some(current.insert(token).value.clone()))
    }

    async fn fetch(&self, transport: &Transport) -> Result<Token, RestError> {
        let Auth::ClientCredentials {
            id,
            secret,
            server_uri,
            scope,
        } = &self.auth
        else {
            return Err(RestError::Internal(
                "no credentials to fetch a token with".into(),
            ));
        };
        let mut form = "grant_type=client_credentials".to_owned();
        if !id.expose().is_empty() {
            form.push_str(&format!("&client_id={}", percent_encoded(id.expose())));
        }
        form.push_str(&format!(
            "&client_secret={}",
            percent_encoded(secret.expose())
        ));
        let scope = scope.as_deref().unwrap_or("catalog");
        form.push_str(&format!("&scope={}", percent_encoded(scope)));
        let request = Request {
            url: server_uri
                .clone()
                .unwrap_or_else(|| self.default_uri.clone()),
            headers: Vec::new(),
            form: Some(form.into()),
            signed: None,
            most: ANSWER_LEN,
        };
        let answer = transport.send(&request).await?;
        token(transport, &request.url, &answer)
    }
}

fn token(transport: &Transport, url: &str, answer: &Answer) -> Result<Token, RestError> {
    let url = transport.clean(shown(url));
    if !answer.is_success() {
        let cause = transport.clean(&refusal(&answer.body));
        let status = answer.status;
        // OAuth2 says 400 to wrong credentials as often as 401.
        return Err(match status {
            400 | 401 | 403 => RestError::Unauthorized { status, url, cause },
            404 => RestError::NotFound { url, cause },
            _ => RestError::Refused { status, url, cause },
        });
    }
    let malformed = |cause: &str| RestError::Malformed {
        url: url.clone(),
        cause: cause.into(),
    };
    // The answer is a secret: nothing of it is quoted.
    let object = answers::object(&answer.body).ok_or_else(|| malformed("no JSON object"))?;
    let text = object.get("access_token").and_then(|token| token.as_str());
    let value = Secret::from(text.ok_or_else(|| malformed("no access_token"))?);
    transport.hide(&value);
    let lives = object
        .get("expires_in")
        .and_then(|seconds| seconds.as_f64())
        .filter(|seconds| *seconds > 0.0 && *seconds < 1e9)
        .map(Duration::from_secs_f64);
    let renew_at = lives.and_then(|lives| {
        let margin = MARGIN.min(lives.mul_f64(0.1));
        Instant::now().checked_add(lives.saturating_sub(margin))
    });
    Ok(Token { value, renew_at })
}
