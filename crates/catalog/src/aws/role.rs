//! Keys that a role lends for a while, by `AssumeRole` of Amazon's token service.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use object_store::CredentialProvider;
use object_store::aws::{AwsCredential, AwsCredentialProvider};
use reqwest::Client;

use super::answer::{Lent, body, element, lent};
use super::keys::AwsKeys;
use super::sign::Signed;
use crate::rest::percent_encoded;
use crate::secret::{Redactor, Secret};

/// Keys are asked for anew so long before they end.
const MARGIN: Duration = Duration::from_secs(300);
/// The token service is left alone so long after keys of it were refused.
const LEFT_ALONE: Duration = Duration::from_secs(30);
/// Longest code of a refusal that is shown.
const CODE_LEN: usize = 64;
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(200);
/// Region whose token service is asked where none is named.
const REGION: &str = "us-east-1";

/// What role to assume.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Role {
    pub(crate) arn: String,
    /// What the role's owner asks for.
    pub(crate) external_id: Option<String>,
    pub(crate) session_name: Option<String>,
    /// Where the token service is, if not at Amazon.
    pub(crate) endpoint: Option<String>,
    /// Region of the token service, if not that of the keys.
    pub(crate) region: Option<String>,
}

/// A role that was assumed; its keys are fetched when needed, and anew before they end.
pub(crate) struct AssumedRole {
    role: Role,
    region: Arc<str>,
    url: String,
    base: AwsCredentialProvider,
    secrets: Vec<Secret>,
    state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    current: Option<Lent>,
    /// When keys were forgotten last.
    forgot: Option<Instant>,
}

/// Why there are no keys, and whether asking again may help.
struct Failed {
    cause: String,
    /// The keys that asked, which the token service may give back.
    asked_by: Option<Arc<AwsCredential>>,
    is_refused: bool,
    may_pass: bool,
}

impl AssumedRole {
    /// Returns the role as all have it who assume it by the same keys: its keys are asked for once.
    pub(super) fn shared(keys: &AwsKeys, role: &Role) -> io::Result<Arc<Self>> {
        type Known = Vec<(AwsKeys, Weak<AssumedRole>)>;
        static KNOWN: Mutex<Known> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, assumed)| assumed.strong_count() > 0);
        let found = known.iter().find(|(of, _)| of == keys);
        if let Some(assumed) = found.and_then(|(_, assumed)| assumed.upgrade()) {
            return Ok(assumed);
        }
        let assumed = Arc::new(Self::new(keys, role)?);
        known.push((keys.clone(), Arc::downgrade(&assumed)));
        Ok(assumed)
    }

    fn new(keys: &AwsKeys, role: &Role) -> io::Result<Self> {
        let region = role.region.as_deref().or(keys.region.as_deref());
        let region = region.unwrap_or(REGION);
        let url = match &role.endpoint {
            Some(endpoint) => format!("{}/", endpoint.trim_end_matches('/')),
            None if region.starts_with("cn-") => format!("https://sts.{region}.amazonaws.com.cn/"),
            None => format!("https://sts.{region}.amazonaws.com/"),
        };
        let secrets = [&keys.access_key, &keys.secret_key, &keys.session_token];
        Ok(Self {
            base: keys.given()?,
            region: region.into(),
            url,
            role: role.clone(),
            secrets: secrets.into_iter().flatten().cloned().collect(),
            state: tokio::sync::Mutex::default(),
        })
    }

    /// Forgets keys that were refused; not time and again, as what is refused may be the request.
    pub(crate) async fn forget(&self, refused: &AwsCredential) {
        let mut state = self.state.lock().await;
        if state.forgot.is_some_and(|at| at.elapsed() < LEFT_ALONE) {
            return;
        }
        let found = state.current.take_if(|lent| *lent.credential == *refused);
        if found.is_some() {
            state.forgot = Some(Instant::now());
        }
    }

    /// Returns keys; those who want some at the same time wait for one call.
    async fn keys(&self) -> object_store::Result<Arc<AwsCredential>> {
        let mut state = self.state.lock().await;
        let current = &mut state.current;
        let now = SystemTime::now();
        let left = |lent: &Lent| lent.ends.duration_since(now).unwrap_or_default();
        if let Some(lent) = current.as_ref().filter(|lent| left(lent) > MARGIN) {
            return Ok(Arc::clone(&lent.credential));
        }
        match self.ask().await {
            Ok(lent) => Ok(Arc::clone(&current.insert(lent).credential)),
            Err(failed) => match current.as_ref().filter(|lent| !left(lent).is_zero()) {
                // Keys that could not be renewed are good for a moment yet.
                Some(lent) => Ok(Arc::clone(&lent.credential)),
                None => Err(self.error(failed)),
            },
        }
    }

    async fn ask(&self) -> Result<Lent, Failed> {
        let mut tries: u32 = 1;
        loop {
            match self.assume().await {
                Err(failed) if failed.may_pass && tries < TRIES => {
                    tokio::time::sleep(PAUSE.saturating_mul(tries)).await;
                    tries = tries.saturating_add(1);
                }
                done => return done,
            }
        }
    }

    async fn assume(&self) -> Result<Lent, Failed> {
        let base = self.base.get_credential().await.map_err(|error| Failed {
            cause: format!("no keys to assume it with: {error}"),
            asked_by: None,
            is_refused: false,
            may_pass: false,
        })?;
        let lent = self.assume_by(Arc::clone(&base)).await;
        lent.map_err(|failed| Failed {
            asked_by: Some(base),
            ..failed
        })
    }

    async fn assume_by(&self, base: Arc<AwsCredential>) -> Result<Lent, Failed> {
        let signed = Signed {
            credential: base,
            service: "sts".into(),
            region: Arc::clone(&self.region),
        };
        let form = self.form();
        let refused = |cause| Failed {
            cause,
            asked_by: None,
            is_refused: true,
            may_pass: false,
        };
        let headers = signed.headers("POST", &self.url, &form).map_err(refused)?;
        let mut request = client()
            .map_err(refused)?
            .post(&self.url)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form);
        for (name, value) in headers {
            request = request.header(name, value.expose());
        }
        let lost = |error: reqwest::Error| Failed {
            cause: format!("token service does not answer: {}", error.without_url()),
            asked_by: None,
            is_refused: false,
            may_pass: true,
        };
        let response = request.send().await.map_err(lost)?;
        let status = response.status().as_u16();
        let Some(body) = body(response).await.map_err(lost)? else {
            let cause = format!("token service gave too long an answer status={status}");
            return Err(refused(cause));
        };
        if status != 200 {
            let (code, message) = (element(&body, "Code"), element(&body, "Message"));
            let (code, message) = (code.unwrap_or_default(), message.unwrap_or_default());
            let code: String = code.chars().take(CODE_LEN).collect();
            return Err(Failed {
                cause: format!("{code} {message} status={status}"),
                asked_by: None,
                is_refused: status < 500 && code != "Throttling",
                may_pass: status >= 500 || code == "Throttling",
            });
        }
        lent(&body).ok_or_else(|| refused("token service gave no keys".to_owned()))
    }

    fn form(&self) -> String {
        let name = self.role.session_name.as_deref().unwrap_or("growler");
        let (arn, name) = (percent_encoded(&self.role.arn), percent_encoded(name));
        let mut form =
            format!("Action=AssumeRole&Version=2011-06-15&RoleArn={arn}&RoleSessionName={name}");
        if let Some(id) = &self.role.external_id {
            form.push_str(&format!("&ExternalId={}", percent_encoded(id)));
        }
        form
    }

    fn error(&self, failed: Failed) -> object_store::Error {
        let mut secrets = self.secrets.clone();
        if let Some(keys) = &failed.asked_by {
            let texts = [
                Some(&keys.key_id),
                Some(&keys.secret_key),
                keys.token.as_ref(),
            ];
            secrets.extend(texts.into_iter().flatten().map(|text| text.as_str().into()));
        }
        // It is cut when nothing is left of the secrets: a part of one would not be found.
        let cause = Redactor::new(&secrets).clean(&failed.cause);
        let arn = self.role.arn.clone();
        let source = format!("role cannot be assumed: {cause} role={arn}").into();
        match failed.is_refused {
            true => object_store::Error::Unauthenticated { path: arn, source },
            false => object_store::Error::Generic {
                store: "STS",
                source,
            },
        }
    }
}

impl fmt::Debug for AssumedRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssumedRole")
            .field("role", &self.role.arn)
            .finish_non_exhaustive()
    }
}

impl CredentialProvider for AssumedRole {
    type Credential = AwsCredential;

    fn get_credential<'life0, 'async_trait>(
        &'life0 self,
    ) -> Pin<Box<dyn Future<Output = object_store::Result<Arc<AwsCredential>>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(self.keys())
    }
}

fn client() -> Result<&'static Client, String> {
    static CLIENT: OnceLock<Result<Client, String>> = OnceLock::new();
    let made = CLIENT.get_or_init(|| {
        Client::builder()
            .connect_timeout(Duration::from_secs(5))
            .timeout(Duration::from_secs(15))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| error.to_string())
    });
    made.as_ref().map_err(Clone::clone)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;

    use object_store::StaticCredentialProvider;

    use super::*;

    /// Refuses one request, and says back what token it had.
    fn refuse(listener: &TcpListener) -> io::Result<()> {
        let (mut stream, _) = listener.accept()?;
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let mut headers = String::new();
        while let Some(line) = lines.next().transpose()?.filter(|line| !line.is_empty()) {
            headers.push_str(&format!("{line}\n"));
        }
        let body = format!(
            "<Error><Code>SignatureDoesNotMatch</Code><Message>{headers}</Message></Error>"
        );
        let len = body.len();
        write!(
            stream,
            "HTTP/1.1 403 Forbidden\r\ncontent-length: {len}\r\n\r\n{body}"
        )
    }

    #[test]
    fn keys_of_the_machine_are_not_shown_when_the_token_service_gives_them_back() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let role = Role {
            arn: "arn:aws:iam::1:role/r".to_owned(),
            endpoint: Some(format!("http://{}", listener.local_addr().unwrap())),
            ..Role::default()
        };
        let mut assumed = AssumedRole::new(&AwsKeys::default(), &role).unwrap();
        assumed.base = Arc::new(StaticCredentialProvider::new(AwsCredential {
            key_id: "ASIAMACHINE".to_owned(),
            secret_key: "secret-of-the-machine".to_owned(),
            token: Some("token-of-the-machine".to_owned()),
        }));
        assert!(assumed.secrets.is_empty());
        let server = std::thread::spawn(move || refuse(&listener));
        let error = crate::blocking::run(async move { assumed.keys().await });
        server.join().unwrap().unwrap();
        let text = format!("{:?}", error.unwrap().unwrap_err());
        assert!(
            text.contains("SignatureDoesNotMatch") && text.contains("***"),
            "{text}"
        );
        assert!(
            !text.contains("MACHINE") && !text.contains("of-the-machine"),
            "{text}"
        );
    }
}
