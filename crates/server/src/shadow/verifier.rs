//! The queue of answered queries and the thread that asks them again.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use growler_base::limits;
use growler_exec::run::CancelFlag;
use growler_exec::{BrokerResponse, ResultTable};

use super::compare::compare;
use super::question::{Question, Reason};
use super::share::Picker;
use crate::backend::{Backend, QueryRequest};
use crate::{Error, ShadowShare, metrics};

/// How much of a query's text is logged when the answers differ.
const LOGGED_CHARS: usize = 10_000;

/// A query that was picked and answered.
#[derive(Debug)]
pub struct Answered {
    request: QueryRequest,
    question: Question,
    given: ResultTable,
    version: u64,
}

/// Asks queries again, without indexes and without delay to anybody.
pub struct Verifier {
    picker: Picker,
    queue: Mutex<Option<SyncSender<Box<Answered>>>>,
    cancel: CancelFlag,
}

impl Verifier {
    /// Starts the thread, where any share is wanted.
    ///
    /// # Errors
    /// `Unavailable` when the system gives no thread.
    pub fn start(
        share: ShadowShare,
        query_time: Duration,
        backend: &Arc<dyn Backend>,
    ) -> Result<Self, Error> {
        let cancel = CancelFlag::default();
        let mut queue = None;
        if share != ShadowShare::default() {
            let (sender, receiver) = sync_channel(limits::SHADOW_QUERIES_WAITING);
            let (backend, cancel) = (Arc::clone(backend), cancel.clone());
            let started = thread::Builder::new()
                .name("shadow".to_owned())
                .spawn(move || work(&receiver, backend.as_ref(), query_time, &cancel));
            started.map_err(|error| Error::Io(format!("cannot start a thread: {error}")))?;
            queue = Some(sender);
        }
        Ok(Self {
            picker: Picker::new(share),
            queue: Mutex::new(queue),
            cancel,
        })
    }

    /// Tells whether the next query is one to be asked again.
    pub fn pick(&self) -> bool {
        self.picker.pick()
    }

    /// Keeps of an answer what its comparison needs. `version` is the tables' before the query;
    /// `len_bytes` that of the answer as it is sent. None, counted, where nothing can be compared.
    pub fn keep(
        request: &QueryRequest,
        answer: &BrokerResponse,
        version: u64,
        len_bytes: usize,
    ) -> Option<Answered> {
        let kept = || -> Result<Answered, Reason> {
            if len_bytes > limits::SHADOW_ANSWER_BYTES {
                return Err("too_large");
            }
            let question = Question::of(request, answer)?;
            Ok(Answered {
                request: request.clone(),
                question,
                given: answer.result_table.clone().ok_or("no_rows")?,
                version,
            })
        };
        kept().map_err(metrics::shadow_skipped).ok()
    }

    /// Puts a query into the queue, unless that is full.
    pub fn offer(&self, answered: Answered) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(TrySendError::Full(_))) = queue
            .as_ref()
            .map(|queue| queue.try_send(Box::new(answered)))
        {
            metrics::shadow_skipped("busy");
        }
    }

    /// Ends the thread: what runs is cancelled, what waits is forgotten.
    pub fn close(&self) {
        self.cancel.cancel();
        *self.queue.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn work(
    queue: &Receiver<Box<Answered>>,
    backend: &dyn Backend,
    query_time: Duration,
    cancel: &CancelFlag,
) {
    while let Ok(answered) = queue.recv() {
        if cancel.is_cancelled() {
            return;
        }
        verify(&answered, backend, query_time, cancel);
    }
}

fn verify(answered: &Answered, backend: &dyn Backend, query_time: Duration, cancel: &CancelFlag) {
    let Answered {
        request,
        question,
        given,
        version,
    } = answered;
    let timeout_ms = query_time.as_millis().max(1);
    let again = QueryRequest {
        sql: request.sql.clone(),
        options: format!(
            "{};skipIndexes=*;maxExecutionThreads=1;timeoutMs={timeout_ms}",
            request.options
        ),
    };
    let answer = backend.query(&again, cancel);
    if backend.version() != *version {
        return metrics::shadow_skipped("tables_changed");
    }
    let scanned = match answer.result_table {
        Some(table) if answer.exceptions.is_empty() && !answer.statistics.is_partial() => table,
        _ => return metrics::shadow_skipped("failed"),
    };
    let outcome = compare(question, given, &scanned);
    metrics::shadow_compared(outcome.is_ok());
    if let Err(difference) = outcome {
        let sql: String = request.sql.chars().take(LOGGED_CHARS).collect();
        tracing::error!(
            difference = difference.0,
            sql,
            options = request.options,
            "an answer by index differs from the one by scan"
        );
    }
}
