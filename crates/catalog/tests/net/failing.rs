//! Servers that are down, slow, or break off: asked again within bounds.

use std::time::{Duration, Instant};

use growler_base::ErrorKind;
use growler_catalog::rest::{RestCatalog, RestError};
use serde_json::json;

use crate::catalog::{Counter, config, connect, plain};
use crate::double::{Double, Fault, Reply};

/// Fails some times, then answers.
fn failing(times: usize, failure: Reply) -> Double {
    let counter = Counter::default();
    plain(move |_| match counter.next() < times {
        true => failure.clone(),
        false => Reply::json(&json!({"namespaces": [["a"]]})),
    })
}

#[test]
fn what_passes_is_waited_out() {
    for failure in [
        Reply::error(500, "oops"),
        Reply::error(502, "oops"),
        Reply::error(503, "busy"),
        Reply::error(504, "late"),
        Reply::error(429, "too many"),
        Reply::fault(Fault::Dropped),
        Reply::fault(Fault::Cut),
        Reply::fault(Fault::Stalled(Duration::from_secs(1))),
    ] {
        let double = failing(2, failure.clone());
        let found = connect(&double).namespaces(None).unwrap();
        assert_eq!(found.len(), 1, "{failure:?}");
        assert_eq!(double.count("/v1/namespaces"), 3);
    }
}

#[test]
fn attempts_come_to_an_end() {
    let double = failing(100, Reply::error(500, "oops"));
    let error = connect(&double).namespaces(None).unwrap_err();
    assert!(
        matches!(error, RestError::Unavailable { status: 500, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("Refusal: oops"), "{error}");
    assert!(error.is_transient());
    assert_eq!(double.count("/v1/namespaces"), 4);

    for fault in [Fault::Dropped, Fault::Cut] {
        let double = failing(100, Reply::fault(fault));
        let error = connect(&double).namespaces(None).unwrap_err();
        assert!(matches!(error, RestError::Unreachable { .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(double.count("/v1/namespaces"), 4);
    }
}

#[test]
fn nobody_there_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = RestCatalog::connect(config(&uri)).unwrap_err();
    assert!(matches!(error, RestError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&uri), "{error}");
}

#[test]
fn the_server_says_when_to_come_back() {
    let double = failing(1, Reply::error(503, "busy").with("Retry-After", "3600"));
    let started = Instant::now();
    assert_eq!(connect(&double).namespaces(None).unwrap().len(), 1);
    // The longest pause bounds what it says.
    let waited = started.elapsed();
    assert!(waited >= Duration::from_millis(300), "{waited:?}");
    assert!(waited < Duration::from_secs(3), "{waited:?}");
}

#[test]
fn refusals_are_final() {
    for status in [400, 405, 406, 409, 501] {
        let double = failing(100, Reply::error(status, "no"));
        let error = connect(&double).namespaces(None).unwrap_err();
        assert!(
            matches!(error, RestError::Refused { .. }),
            "{status} {error}"
        );
        assert_eq!(double.count("/v1/namespaces"), 1);
    }
}

#[test]
fn answers_without_end_are_broken_off() {
    let double = plain(|_| Reply::fault(Fault::Endless));
    let error = connect(&double).namespaces(None).unwrap_err();
    assert!(matches!(error, RestError::TooMuch { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert_eq!(double.count("/v1/namespaces"), 1);
}
