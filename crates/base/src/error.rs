//! The closed set of error kinds that callers branch on.

/// What kind of failure an error is; each library crate maps its precise variants to these.
///
/// The set is closed on purpose: every edge (HTTP, CLI, SDK) maps it totally.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request, configuration or SQL text is wrong; the caller can mend it.
    InvalidInput,
    /// A named thing does not exist.
    NotFound,
    /// The thing exists already, or somebody else changed it first.
    Conflict,
    /// A valid request for something growler does not do.
    Unsupported,
    /// Bytes read from a file break their format.
    Corrupt,
    /// A file or service cannot be reached now; a retry may help.
    Unavailable,
    /// A budget, deadline or bound was exceeded.
    LimitExceeded,
    /// The caller, or a shutdown, cancelled the work.
    Cancelled,
    /// A broken invariant: a defect of growler.
    Internal,
}
