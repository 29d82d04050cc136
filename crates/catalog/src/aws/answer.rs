//! Answers of the token service.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use object_store::aws::AwsCredential;
use reqwest::Response;

/// How long keys are taken for good that do not say when they end.
const UNKNOWN_LIFE: Duration = Duration::from_secs(900);
/// Longest answer that is read: keys and refusals are a few kilobytes.
const MAX_LEN: usize = 64 << 10;

/// Keys that are lent, until they end.
pub(super) struct Lent {
    pub(super) credential: Arc<AwsCredential>,
    pub(super) ends: SystemTime,
}

/// Reads an answer; none when it is too long to be one.
pub(super) async fn body(mut response: Response) -> reqwest::Result<Option<String>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len().saturating_add(chunk.len()) > MAX_LEN {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(String::from_utf8_lossy(&body).into_owned()))
}

/// Takes the keys out of an answer.
pub(super) fn lent(body: &str) -> Option<Lent> {
    let credentials = element(body, "Credentials")?;
    let member = |name| element(&credentials, name).filter(|text| !text.is_empty());
    let ends = member("Expiration")
        .and_then(|text| chrono::DateTime::parse_from_rfc3339(&text).ok())
        .map(SystemTime::from);
    Some(Lent {
        credential: Arc::new(AwsCredential {
            key_id: member("AccessKeyId")?,
            secret_key: member("SecretAccessKey")?,
            token: Some(member("SessionToken")?),
        }),
        ends: match ends {
            Some(ends) => ends,
            None => SystemTime::now().checked_add(UNKNOWN_LIFE)?,
        },
    })
}

/// Returns what is inside the first element of a name: the answers are small and flat.
pub(super) fn element(body: &str, name: &str) -> Option<String> {
    let (_, rest) = body.split_once(&format!("<{name}>"))?;
    let (inside, _) = rest.split_once(&format!("</{name}>"))?;
    let plain = inside.trim().replace("&lt;", "<").replace("&gt;", ">");
    Some(
        plain
            .replace("&quot;", "\"")
            .replace("&apos;", "'")
            .replace("&amp;", "&"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_out_of_the_answer() {
        let body = "<AssumeRoleResponse><AssumeRoleResult><Credentials>\
                    <AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s/+=</SecretAccessKey>\
                    <SessionToken>t&amp;/+=</SessionToken>\
                    <Expiration>2026-12-01T00:00:00Z</Expiration>\
                    </Credentials></AssumeRoleResult></AssumeRoleResponse>";
        let found = lent(body).unwrap();
        assert_eq!(found.credential.key_id, "ASIA");
        assert_eq!(found.credential.secret_key, "s/+=");
        assert_eq!(found.credential.token.as_deref(), Some("t&/+="));
        let since = found.ends.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(since.as_secs(), 1_796_083_200);
        for broken in [
            "",
            "<Credentials>",
            "<Credentials></Credentials>",
            "</Credentials><Credentials>",
        ] {
            assert!(lent(broken).is_none(), "{broken}");
        }
    }
}
