//! Sets of ids.

use arrow_buffer::BooleanBuffer;

use super::bits::WORD;

/// Which ids of a dictionary pass: what a predicate on values is where rows are ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdSet {
    named: Named,
    /// Whether the ids are those that are not named.
    negated: bool,
    len: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    Nothing,
    Range(u32, u32),
    Table(Box<[u64]>),
}

/// Names some ids, in the form that is fastest to test.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule<'s> {
    Nothing,
    /// Those from the first to the last.
    Range(u32, u32),
    /// A bit for each id; no bit is an id that is not named.
    Table(&'s [u64]),
}

impl IdSet {
    /// Makes a set of a bit for each entry of the dictionary.
    pub fn new(passing: &BooleanBuffer) -> Self {
        let len = passing.len();
        let (named, negated) = match (slice(passing), slice(&!passing)) {
            (_, Some(Named::Nothing)) => (Named::Nothing, true),
            (Some(named), _) => (named, false),
            (None, Some(named)) => (named, true),
            (None, None) => {
                let mut words = vec![0; len.div_ceil(WORD)].into_boxed_slice();
                for id in passing.set_indices() {
                    if let Some(word) = words.get_mut(id / WORD) {
                        *word |= 1 << (id % WORD);
                    }
                }
                (Named::Table(words), false)
            }
        };
        Self {
            named,
            negated,
            len,
        }
    }

    /// Makes the set of one id below a bound.
    pub(super) fn one(id: u32, len: usize) -> Self {
        Self {
            named: Named::Range(id, id),
            negated: false,
            len,
        }
    }

    /// Tells whether no id is in the set.
    pub fn is_empty(&self) -> bool {
        self.len == 0 || self.named == Named::Nothing && !self.negated
    }

    /// Tells whether every id is in the set.
    pub fn is_all(&self) -> bool {
        self.len == 0 || self.named == Named::Nothing && self.negated
    }

    /// Returns how many ids there are, in the set or not.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Tells whether an id is in the set.
    pub fn contains(&self, id: u32) -> bool {
        self.rule(u32::MAX).names(id) != self.negated
    }

    /// Returns what names the ids, as far as they go up to one.
    pub(super) fn rule(&self, greatest: u32) -> Rule<'_> {
        match &self.named {
            Named::Nothing => Rule::Nothing,
            Named::Range(first, _) if *first > greatest => Rule::Nothing,
            Named::Range(first, last) => Rule::Range(*first, (*last).min(greatest)),
            Named::Table(words) => Rule::Table(words),
        }
    }

    pub(super) fn is_negated(&self) -> bool {
        self.negated
    }
}

impl Rule<'_> {
    /// Tells whether the rule names an id.
    #[inline]
    pub(super) fn names(&self, id: u32) -> bool {
        match self {
            Self::Nothing => false,
            Self::Range(first, last) => (*first..=*last).contains(&id),
            Self::Table(words) => {
                let word = words.get(id as usize / WORD).copied().unwrap_or(0);
                word >> (id as usize % WORD) & 1 == 1
            }
        }
    }
}

/// Names ids that lie side by side, none when they do not.
fn slice(ids: &BooleanBuffer) -> Option<Named> {
    let mut slices = ids.set_slices();
    match (slices.next(), slices.next()) {
        (None, _) => Some(Named::Nothing),
        (Some((start, end)), None) => {
            let last = u32::try_from(end.saturating_sub(1)).ok()?;
            Some(Named::Range(u32::try_from(start).ok()?, last))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_the_ids_they_were_made_of() {
        for text in [
            "", "0", "1", "111", "000", "010", "0110", "1001", "10101", "11011", "00100",
        ] {
            let bits: Vec<bool> = text.bytes().map(|byte| byte == b'1').collect();
            let set = IdSet::new(&bits.clone().into());
            assert_eq!(set.len(), bits.len());
            assert_eq!(set.is_empty(), !bits.contains(&true), "{text}");
            assert_eq!(set.is_all(), !bits.contains(&false), "{text}");
            for (id, bit) in (0..).zip(bits) {
                assert_eq!(set.contains(id), bit, "{text} {id}");
            }
        }
    }
}
