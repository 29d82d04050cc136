//! The settings inside one index's config: those that are known, and what they may be.
//!
//! Settings that only steer how Pinot lays an index out in memory or on disk are accepted; they have no
//! effect, but for those of bloom filters. A setting that would change which rows an index covers is honoured or refused by name.

use serde_json::Value;

use crate::index_plan::json_path;
use crate::wire::FieldConfigJson;

/// What a setting's value may be; text stands for a flag or a number, as in Pinot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// True or false.
    Flag,
    /// A whole number, -1 included, which means none.
    Count,
    /// A number between 0 and 1, both left out.
    Fraction,
    /// Text.
    Text,
    /// A list of paths to keys.
    Paths,
    /// A list of names.
    Names,
    /// An entry for each path, or one for all of them.
    Inverted,
    /// An entry for each path.
    Ranges,
    /// Nothing: what it asks for is not done.
    Empty,
    /// Whatever it is.
    Any,
}

type Settings = &'static [(&'static str, Shape)];

const SWITCHES: Settings = &[("disabled", Shape::Flag), ("enabled", Shape::Flag)];
const DICTIONARY: Settings = &[
    ("onHeap", Shape::Flag),
    ("useVarLengthDictionary", Shape::Flag),
    ("intern", Shape::Any),
];
const RANGE: Settings = &[("version", Shape::Count)];
const BLOOM: Settings = &[
    ("fpp", Shape::Fraction),
    ("maxSizeInBytes", Shape::Count),
    ("loadOnHeap", Shape::Flag),
];
const JSON: Settings = &[
    ("maxLevels", Shape::Count),
    ("excludeArray", Shape::Flag),
    ("disableCrossArrayUnnest", Shape::Flag),
    ("includePaths", Shape::Paths),
    ("excludePaths", Shape::Paths),
    ("excludeFields", Shape::Names),
    ("maxValueLength", Shape::Count),
    ("skipInvalidJson", Shape::Flag),
];
const COMPOSITE: Settings = &[
    ("flushThreshold", Shape::Count),
    ("enablePositionalIndexing", Shape::Flag),
    ("invertedIndexConfigs", Shape::Inverted),
    ("rangeIndexConfigs", Shape::Ranges),
    ("textIndexConfigs", Shape::Empty),
    ("fstIndexConfigs", Shape::Empty),
];
const COMPOSITE_INVERTED: Settings = &[
    ("path", Shape::Text),
    ("name", Shape::Text),
    ("includeAllPaths", Shape::Flag),
];
const COMPOSITE_RANGE: Settings = &[
    ("path", Shape::Text),
    ("name", Shape::Text),
    ("dataType", Shape::Text),
    ("createDictionary", Shape::Flag),
    ("dictionaryType", Shape::Text),
    ("defaultValue", Shape::Any),
];

/// Checks the settings of every index that an entry asks for; `what` names the entry.
pub(super) fn all(config: &FieldConfigJson, what: &str, errors: &mut Vec<String>) {
    for (index, settings) in config.enabled_indexes() {
        let known = match index {
            "dictionary" => DICTIONARY,
            "inverted" => &[],
            "range" => RANGE,
            "bloom" => BLOOM,
            "json" => JSON,
            "compositeJson" => COMPOSITE,
            // The forward index is the Parquet file, and the keys have rules of their own.
            _ => continue,
        };
        let place = format!("index '{index}'");
        Check {
            what,
            place: &place,
            errors,
        }
        .object(settings, known);
    }
}

/// A place whose settings are looked at.
struct Check<'a> {
    what: &'a str,
    place: &'a str,
    errors: &'a mut Vec<String>,
}

impl Check<'_> {
    fn object(&mut self, settings: &Value, known: Settings) {
        let (what, place) = (self.what, self.place);
        let Some(settings) = settings.as_object() else {
            // `"inverted": true` and `""` say no more than the name does.
            if settings.as_bool() != Some(true) && settings.as_str() != Some("") {
                self.errors
                    .push(format!("{what} has no object of settings in {place}"));
            }
            return;
        };
        for (name, value) in settings {
            let all = || known.iter().chain(SWITCHES);
            let Some((_, shape)) = all().find(|(known, _)| known == name) else {
                let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                self.errors.push(format!(
                    "{what} has unsupported setting '{name}' in {place}; supported settings are [{}]",
                    known.join(", ")
                ));
                continue;
            };
            self.value(name, value, *shape);
        }
    }

    fn value(&mut self, name: &str, value: &Value, shape: Shape) {
        let (what, place) = (self.what, self.place);
        if value.is_null() {
            return;
        }
        let fits = match shape {
            Shape::Flag => flag(value).is_some(),
            Shape::Count => count(value).is_some(),
            Shape::Fraction => fraction(value).is_some(),
            Shape::Text => value.is_string(),
            Shape::Names => names(value).is_some(),
            Shape::Paths => {
                return match names(value) {
                    Some(paths) => paths.into_iter().for_each(|path| self.path(path)),
                    None => self.wrong(name, value),
                };
            }
            Shape::Inverted | Shape::Ranges => return self.entries(name, value, shape),
            Shape::Empty => {
                if value.as_array().is_none_or(|list| !list.is_empty()) {
                    self.errors.push(format!(
                        "{what} has unsupported setting '{name}' in {place}"
                    ));
                }
                true
            }
            Shape::Any => true,
        };
        if !fits {
            self.wrong(name, value);
        }
    }

    fn entries(&mut self, name: &str, value: &Value, shape: Shape) {
        let Some(entries) = value.as_array() else {
            return self.wrong(name, value);
        };
        let known = match shape {
            Shape::Ranges => COMPOSITE_RANGE,
            _ => COMPOSITE_INVERTED,
        };
        let place = format!("'{name}' of {}", self.place);
        for entry in entries {
            let mut check = Check {
                what: self.what,
                place: &place,
                errors: self.errors,
            };
            if !entry.is_object() {
                check.wrong(name, entry);
                continue;
            }
            check.object(entry, known);
            match entry.get("path").and_then(Value::as_str) {
                Some(path) => check.path(path),
                None if is_all(entry) => {}
                None => {
                    let (what, place) = (check.what, check.place);
                    check
                        .errors
                        .push(format!("{what} has an entry without path in {place}"));
                }
            }
        }
    }

    fn path(&mut self, path: &str) {
        if json_path::parse(path).is_none() {
            let (what, place) = (self.what, self.place);
            self.errors.push(format!(
                "{what} has path '{path}' in {place}, which is no path"
            ));
        }
    }

    fn wrong(&mut self, name: &str, value: &Value) {
        let (what, place) = (self.what, self.place);
        self.errors.push(format!(
            "{what} has a wrong value in setting '{name}' of {place}: {value}"
        ));
    }
}

/// Tells whether an entry stands for every path.
pub(crate) fn is_all(entry: &Value) -> bool {
    entry.get("includeAllPaths").and_then(flag) == Some(true)
}

/// Reads a flag that may be text.
pub(crate) fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.to_ascii_lowercase().parse().ok(),
        _ => None,
    }
}

/// Reads a count that may be text; negative ones, which mean none, included.
pub(crate) fn count(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_i64(),
    }
}

/// Reads a number between 0 and 1, both left out, that may be text.
pub(crate) fn fraction(value: &Value) -> Option<f64> {
    let number: f64 = match value {
        Value::String(text) => text.parse().ok()?,
        other => other.as_f64()?,
    };
    (number > 0.0 && number < 1.0).then_some(number)
}

/// Reads a list of texts.
pub(crate) fn names(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}
