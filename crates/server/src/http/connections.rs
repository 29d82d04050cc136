//! Connections: how many are open, how long a client may take over each step.
//!
//! ```text
//! place free? -> accept -> request line and headers within headerTimeoutMs -> router
//!      ^                        ^-- also the wait for the next request             |
//!      '--------------- place given back <- closed <- answer taken in time <-------'
//! ```
//! While all places are taken nothing is accepted: clients wait in the system's queue, and no
//! number of them costs the server a file handle or memory.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinSet;

use super::patience::Patient;
use crate::{ServerLimits, metrics};

/// Pause after the system has refused a connection, for lack of file handles most often.
const AFTER_REFUSAL: Duration = Duration::from_millis(200);

/// Serves connections until told to stop, then until those that are open have had their answer.
///
/// # Cancellation
/// Dropping the future cuts all connections off.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ServerLimits,
    mut stop: oneshot::Receiver<()>,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            // A dropped sender stops the server too.
            _ = &mut stop => break,
            (stream, place) = accept(&listener, &places) => {
                let serving = serve_one(stream, router.clone(), &limits, &graceful);
                open.spawn(async move {
                    serving.await;
                    drop(place);
                });
            }
            Some(_) = open.join_next(), if !open.is_empty() => {}
        }
        metrics::connections_open(open.len());
    }
    drop(listener);
    graceful.shutdown().await;
    while open.join_next().await.is_some() {}
    metrics::connections_open(0);
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        let Ok(place) = Arc::clone(places).acquire_owned().await else {
            // Nobody closes the semaphore.
            return std::future::pending().await;
        };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) if is_of_client(&error) => {}
            Err(error) => {
                tracing::error!(%error, "a connection was not accepted");
                tokio::time::sleep(AFTER_REFUSAL).await;
            }
        }
    }
}

fn serve_one(
    stream: TcpStream,
    router: Router,
    limits: &ServerLimits,
    graceful: &GracefulShutdown,
) -> impl Future<Output = ()> + use<> {
    // Answers are written whole; waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let stream = TokioIo::new(Patient::new(stream, limits.request_time));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .serve_connection(stream, TowerToHyperService::new(router));
    let watched = graceful.watch(connection);
    async move {
        if let Err(error) = watched.await {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// Tells whether a client was gone before its connection was accepted.
fn is_of_client(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}
