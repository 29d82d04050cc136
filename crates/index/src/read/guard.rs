//! What turns a damaged index off.

use std::path::Path;

use super::slot::{Slot, State};
use crate::{Error, Subject, identity};

/// Names one index of a file, and turns it off when it proves damaged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard<'a> {
    pub(super) path: &'a Path,
    pub(super) subject: &'a Subject,
    pub(super) slot: &'a Slot,
}

impl<'a> Guard<'a> {
    /// Returns the index's bytes, out of those of the file, their checksum checked once.
    pub(super) fn bytes(&self, file: &'a [u8]) -> Result<&'a [u8], Error> {
        let kind = self.slot.kind;
        let state = self.slot.state();
        if state == State::Damaged {
            return Err(Error::Absent { kind });
        }
        let bytes = file.get(self.slot.bytes.clone()).unwrap_or_default();
        if state == State::Unread {
            if identity::hash(bytes) != self.slot.hash {
                return self.checked(Err(Error::damaged("index has another checksum")));
            }
            self.slot.set_sound();
        }
        Ok(bytes)
    }

    /// Passes a result on; a damaged index is named, logged once and absent from then on.
    pub fn checked<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        let cause = match result {
            Err(Error::Damaged { cause, .. }) => cause,
            result => return result,
        };
        let index = format!("{} kind={}", self.subject, self.slot.kind);
        if self.slot.set_damaged() {
            tracing::warn!(
                path = %self.path.display(),
                index,
                cause = %cause,
                "index is damaged and not used"
            );
        }
        Err(Error::Damaged {
            index: index.into(),
            cause,
        })
    }
}
