//! What goes wrong, what to do next, and the exit code it gives.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use growler_base::ErrorKind;

use crate::style::Style;

/// Why a command ended without doing what was asked.
#[derive(Debug)]
pub struct Failure {
    message: String,
    help: Option<String>,
    ending: Ending,
}

/// How a command ends when it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The data, a limit or the engine stopped it.
    Failed,
    /// The request is wrong.
    Refused,
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// Nobody reads stdout any more: nothing to say, nothing wrong.
    Unread,
}

impl Failure {
    /// Makes a failure of a kind of error, which decides the exit code.
    pub fn new(kind: ErrorKind, message: impl Display) -> Self {
        let ending = match kind {
            ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::Unsupported => {
                Ending::Refused
            }
            ErrorKind::Cancelled => Ending::Interrupted,
            ErrorKind::Conflict
            | ErrorKind::Corrupt
            | ErrorKind::Unavailable
            | ErrorKind::LimitExceeded
            | ErrorKind::Internal => Ending::Failed,
        };
        Self {
            message: message.to_string(),
            help: None,
            ending,
        }
    }

    /// Makes a failure of a request that is wrong.
    pub fn refused(message: impl Display) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    /// Makes a failure of files or of the machine.
    pub fn failed(message: impl Display) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// Adds what to do next.
    #[must_use]
    pub fn with_help(mut self, help: impl Display) -> Self {
        self.help = Some(help.to_string());
        self
    }

    /// Tells it on stderr and returns the exit code.
    pub fn report(&self) -> ExitCode {
        if self.ending != Ending::Unread {
            let mut stderr = io::stderr().lock();
            let style = Style::of(&stderr);
            // Nothing is left to do when stderr is closed too.
            let _ = writeln!(stderr, "{}: {}", style.red("error"), self.message);
            if let Some(help) = &self.help {
                let _ = writeln!(stderr, "{}: {help}", style.bold("help"));
            }
        }
        ExitCode::from(self.ending.code())
    }
}

impl Ending {
    fn code(self) -> u8 {
        match self {
            Self::Unread => 0,
            Self::Failed => 1,
            Self::Refused => 2,
            Self::Interrupted => 130,
        }
    }
}

/// Failing to write to stdout; a reader that went away is no failure.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let mut failure = Self::failed(format_args!("cannot write to stdout: {error}"));
        if error.kind() == io::ErrorKind::BrokenPipe {
            failure.ending = Ending::Unread;
        }
        failure
    }
}
