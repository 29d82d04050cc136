//! A key of a `JSON_MATCH` filter.

use crate::error::Error;

/// Most steps of a key.
const MAX_STEPS: usize = 128;

/// One step of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeyStep {
    /// `.name`, `['name']`.
    Name(String),
    /// `[*]`.
    Any,
    /// `[3]`.
    At(usize),
}

/// A key: `$.a[*].b`, or as older filters have it `a[*].b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// Steps from the root.
    pub steps: Vec<KeyStep>,
}

impl Key {
    /// Parses a key.
    ///
    /// # Errors
    /// [`Error::Validation`] when the text is no key.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refused = || Error::Validation(format!("wrong key in JSON_MATCH filter: key={text}"));
        let mut steps = Vec::new();
        let mut rest = match text.strip_prefix('$') {
            Some(rest) => rest,
            None => {
                let (name, rest) = name(text).ok_or_else(refused)?;
                steps.push(KeyStep::Name(name));
                rest
            }
        };
        while !rest.is_empty() {
            let (step, after) = step(rest).ok_or_else(refused)?;
            steps.push(step);
            rest = after;
            if steps.len() > MAX_STEPS {
                return Err(refused());
            }
        }
        Ok(Self { steps })
    }

    /// Follows a name from a step on; returns the step behind it, if the name fits.
    ///
    /// As in Pinot, a name with dots stands for names one below the other.
    pub fn follow_name(&self, from: usize, name: &str) -> Option<usize> {
        let mut rest = name;
        let mut at = from;
        loop {
            let Some(KeyStep::Name(wanted)) = self.steps.get(at) else {
                return None;
            };
            at += 1;
            let after = rest.strip_prefix(wanted.as_str())?;
            if after.is_empty() {
                return Some(at);
            }
            rest = after.strip_prefix('.')?;
        }
    }

    /// Follows an element of an array from a step on; returns the step behind it.
    pub fn follow_element(&self, from: usize, index: usize) -> Option<usize> {
        match self.steps.get(from)? {
            KeyStep::Any => Some(from + 1),
            KeyStep::At(wanted) if *wanted == index => Some(from + 1),
            KeyStep::At(_) | KeyStep::Name(_) => None,
        }
    }
}

fn step(text: &str) -> Option<(KeyStep, &str)> {
    if let Some(rest) = text.strip_prefix('.') {
        let (name, rest) = name(rest)?;
        return Some((KeyStep::Name(name), rest));
    }
    let inner = text.strip_prefix('[')?;
    if inner.starts_with(['\'', '"']) {
        let (name, rest) = quoted(inner)?;
        return Some((KeyStep::Name(name), rest.strip_prefix(']')?));
    }
    let (inner, rest) = inner.split_once(']')?;
    let step = match inner.trim() {
        "*" => KeyStep::Any,
        digits => KeyStep::At(digits.parse().ok()?),
    };
    Some((step, rest))
}

fn name(text: &str) -> Option<(String, &str)> {
    let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
    (!name.is_empty()).then(|| (name.to_owned(), rest))
}

/// Takes a quoted name; a backslash keeps the next character.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut characters = text.char_indices();
    let (_, quote) = characters.next()?;
    let mut name = String::new();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => name.push(characters.next()?.1),
            c if c == quote => return Some((name, text.get(at + c.len_utf8()..)?)),
            c => name.push(c),
        }
    }
    None
}
