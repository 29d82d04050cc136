//! One index of a mapped file: where it is, and whether it can be trusted.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::Kind;

/// One index of a file.
#[derive(Debug)]
pub(super) struct Slot {
    pub kind: Kind,
    pub bytes: Range<usize>,
    pub hash: u64,
    state: AtomicU8,
}

/// What is known of an index's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Nobody looked yet.
    Unread,
    /// Its checksum is right.
    Sound,
    /// It is damaged.
    Damaged,
}

impl State {
    fn of_code(code: u8) -> Self {
        match code {
            0 => Self::Unread,
            1 => Self::Sound,
            _ => Self::Damaged,
        }
    }

    fn code(self) -> u8 {
        match self {
            Self::Unread => 0,
            Self::Sound => 1,
            Self::Damaged => 2,
        }
    }
}

impl Slot {
    pub fn new(kind: Kind, bytes: Range<usize>, hash: u64) -> Self {
        Self {
            kind,
            bytes,
            hash,
            state: AtomicU8::new(State::Unread.code()),
        }
    }

    pub fn state(&self) -> State {
        // Nothing else is published with it: the bytes never change.
        State::of_code(self.state.load(Ordering::Relaxed))
    }

    /// Takes the index as sound, unless it was found damaged meanwhile.
    pub fn set_sound(&self) {
        let (from, to) = (State::Unread.code(), State::Sound.code());
        // Losing the race means that somebody else knows already.
        let _ = self
            .state
            .compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Takes the index as damaged and tells whether that is news.
    pub fn set_damaged(&self) -> bool {
        let before = self.state.swap(State::Damaged.code(), Ordering::Relaxed);
        State::of_code(before) != State::Damaged
    }
}
