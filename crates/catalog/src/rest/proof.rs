//! How each request proves who the client is.

use std::sync::Arc;

use super::config::{Auth, Signing};
use super::error::RestError;
use super::shown::shown;
use super::tokens::Tokens;
use super::transport::Transport;
use crate::aws::{AwsKeys, Signed, Signer};
use crate::secret::{Properties, Secret};

/// What proves who the client is.
pub(crate) enum Prover {
    Tokens(Tokens),
    Signs(Signs),
}

/// Signs for one service.
pub(crate) struct Signs {
    signer: Signer,
    service: Arc<str>,
    region: Arc<str>,
    /// Where keys are asked for, for the texts of errors.
    uri: String,
}

/// The proof of one request.
#[derive(Clone)]
pub(crate) enum Proof {
    None,
    Token(Secret),
    Signed(Signed),
}

impl Prover {
    pub(crate) fn new(auth: Auth, properties: &Properties, uri: &str) -> Result<Self, RestError> {
        match auth {
            Auth::Signed(signing) => Signs::new(signing, properties, uri).map(Self::Signs),
            auth => Ok(Self::Tokens(Tokens::new(
                auth,
                format!("{uri}/v1/oauth/tokens"),
            ))),
        }
    }

    /// Returns a proof that is good as far as known.
    pub(crate) async fn current(&self, transport: &Transport) -> Result<Proof, RestError> {
        match self {
            Self::Tokens(tokens) => {
                let token = tokens.current(transport).await?;
                Ok(token.map_or(Proof::None, Proof::Token))
            }
            Self::Signs(signs) => signs.current(transport).await,
        }
    }

    /// Returns another proof than one that was refused; none where there is no other.
    pub(crate) async fn instead_of(
        &self,
        refused: &Proof,
        transport: &Transport,
    ) -> Result<Option<Proof>, RestError> {
        match (self, refused) {
            (Self::Tokens(tokens), refused) => {
                let refused = match refused {
                    Proof::Token(token) => Some(token),
                    _ => None,
                };
                let other = tokens.instead_of(refused, transport).await?;
                Ok(other.map(Proof::Token))
            }
            (Self::Signs(signs), Proof::Signed(refused)) => {
                signs.instead_of(refused, transport).await
            }
            (Self::Signs(_), _) => Ok(None),
        }
    }
}

impl Signs {
    fn new(signing: Signing, properties: &Properties, uri: &str) -> Result<Self, RestError> {
        let keys = AwsKeys::of(properties);
        let url = reqwest::Url::parse(uri).ok();
        let host = url.as_ref().and_then(|url| url.host_str()).unwrap_or("");
        let of_host = amazon_host(host);
        let service = signing
            .service
            .or(of_host.map(|(service, _)| service.to_owned()));
        let region = signing.region.or_else(|| keys.region.clone());
        let region = region.or(of_host.map(|(_, region)| region.to_owned()));
        let region = region.ok_or_else(|| {
            let cause = "requests are to be signed, but no region is known: set storage.region, or \
                         rest.signing-region";
            RestError::Settings(cause.into())
        })?;
        let signer = keys
            .signer()
            .map_err(|error| RestError::Settings(error.to_string().into()))?;
        Ok(Self {
            signer,
            service: service.as_deref().unwrap_or("execute-api").into(),
            region: region.into(),
            uri: uri.to_owned(),
        })
    }

    async fn current(&self, transport: &Transport) -> Result<Proof, RestError> {
        let found = self.signer.current().await;
        let credential = found.map_err(|error| self.no_keys(&error, transport))?;
        Ok(self.proof(credential, transport))
    }

    async fn instead_of(
        &self,
        refused: &Signed,
        transport: &Transport,
    ) -> Result<Option<Proof>, RestError> {
        let other = self.signer.instead_of(&refused.credential).await;
        let other = other.map_err(|error| self.no_keys(&error, transport))?;
        Ok(other.map(|credential| self.proof(credential, transport)))
    }

    fn proof(
        &self,
        credential: Arc<object_store::aws::AwsCredential>,
        transport: &Transport,
    ) -> Proof {
        transport.hide(&credential.secret_key.as_str().into());
        if let Some(token) = &credential.token {
            transport.hide(&token.as_str().into());
        }
        Proof::Signed(Signed {
            credential,
            service: Arc::clone(&self.service),
            region: Arc::clone(&self.region),
        })
    }

    fn no_keys(&self, error: &object_store::Error, transport: &Transport) -> RestError {
        let mut cause = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(inner) = source {
            let text = inner.to_string();
            if !cause.contains(&text) {
                cause = format!("{cause}: {text}");
            }
            source = inner.source();
        }
        let cause = transport.clean(&format!("no keys to sign with: {cause}"));
        let url = transport.clean(shown(&self.uri));
        match error {
            object_store::Error::Unauthenticated { .. } => RestError::Unauthorized {
                status: 403,
                url,
                cause,
            },
            _ => RestError::Unreachable { url, cause },
        }
    }
}

/// Takes service and region out of one of Amazon's hosts: `glue.eu-west-1.amazonaws.com`.
fn amazon_host(host: &str) -> Option<(&str, &str)> {
    let (service, rest) = host.split_once('.')?;
    let (region, domain) = rest.split_once('.')?;
    let is_amazon = matches!(domain, "amazonaws.com" | "amazonaws.com.cn" | "api.aws");
    is_amazon.then_some((service, region))
}

/// What a refusal of a signed request means, beyond what it says.
pub(crate) fn advice(cause: &str) -> &'static str {
    let is_clock = [
        "Signature expired",
        "Signature not yet current",
        "RequestTimeTooSkewed",
        "RequestExpired",
    ]
    .iter()
    .any(|mark| cause.contains(mark));
    let has_ended = [
        "ExpiredToken",
        "security token included in the request is expired",
    ]
    .iter()
    .any(|mark| cause.contains(mark));
    match (is_clock, has_ended) {
        (true, _) => " (check the clock of this machine)",
        (false, true) => " (the session token has ended: set new keys, or a role to assume)",
        (false, false) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_amazon_name_service_and_region() {
        for (host, expected) in [
            ("glue.eu-west-1.amazonaws.com", Some(("glue", "eu-west-1"))),
            (
                "s3tables.us-east-1.api.aws",
                Some(("s3tables", "us-east-1")),
            ),
            (
                "glue.cn-north-1.amazonaws.com.cn",
                Some(("glue", "cn-north-1")),
            ),
            ("glue.eu-west-1.example.com", None),
            ("localhost", None),
            ("", None),
        ] {
            assert_eq!(amazon_host(host), expected);
        }
    }

    #[test]
    fn refusals_that_are_about_time_say_what_to_do() {
        for (cause, expected) in [
            (
                "InvalidSignatureException: Signature expired: 2026 is now earlier",
                "clock",
            ),
            (
                "ExpiredTokenException: The security token included in the request is expired",
                "ended",
            ),
            ("AccessDeniedException: not you", ""),
        ] {
            assert!(advice(cause).contains(expected), "{cause}");
        }
        assert_eq!(advice("x"), "");
    }
}
