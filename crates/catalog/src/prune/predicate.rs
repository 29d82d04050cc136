//! The question: which rows of a table are wanted.

use growler_base::{FieldId, limits};

use crate::Datum;

/// A condition on rows, with the meaning of SQL: a comparison with null is not true.
///
/// Where an engine lets another value stand for null, the caller adds [`Test::IsNull`] as an
/// alternative wherever that value satisfies the test. There is no NOT: the caller pushes it down.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// Every row, which is also what cannot be said otherwise.
    Always,
    /// All hold.
    And(Vec<Predicate>),
    /// One holds.
    Or(Vec<Predicate>),
    /// A test of a column, or of a field of a struct.
    Field {
        /// Identity of the field.
        id: FieldId,
        /// What is asked of its value.
        test: Test,
    },
    /// A test of a key of a variant column.
    Variant {
        /// Identity of the column.
        id: FieldId,
        /// The places where the key may be; a file is ruled out only if all of them are.
        paths: Vec<VariantPath>,
        /// What is asked of its value.
        test: Test,
    },
}

/// What is asked of one value.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// It is null.
    IsNull,
    /// It is not null.
    IsNotNull,
    /// It compares with a literal.
    Compare(Comparison, Datum),
    /// It equals one of the literals.
    In(Vec<Datum>),
    /// It equals none of the literals.
    NotIn(Vec<Datum>),
    /// It is text with a prefix.
    StartsWith(Box<str>),
}

/// How a value compares with a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    NotEq,
    /// Smaller.
    Lt,
    /// Smaller or equal.
    LtEq,
    /// Larger.
    Gt,
    /// Larger or equal.
    GtEq,
}

/// Where a key is in a variant: names of nested objects' fields.
///
/// Its text is the normalised JSON path of RFC 9535, as Iceberg's bounds have it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VariantPath {
    text: Box<str>,
}

impl VariantPath {
    /// Makes a path of the names of fields, the outermost first.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut text = String::from("$");
        for name in names {
            text.push_str("['");
            for letter in name.chars() {
                push_escaped(letter, &mut text);
            }
            text.push_str("']");
        }
        Self { text: text.into() }
    }

    /// Returns every place where a dotted key may be: `a.b` is the field `a.b`, or field `b` of `a`.
    ///
    /// None when there are too many to ask for.
    pub fn of_dotted(key: &str) -> Option<Vec<Self>> {
        let steps: Vec<&str> = key.split('.').collect();
        let joints = u32::try_from(steps.len().checked_sub(1)?).ok()?;
        if steps.len() > limits::BOUND_PATH_STEPS {
            return None;
        }
        // A set bit joins a step to the next with a dot.
        let paths = (0..1_u32.checked_shl(joints)?).map(|joined| {
            let mut names: Vec<String> = Vec::new();
            for (position, step) in steps.iter().enumerate() {
                let is_joined = position > 0 && (joined >> position.saturating_sub(1)) & 1 == 1;
                match names.last_mut().filter(|_| is_joined) {
                    Some(last) => {
                        last.push('.');
                        last.push_str(step);
                    }
                    None => names.push((*step).to_owned()),
                }
            }
            Self::new(names.iter().map(String::as_str))
        });
        Some(paths.collect())
    }

    /// Returns the normalised JSON path.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn push_escaped(letter: char, text: &mut String) {
    match letter {
        '\'' => text.push_str("\\'"),
        '\\' => text.push_str("\\\\"),
        '\u{8}' => text.push_str("\\b"),
        '\t' => text.push_str("\\t"),
        '\n' => text.push_str("\\n"),
        '\u{c}' => text.push_str("\\f"),
        '\r' => text.push_str("\\r"),
        control if control < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(control))),
        letter => text.push(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised() {
        let cases: [(&[&str], &str); 6] = [
            (&[], "$"),
            (&["event_type"], "$['event_type']"),
            (&["user.name"], "$['user.name']"),
            (&["location", "latitude"], "$['location']['latitude']"),
            (&["it's", "a\\b"], "$['it\\'s']['a\\\\b']"),
            (&["\u{1}\n\u{1f}é"], "$['\\u0001\\n\\u001fé']"),
        ];
        for (names, expected) in cases {
            assert_eq!(VariantPath::new(names.iter().copied()).text(), expected);
        }
    }

    #[test]
    fn dotted_keys_may_be_in_several_places() {
        let texts = |key: &str| -> Option<Vec<String>> {
            let paths = VariantPath::of_dotted(key)?;
            Some(paths.iter().map(|path| path.text().to_owned()).collect())
        };
        let owned = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(texts("a"), owned(&["$['a']"]));
        assert_eq!(texts("a.b"), owned(&["$['a']['b']", "$['a.b']"]));
        assert_eq!(texts("a.b.c").map(|paths| paths.len()), Some(4));
        assert_eq!(texts("a.b.c.d.e.f.g"), None);
    }
}
