//! The dotted key of `props['a.b.c']`.
//!
//! At an object, a field whose name is all that is left of the path wins; otherwise the first step
//! names a field, and the rest is looked up in it if it is an object. Arrays are never stepped
//! into.

use std::fmt;
use std::sync::Arc;

use growler_base::limits::PATH_STEPS;

use crate::Error;

/// A dotted key, split at its dots. Names may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyPath {
    text: Arc<str>,
    /// Start of each step in the text.
    starts: Box<[usize]>,
}

impl KeyPath {
    /// Splits a key at its dots.
    ///
    /// # Errors
    /// `InvalidInput` when it has more than [`PATH_STEPS`] steps.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let dots = memchr::memchr_iter(b'.', text.as_bytes());
        let starts: Box<[usize]> = std::iter::once(0)
            .chain(dots.map(|dot| dot.saturating_add(1)))
            .take(PATH_STEPS.saturating_add(1))
            .collect();
        if starts.len() > PATH_STEPS {
            return Err(Error::PathSteps { limit: PATH_STEPS });
        }
        Ok(Self {
            text: text.into(),
            starts,
        })
    }

    /// Makes the path of a single name, dots and all.
    pub(crate) fn literal(name: &str) -> Self {
        Self {
            text: name.into(),
            starts: Box::new([0]),
        }
    }

    /// Returns the key as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of steps, at least one.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Tells whether there is no step, which is never so.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the names to walk, outermost first.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        self.text.split('.')
    }

    /// Returns the name of one step; empty past the last.
    pub fn step(&self, level: usize) -> &str {
        let rest = self.rest(level);
        let next = level.checked_add(1).and_then(|next| self.starts.get(next));
        // A dot stands before the next step.
        let len = next.and_then(|next| next.checked_sub(*self.starts.get(level)?)?.checked_sub(1));
        len.and_then(|len| rest.get(..len)).unwrap_or(rest)
    }

    /// Returns the lengths of all names that the path may stand for: literal names and steps.
    pub(crate) fn lens(&self) -> NameLens {
        let levels = 0..self.len();
        levels.fold(NameLens::default(), |lens, level| {
            lens.with(self.rest(level)).with(self.step(level))
        })
    }

    /// Returns what is left of the path at a level: the literal name that wins there. It is the
    /// whole text at level 0 and the last step at the last level; empty past it.
    pub fn rest(&self, level: usize) -> &str {
        self.starts
            .get(level)
            .and_then(|start| self.text.get(*start..))
            .unwrap_or_default()
    }

    /// Returns the path that is left at a level; `None` past the last.
    pub fn suffix(&self, level: usize) -> Option<Self> {
        let start = *self.starts.get(level)?;
        let starts = self
            .starts
            .get(level..)?
            .iter()
            .map(|at| at.saturating_sub(start))
            .collect();
        Some(Self {
            text: self.rest(level).into(),
            starts,
        })
    }
}

/// A set of lengths of names; long ones are not told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NameLens(u64);

impl NameLens {
    const LONG: usize = 63;

    fn with(self, name: &str) -> Self {
        Self(self.0 | 1 << name.len().min(Self::LONG))
    }

    /// Tells whether a name of that length may be one of those.
    #[inline(always)]
    pub(crate) fn may_have(self, len: usize) -> bool {
        self.0 >> len.min(Self::LONG) & 1 != 0
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_every_dot() {
        let cases: [(&str, &[&str], &[&str]); 5] = [
            ("a", &["a"], &["a"]),
            ("a.b.c", &["a", "b", "c"], &["a.b.c", "b.c", "c"]),
            ("", &[""], &[""]),
            (".", &["", ""], &[".", ""]),
            ("ä..x", &["ä", "", "x"], &["ä..x", ".x", "x"]),
        ];
        for (text, steps, rests) in cases {
            let path = KeyPath::parse(text).unwrap();
            assert_eq!(path.steps().collect::<Vec<_>>(), steps, "{text}");
            assert_eq!(
                (0..path.len()).map(|at| path.step(at)).collect::<Vec<_>>(),
                steps
            );
            assert_eq!(
                (0..path.len()).map(|at| path.rest(at)).collect::<Vec<_>>(),
                rests
            );
            for (level, rest) in rests.iter().enumerate() {
                assert_eq!(
                    path.suffix(level),
                    Some(KeyPath::parse(rest).unwrap()),
                    "{text}"
                );
            }
            assert_eq!(path.suffix(path.len()), None);
        }
    }

    #[test]
    fn has_a_limit() {
        let longest = vec!["k"; PATH_STEPS].join(".");
        assert_eq!(
            KeyPath::parse(&longest).map(|path| path.len()),
            Ok(PATH_STEPS)
        );
        let refused = Error::PathSteps { limit: PATH_STEPS };
        assert_eq!(KeyPath::parse(&format!("{longest}.k")), Err(refused));
    }
}
