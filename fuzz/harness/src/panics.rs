//! Which panics are failures.
//!
//! `segment` and [`crate::twin`] catch those of other crates. libFuzzer's own hook would take each
//! for a crash, so here a panic counts only once it leaves a check.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

static LAST: Mutex<String> = Mutex::new(String::new());

/// Keeps panics silent until one leaves a check; for libFuzzer, after its own hook.
pub fn report_panics_of_checks() {
    std::panic::set_hook(Box::new(|panic| {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
}

/// Runs a check; if it panics, says so and goes on panicking.
pub(crate) fn reported(check: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(check)) {
        eprintln!("{}", LAST.lock().unwrap_or_else(PoisonError::into_inner));
        resume_unwind(panic);
    }
}
