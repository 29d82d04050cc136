//! Namespaces and tables, page by page.

use growler_catalog::rest::{RestError, TableId};
use serde_json::{Value, json};

use crate::catalog::{connect, namespace, plain};
use crate::double::{Asked, Reply};

/// Five names in pages: of two, an empty one in the middle; how the last one ends is the caller's.
fn page(asked: &Asked, name: &str, items: &[Value; 5], token: &str, last: &Value) -> Reply {
    let (part, next) = match asked.query("pageToken") {
        "" => (&items[..2], json!("p 1")),
        "p%201" => (&items[2..2], json!("p2")),
        "p2" => (&items[2..4], json!("p3")),
        "p3" => (&items[4..], last.clone()),
        other => panic!("unknown page {other}"),
    };
    let mut page = json!({ name: part });
    if next != json!("absent") {
        page[token] = next;
    }
    Reply::json(&page)
}

fn names() -> [Value; 5] {
    ["a", "b", "c", "d", "e"].map(|name| json!([name]))
}

fn identifiers() -> [Value; 5] {
    ["a", "b", "c", "d", "e"].map(|name| json!({"namespace": ["db"], "name": name}))
}

#[test]
fn m01_all_pages_are_read_however_the_last_one_ends() {
    for last in [json!(null), json!("absent"), json!("")] {
        let double = plain(move |asked| match asked.path.as_str() {
            "/v1/namespaces" => page(asked, "namespaces", &names(), "next-page-token", &last),
            "/v1/namespaces/db/tables" => page(
                asked,
                "identifiers",
                &identifiers(),
                "next-page-token",
                &last,
            ),
            other => panic!("{other}"),
        });
        let catalog = connect(&double);
        let found = catalog.namespaces(None).unwrap();
        assert_eq!(found, ["a", "b", "c", "d", "e"].map(namespace));
        let found = catalog.tables(&namespace("db")).unwrap();
        let expected = ["a", "b", "c", "d", "e"].map(|name| TableId {
            namespace: namespace("db"),
            name: name.to_owned(),
        });
        assert_eq!(found, expected);
        assert_eq!(double.count("/v1/namespaces"), 4);
    }
}

#[test]
fn m01_a_token_that_comes_again_ends_in_an_error() {
    let double = plain(|_| Reply::json(&json!({"namespaces": [["a"]], "next-page-token": "same"})));
    let error = connect(&double).namespaces(None).unwrap_err();
    assert!(matches!(error, RestError::Malformed { .. }), "{error}");
    assert!(
        error.to_string().contains("a page token comes again"),
        "{error}"
    );
    assert_eq!(double.count("/v1/namespaces"), 2);
}

#[test]
fn m02_camel_case_tokens_lose_no_tables() {
    let double = plain(|asked| {
        page(
            asked,
            "identifiers",
            &identifiers(),
            "nextPageToken",
            &json!(null),
        )
    });
    let found = connect(&double).tables(&namespace("db")).unwrap();
    assert_eq!(found.len(), 5);
}

#[test]
fn servers_without_pages_give_all_at_once() {
    let double = plain(|_| Reply::json(&json!({"namespaces": names()})));
    assert_eq!(connect(&double).namespaces(None).unwrap().len(), 5);
    let double = plain(|_| Reply::json(&json!({})));
    assert_eq!(connect(&double).namespaces(None).unwrap(), []);
}

#[test]
fn nested_namespaces_are_joined_by_the_separator() {
    let double = plain(|asked| match (asked.path.as_str(), asked.query("parent")) {
        ("/v1/namespaces", "") => Reply::json(&json!({"namespaces": [["a"], ["b c"]]})),
        ("/v1/namespaces", "a") => Reply::json(&json!({"namespaces": [["a", "x"]]})),
        ("/v1/namespaces", "a%1Fx") => Reply::error(404, "no namespaces in namespaces"),
        // This server knows no parents here, and answers with the outermost.
        ("/v1/namespaces", "b%20c") => Reply::json(&json!({"namespaces": [["a"], ["b c"]]})),
        ("/v1/namespaces/a%1Fx/tables", _) => {
            Reply::json(&json!({"identifiers": [{"namespace": ["a", "x"], "name": "t/1"}]}))
        }
        other => panic!("{other:?}"),
    });
    let catalog = connect(&double);
    let all: Vec<String> = catalog
        .all_namespaces()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(all, ["a", "b c", "a.x"]);
    let tables = catalog.tables(&namespace("a.x")).unwrap();
    assert_eq!(tables[0].to_string(), "a.x.t/1");
    let error = catalog.namespaces(Some(&namespace("a.x"))).unwrap_err();
    assert!(matches!(error, RestError::NotFound { .. }), "{error}");
}

#[test]
fn answers_that_break_the_protocol_are_malformed() {
    for body in [
        "",
        "<html>",
        "[]",
        r#"{"namespaces": 1}"#,
        r#"{"namespaces": [1]}"#,
        r#"{"namespaces": [[""]]}"#,
    ] {
        let double = plain(move |_| Reply::new(200, body));
        let error = connect(&double).namespaces(None).unwrap_err();
        assert!(
            matches!(error, RestError::Malformed { .. }),
            "{body} {error}"
        );
    }
}
