//! Which paths inside JSON documents are indexed.

use serde_json::Value;

use super::json_path::{JsonStep, parse};
use crate::table_config::IndexConfigs;
use crate::validate::settings::{count, flag, is_all, names};

/// Paths inside JSON documents that are indexed. Where a config names one element of an array, all its
/// elements are meant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JsonPlan {
    /// The only paths, with those below them; none means all.
    include: Option<Vec<Vec<JsonStep>>>,
    /// The only paths, without those below them; none means all.
    exact: Option<Vec<Vec<JsonStep>>>,
    /// Paths left out, with those below them.
    exclude: Vec<Vec<JsonStep>>,
    /// Names that no path may have.
    exclude_names: Vec<String>,
    /// Most steps of a path.
    max_steps: Option<usize>,
    /// Whether paths into arrays are left out.
    without_arrays: bool,
    /// Whether single elements of arrays have paths of their own.
    positions: bool,
    /// Longest value that is looked up by the index.
    max_value_bytes: Option<usize>,
}

impl JsonPlan {
    /// Reads the configs of a column or remainder; none where no index on JSON is asked for. A `json`
    /// index wins over a `compositeJson` one.
    pub fn of(configs: &IndexConfigs) -> Option<Self> {
        match (configs.get("json"), configs.get("compositeJson")) {
            (Some(settings), _) => Some(Self::json(settings)),
            (None, Some(settings)) => Some(Self::composite(settings)),
            (None, None) => None,
        }
    }

    /// Reads the configs of a VARIANT column's remainder. What is inside of its arrays takes more bytes
    /// than the rest, so it is indexed only where the config asks for it: it names a path into an array,
    /// or says `"excludeArray": false` or, for `compositeJson`, `"enablePositionalIndexing": true`.
    pub fn of_remainder(configs: &IndexConfigs) -> Option<Self> {
        let plan = Self::of(configs)?;
        let says = |index: &str, name: &str, wanted: bool| {
            let setting = configs.get(index).and_then(|settings| settings.get(name));
            setting.and_then(flag) == Some(wanted)
        };
        let is_asked = match configs.contains_key("json") {
            true => says("json", "excludeArray", false),
            false => says("compositeJson", "enablePositionalIndexing", true),
        };
        let mut named = plan.include.iter().chain(&plan.exact).flatten();
        let names_one = named.any(|path| path.contains(&JsonStep::Any));
        Some(Self {
            without_arrays: plan.without_arrays || !(is_asked || names_one),
            ..plan
        })
    }

    fn json(settings: &Value) -> Self {
        let paths = |name| {
            let listed = settings.get(name).and_then(names);
            listed.map(|listed| listed.into_iter().filter_map(path).collect())
        };
        let positive = |name| {
            let number = settings.get(name).and_then(count)?;
            usize::try_from(number).ok().filter(|number| *number > 0)
        };
        let fields = settings.get("excludeFields").and_then(names);
        Self {
            include: paths("includePaths"),
            exact: None,
            exclude: paths("excludePaths").unwrap_or_default(),
            exclude_names: fields.into_iter().flatten().map(str::to_owned).collect(),
            max_steps: positive("maxLevels"),
            without_arrays: settings.get("excludeArray").and_then(flag) == Some(true),
            positions: true,
            max_value_bytes: positive("maxValueLength"),
        }
    }

    fn composite(settings: &Value) -> Self {
        let entries = |name| {
            let entries = settings.get(name).and_then(Value::as_array);
            entries.into_iter().flatten()
        };
        let listed = |name| {
            let texts = entries(name).filter_map(|entry| entry.get("path").and_then(Value::as_str));
            texts.filter_map(path)
        };
        let all = entries("invertedIndexConfigs").any(is_all);
        let paths = listed("invertedIndexConfigs").chain(listed("rangeIndexConfigs"));
        let positions = settings.get("enablePositionalIndexing").and_then(flag);
        Self {
            exact: (!all).then(|| paths.collect()),
            positions: positions != Some(false),
            ..Self::default()
        }
    }

    /// Tells whether every path is indexed, so that one without an index is in no row.
    pub fn is_everything(&self) -> bool {
        self.include.is_none()
            && self.exact.is_none()
            && self.exclude.is_empty()
            && self.exclude_names.is_empty()
            && self.max_steps.is_none()
            && !self.without_arrays
    }

    /// Tells whether a path, as index files spell it, is indexed.
    pub fn admits(&self, path: &str) -> bool {
        let Some(steps) = self::path(path) else {
            return false;
        };
        let is_within = |paths: &Vec<Vec<JsonStep>>| paths.iter().any(|at| steps.starts_with(at));
        let excluded = |step: &JsonStep| match step {
            JsonStep::Name(name) => self.exclude_names.contains(name),
            JsonStep::Any | JsonStep::At(_) => self.without_arrays,
        };
        self.include.as_ref().is_none_or(is_within)
            && self
                .exact
                .as_ref()
                .is_none_or(|paths| paths.contains(&steps))
            && !is_within(&self.exclude)
            && !steps.iter().any(excluded)
            && self.max_steps.is_none_or(|most| steps.len() <= most)
    }

    /// Tells whether the config names a path, or one above it: then it is indexed whatever it takes.
    pub fn is_named(&self, path: &str) -> bool {
        let Some(steps) = self::path(path) else {
            return false;
        };
        let listed = self.include.iter().chain(&self.exact).flatten();
        listed.into_iter().any(|at| steps.starts_with(at))
    }

    /// Tells whether single elements of arrays have paths of their own.
    pub fn has_positions(&self) -> bool {
        self.positions && !self.without_arrays
    }

    /// Tells whether no path into an array is indexed.
    pub fn is_without_arrays(&self) -> bool {
        self.without_arrays
    }

    /// Returns the longest value that goes into a dictionary, if the config says one.
    pub fn max_value_bytes(&self) -> Option<usize> {
        self.max_value_bytes
    }
}

/// Reads a path; each element of an array stands for all.
fn path(text: &str) -> Option<Vec<JsonStep>> {
    let steps = parse(text)?.into_iter();
    let every = |step| match step {
        JsonStep::At(_) => JsonStep::Any,
        step => step,
    };
    Some(steps.map(every).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn says_which_paths_are_indexed() {
        let all = "$.a $.a.b $.a[*] $.a[0].x $.c";
        let cases = [
            ("json", json!({}), all, true),
            (
                "json",
                json!({"includePaths": ["$.a[*]"]}),
                "$.a[*] $.a[0].x",
                false,
            ),
            ("json", json!({"excludePaths": ["$.a"]}), "$.c", false),
            (
                "json",
                json!({"excludeFields": ["x", "c"]}),
                "$.a $.a.b $.a[*]",
                false,
            ),
            (
                "json",
                json!({"excludeArray": "true"}),
                "$.a $.a.b $.c",
                false,
            ),
            (
                "json",
                json!({"maxLevels": 2}),
                "$.a $.a.b $.a[*] $.c",
                false,
            ),
            (
                "json",
                json!({"skipInvalidJson": true, "disableCrossArrayUnnest": true}),
                all,
                true,
            ),
            (
                "compositeJson",
                json!({"invertedIndexConfigs": [{"includeAllPaths": "true"}]}),
                all,
                true,
            ),
            (
                "compositeJson",
                json!({"invertedIndexConfigs": [{"path": "$.a[0].x"}],
                    "rangeIndexConfigs": [{"path": "c"}]}),
                "$.a[0].x $.c",
                false,
            ),
            ("compositeJson", json!({}), "", false),
        ];
        for (index, settings, expected, everything) in cases {
            let configs = IndexConfigs::from([(index.to_owned(), settings.clone())]);
            let plan = JsonPlan::of(&configs).unwrap_or_default();
            let found: Vec<&str> = all.split(' ').filter(|path| plan.admits(path)).collect();
            assert_eq!(found.join(" "), expected, "{settings}");
            assert_eq!(plan.is_everything(), everything, "{settings}");
        }
        let composite = json!({"enablePositionalIndexing": false});
        let configs = IndexConfigs::from([("compositeJson".to_owned(), composite)]);
        assert!(JsonPlan::of(&configs).is_some_and(|plan| !plan.has_positions()));
    }
}
