//! Sets of rows of one batch.

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};

/// Some of the rows of one batch; all of them costs nothing to say.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    len: usize,
    set: Option<NullBuffer>,
}

impl Rows {
    /// Makes the set of all rows.
    pub(super) fn all(len: usize) -> Self {
        Self { len, set: None }
    }

    /// Makes the set of the rows whose bit is set.
    pub(super) fn from_bits(bits: &mut BooleanBufferBuilder) -> Self {
        Self {
            len: bits.len(),
            set: Some(NullBuffer::new(bits.finish())),
        }
    }

    /// Returns the number of rows in the set.
    pub(super) fn count(&self) -> usize {
        self.len
            .saturating_sub(self.set.as_ref().map_or(0, NullBuffer::null_count))
    }

    /// Returns the number of rows of the batch.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Tells whether no row is in the set.
    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns the first row of the set.
    pub(super) fn first(&self) -> Option<usize> {
        match &self.set {
            None => (self.len > 0).then_some(0),
            Some(set) => set.valid_indices().next(),
        }
    }

    /// Returns the set as the validity of an array, `None` for all rows.
    pub(super) fn validity(&self) -> Option<&NullBuffer> {
        self.set.as_ref()
    }

    /// Keeps the rows where a value is present.
    #[must_use]
    pub(super) fn and(&self, validity: Option<&NullBuffer>) -> Self {
        let validity = validity.filter(|validity| validity.null_count() > 0);
        Self {
            len: self.len,
            set: NullBuffer::union(self.set.as_ref(), validity),
        }
    }

    /// Keeps the rows where a value is null.
    #[must_use]
    pub(super) fn and_null(&self, validity: Option<&NullBuffer>) -> Self {
        match validity.filter(|validity| validity.null_count() > 0) {
            None => Self::none(self.len),
            Some(validity) => self.and(Some(&NullBuffer::new(!validity.inner()))),
        }
    }

    /// Keeps the rows that are not in another set.
    #[must_use]
    pub(super) fn minus(&self, other: &Self) -> Self {
        self.and_null(other.set.as_ref())
    }

    /// Returns the rows that are in either set.
    #[must_use]
    pub(super) fn or(&self, other: &Self) -> Self {
        match (&self.set, &other.set) {
            (Some(a), Some(b)) => Self {
                len: self.len,
                set: Some(NullBuffer::new(a.inner() | b.inner())),
            },
            _ => Self::all(self.len),
        }
    }

    /// Makes the empty set.
    pub(super) fn none(len: usize) -> Self {
        Self {
            len,
            set: (len > 0).then(|| NullBuffer::new(BooleanBuffer::new_unset(len))),
        }
    }

    /// Calls `f` with each row, in order, until it fails.
    #[inline]
    pub(super) fn try_for_each<E>(
        &self,
        mut f: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.set {
            None => (0..self.len).try_for_each(f),
            Some(set) => {
                for row in set.valid_indices() {
                    f(row)?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(rows: &Rows) -> Vec<usize> {
        let mut listed = Vec::new();
        let done: Result<(), ()> = rows.try_for_each(|row| {
            listed.push(row);
            Ok(())
        });
        assert!(done.is_ok());
        assert_eq!(listed.len(), rows.count());
        assert_eq!(listed.first().copied(), rows.first());
        listed
    }

    #[test]
    fn set_algebra() {
        let validity = |bits: &[bool]| NullBuffer::from(bits.to_vec());
        let all = Rows::all(4);
        let odd = all.and(Some(&validity(&[false, true, false, true])));
        let low = all.and(Some(&validity(&[true, true, false, false])));
        assert_eq!(list(&all), [0, 1, 2, 3]);
        assert_eq!(list(&odd), [1, 3]);
        assert_eq!(list(&odd.and(low.validity())), [1]);
        assert_eq!(list(&odd.minus(&low)), [3]);
        assert_eq!(list(&odd.or(&low)), [0, 1, 3]);
        assert_eq!(list(&odd.or(&all)), [0, 1, 2, 3]);
        assert_eq!(list(&all.minus(&odd)), [0, 2]);
        assert_eq!(list(&odd.minus(&all)), [] as [usize; 0]);
        assert_eq!(list(&all.and_null(None)), [] as [usize; 0]);
        assert_eq!(list(&Rows::none(0)), [] as [usize; 0]);
    }
}
