//! One small runtime for all network input, behind calls that block.
//!
//! Callers may be anywhere: on a plain thread, or on a thread of a runtime of their own, where starting
//! or dropping another one would panic. So the work is spawned over here and its result awaited through
//! a channel.

use std::future::Future;
use std::io;
use std::sync::{OnceLock, mpsc};

use tokio::runtime::{Builder, Runtime};

/// Threads that wait for answers; what they do beside waiting is little.
const THREADS: usize = 2;

/// Runs a future to its end on the runtime of this crate.
///
/// # Errors
/// When there is no runtime, or the future panicked.
pub(crate) fn run<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    runtime()?.spawn(async move {
        // Nobody waits any more: the answer is of no use.
        let _ = sender.send(future.await);
    });
    receiver
        .recv()
        .map_err(|_| io::Error::other("a network call broke off"))
}

fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("growler-net")
            .enable_all()
            .build()
            .map_err(|error| error.to_string())
    });
    runtime
        .as_ref()
        .map_err(|cause| io::Error::other(format!("no runtime for network calls: {cause}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_from_plain_threads_and_from_other_runtimes() {
        assert_eq!(run(async { 1 }).unwrap(), 1);
        let other = Builder::new_multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let inside = other.block_on(async {
            let direct = run(async { 2 }).unwrap();
            let blocking = tokio::task::spawn_blocking(|| run(async { 3 }).unwrap());
            (direct, blocking.await.unwrap())
        });
        assert_eq!(inside, (2, 3));
    }

    #[test]
    fn a_panic_is_an_error() {
        let broken: io::Result<()> = run(async { panic!("expected by the test") });
        assert!(broken.is_err());
    }
}
