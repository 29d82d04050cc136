//! Request bodies, bounded in size and time.

use axum::body::{Body, Bytes, to_bytes};

use crate::{Error, ServerLimits};

/// Reads a whole body.
///
/// # Errors
/// `LimitExceeded` when it is too large or arrives too slowly, `InvalidInput` when the client
/// breaks off.
pub async fn read_body(body: Body, limits: &ServerLimits) -> Result<Bytes, Error> {
    let read = to_bytes(body, limits.body_bytes);
    match tokio::time::timeout(limits.request_time, read).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => {
            let mut cause: Option<&dyn std::error::Error> = Some(&error);
            while let Some(inner) = cause {
                if inner.to_string() == "length limit exceeded" {
                    return Err(Error::TooLarge(limits.body_bytes));
                }
                cause = inner.source();
            }
            Err(Error::Invalid(format!(
                "request body cannot be read: {error}"
            )))
        }
        Err(_) => Err(Error::TimedOut(limits.request_time.as_millis())),
    }
}
