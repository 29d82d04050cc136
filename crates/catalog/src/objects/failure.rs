//! What stores fail with, as errors that name the path and what to do, and no credential.

use std::error::Error as _;
use std::io;

use crate::secret::{Properties, Redactor};

/// Turns the failure of a store into an error of the system's kinds.
pub(crate) fn io_error(error: &object_store::Error, properties: &Properties) -> io::Error {
    use object_store::Error as Failure;
    let (kind, advice) = match error {
        Failure::NotFound { .. } => {
            return io::Error::new(io::ErrorKind::NotFound, "no such object");
        }
        Failure::Generic { source, .. } if is_short(source.as_ref()) => {
            return io::Error::new(io::ErrorKind::UnexpectedEof, source.to_string());
        }
        _ if is_refused(error) => (
            io::ErrorKind::PermissionDenied,
            "access denied: check what the storage credentials may read",
        ),
        Failure::Unauthenticated { .. } => (
            io::ErrorKind::PermissionDenied,
            "storage credentials were refused: check storage.access_key_id and \
             storage.secret_access_key, or the credentials that the catalog vends",
        ),
        Failure::Precondition { .. } => (
            io::ErrorKind::InvalidData,
            "object was replaced while it was read",
        ),
        // A listing fails as a whole when it has one such key.
        Failure::InvalidPath { .. } => (
            io::ErrorKind::InvalidData,
            "store has a key that cannot be read: rename objects with empty steps in their keys",
        ),
        Failure::NotSupported { .. } | Failure::NotImplemented { .. } => {
            (io::ErrorKind::Unsupported, "store does not do this")
        }
        _ => (
            io::ErrorKind::Other,
            "object store failed: check its endpoint and region, and that it runs",
        ),
    };
    let cause = Redactor::new(properties.secrets()).clean(&chain(error));
    io::Error::new(kind, format!("{advice}: {cause}"))
}

fn is_short(source: &(dyn std::error::Error + 'static)) -> bool {
    let source = source.downcast_ref::<io::Error>();
    source.is_some_and(|source| source.kind() == io::ErrorKind::UnexpectedEof)
}

/// Tells whether fresh credentials may help.
pub(crate) fn wants_credentials(error: &object_store::Error) -> bool {
    use object_store::Error as Failure;
    match error {
        Failure::PermissionDenied { .. } | Failure::Unauthenticated { .. } => true,
        // S3 says 400 to a session token that has ended.
        other => is_refused(other) || chain(other).contains("<Code>ExpiredToken"),
    }
}

/// Lists are refused without a kind of their own.
fn is_refused(error: &object_store::Error) -> bool {
    match error {
        object_store::Error::PermissionDenied { .. } => true,
        object_store::Error::Generic { .. } => chain(error).contains("status code: 403"),
        _ => false,
    }
}

/// Tells whether a range begins behind the end of its object.
pub(crate) fn is_behind_the_end(error: &object_store::Error) -> bool {
    let is_generic = matches!(error, object_store::Error::Generic { .. });
    is_generic && chain(error).contains("status code: 416")
}

fn chain(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_key_is_no_matter_of_the_endpoint() {
        let odd = object_store::path::Path::parse("a//x").unwrap_err();
        let error = io_error(&odd.into(), &Properties::default());
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains("a//x"), "{error}");
    }
}
