//! A path over JSON text.

use growler_segment::{InsidePath, InsideStep, UNWALKED};
use serde_json::Value;

use super::{
    path::{Path, Step},
    select::{Budget, select, select_tracked},
    stream,
};

/// What `serde_json` calls the only field of a number that keeps its digits; a stream would take it
/// for a field of the document.
const NUMBER: &str = "$serde_json::private::Number";

/// A path, ready for many documents.
#[derive(Debug, Clone)]
pub(crate) struct Extractor {
    path: Path,
    /// Whether negative indices or other steps need the whole document.
    streams: bool,
    /// Whether texts are of what the path leads to, unless they are marked.
    is_walked: bool,
}

/// A value that was found; not JSON null.
#[derive(Debug)]
pub(crate) enum Found<'t> {
    /// A string, as the document has it.
    Text(&'t str),
    /// Any other value, and strings with escapes.
    Value(Value),
}

/// Returns what a JSON text holds if it is a string without escapes.
fn plain(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains('\\')).then_some(inner)
}

impl Extractor {
    /// Parses a path; none when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        Path::parse(text).map(Self::new)
    }

    /// Makes an extractor of a parsed path.
    pub fn new(path: Path) -> Self {
        let needs_all = |step: &Step| match step {
            Step::Index(index) => *index < 0,
            Step::Name(name) => name == NUMBER,
            _ => false,
        };
        let streams = path.is_definite() && !path.steps.iter().any(needs_all);
        Self {
            path,
            streams,
            is_walked: false,
        }
    }

    /// Makes an extractor for texts of what a path leads to inside of a key; marked ones are texts of
    /// the key's whole value.
    pub fn walked(path: Path) -> Self {
        Self {
            is_walked: true,
            ..Self::new(path)
        }
    }

    /// Returns the steps of a path as far as a key's value is walked: names, and positions from the
    /// start. None when there are others, or no step.
    pub fn inside(steps: &[Step]) -> Option<InsidePath> {
        let step = |step: &Step| match step {
            Step::Name(name) if name != NUMBER => Some(InsideStep::Name(name.as_str().into())),
            Step::Index(at) => u32::try_from(*at).ok().map(InsideStep::At),
            _ => None,
        };
        let steps: Option<Vec<_>> = steps.iter().map(step).collect();
        steps.filter(|steps| !steps.is_empty()).map(InsidePath::new)
    }

    /// Returns the value that the path leads to: JSON null counts as nothing, and a path that may
    /// lead to several values gives an array of them. None also when the text is no JSON, is nested
    /// too deeply, or the path visits too many values.
    pub fn find(&self, text: &str) -> Option<Value> {
        self.find_in(text).map(|found| match found {
            Found::Text(text) => Value::String(text.to_owned()),
            Found::Value(value) => value,
        })
    }

    /// Finds as [`Self::find`] does; a string without escapes is left where it is.
    pub fn find_in<'t>(&self, text: &'t str) -> Option<Found<'t>> {
        if self.streams {
            let (text, steps) = match text.strip_prefix(UNWALKED) {
                Some(text) if self.is_walked => (text, &*self.path.steps),
                _ if self.is_walked => (text, &[][..]),
                _ => (text, &*self.path.steps),
            };
            return match stream::find(text, steps)? {
                "null" => None,
                found => match plain(found) {
                    Some(text) => Some(Found::Text(text)),
                    None => serde_json::from_str(found).ok().map(Found::Value),
                },
            };
        }
        let document: Value = serde_json::from_str(text).ok()?;
        let values = select(&self.path.steps, &document, &document, &mut Budget::new())?;
        if self.path.is_definite() {
            let first = values.into_iter().next()?;
            let first = Some(first.clone()).filter(|value| !value.is_null());
            return first.map(Found::Value);
        }
        let values = values.into_iter().cloned().collect();
        Some(Found::Value(Value::Array(values)))
    }

    /// Returns the paths of the values that the path leads to, `$['a'][0]`.
    pub fn find_paths(&self, text: &str) -> Option<Vec<String>> {
        let document: Value = serde_json::from_str(text).ok()?;
        let budget = &mut Budget::new();
        let root = "$".to_owned();
        let found = select_tracked(root, &self.path.steps, &document, &document, budget)?;
        Some(found.into_iter().map(|(path, _)| path).collect())
    }
}
