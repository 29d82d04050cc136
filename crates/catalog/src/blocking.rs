//! One small runtime for all network input, behind calls that block.
//!
//! Callers may be anywhere: on a plain thread, or on a thread of a runtime of their own, where starting
//! or dropping another one would panic. So the work is spawned over here and its result awaited through
//! a channel.

use std::future::Future;
use std::io;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{OnceLock, mpsc};

use growler_base::Interrupt;
use tokio::runtime::{Builder, Runtime};

/// Threads that wait for answers; what they do beside waiting is little.
const THREADS: usize = 2;

/// Runs a future to its end on the runtime of this crate, or until the caller's [`Interrupt`]: it is
/// dropped then.
///
/// # Errors
/// When there is no runtime, the future panicked, or the caller was interrupted.
pub(crate) fn run<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> io::Result<T> {
    let interrupt = Interrupt::current();
    if let Some(interrupt) = &interrupt {
        interrupt.check()?;
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    let call = runtime()?.spawn(async move {
        // Nobody waits any more: the answer is of no use.
        let _ = sender.send(future.await);
    });
    received(&receiver, interrupt.as_ref()).inspect_err(|_| call.abort())
}

/// Does work that blocks on a thread of its own, under no interrupt: it goes on where its caller's ends
/// the wait for it.
///
/// # Errors
/// When there is no runtime, the work panicked, or the caller was interrupted.
pub(crate) fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    detach(move || {
        let _ = sender.send(work());
    })?;
    received(&receiver, Interrupt::current().as_ref())
}

/// Starts work that blocks on a thread of its own, under no interrupt, and does not wait for it.
///
/// # Errors
/// When there is no runtime.
pub(crate) fn detach(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // Its panic is seen by whoever waits for what it was to send.
    drop(runtime()?.spawn_blocking(work));
    Ok(())
}

/// Waits for what is sent, or for an interrupt.
fn received<T>(receiver: &mpsc::Receiver<T>, interrupt: Option<&Interrupt>) -> io::Result<T> {
    let broken_off = || io::Error::other("a network call broke off");
    let Some(interrupt) = interrupt else {
        return receiver.recv().map_err(|_| broken_off());
    };
    loop {
        match receiver.recv_timeout(interrupt.step()) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Disconnected) => return Err(broken_off()),
            Err(RecvTimeoutError::Timeout) => interrupt.check()?,
        }
    }
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
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use growler_base::CancelFlag;

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
    fn an_interrupt_ends_the_wait_and_the_call_but_not_work_apart() {
        let call_ended = Arc::new(());
        let (held, started) = (Arc::clone(&call_ended), Instant::now());
        let deadline = started.checked_add(Duration::from_millis(50));
        let interrupt = Interrupt::new(CancelFlag::default(), deadline);
        Interrupt::within(Some(&interrupt), || {
            let broken = run(async move {
                std::future::pending::<()>().await;
                drop(held);
            });
            assert_eq!(broken.unwrap_err().kind(), io::ErrorKind::TimedOut);
        });
        let (sender, receiver) = mpsc::channel();
        let given_up = Interrupt::within(Some(&interrupt), || {
            apart(move || {
                std::thread::sleep(Duration::from_millis(300));
                sender.send(run(async { 4 }).unwrap()).unwrap();
            })
        });
        assert!(given_up.is_err());
        assert!(started.elapsed() < Duration::from_millis(300));
        assert_eq!(receiver.recv(), Ok(4));
        assert_eq!(Arc::strong_count(&call_ended), 1);
    }

    #[test]
    fn a_panic_is_an_error() {
        let broken: io::Result<()> = run(async { panic!("expected by the test") });
        assert!(broken.is_err());
    }
}
