//! Headers that sign a request.

use std::sync::Arc;

use object_store::aws::{AwsAuthorizer, AwsCredential};
use object_store::client::{HttpRequest, HttpRequestBody};

use crate::secret::Secret;

/// How a request is signed; it is when it is sent, as the time is part of it.
#[derive(Debug, Clone)]
pub(crate) struct Signed {
    pub(crate) credential: Arc<AwsCredential>,
    /// Name of the service, as signatures have it: `glue`, `s3tables`, `sts`.
    pub(crate) service: Arc<str>,
    pub(crate) region: Arc<str>,
}

impl Signed {
    /// Returns the headers for a request that has no others which count.
    ///
    /// # Errors
    /// What of it cannot be signed.
    pub(crate) fn headers(
        &self,
        method: &str,
        url: &str,
        body: &str,
    ) -> Result<Vec<(String, Secret)>, String> {
        self.check()?;
        // The signer takes the address as this parser reads it, and cannot fail then.
        let is_url = reqwest::Url::parse(url).is_ok_and(|url| url.has_host());
        let mut request = HttpRequest::new(HttpRequestBody::from(body.as_bytes().to_vec()));
        let (Ok(parsed), Ok(method), true) = (url.parse(), method.parse(), is_url) else {
            return Err("address cannot be signed".to_owned());
        };
        *request.uri_mut() = parsed;
        *request.method_mut() = method;
        AwsAuthorizer::new(&self.credential, &self.service, &self.region)
            .authorize(&mut request, None);
        let headers = request.headers().iter();
        let headers = headers.filter(|(name, _)| name.as_str() != "host");
        headers
            .map(|(name, value)| {
                let value = value.to_str().map_err(|error| error.to_string())?;
                Ok((name.as_str().to_owned(), Secret::from(value)))
            })
            .collect()
    }

    /// What becomes part of a header must be fit for one.
    fn check(&self) -> Result<(), String> {
        let is_fit = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        let token = self.credential.token.as_deref().unwrap_or_default();
        let parts = [
            ("access key id", self.credential.key_id.as_str()),
            ("session token", token),
            ("region", &self.region),
            ("service", &self.service),
        ];
        match parts.into_iter().find(|(_, text)| !is_fit(text)) {
            Some((name, _)) => Err(format!("{name} has characters that no header may have")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(key_id: &str, token: Option<&str>) -> Signed {
        Signed {
            credential: Arc::new(AwsCredential {
                key_id: key_id.to_owned(),
                secret_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
                token: token.map(str::to_owned),
            }),
            service: "glue".into(),
            region: "eu-central-1".into(),
        }
    }

    #[test]
    fn what_no_header_may_have_is_refused_and_nothing_panics() {
        let url = "https://h/v1/config?warehouse=w";
        for (key_id, token, url) in [
            ("a\nb", None, url),
            ("key", Some("to ken"), url),
            ("key", Some("t\u{fc}ken"), url),
            ("key", None, "no address"),
            ("key", None, "/only/a/path"),
            ("key", None, "http://"),
        ] {
            assert!(
                signed(key_id, token).headers("GET", url, "").is_err(),
                "{url}"
            );
        }
        let headers = signed("key", Some("token"))
            .headers("GET", url, "")
            .unwrap();
        let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["authorization", "x-amz-date", "x-amz-security-token"] {
            assert!(names.contains(&name), "{names:?}");
        }
        assert!(!format!("{headers:?}").contains("token="));
    }
}
