//! Memory a query may hold.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use crate::error::Error;

/// Counts the bytes that the growing states of one query hold, and refuses more than its limit.
#[derive(Debug, Clone)]
pub struct MemoryBudget {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    limit_bytes: usize,
    used_bytes: AtomicUsize,
    peak_bytes: AtomicUsize,
}

impl MemoryBudget {
    /// Makes a budget.
    pub fn new(limit_bytes: usize) -> Self {
        let (used_bytes, peak_bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self {
            shared: Arc::new(Shared {
                limit_bytes,
                used_bytes,
                peak_bytes,
            }),
        }
    }

    /// Returns the bytes held now.
    pub fn used_bytes(&self) -> usize {
        self.shared.used_bytes.load(Ordering::Relaxed)
    }

    /// Returns the most bytes held at any time.
    pub fn peak_bytes(&self) -> usize {
        self.shared.peak_bytes.load(Ordering::Relaxed)
    }

    /// Opens an account of no bytes; `purpose` is named when it is refused.
    pub fn charge(&self, purpose: &'static str) -> Charge {
        Charge {
            budget: self.clone(),
            purpose,
            bytes: 0,
        }
    }

    fn take(&self, bytes: usize, purpose: &'static str) -> Result<(), Error> {
        let used_bytes = self.shared.used_bytes.fetch_add(bytes, Ordering::Relaxed);
        let asked_bytes = used_bytes.saturating_add(bytes);
        if asked_bytes > self.shared.limit_bytes {
            self.give_back(bytes);
            let budget_bytes = self.shared.limit_bytes;
            return Err(Error::Memory {
                budget_bytes,
                asked_bytes,
                purpose,
            });
        }
        self.shared
            .peak_bytes
            .fetch_max(asked_bytes, Ordering::Relaxed);
        Ok(())
    }

    fn give_back(&self, bytes: usize) {
        self.shared.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Bytes one state holds; dropping it gives them back.
#[derive(Debug)]
pub struct Charge {
    budget: MemoryBudget,
    purpose: &'static str,
    bytes: usize,
}

impl Charge {
    /// Returns what the state holds.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Sets what the state holds now.
    ///
    /// # Errors
    /// [`Error::Memory`] when the query would hold more than its budget; the account stays as it was.
    pub fn set(&mut self, bytes: usize) -> Result<(), Error> {
        if bytes > self.bytes {
            self.budget.take(bytes - self.bytes, self.purpose)?;
        } else {
            self.budget.give_back(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Adds to what the state holds.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub fn add(&mut self, bytes: usize) -> Result<(), Error> {
        self.set(self.bytes.saturating_add(bytes))
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_more_than_the_limit_and_gives_back_on_drop() -> Result<(), Error> {
        let budget = MemoryBudget::new(100);
        let mut groups = budget.charge("groups");
        groups.set(60)?;
        let mut rows = budget.charge("rows");
        let refused = Error::Memory {
            budget_bytes: 100,
            asked_bytes: 101,
            purpose: "rows",
        };
        assert_eq!(rows.set(41), Err(refused));
        assert_eq!(budget.used_bytes(), 60);
        rows.add(40)?;
        groups.set(10)?;
        assert_eq!(budget.used_bytes(), 50);
        drop(rows);
        assert_eq!((budget.used_bytes(), budget.peak_bytes()), (10, 100));
        Ok(())
    }
}
