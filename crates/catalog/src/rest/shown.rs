//! What may be shown of addresses and refusals.

/// Returns an address without its query and without a password.
pub(crate) fn shown(url: &str) -> &str {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((_, rest)) = url.split_once("://") else {
        return url;
    };
    // A password may have an at sign of its own; the path has nothing to do with it.
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rfind('@') {
        Some(at) => rest.get(at.saturating_add(1)..).unwrap_or_default(),
        None => url,
    }
}

/// Returns what a refusal says: Iceberg's error model, wrapped or not, or OAuth's.
pub(crate) fn refusal(body: &[u8]) -> String {
    let parsed: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let message = parsed.as_ref().and_then(|value| {
        let model = value.get("error").filter(|error| error.is_object());
        let member = |name: &str| model.unwrap_or(value).get(name)?.as_str();
        let text = member("message").or_else(|| member("error_description"));
        let kind = member("type").or_else(|| member("error"));
        match (kind, text) {
            (Some(kind), Some(text)) => Some(format!("{kind}: {text}")),
            (one, other) => one.or(other).map(str::to_owned),
        }
    });
    message.unwrap_or_else(|| "no reason given".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_credentials() {
        for (url, expected) in [
            ("http://h:1/v1/config?warehouse=w", "http://h:1/v1/config"),
            ("http://user:pw@h/v1", "h/v1"),
            ("http://user:p@w@h/v1", "h/v1"),
            ("http://h/a@b", "http://h/a@b"),
        ] {
            assert_eq!(shown(url), expected);
        }
    }

    #[test]
    fn refusals_are_understood() {
        for (body, expected) in [
            (
                r#"{"error":{"message":"no such table","type":"NoSuchTableException","code":404}}"#,
                "NoSuchTableException: no such table",
            ),
            (
                r#"{"message":"unwrapped","type":"T","code":406}"#,
                "T: unwrapped",
            ),
            (
                r#"{"error":"invalid_client","error_description":"bad"}"#,
                "invalid_client: bad",
            ),
            (r#"{"error":"invalid_client"}"#, "invalid_client"),
            ("<html>", "no reason given"),
            ("", "no reason given"),
        ] {
            assert_eq!(refusal(body.as_bytes()), expected);
        }
    }
}
