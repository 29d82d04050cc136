//! Paths inside JSON documents, as index files spell them: `$.a[*]['b.c'][0]`.
//!
//! A name of letters, digits, `_` and `-` comes behind a point, any other one in brackets and quotes,
//! with a backslash before a quote and a backslash. So there is one spelling for each path.

use std::fmt::Write;

/// The path of the document itself.
pub const ROOT: &str = "$";

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonStep {
    /// The field of a name.
    Name(String),
    /// Every element of an array.
    Any,
    /// One element of an array.
    At(u32),
}

/// Appends the step to a field.
pub fn push_name(path: &mut String, name: &str) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(is_plain) {
        path.push('.');
        path.push_str(name);
        return;
    }
    path.push_str("['");
    for c in name.chars() {
        if matches!(c, '\'' | '\\') {
            path.push('\\');
        }
        path.push(c);
    }
    path.push_str("']");
}

/// Appends the step to every element.
pub fn push_any(path: &mut String) {
    path.push_str("[*]");
}

/// Appends the step to one element.
pub fn push_at(path: &mut String, index: u32) {
    // Writing to text never fails.
    let _ = write!(path, "[{index}]");
}

/// Spells a path.
pub fn spell(steps: &[JsonStep]) -> String {
    let mut path = ROOT.to_owned();
    for step in steps {
        match step {
            JsonStep::Name(name) => push_name(&mut path, name),
            JsonStep::Any => push_any(&mut path),
            JsonStep::At(index) => push_at(&mut path, *index),
        }
    }
    path
}

/// Reads a path: in the spelling above, with any name behind a point, or without the `$.` before a
/// first name; none for anything else.
pub fn parse(text: &str) -> Option<Vec<JsonStep>> {
    let mut steps = Vec::new();
    let mut rest = match text.strip_prefix(ROOT) {
        Some(rest) => rest,
        None => {
            let (name, rest) = plain(text)?;
            steps.push(JsonStep::Name(name.to_owned()));
            rest
        }
    };
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('.') {
            Some(rest) => {
                let (name, rest) = plain(rest)?;
                (JsonStep::Name(name.to_owned()), rest)
            }
            None => bracket(rest)?,
        };
        steps.push(step);
        rest = after;
    }
    Some(steps)
}

fn plain(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
    (!name.is_empty()).then_some((name, rest))
}

fn bracket(text: &str) -> Option<(JsonStep, &str)> {
    let inner = text.strip_prefix('[')?;
    if inner.starts_with(['\'', '"']) {
        let (name, rest) = quoted(inner)?;
        return Some((JsonStep::Name(name), rest.strip_prefix(']')?));
    }
    let (inner, rest) = inner.split_once(']')?;
    let step = match inner {
        "*" => JsonStep::Any,
        digits => JsonStep::At(digits.parse().ok()?),
    };
    Some((step, rest))
}

/// Takes a quoted name; a backslash keeps the next character.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut characters = text.char_indices();
    let (_, quote) = characters.next()?;
    let mut name = String::new();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => name.push(characters.next()?.1),
            c if c == quote => return Some((name, text.get(at + c.len_utf8()..)?)),
            c => name.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_spelling() {
        let cases = [
            ("$", Some("$")),
            ("a", Some("$.a")),
            ("a.b[*]", Some("$.a.b[*]")),
            ("$.a[0][*].b", Some("$.a[0][*].b")),
            ("$['a']", Some("$.a")),
            ("$[\"a.b\"].c d", Some("$['a.b']['c d']")),
            (r"$['it\'s \\']", Some(r"$['it\'s \\']")),
            ("$['']", Some("$['']")),
            ("$['ä']", Some("$['ä']")),
            ("$.", None),
            ("", None),
            ("$[-1]", None),
            ("$['a", None),
            ("$a", None),
            ("$[*", None),
        ];
        for (text, expected) in cases {
            let spelled = parse(text).map(|steps| spell(&steps));
            assert_eq!(spelled.as_deref(), expected, "{text}");
            if let Some(expected) = expected {
                let again = parse(expected).map(|steps| spell(&steps));
                assert_eq!(again.as_deref(), Some(expected));
            }
        }
    }
}
