//! The id that a request has in logs and answers.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName};
use uuid::Uuid;

/// Header in which clients send an id and get it back.
pub const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");
/// Longest id taken from a client.
const MOST_CHARS: usize = 128;

/// Id of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Takes the client's id, or makes one where there is none that can be logged as it is.
    pub fn of(headers: &HeaderMap) -> Self {
        let sent = headers.get(CORRELATION_ID).and_then(|id| id.to_str().ok());
        let fine = |id: &&str| {
            !id.is_empty()
                && id.len() <= MOST_CHARS
                && id.bytes().all(|byte| byte.is_ascii_graphic())
        };
        match sent.filter(fine) {
            Some(id) => Self(Arc::from(id)),
            None => Self(Arc::from(Uuid::new_v4().to_string())),
        }
    }

    /// Returns its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_ids_that_can_be_logged() {
        let check = |sent: &str, is_taken: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(CORRELATION_ID, sent.parse().unwrap());
            let id = RequestId::of(&headers);
            assert_eq!(id.as_str() == sent, is_taken, "{sent}");
            assert!(!id.as_str().is_empty());
        };
        check("abc-1", true);
        check("", false);
        check("a b", false);
        check("é", false);
        check(&"x".repeat(129), false);
        assert_ne!(
            RequestId::of(&HeaderMap::new()),
            RequestId::of(&HeaderMap::new())
        );
    }
}
