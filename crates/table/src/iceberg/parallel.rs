//! The same work on many files, some at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use growler_base::Interrupt;

/// Most threads at work; they mostly wait for files.
const THREADS: usize = 16;

/// Maps items in parallel, under the caller's interrupt, and returns the results in their order.
///
/// # Errors
/// That of the first item, in their order, of those that failed; others may not have been tried.
pub(super) fn map<T: Sync, R: Send, E: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.saturating_mul(2).min(THREADS).min(items.len());
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let interrupt = &Interrupt::current();
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<R, E>)>> = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else {
                        return;
                    };
                    let result = Interrupt::within(interrupt.as_ref(), || work(item));
                    if result.is_err() {
                        next.store(items.len(), Ordering::Relaxed);
                    }
                    let mut done = done
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                    done.push((at, result));
                }
            });
        }
    });
    let mut done = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..500).collect();
        let doubled = map(&items, |item| Ok::<_, ()>(item * 2));
        assert_eq!(doubled, Ok(items.iter().map(|item| item * 2).collect()));
        let failed = map(&items, |item| if *item == 7 { Err(*item) } else { Ok(()) });
        assert_eq!(failed, Err(7));
    }
}
