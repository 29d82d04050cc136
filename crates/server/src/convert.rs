//! Engine's error kinds and Pinot's error codes as HTTP statuses.

use axum::http::StatusCode;
use growler_base::ErrorKind;

/// Returns the HTTP status of a failed request that is not a query.
pub fn status_of_kind(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::InvalidInput | ErrorKind::Corrupt | ErrorKind::Unsupported => {
            StatusCode::BAD_REQUEST
        }
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::LimitExceeded => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::Unavailable | ErrorKind::Cancelled => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Returns the HTTP status that Pinot gives an error code where the client asks for statuses.
pub fn status_of_code(code: u16) -> StatusCode {
    match code {
        100 | 150 | 155 | 246 | 700 | 710 | 720 => StatusCode::BAD_REQUEST,
        180 => StatusCode::FORBIDDEN,
        190 | 191 | 230 | 235 => StatusCode::NOT_FOUND,
        240 | 250 | 400 => StatusCode::REQUEST_TIMEOUT,
        429 => StatusCode::TOO_MANY_REQUESTS,
        210 | 211 | 245 | 305 | 410 | 420 | 425 | 427 | 503 | 510 => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
