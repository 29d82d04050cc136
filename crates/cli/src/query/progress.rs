//! A progress bar for scans that take a while.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use growler_exec::run::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a query may run unseen.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the bar moves.
const TICK: Duration = Duration::from_millis(100);
const LAYOUT: &str = "{bar:32} {percent:>3}%  {human_pos} of {human_len} rows, {eta} left";

/// A bar on stderr while a query runs; it is gone when this is dropped.
#[derive(Debug)]
pub struct Bar {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Watches a query; shows nothing when stderr is no terminal.
    pub fn watch(progress: Arc<Progress>) -> Self {
        if !io::stderr().is_terminal() {
            return Self {
                stop: None,
                thread: None,
            };
        }
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            if let Ok(layout) = ProgressStyle::with_template(LAYOUT) {
                bar.set_style(layout);
            }
            loop {
                bar.set_length(progress.rows_total());
                bar.set_position(progress.rows_done());
                if stopped.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                    break bar.finish_and_clear();
                }
            }
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The bar must be off the terminal before anything else is written to it.
            let _ = thread.join();
        }
    }
}
