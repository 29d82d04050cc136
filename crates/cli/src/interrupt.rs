//! Ctrl-C and the signals that end a server.

use std::thread;

use crate::failure::Failure;

/// Calls `on_interrupt` at the first Ctrl-C; a second one ends the process at once.
pub fn on_ctrl_c(on_interrupt: impl FnOnce() + Send + 'static) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build();
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

/// Starts to listen for SIGINT and SIGTERM; the future is done at the first one.
///
/// # Errors
/// The handlers cannot be installed.
pub fn shutdown() -> Result<impl Future<Output = ()> + Send + 'static, Failure> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let failed = |error| Failure::failed(format_args!("cannot wait for signals: {error}"));
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        Ok(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        // Where no handler can be installed, the system ends the process by itself.
        let _ = tokio::signal::ctrl_c().await;
    })
}
