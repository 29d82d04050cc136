//! Ctrl-C and the signals that end a server.

use std::thread;

use crate::failure::Failure;

/// Calls `on_interrupt` at the first Ctrl-C; a second one ends the process at once.
pub fn on_ctrl_c(on_interrupt: impl FnOnce() + Send + 'static) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let Ok(runtime) = runtime else {
        // Without a handler Ctrl-C ends the process, which is what was asked for.
        return;
    };
    thread::spawn(move || {
        runtime.block_on(async {
            if tokio::signal::ctrl_c().await.is_ok() {
                on_interrupt();
                if tokio::signal::ctrl_c().await.is_ok() {
                    std::process::exit(130);
                }
            }
        });
    });
}

/// Waits for SIGINT or SIGTERM.
///
/// # Errors
/// The handlers cannot be installed.
pub async fn shutdown() -> Result<(), Failure> {
    let failed = |error| Failure::failed(format_args!("cannot wait for signals: {error}"));
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted.map_err(failed),
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await.map_err(failed)
}
