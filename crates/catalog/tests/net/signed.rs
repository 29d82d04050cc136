//! Requests that are signed: verified by a small computation of their own, with given keys and with
//! those of a role.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use growler_base::ErrorKind;
use growler_catalog::rest::{RestCatalog, RestConfig};
use growler_catalog::{Files, ObjectFiles, Properties, Storage};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::catalog::{Counter, config, namespace};
use crate::double::{Asked, Double, Reply};
use crate::store::Store;

const KEY: &str = "AKIDEXAMPLE";
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// HMAC by its definition, over keys that are no longer than a block.
fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let pad = |fill: u8| -> Vec<u8> {
        let key = key.iter().copied().chain(std::iter::repeat(0)).take(64);
        key.map(|byte| byte ^ fill).collect()
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(text);
    let outer = Sha256::new()
        .chain_update(pad(0x5c))
        .chain_update(inner.finalize());
    outer.finalize().to_vec()
}

/// What of a request is signed.
struct Canonical<'r> {
    method: &'r str,
    path: &'r str,
    query: &'r str,
    /// Name and value, in order.
    headers: &'r [(&'r str, &'r str)],
    body_hash: &'r str,
}

/// The signature, step by step as the specification has it.
fn signature(secret: &str, time: &str, region: &str, service: &str, of: &Canonical<'_>) -> String {
    let mut headers = String::new();
    for (name, value) in of.headers {
        headers.push_str(&format!("{name}:{value}\n"));
    }
    let names: Vec<&str> = of.headers.iter().map(|(name, _)| *name).collect();
    let canonical = format!(
        "{}\n{}\n{}\n{headers}\n{}\n{}",
        of.method,
        of.path,
        of.query,
        names.join(";"),
        of.body_hash
    );
    let date = &time[..8];
    let scope = format!("{date}/{region}/{service}/aws4_request");
    let hash = hex(&Sha256::digest(canonical));
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{hash}");
    let mut key = format!("AWS4{secret}").into_bytes();
    for part in [date, region, service, "aws4_request"] {
        key = hmac(&key, part);
    }
    hex(&hmac(&key, &text))
}

#[test]
fn the_published_examples_have_the_published_signatures() {
    let empty = hex(&Sha256::digest(""));
    let time = "20150830T123600Z";
    let headers = [("host", "example.amazonaws.com"), ("x-amz-date", time)];
    for (query, expected) in [
        (
            "",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        ),
        (
            "Param1=value1&Param2=value2",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
    ] {
        let of = Canonical {
            method: "GET",
            path: "/",
            query,
            headers: &headers,
            body_hash: &empty,
        };
        assert_eq!(
            signature(SECRET, time, "us-east-1", "service", &of),
            expected
        );
    }
}

/// Tells whether a request is signed by a key, for a service: what is wrong with it, if anything.
fn breach(asked: &Asked, query: &str, service: &str, key: &str, secret: &str) -> Option<String> {
    let given = asked.header("authorization").to_owned();
    let rest = given.strip_prefix("AWS4-HMAC-SHA256 ")?;
    let part = |name: &str| {
        let parts = rest.split(", ").find_map(|part| part.strip_prefix(name));
        parts.unwrap_or_default().to_owned()
    };
    let time = asked.header("x-amz-date");
    let scope = format!("{key}/{}/eu-central-1/{service}/aws4_request", &time[..8]);
    if part("Credential=") != scope {
        return Some(format!("scope {given}"));
    }
    let names = part("SignedHeaders=");
    for name in ["host", "x-amz-date"] {
        assert!(names.split(';').any(|signed| signed == name), "{names}");
    }
    let headers: Vec<(&str, &str)> = names
        .split(';')
        .map(|name| (name, asked.header(name)))
        .collect();
    let body_hash = hex(&Sha256::digest(&asked.body));
    // All but S3 have paths encoded once more.
    let path = asked.path.replace('%', "%25");
    let of = Canonical {
        method: &asked.method,
        path: &path,
        query,
        headers: &headers,
        body_hash: &body_hash,
    };
    let expected = signature(secret, time, "eu-central-1", service, &of);
    (part("Signature=") != expected).then(|| format!("expected={expected} given={given}"))
}

/// The query of a request in the order that signatures have.
fn query_of(asked: &Asked) -> String {
    let mut pairs: Vec<String> = asked
        .query
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.sort();
    pairs.join("&")
}

fn assert_signed(asked: &Asked, service: &str, key: &str, secret: &str) {
    let breach = breach(asked, &query_of(asked), service, key, secret);
    assert_eq!(breach, None, "{asked:?}");
    assert!(!asked.header("authorization").is_empty());
}

/// Settings of one whose requests are signed for `glue`.
fn signing(uri: &str, more: &[(&str, &str)]) -> RestConfig {
    let all = [
        ("rest.sigv4-enabled", "true"),
        ("rest.signing-name", "glue"),
        ("rest.signing-region", "eu-central-1"),
    ];
    let properties: Properties = all.iter().chain(more).copied().collect();
    let made = RestConfig::of_properties(&properties);
    RestConfig {
        auth: made.auth,
        properties: made.properties,
        warehouse: Some("123456789012:s3tablescatalog/b".to_owned()),
        ..config(uri)
    }
}

/// Hands out a prefix with a slash, as Glue does, and one namespace.
fn glue(check: impl Fn(&Asked) -> Option<Reply> + Send + Sync + 'static) -> Double {
    Double::new(move |asked| {
        if let Some(refusal) = check(asked) {
            return refusal;
        }
        match asked.path.as_str() {
            "/v1/config" => Reply::json(&json!({
                "defaults": {}, "overrides": {"prefix": "catalogs/123456789012:a b"}})),
            "/v1/catalogs/123456789012%3Aa%20b/namespaces" => {
                Reply::json(&json!({"namespaces": [["d e"]]}))
            }
            "/v1/catalogs/123456789012%3Aa%20b/namespaces/d%20e/tables" => {
                Reply::json(&json!({"identifiers": [{"namespace": ["d e"], "name": "t"}]}))
            }
            _ => Reply::error(404, "no such place"),
        }
    })
}

#[test]
fn every_request_is_signed() {
    let double = glue(|_| None);
    let keys = [
        ("storage.accessKeyId", KEY),
        ("storage.secretAccessKey", SECRET),
        ("storage.sessionToken", "session/token+of=test"),
    ];
    let catalog = RestCatalog::connect(signing(&double.uri, &keys)).unwrap();
    assert_eq!(catalog.namespaces(None).unwrap()[0].to_string(), "d e");
    assert_eq!(catalog.tables(&namespace("d e")).unwrap().len(), 1);
    let asked = double.asked();
    assert_eq!(asked.len(), 3);
    for asked in &asked {
        assert_signed(asked, "glue", KEY, SECRET);
        assert_eq!(
            asked.header("x-amz-security-token"),
            "session/token+of=test"
        );
        assert!(
            asked
                .header("authorization")
                .contains("x-amz-security-token")
        );
    }
}

#[test]
fn a_server_may_ask_for_signatures() {
    let double = Double::new(|asked| match asked.path.as_str() {
        "/v1/config" => Reply::json(&json!({"overrides": {
            "rest.sigv4-enabled": "true", "rest.signing-name": "s3tables",
            "rest.signing-region": "eu-central-1"}})),
        _ => Reply::json(&json!({"namespaces": []})),
    });
    let properties: Properties = [
        ("client.access-key-id", KEY),
        ("client.secret-access-key", SECRET),
    ]
    .into_iter()
    .collect();
    let asking = RestConfig {
        properties,
        ..config(&double.uri)
    };
    let catalog = RestCatalog::connect(asking).unwrap();
    catalog.namespaces(None).unwrap();
    let asked = double.asked();
    assert_eq!(asked[0].header("authorization"), "");
    assert_signed(&asked[1], "s3tables", KEY, SECRET);
}

#[test]
fn refusals_of_signatures_say_what_to_do_and_no_secret() {
    let cases = [
        (
            "InvalidSignatureException",
            "Signature expired: 20261201T000000Z is now earlier than 20261201T010000Z",
            "check the clock of this machine",
        ),
        (
            "ExpiredTokenException",
            "The security token included in the request is expired",
            "the session token has ended",
        ),
        (
            "AccessDeniedException",
            SECRET,
            "AccessDeniedException: ***",
        ),
    ];
    for (kind, message, expected) in cases {
        let double = glue(move |_| {
            let model = json!({"error": {"type": kind, "message": message, "code": 403}});
            Some(Reply::new(403, model.to_string()))
        });
        let keys = [
            ("storage.accessKeyId", KEY),
            ("storage.secretAccessKey", SECRET),
        ];
        let error = RestCatalog::connect(signing(&double.uri, &keys)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains(SECRET) && !format!("{error:?}").contains(SECRET));
        assert_eq!(double.asked().len(), 1, "the same keys are not tried again");
    }
}

#[test]
fn attempts_that_fail_are_signed_anew() {
    let failures = Counter::default();
    let double = glue(move |_| (failures.next() < 2).then(|| Reply::new(503, "")));
    let keys = [
        ("storage.accessKeyId", KEY),
        ("storage.secretAccessKey", SECRET),
    ];
    RestCatalog::connect(signing(&double.uri, &keys)).unwrap();
    let asked = double.asked();
    assert_eq!(asked.len(), 3);
    asked
        .iter()
        .for_each(|asked| assert_signed(asked, "glue", KEY, SECRET));
}

/// A token service that lends keys `ROLE-0`, `ROLE-1`, ..; what it answers instead, if a test says so.
struct Lender {
    double: Double,
    instead: Arc<Mutex<Option<Reply>>>,
}

impl Lender {
    fn new(lives: Duration) -> Self {
        let instead = Arc::<Mutex<Option<Reply>>>::default();
        let (lent, answer) = (Counter::default(), Arc::clone(&instead));
        let double = Double::new(move |_| {
            if let Some(reply) = answer.lock().unwrap().clone() {
                return reply;
            }
            let number = lent.next();
            let ends = chrono::DateTime::<chrono::Utc>::from(SystemTime::now() + lives);
            Reply::new(
                200,
                format!(
                    "<AssumeRoleResponse><AssumeRoleResult><Credentials>\
                     <AccessKeyId>ROLE-{number}</AccessKeyId>\
                     <SecretAccessKey>secret-of-role-{number}</SecretAccessKey>\
                     <SessionToken>token-of-role-{number}</SessionToken>\
                     <Expiration>{}</Expiration></Credentials></AssumeRoleResult>\
                     </AssumeRoleResponse>",
                    ends.to_rfc3339()
                ),
            )
        });
        Self { double, instead }
    }

    /// Settings of the role with an id of its own, so that tests share none.
    fn settings<'s>(&'s self, name: &'s str) -> Vec<(&'s str, &'s str)> {
        vec![
            ("storage.accessKeyId", KEY),
            ("storage.secretAccessKey", SECRET),
            ("storage.region", "eu-central-1"),
            ("storage.roleArn", name),
            ("storage.externalId", "id & more"),
            ("storage.stsEndpoint", self.double.uri.as_str()),
        ]
    }
}

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn a_role_is_assumed_once_for_catalog_and_store() {
    let lender = Lender::new(HOUR);
    let settings = lender.settings("arn:aws:iam::1:role/shared");
    let double = glue(|_| None);
    let catalog = RestCatalog::connect(signing(&double.uri, &settings)).unwrap();
    catalog.namespaces(None).unwrap();
    for asked in double.asked() {
        assert_signed(&asked, "glue", "ROLE-0", "secret-of-role-0");
        assert_eq!(asked.header("x-amz-security-token"), "token-of-role-0");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), "0123").unwrap();
    let store = Store::of(folder.path());
    store.good_keys.lock().unwrap().push("ROLE-0".to_owned());
    let mut properties: Properties = settings.iter().copied().collect();
    properties.set("storage.endpoint", store.double.uri.as_str());
    let files = ObjectFiles::new(Storage::from(properties));
    assert_eq!(files.read("s3://b/f", 0..4).unwrap().as_ref(), b"0123");
    let asked = lender.double.asked();
    assert_eq!(asked.len(), 1);
    assert_signed(&asked[0], "sts", KEY, SECRET);
    assert_eq!(
        asked[0].body,
        "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fshared&\
         RoleSessionName=growler&ExternalId=id%20%26%20more"
    );
}

#[test]
fn keys_of_a_role_are_renewed_before_they_end_and_when_they_are_refused() {
    let soon = Lender::new(Duration::from_secs(100));
    let settings = soon.settings("arn:aws:iam::1:role/soon");
    let double = glue(|_| None);
    let catalog = RestCatalog::connect(signing(&double.uri, &settings)).unwrap();
    catalog.namespaces(None).unwrap();
    assert_eq!(soon.double.asked().len(), 2, "new keys for each request");
    // Keys that could not be renewed are good for a moment.
    *soon.instead.lock().unwrap() = Some(Reply::new(400, "<Error><Code>Nope</Code></Error>"));
    catalog.namespaces(None).unwrap();

    let lender = Lender::new(HOUR);
    let settings = lender.settings("arn:aws:iam::1:role/refused");
    let double = glue(|asked| {
        let is_old = asked.header("x-amz-security-token") == "token-of-role-0";
        is_old.then(|| Reply::error(403, "The security token included in the request is expired"))
    });
    let catalog = RestCatalog::connect(signing(&double.uri, &settings)).unwrap();
    catalog.namespaces(None).unwrap();
    assert_eq!(lender.double.asked().len(), 2);
}

#[test]
fn a_store_that_refuses_keys_of_a_role_gets_others() {
    let lender = Lender::new(HOUR);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), "0123").unwrap();
    let store = Store::of(folder.path());
    store.good_keys.lock().unwrap().push("ROLE-1".to_owned());
    let mut properties: Properties = lender
        .settings("arn:aws:iam::1:role/store")
        .into_iter()
        .collect();
    properties.set("storage.endpoint", store.double.uri.as_str());
    let files = ObjectFiles::new(Storage::from(properties));
    assert_eq!(files.info("s3://b/f").unwrap().len_bytes, 4);
    // What is refused may be the request: the token service is not asked each time.
    store.good_keys.lock().unwrap()[0] = "ROLE-9".to_owned();
    for _ in 0..3 {
        let error = files.info("s3://b/f").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
    assert_eq!(lender.double.asked().len(), 2);
}

#[test]
fn reads_that_are_refused_at_once_all_get_the_other_keys() {
    let lender = Lender::new(HOUR);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), "0123").unwrap();
    let store = Store::of(folder.path());
    store.good_keys.lock().unwrap().push("ROLE-1".to_owned());
    let mut properties: Properties = lender
        .settings("arn:aws:iam::1:role/at-once")
        .into_iter()
        .collect();
    properties.set("storage.endpoint", store.double.uri.as_str());
    let files = ObjectFiles::new(Storage::from(properties));
    std::thread::scope(|scope| {
        let reads = [(); 8].map(|()| scope.spawn(|| files.read("s3://b/f", 0..4)));
        for read in reads {
            assert_eq!(read.join().unwrap().unwrap().as_ref(), b"0123");
        }
    });
    assert_eq!(lender.double.asked().len(), 2);
}

#[test]
fn a_role_that_cannot_be_assumed_is_named_and_no_key_is() {
    let lender = Lender::new(HOUR);
    let body = format!(
        "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not authorized {SECRET}</Message>\
         </Error></ErrorResponse>"
    );
    *lender.instead.lock().unwrap() = Some(Reply::new(403, body));
    let settings = lender.settings("arn:aws:iam::1:role/denied");
    let double = glue(|_| None);
    let error = RestCatalog::connect(signing(&double.uri, &settings)).unwrap_err();
    let text = error.to_string();
    for part in ["role cannot be assumed", "AccessDenied", "role/denied"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains(SECRET), "{text}");
    assert!(double.asked().is_empty());
    let mut properties: Properties = settings.into_iter().collect();
    properties.set("storage.endpoint", double.uri.as_str());
    let files = ObjectFiles::new(Storage::from(properties));
    let text = files.info("s3://b/f").unwrap_err().to_string();
    assert!(text.contains("role cannot be assumed"), "{text}");
    assert!(!text.contains(SECRET), "{text}");
    let endless = format!("<Error><Code>{}</Code></Error>", "x".repeat(100_000));
    *lender.instead.lock().unwrap() = Some(Reply::new(403, endless));
    let text = files.info("s3://b/f").unwrap_err().to_string();
    assert!(text.contains("too long an answer status=403"), "{text}");
    // A token service in trouble is asked again.
    *lender.instead.lock().unwrap() = Some(Reply::new(500, ""));
    let before = lender.double.asked().len();
    let double = glue(|_| None);
    let settings = lender.settings("arn:aws:iam::1:role/trouble");
    assert!(RestCatalog::connect(signing(&double.uri, &settings)).is_err());
    assert_eq!(lender.double.asked().len(), before + 3);
}
