//! Log lines on stderr.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::arguments::LogFormat;

/// Writes log lines to stderr; `RUST_LOG` says which, else `default` does.
pub fn start(format: LogFormat, default: &str) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    // A subscriber that is there already keeps its place.
    let _ = match format {
        LogFormat::Text => {
            let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            lines
                .with_ansi(!no_colour && io::stderr().is_terminal())
                .try_init()
        }
        LogFormat::Json => lines.json().try_init(),
    };
}
