//! Tokens: fetched, renewed before they end, and once when refused. No text shows a credential.

use std::sync::{Arc, Barrier, Mutex};

use growler_base::ErrorKind;
use growler_catalog::Secret;
use growler_catalog::rest::{Auth, RestCatalog, RestConfig, RestError};
use serde_json::json;

use crate::catalog::{Counter, config};
use crate::double::{Asked, Double, Reply};

const ID: &str = "client-id-of-test";
const SECRET: &str = "p&ss word+secret";

fn credentials(uri: &str) -> RestConfig {
    RestConfig {
        auth: Auth::ClientCredentials {
            id: ID.into(),
            secret: SECRET.into(),
            server_uri: None,
            scope: Some("PRINCIPAL_ROLE:ALL".to_owned()),
        },
        ..config(uri)
    }
}

/// Hands out tokens `token-0`, `token-1`, .. and accepts those that a test says.
fn catalog(
    lives_seconds: u64,
    is_good: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> (Double, Counter) {
    let handed_out = Counter::default();
    let counter = handed_out.clone();
    let double = Double::new(move |asked| {
        if asked.path == "/v1/oauth/tokens" {
            return token(asked, &counter, lives_seconds);
        }
        let bearer = asked
            .header("authorization")
            .strip_prefix("Bearer ")
            .unwrap_or("");
        match is_good(bearer) {
            true => Reply::json(&json!({"namespaces": [["a"]]})),
            false => Reply::error(401, &format!("token {bearer} of {ID} {SECRET} has ended")),
        }
    });
    (double, handed_out)
}

fn token(asked: &Asked, counter: &Counter, lives_seconds: u64) -> Reply {
    assert_eq!(asked.method, "POST");
    let expected = "grant_type=client_credentials&client_id=client-id-of-test&\
                    client_secret=p%26ss%20word%2Bsecret&scope=PRINCIPAL_ROLE%3AALL";
    assert_eq!(asked.body, expected);
    assert_eq!(
        asked.header("content-type"),
        "application/x-www-form-urlencoded"
    );
    let token = format!("token-{}", counter.next());
    Reply::json(&json!({
        "access_token": token, "token_type": "bearer", "expires_in": lives_seconds,
    }))
}

#[test]
fn a_token_is_fetched_once_and_kept() {
    let (double, handed_out) = catalog(3600, |token| token == "token-0");
    let catalog = RestCatalog::connect(credentials(&double.uri)).unwrap();
    for _ in 0..3 {
        catalog.namespaces(None).unwrap();
    }
    assert_eq!(handed_out.count(), 1);
}

#[test]
fn a_token_is_renewed_before_it_ends() {
    let (double, handed_out) = catalog(1, |token| token.starts_with("token-"));
    let catalog = RestCatalog::connect(credentials(&double.uri)).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(950));
    catalog.namespaces(None).unwrap();
    assert_eq!(handed_out.count(), 2);
    let last = double.asked().pop().unwrap();
    assert_eq!(last.header("authorization"), "Bearer token-1");
}

#[test]
fn t48_a_refused_token_is_renewed_once() {
    for status in [401, 403, 419] {
        let ended = Arc::new(Mutex::new(String::new()));
        let known = Arc::clone(&ended);
        let handed_out = Counter::default();
        let counter = handed_out.clone();
        let double = Double::new(move |asked| {
            if asked.path == "/v1/oauth/tokens" {
                return token(asked, &counter, 3600);
            }
            match asked.header("authorization") == *known.lock().unwrap() {
                true => Reply::error(status, "ended"),
                false => Reply::json(&json!({"namespaces": [["a"]]})),
            }
        });
        let catalog = RestCatalog::connect(credentials(&double.uri)).unwrap();
        *ended.lock().unwrap() = "Bearer token-0".to_owned();
        assert_eq!(catalog.namespaces(None).unwrap().len(), 1);
        assert_eq!(handed_out.count(), 2);
        assert_eq!(double.count("/v1/namespaces"), 2);
    }
}

#[test]
fn t48_credentials_that_stay_refused_are_an_error_after_one_renewal() {
    let (double, handed_out) = catalog(3600, |_| false);
    let error = RestCatalog::connect(credentials(&double.uri)).unwrap_err();
    assert!(
        matches!(error, RestError::Unauthorized { status: 401, .. }),
        "{error}"
    );
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(!error.is_transient());
    assert_eq!(handed_out.count(), 2);
    assert_eq!(double.count("/v1/config"), 2);
    // The server repeats every credential; the error does not.
    for text in [error.to_string(), format!("{error:?}")] {
        for secret in [ID, SECRET, "token-0", "token-1"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(text.contains("***"), "{text}");
    }
}

#[test]
fn calls_refused_together_wait_for_one_renewal() {
    let barrier = Arc::new(Barrier::new(8));
    let waiting = Arc::clone(&barrier);
    let handed_out = Counter::default();
    let counter = handed_out.clone();
    let double = Double::new(move |asked| match asked.path.as_str() {
        "/v1/oauth/tokens" => token(asked, &counter, 3600),
        "/v1/namespaces" if asked.header("authorization") == "Bearer token-0" => {
            waiting.wait();
            Reply::error(401, "ended")
        }
        _ => Reply::json(&json!({"namespaces": [["a"]]})),
    });
    let mut patient = credentials(&double.uri);
    patient.timeouts.read = std::time::Duration::from_secs(5);
    let catalog = RestCatalog::connect(patient).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let catalog = catalog.clone();
            scope.spawn(move || assert_eq!(catalog.namespaces(None).unwrap().len(), 1));
        }
    });
    assert_eq!(handed_out.count(), 2);
}

#[test]
fn bearer_tokens_are_sent_and_never_renewed() {
    let double = Double::new(|asked| match asked.header("authorization") {
        "Bearer good-token" => Reply::json(&json!({})),
        other => Reply::error(401, &format!("{other} is wrong")),
    });
    let with = |token: &str| {
        let auth = Auth::Bearer(Secret::from(token));
        RestCatalog::connect(RestConfig {
            auth,
            ..config(&double.uri)
        })
    };
    with("good-token").unwrap();
    let error = with("wrong-token").unwrap_err();
    assert!(matches!(error, RestError::Unauthorized { .. }), "{error}");
    assert!(!error.to_string().contains("wrong-token"), "{error}");
    assert_eq!(double.asked().len(), 2);
    let error = RestCatalog::connect(config(&double.uri)).unwrap_err();
    assert!(matches!(error, RestError::Unauthorized { .. }), "{error}");
}

#[test]
fn tokens_may_be_elsewhere_and_refused_there() {
    let tokens = Double::new(|_| {
        let body =
            json!({"error": "invalid_client", "error_description": "unknown p&ss word+secret"});
        Reply::new(400, body.to_string())
    });
    let double = Double::new(|_| Reply::json(&json!({})));
    let mut config = credentials(&double.uri);
    if let Auth::ClientCredentials { server_uri, .. } = &mut config.auth {
        *server_uri = Some(format!("{}/token", tokens.uri));
    }
    let error = RestCatalog::connect(config).unwrap_err();
    let expected = format!(
        "catalog refused the credentials: invalid_client: unknown ***; check token, credential and \
         scope status=400 url={}/token",
        tokens.uri
    );
    assert_eq!(error.to_string(), expected);
    assert!(double.asked().is_empty());
}

#[test]
fn token_answers_are_never_quoted() {
    for body in [
        "not json hidden-token",
        r#"{"token": "hidden-token"}"#,
        r#"{"access_token": 7}"#,
    ] {
        let double = Double::new(move |_| Reply::new(200, body));
        let error = RestCatalog::connect(credentials(&double.uri)).unwrap_err();
        assert!(matches!(error, RestError::Malformed { .. }), "{error}");
        assert!(!error.to_string().contains("hidden-token"), "{error}");
    }
}
