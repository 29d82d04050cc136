//! From a configuration to a running server.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use growler_exec::{Engine, EngineOptions};
use growler_server::{Backend, EngineBackend, Server, ServerConfig};

use crate::failure::Failure;
use crate::interrupt;

/// Time that blocking calls have to end once the server has stopped.
const LAST_GRACE: Duration = Duration::from_secs(3);

/// A server that listens.
#[derive(Debug, Clone, Copy)]
pub struct Listening {
    /// Tables it serves.
    pub table_count: usize,
    /// Where.
    pub address: SocketAddr,
}

/// Listens, tells so, and serves until SIGINT or SIGTERM.
///
/// # Errors
/// The address or the data directory cannot be used; what `tell` gives.
pub fn listen(
    config: ServerConfig,
    options: EngineOptions,
    tell: impl FnOnce(Listening) -> io::Result<()>,
) -> Result<(), Failure> {
    let engine = Engine::new(options).map_err(|error| Failure::new(error.kind(), error))?;
    let store = config.indexes.store(config.data_dir.as_deref());
    let backend = EngineBackend::new(engine)
        .with_page_cache(config.page_cache_bytes)
        .with_indexes(store, &config.indexes);
    let backend: Arc<dyn Backend> = Arc::new(backend);
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::failed(format_args!("cannot start the runtime: {error}")))?;
    let served = runtime.block_on(async {
        let failed = |error: growler_server::Error| {
            let failure = Failure::new(error.kind(), &error);
            match error {
                growler_server::Error::Listen { address, .. } => failure.with_help(format_args!(
                    "is {address} free? --listen 127.0.0.1:0 takes a free port"
                )),
                _ => failure,
            }
        };
        let server = Server::bind(config, Arc::clone(&backend))
            .await
            .map_err(failed)?;
        // The handlers are there before anybody is told that there is something to stop.
        let shutdown = interrupt::shutdown()?;
        tell(Listening {
            table_count: backend.tables().len(),
            address: server.local_addr(),
        })?;
        let served = server.run(shutdown).await;
        served.map_err(|error| Failure::new(error.kind(), error))
    });
    // Without a bound this would wait for threads that may be stuck in a file system.
    runtime.shutdown_timeout(LAST_GRACE);
    served
}
