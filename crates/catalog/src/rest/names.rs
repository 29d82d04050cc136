//! Names of namespaces and tables, and how they stand in an address.

use std::fmt;

/// A namespace of one or more levels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace(Vec<String>);

impl Namespace {
    /// Makes a namespace of its levels; none without any, or with an empty one.
    pub fn new(levels: Vec<String>) -> Option<Self> {
        let is_whole = !levels.is_empty() && levels.iter().all(|level| !level.is_empty());
        is_whole.then_some(Self(levels))
    }

    /// Makes a namespace of dotted text.
    pub fn parse(dotted: &str) -> Option<Self> {
        Self::new(dotted.split('.').map(str::to_owned).collect())
    }

    /// Returns the levels, the outermost first.
    pub fn levels(&self) -> &[String] {
        &self.0
    }

    /// Returns the levels as one segment of a path, or one value of a query.
    pub(crate) fn encoded(&self, separator: &str) -> String {
        percent_encoded(&self.0.join(separator))
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// A table's full name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId {
    /// Namespace it lies in.
    pub namespace: Namespace,
    /// Its own name.
    pub name: String,
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.namespace, self.name)
    }
}

/// Encodes everything that is no unreserved character (RFC 3986).
pub(crate) fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Decodes percent signs; text that is not UTF-8 afterwards stays as it was.
pub(crate) fn percent_decoded(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let pair = behind.get(..2).filter(|_| *first == b'%');
        let byte =
            pair.and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        decoded.push(byte.unwrap_or(*first));
        rest = match byte {
            Some(_) => behind.get(2..).unwrap_or_default(),
            None => behind,
        };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_joined_by_the_separator() {
        let namespace = Namespace::parse("a.b c").unwrap();
        assert_eq!(namespace.encoded("\u{1f}"), "a%1Fb%20c");
        assert_eq!(namespace.encoded("."), "a.b%20c");
        assert_eq!(namespace.to_string(), "a.b c");
        assert_eq!(Namespace::parse(""), None);
        assert_eq!(Namespace::parse("a..b"), None);
    }

    #[test]
    fn percent_signs_go_both_ways() {
        for text in ["", "a/b?c=ü", "%1F", "100%"] {
            assert_eq!(percent_decoded(&percent_encoded(text)), text);
        }
        assert_eq!(percent_decoded("%1f%zz%"), "\u{1f}%zz%");
    }
}
