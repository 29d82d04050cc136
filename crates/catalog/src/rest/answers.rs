//! What catalogs answer, taken apart. A member that is null counts as absent.

use serde_json::{Map, Value};

use super::names::{Namespace, TableId};
use crate::secret::Properties;

pub(crate) type Object = Map<String, Value>;

/// Parses an answer that must be an object.
pub(crate) fn object(body: &[u8]) -> Option<Object> {
    match serde_json::from_slice(body).ok()? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// Returns the properties of a member; what is no text is taken as its JSON text.
pub(crate) fn properties(object: &Object, name: &str) -> Properties {
    let members = object.get(name).and_then(Value::as_object);
    let values = members.into_iter().flatten();
    let values = values.filter(|(_, value)| !value.is_null());
    values
        .map(|(name, value)| match value {
            Value::String(text) => (name.clone(), text.clone()),
            other => (name.clone(), other.to_string()),
        })
        .collect()
}

/// Returns the token of the next page; none at the last one.
///
/// S3 Tables sends `nextPageToken`, against the specification; not to understand it would lose tables.
pub(crate) fn next_page(object: &Object) -> Option<String> {
    let names = ["next-page-token", "nextPageToken", "next_page_token"];
    let token = names.iter().find_map(|name| object.get(*name)?.as_str());
    token.filter(|token| !token.is_empty()).map(str::to_owned)
}

/// Takes the namespaces of a page.
pub(crate) fn namespaces(object: &Object) -> Result<Vec<Namespace>, String> {
    let items = list(object, "namespaces")?;
    items.iter().map(namespace).collect()
}

/// Takes the tables of a page.
pub(crate) fn tables(object: &Object) -> Result<Vec<TableId>, String> {
    let items = list(object, "identifiers")?;
    let table = |item: &Value| {
        let namespace = namespace(item.get("namespace").unwrap_or(&Value::Null))?;
        let name = item.get("name").and_then(Value::as_str);
        let name = name.filter(|name| !name.is_empty());
        let name = name.ok_or("a table has no name")?.to_owned();
        Ok(TableId { namespace, name })
    };
    items.iter().map(table).collect()
}

fn list<'a>(object: &'a Object, name: &str) -> Result<&'a [Value], String> {
    match object.get(name) {
        Some(Value::Array(items)) => Ok(items),
        // An empty page may leave its list out.
        None | Some(Value::Null) => Ok(&[]),
        Some(_) => Err(format!("member is not an array name={name}")),
    }
}

/// A namespace is an array of levels; some servers send dotted text.
fn namespace(value: &Value) -> Result<Namespace, String> {
    let found = match value {
        Value::Array(levels) => {
            let levels = levels.iter().map(|level| level.as_str().map(str::to_owned));
            levels.collect::<Option<_>>().and_then(Namespace::new)
        }
        Value::String(dotted) => Namespace::parse(dotted),
        _ => None,
    };
    found.ok_or_else(|| "a namespace is no array of names".to_owned())
}

/// Credentials for what lies under a prefix.
#[derive(Debug, Clone, Default)]
pub(crate) struct StorageCredential {
    pub(crate) prefix: String,
    pub(crate) properties: Properties,
}

/// Takes the credentials that a load, or a call for credentials, hands out.
pub(crate) fn storage_credentials(object: &Object) -> Vec<StorageCredential> {
    let items = object.get("storage-credentials").and_then(Value::as_array);
    let items = items.into_iter().flatten().filter_map(Value::as_object);
    items
        .map(|item| StorageCredential {
            prefix: item
                .get("prefix")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            properties: properties(item, "config"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_last_page_is_told_in_many_ways() {
        for (page, expected) in [
            (json!({}), None),
            (json!({"next-page-token": null}), None),
            (json!({"next-page-token": ""}), None),
            (json!({"next-page-token": "a"}), Some("a")),
            (json!({"nextPageToken": "a"}), Some("a")),
        ] {
            assert_eq!(next_page(&of(page)).as_deref(), expected);
        }
    }

    #[test]
    fn lists_are_checked() {
        let good = of(json!({"namespaces": [["a", "b"], "c.d"], "identifiers": [
            {"namespace": ["a"], "name": "t"}]}));
        let names: Vec<String> = namespaces(&good)
            .unwrap()
            .iter()
            .map(|n| n.to_string())
            .collect();
        assert_eq!(names, ["a.b", "c.d"]);
        assert_eq!(tables(&good).unwrap()[0].to_string(), "a.t");
        for bad in [
            json!({"namespaces": {}, "identifiers": 1}),
            json!({"namespaces": [[]], "identifiers": [{}]}),
            json!({"namespaces": [[1]], "identifiers": [{"namespace": ["a"], "name": 1}]}),
        ] {
            assert!(namespaces(&of(bad.clone())).is_err());
            assert!(tables(&of(bad)).is_err());
        }
    }
}
