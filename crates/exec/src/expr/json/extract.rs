//! A path over JSON text.

use serde_json::Value;

use super::{
    path::Path,
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
}

impl Extractor {
    /// Parses a path; none when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        Path::parse(text).map(Self::new)
    }

    /// Makes an extractor of a parsed path.
    pub fn new(path: Path) -> Self {
        use super::path::Step;
        let needs_all = |step: &Step| match step {
            Step::Index(index) => *index < 0,
            Step::Name(name) => name == NUMBER,
            _ => false,
        };
        let streams = path.is_definite() && !path.steps.iter().any(needs_all);
        Self { path, streams }
    }

    /// Returns the value that the path leads to: JSON null counts as nothing, and a path that may
    /// lead to several values gives an array of them. None also when the text is no JSON, is nested
    /// too deeply, or the path visits too many values.
    pub fn find(&self, text: &str) -> Option<Value> {
        if self.streams {
            let found = stream::find(text, &self.path.steps).ok()?;
            return found.filter(|value| !value.is_null());
        }
        let document: Value = serde_json::from_str(text).ok()?;
        let values = select(&self.path.steps, &document, &document, &mut Budget::new())?;
        if self.path.is_definite() {
            let first = values.into_iter().next()?;
            return Some(first.clone()).filter(|value| !value.is_null());
        }
        Some(Value::Array(values.into_iter().cloned().collect()))
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
