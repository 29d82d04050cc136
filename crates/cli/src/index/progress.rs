//! A bar on stderr while segments are built.

use std::sync::{Mutex, PoisonError};

use growler_exec::reload::Advance;
use growler_exec::table::View;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const LAYOUT: &str = "{bar:32} {percent:>3}%  {msg}, {eta} left";

/// How far all segments are; shown when stderr is a terminal.
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
    parts: Mutex<Vec<Part>>,
}

/// How far one segment is.
#[derive(Debug, Clone, Copy)]
struct Part {
    rows: u64,
    done: f64,
}

impl Bar {
    /// Starts a bar.
    pub fn new(view: &View) -> Self {
        let segments = view.segments().iter();
        let parts = segments.map(|segment| Part {
            rows: segment.row_count() as u64,
            done: 0.0,
        });
        let bar =
            ProgressBar::with_draw_target(Some(view.row_count()), ProgressDrawTarget::stderr());
        if let Ok(layout) = ProgressStyle::with_template(LAYOUT) {
            bar.set_style(layout);
        }
        Self {
            bar,
            parts: Mutex::new(parts.collect()),
        }
    }

    /// Moves a segment on.
    pub fn advance(&self, idx: usize, advance: Advance) {
        let total = advance.rows_total.max(1) as f64;
        self.set(idx, (advance.rows_done as f64 / total).min(0.99));
    }

    /// Notes that a segment is done.
    pub fn done(&self, idx: usize) {
        self.set(idx, 1.0);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn set(&self, idx: usize, done: f64) {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = parts.get_mut(idx) {
            // Later passes over a segment are known when they begin, and never move it back.
            part.done = part.done.max(done);
        }
        let rows: f64 = parts.iter().map(|part| part.rows as f64 * part.done).sum();
        let finished = parts.iter().filter(|part| part.done >= 1.0).count();
        let message = format!("{finished} of {} segments", parts.len());
        drop(parts);
        self.bar.set_message(message);
        self.bar.set_position(rows as u64);
    }
}
