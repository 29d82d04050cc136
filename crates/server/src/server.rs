//! The listening server, from its start to its stop.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::app::App;
use crate::backend::Backend;
use crate::http::connections;
use crate::routes::router;
use crate::{Error, ServerConfig, metrics};

/// How often the metrics' histograms are emptied of what they have gathered.
const UPKEEP: Duration = Duration::from_secs(5);
/// Time that cancelled queries and slow clients have before the server goes without them.
const LAST_GRACE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(10);

/// A server that listens; requests are taken once it runs.
pub struct Server {
    listener: TcpListener,
    local_addr: SocketAddr,
    app: Arc<App>,
}

impl Server {
    /// Loads the tables and listens.
    ///
    /// # Errors
    /// `Unavailable` when the address or the data directory cannot be used.
    pub async fn bind(config: ServerConfig, engine: Arc<dyn Backend>) -> Result<Self, Error> {
        metrics::handle();
        let refused = |error: std::io::Error| Error::Listen {
            text: error.to_string(),
            address: config.listen.clone(),
        };
        let listener = TcpListener::bind(&config.listen).await.map_err(refused)?;
        let local_addr = listener.local_addr().map_err(refused)?;
        let open = move || App::open(&config, engine, local_addr);
        let app = tokio::task::spawn_blocking(open)
            .await
            .map_err(|error| Error::Internal(error.to_string()))??;
        Ok(Self {
            listener,
            local_addr,
            app: Arc::new(app),
        })
    }

    /// Returns the address that is listened on.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Serves until `shutdown` is done, then stops: takes no new query, lets running ones end for
    /// a while, cancels the rest.
    ///
    /// # Errors
    /// `Unavailable` when the socket fails.
    pub async fn run(
        self,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), Error> {
        let Self {
            listener,
            local_addr,
            app,
        } = self;
        tracing::info!(address = %local_addr, tables = app.catalog.table_names().len(), "listening");
        let (stop, stopped) = oneshot::channel::<()>();
        let served = connections::serve(listener, router(Arc::clone(&app)), app.limits, stopped);
        let mut served = tokio::spawn(served);
        let upkeep = tokio::spawn(upkeep());
        tokio::select! {
            ended = &mut served => return finish(ended),
            () = shutdown => {}
        }
        tracing::info!(running = app.admission.running_count(), "stopping");
        app.admission.close();
        app.reloads.close();
        app.shadow.close();
        if let Ok(external) = app.catalog.external() {
            external.watchers.close();
        }
        let _ = stop.send(());
        drain(&app).await;
        if !app.reloads.wait_ended(LAST_GRACE).await {
            tracing::warn!("a reload is cut off; its segment serves on with the indexes it had");
        }
        if let Ok(external) = app.catalog.external()
            && !external.watchers.wait_ended(LAST_GRACE).await
        {
            tracing::warn!("a sync run is cut off; its table serves on as it was");
        }
        let result = match tokio::time::timeout(LAST_GRACE, &mut served).await {
            Ok(ended) => finish(ended),
            Err(_) => {
                tracing::warn!("connections are cut off");
                served.abort();
                Ok(())
            }
        };
        upkeep.abort();
        tracing::info!("stopped");
        result
    }
}

/// Waits until no query runs, cancelling them after a while.
async fn drain(app: &App) {
    let started = Instant::now();
    let is_over = |time| started.elapsed() > time;
    while app.admission.running_count() > 0 && !is_over(app.limits.drain_time) {
        tokio::time::sleep(POLL).await;
    }
    if app.admission.running_count() > 0 {
        tracing::warn!(
            running = app.admission.running_count(),
            "queries are cancelled"
        );
        app.running.cancel_all();
    }
    while app.admission.running_count() > 0 && !is_over(app.limits.drain_time + LAST_GRACE) {
        tokio::time::sleep(POLL).await;
    }
}

async fn upkeep() {
    let mut ticks = tokio::time::interval(UPKEEP);
    loop {
        ticks.tick().await;
        if let Some(handle) = metrics::handle() {
            handle.run_upkeep();
        }
    }
}

fn finish(ended: Result<(), tokio::task::JoinError>) -> Result<(), Error> {
    ended.map_err(|error| Error::Internal(error.to_string()))
}
