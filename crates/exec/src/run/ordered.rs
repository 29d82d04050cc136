//! Morsels on the compute pool, their partial results folded in row order.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc;

use growler_base::Interrupt;
use rayon::ThreadPool;

use crate::error::Error;

/// What a fold wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The next partial result.
    Continue,
    /// Nothing more.
    Stop,
}

/// How many morsels may be under way or waiting to be folded.
#[derive(Debug, Clone, Copy)]
pub struct Window(pub usize);

/// Runs `work` for the morsels `0..count` in parallel and hands the results to `fold` in order of
/// the morsels, whatever order they finish in. At most `window` results exist at a time.
///
/// After the first error, or [`Flow::Stop`], no further morsel is started and results still under
/// way are dropped. The workers have the interrupt of the caller.
///
/// # Errors
/// The error of the lowest failing morsel among those before the end, or of `fold`;
/// [`Error::Internal`] when a worker panics.
pub fn fold_in_order<P: Send>(
    pool: &ThreadPool,
    count: usize,
    window: Window,
    work: impl Fn(usize) -> Result<P, Error> + Sync,
    mut fold: impl FnMut(P) -> Result<Flow, Error>,
) -> Result<(), Error> {
    let (sender, receiver) = mpsc::channel();
    let interrupt = &Interrupt::current();
    let work = |morsel| Interrupt::within(interrupt.as_ref(), || work(morsel));
    pool.in_place_scope(|scope| {
        let (mut started, mut folded) = (0, 0);
        let mut waiting = BTreeMap::new();
        while folded < count {
            while started < count && started - folded < window.0.max(1) {
                let (morsel, sender, work) = (started, sender.clone(), &work);
                // Sending fails when the fold has ended; then nobody wants the result.
                scope.spawn(move |_| _ = sender.send((morsel, caught(work, morsel))));
                started += 1;
            }
            let Ok((morsel, partial)) = receiver.recv() else {
                return Err(Error::Internal("the compute pool is gone".to_owned()));
            };
            waiting.insert(morsel, partial);
            while let Some(partial) = waiting.remove(&folded) {
                folded += 1;
                if fold(partial?)? == Flow::Stop {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

/// Runs one morsel; a panic of a worker is a defect that fails this query only.
fn caught<P>(work: impl Fn(usize) -> Result<P, Error>, morsel: usize) -> Result<P, Error> {
    std::panic::catch_unwind(AssertUnwindSafe(|| work(morsel))).unwrap_or_else(|_| {
        Err(Error::Internal(format!(
            "a worker panicked: morsel={morsel}"
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn pool(threads: usize) -> Result<ThreadPool, Error> {
        let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        built.map_err(|error| Error::Internal(error.to_string()))
    }

    #[test]
    fn folds_in_the_order_of_the_morsels() -> Result<(), Error> {
        for threads in [1, 2, 4] {
            let mut seen = Vec::new();
            let slow_first = |morsel: usize| {
                (0..(50 - morsel) * 1000).for_each(|turn| _ = std::hint::black_box(turn));
                Ok(morsel)
            };
            fold_in_order(&pool(threads)?, 50, Window(4), slow_first, |morsel| {
                seen.push(morsel);
                Ok(Flow::Continue)
            })?;
            assert_eq!(seen, (0..50).collect::<Vec<_>>(), "threads={threads}");
        }
        Ok(())
    }

    #[test]
    fn stops_early_and_starts_no_more_than_the_window() -> Result<(), Error> {
        let started = AtomicUsize::new(0);
        let mut left = 3;
        let work = |_| {
            started.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        fold_in_order(&pool(2)?, 1000, Window(2), work, |()| {
            left -= 1;
            Ok(if left == 0 {
                Flow::Stop
            } else {
                Flow::Continue
            })
        })?;
        assert!(started.into_inner() <= 5);
        Ok(())
    }

    #[test]
    fn gives_the_error_of_the_lowest_morsel() -> Result<(), Error> {
        let work = |morsel| match morsel {
            7 | 8 => Err(Error::Execution(morsel.to_string())),
            other => Ok(other),
        };
        let failed = fold_in_order(&pool(2)?, 20, Window(8), work, |_| Ok(Flow::Continue));
        assert_eq!(failed, Err(Error::Execution("7".to_owned())));
        Ok(())
    }
}
