//! What a catalog configures.

use growler_base::ErrorKind;
use growler_catalog::rest::{RestCatalog, RestConfig, RestError, Snapshots};
use serde_json::json;

use crate::catalog::{config, loaded, metadata, namespace, table};
use crate::double::{Double, Reply};

#[test]
fn prefix_separator_and_overrides_are_honoured() {
    let double = Double::new(|asked| match asked.path.as_str() {
        "/api/v1/config" => {
            assert_eq!(asked.query("warehouse"), "s3%3A%2F%2Flake");
            Reply::json(&json!({
                "defaults": {"s3.region": "default", "s3.endpoint": "http://default", "prefix": "no"},
                "overrides": {"s3.region": "override", "prefix": "ws/lake 1", "namespace-separator": "%2E"},
            }))
        }
        "/api/v1/ws/lake%201/namespaces/a.b/tables/t" => {
            assert_eq!(asked.header("x-custom"), "yes");
            Reply::json(&loaded(&metadata(&[1])))
        }
        other => panic!("{other}"),
    });
    let properties = [
        ("uri", format!("{}/api/", double.uri)),
        ("warehouse", "s3://lake".to_owned()),
        ("s3.endpoint", "http://own".to_owned()),
        ("s3.region", "own".to_owned()),
        ("header.X-Custom", "yes".to_owned()),
    ];
    let catalog = RestCatalog::connect(RestConfig {
        retries: config("").retries,
        ..RestConfig::of_properties(&properties.into_iter().collect())
    });
    let mut id = table("t");
    id.namespace = namespace("a.b");
    let found = catalog.unwrap().load(&id, Snapshots::All).unwrap();
    let storage = found.storage.properties_for("s3://b/t/data/f");
    assert_eq!(storage.get("s3.region"), Some("override"));
    assert_eq!(storage.get("s3.endpoint"), Some("http://own"));
}

#[test]
fn the_catalog_may_say_that_it_is_elsewhere() {
    let real = Double::new(|_| Reply::json(&json!({"namespaces": [["a"]]})));
    let uri = real.uri.clone();
    let first = Double::new(move |_| Reply::json(&json!({"overrides": {"uri": uri}})));
    let catalog = RestCatalog::connect(config(&first.uri)).unwrap();
    assert_eq!(catalog.namespaces(None).unwrap().len(), 1);
    assert_eq!(real.count("/v1/namespaces"), 1);
}

#[test]
fn addresses_that_are_none_are_refused() {
    for uri in ["", "catalog", "ftp://h", "http://", "/local"] {
        let error = RestCatalog::connect(config(uri)).unwrap_err();
        assert!(matches!(error, RestError::Settings(_)), "{uri} {error}");
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    }
}

#[test]
fn a_warehouse_that_is_not_there_is_not_found() {
    let double = Double::new(|_| Reply::error(404, "no such warehouse"));
    let error = RestCatalog::connect(config(&double.uri)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let expected = format!(
        "not found in catalog: Refusal: no such warehouse url={}/v1/config",
        double.uri
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn other_hosts_are_not_handed_credentials() {
    let other = Double::new(|_| Reply::json(&json!({})));
    let to = format!("{}/v1/config", other.uri);
    let double = Double::new(move |_| Reply::new(307, "").with("Location", &to));
    let error = RestCatalog::connect(config(&double.uri)).unwrap_err();
    assert!(
        matches!(error, RestError::Refused { status: 307, .. }),
        "{error}"
    );
    assert!(other.asked().is_empty());

    let moved = Double::new(|asked| match asked.path.as_str() {
        "/v1/config" => Reply::new(307, "").with("Location", "/moved"),
        _ => Reply::json(&json!({})),
    });
    RestCatalog::connect(config(&moved.uri)).unwrap();
    assert_eq!(moved.count("/moved"), 1);
}

#[test]
fn calls_may_be_made_from_threads_of_a_runtime() {
    let double = Double::new(|_| Reply::json(&json!({"namespaces": [["a"]]})));
    let uri = double.uri.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let found = runtime.block_on(async move {
        let direct = RestCatalog::connect(config(&uri)).unwrap();
        let blocking = tokio::task::spawn_blocking(move || direct.namespaces(None).unwrap());
        blocking.await.unwrap()
    });
    assert_eq!(found, [namespace("a")]);
}
