//! LIKE patterns and regular expressions.

use growler_base::limits;
use memchr::{memchr2, memmem};
use regex::{Regex, RegexBuilder};

use crate::error::Error;

/// A pattern that texts are matched with.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    /// Every text.
    Any,
    /// ASCII text without wildcards inside, in any case; beside it the regular expression that
    /// texts beyond ASCII are matched with.
    Plain(Place, Vec<u8>, Regex),
    /// A case-sensitive text somewhere: a regular expression that is a literal.
    Contains(Box<memmem::Finder<'static>>),
    /// Anything else.
    Regex(Regex),
}

/// Where a plain pattern must stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is the whole text.
    Whole,
    /// At the start.
    Start,
    /// At the end.
    End,
    /// Anywhere.
    Anywhere,
}

impl Pattern {
    /// Compiles a LIKE pattern: `%` any characters, `_` one, `\%` and `\_` themselves, in any case.
    ///
    /// As in Pinot, runs of `%` at the start and at the end free that end, and an inner `%` or `_`
    /// does not cross a line end. Unlike there, a last `%` that is escaped is just that character.
    ///
    /// # Errors
    /// [`Error::Validation`] when the pattern is too large.
    pub fn like(pattern: &str) -> Result<Self, Error> {
        let trimmed = pattern.trim_start_matches('%');
        if trimmed.is_empty() && !pattern.is_empty() {
            return Ok(Self::Any);
        }
        let free_start = trimmed.len() < pattern.len();
        let inner = trim_end(trimmed);
        let place = match (free_start, inner.len() < trimmed.len()) {
            (false, false) => Place::Whole,
            (false, true) => Place::Start,
            (true, false) => Place::End,
            (true, true) => Place::Anywhere,
        };
        let (source, plain) = like_regex(inner, place);
        let regex = build(&source, true, pattern)?;
        Ok(match plain {
            Some(plain) if plain.is_ascii() => Self::Plain(place, plain.into_bytes(), regex),
            _ => Self::Regex(regex),
        })
    }

    /// Compiles a regular expression that is searched for anywhere. `flag` is REGEXP_LIKE's third
    /// argument: `i` ignores case, `c` (and none) does not.
    ///
    /// # Errors
    /// [`Error::Validation`] for a bad or too large pattern, and for another flag.
    pub fn regex(pattern: &str, flag: &str) -> Result<Self, Error> {
        let ignore_case = match flag {
            "" | "c" | "C" => false,
            "i" | "I" => true,
            other => {
                return Err(Error::Validation(format!(
                    "Unsupported match parameter: '{other}'. Only 'i'/'I' (case-insensitive) and \
                     'c'/'C' (case-sensitive) are supported."
                )));
            }
        };
        let regex = build(pattern, ignore_case, pattern)?;
        if !ignore_case && regex::escape(pattern) == pattern {
            return Ok(Self::Contains(Box::new(
                memmem::Finder::new(pattern).into_owned(),
            )));
        }
        Ok(Self::Regex(regex))
    }

    /// Tells whether a text matches.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Plain(place, plain, regex) => {
                let found = place.finds(text.as_bytes(), plain);
                // Two letters beyond ASCII fold into ASCII ones (long s, Kelvin sign).
                found || (!text.is_ascii() && folds(plain) && regex.is_match(text))
            }
            Self::Contains(finder) => finder.find(text.as_bytes()).is_some(),
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

impl Place {
    fn finds(self, text: &[u8], plain: &[u8]) -> bool {
        let Some(slack) = text.len().checked_sub(plain.len()) else {
            return false;
        };
        match self {
            Self::Whole => slack == 0 && text.eq_ignore_ascii_case(plain),
            Self::Start => text[..plain.len()].eq_ignore_ascii_case(plain),
            Self::End => text[slack..].eq_ignore_ascii_case(plain),
            Self::Anywhere => contains(text, plain, slack),
        }
    }
}

/// Searches an ASCII text in any case; `slack` is by how much the text is longer.
fn contains(text: &[u8], plain: &[u8], slack: usize) -> bool {
    let Some(&first) = plain.first() else {
        return true;
    };
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    let mut start = 0;
    while start <= slack {
        let Some(at) = memchr2(lower, upper, &text[start..=slack]) else {
            return false;
        };
        start += at;
        if text[start..start + plain.len()].eq_ignore_ascii_case(plain) {
            return true;
        }
        start += 1;
    }
    false
}

/// Drops the `%` at the end that are not escaped.
fn trim_end(pattern: &str) -> &str {
    let mut inner = pattern;
    while let Some(rest) = inner.strip_suffix('%') {
        let escapes = rest.len() - rest.trim_end_matches('\\').len();
        if escapes % 2 == 1 {
            break;
        }
        inner = rest;
    }
    inner
}

fn folds(plain: &[u8]) -> bool {
    plain
        .iter()
        .any(|byte| matches!(byte, b's' | b'S' | b'k' | b'K'))
}

/// Returns the regular expression of the part between free ends, and that part's text when it has
/// no wildcards.
fn like_regex(inner: &str, place: Place) -> (String, Option<String>) {
    let mut source = String::new();
    if matches!(place, Place::Whole | Place::Start) {
        source.push('^');
    }
    let mut plain = Some(String::new());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        let literal = match c {
            '\\' => match chars.peek() {
                Some('_' | '%' | '\\') => chars.next().unwrap_or(c),
                _ => c,
            },
            '_' | '%' => {
                source.push_str(if c == '_' { "." } else { ".*" });
                plain = None;
                continue;
            }
            other => other,
        };
        source.push_str(&regex::escape(literal.encode_utf8(&mut [0; 4])));
        if let Some(plain) = &mut plain {
            plain.push(literal);
        }
    }
    if matches!(place, Place::Whole | Place::End) {
        source.push('$');
    }
    (source, plain)
}

/// Builds a regular expression of bounded size.
fn build(source: &str, ignore_case: bool, shown: &str) -> Result<Regex, Error> {
    RegexBuilder::new(source)
        .case_insensitive(ignore_case)
        .size_limit(limits::REGEX_BYTES)
        .dfa_size_limit(limits::REGEX_BYTES)
        .build()
        .map_err(|error| {
            let cause = match error {
                regex::Error::CompiledTooBig(_) => "the compiled pattern is too large".to_owned(),
                other => other.to_string(),
            };
            Error::Validation(format!("Cannot compile pattern: '{shown}': {cause}"))
        })
}

/// Compiles a case-sensitive regular expression of bounded size.
///
/// # Errors
/// [`Error::Validation`] for a bad or too large one.
pub(crate) fn compile_regex(source: &str) -> Result<Regex, Error> {
    build(source, false, source)
}
