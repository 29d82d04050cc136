//! Which paths of what is not shredded are indexed.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{IndexKinds, JsonPlan, hash::PlanHash, path::index_path};
use crate::table_config::IndexConfigs;
use crate::validate::settings::{count, is_all, names};

/// Paths of a remainder that are indexed, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemainderPlan {
    /// The only paths, with those below them; none means all.
    include: Option<BTreeSet<String>>,
    /// The only paths, without those below them; none means all.
    exact: Option<BTreeSet<String>>,
    /// Paths left out, with those below them.
    exclude: BTreeSet<String>,
    /// Names that no path may end with.
    exclude_names: BTreeSet<String>,
    /// Most steps of a path.
    max_steps: Option<usize>,
    /// Paths with a range index.
    ranges: BTreeSet<String>,
    /// Longest text that is looked up by the index; longer text is compared row by row.
    max_value_bytes: Option<usize>,
    /// What is inside of arrays.
    arrays: JsonPlan,
}

impl RemainderPlan {
    /// Reads the configs of a remainder; none where no index is asked for. A `json` index wins over a
    /// `compositeJson` one.
    pub fn of(configs: &IndexConfigs) -> Option<Self> {
        let arrays = JsonPlan::of_remainder(configs)?;
        let plan = match (configs.get("json"), configs.get("compositeJson")) {
            (Some(settings), _) => Self::json(settings),
            (None, settings) => Self::composite(settings?),
        };
        Some(Self { arrays, ..plan })
    }

    fn json(settings: &Value) -> Self {
        let paths = |name| {
            let listed = settings.get(name).and_then(names);
            listed.map(|listed| listed.into_iter().filter_map(index_path).collect())
        };
        let fields = settings.get("excludeFields").and_then(names);
        let positive = |name| {
            let number = settings.get(name).and_then(count)?;
            usize::try_from(number).ok().filter(|number| *number > 0)
        };
        Self {
            include: paths("includePaths"),
            exact: None,
            exclude: paths("excludePaths").unwrap_or_default(),
            exclude_names: fields.into_iter().flatten().map(str::to_owned).collect(),
            max_steps: positive("maxLevels"),
            ranges: BTreeSet::new(),
            max_value_bytes: positive("maxValueLength"),
            arrays: JsonPlan::default(),
        }
    }

    fn composite(settings: &Value) -> Self {
        let entries = |name| {
            let entries = settings.get(name).and_then(Value::as_array);
            entries.into_iter().flatten()
        };
        let path = |entry: &Value| {
            entry
                .get("path")
                .and_then(Value::as_str)
                .and_then(index_path)
        };
        let ranges: BTreeSet<String> = entries("rangeIndexConfigs").filter_map(path).collect();
        let all = entries("invertedIndexConfigs").any(is_all);
        let listed = entries("invertedIndexConfigs").filter_map(path);
        Self {
            exact: (!all).then(|| listed.chain(ranges.iter().cloned()).collect()),
            ranges,
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
    }

    /// Returns the kinds of index wanted on a path; none where it is left out.
    pub fn kinds(&self, path: &str) -> Option<IndexKinds> {
        let last = path.rsplit('.').next().unwrap_or(path);
        let is_within = |paths: &BTreeSet<String>| paths.iter().any(|outer| is_at(path, outer));
        let included = self.include.as_ref().is_none_or(is_within)
            && self.exact.as_ref().is_none_or(|paths| paths.contains(path))
            && !is_within(&self.exclude)
            && !self.exclude_names.contains(last)
            && self
                .max_steps
                .is_none_or(|most| path.split('.').count() <= most);
        included.then(|| IndexKinds {
            dictionary: true,
            inverted: true,
            range: self.ranges.contains(path),
            ..IndexKinds::default()
        })
    }

    /// Returns what is indexed inside of arrays.
    pub fn arrays(&self) -> &JsonPlan {
        &self.arrays
    }

    /// Returns the paths that can be indexed, where the config lists them one by one.
    pub fn listed(&self) -> Option<&BTreeSet<String>> {
        self.exact.as_ref()
    }

    /// Returns the longest text that goes into a dictionary, if the config says one.
    pub fn max_value_bytes(&self) -> Option<usize> {
        self.max_value_bytes
    }

    pub(super) fn hash(&self, hash: &mut PlanHash) {
        for set in [&self.include, &self.exact] {
            hash.number(set.as_ref().map_or(u64::MAX, |set| set.len() as u64));
            set.iter().flatten().for_each(|path| hash.text(path));
        }
        for set in [&self.exclude, &self.exclude_names, &self.ranges] {
            hash.number(set.len() as u64);
            set.iter().for_each(|path| hash.text(path));
        }
        for number in [self.max_steps, self.max_value_bytes] {
            hash.number(number.map_or(u64::MAX, |number| number as u64));
        }
        hash.text(&format!("{:?}", self.arrays));
    }
}

/// Tells whether a path is another one, or below it.
fn is_at(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plan(index: &str, settings: Value) -> RemainderPlan {
        let configs = IndexConfigs::from([(index.to_owned(), settings)]);
        RemainderPlan::of(&configs).unwrap_or_default()
    }

    #[test]
    fn says_which_paths_are_indexed() {
        let cases = [
            ("json", json!({}), "a,a.b,ab,c", true),
            ("json", json!({"includePaths": ["$.a"]}), "a,a.b", false),
            ("json", json!({"excludePaths": ["$.a"]}), "ab,c", false),
            ("json", json!({"excludeFields": ["b"]}), "a,ab,c", false),
            ("json", json!({"maxLevels": 1}), "a,ab,c", false),
            ("json", json!({"maxLevels": -1}), "a,a.b,ab,c", true),
            (
                "compositeJson",
                json!({"invertedIndexConfigs": [{"includeAllPaths": "true"}]}),
                "a,a.b,ab,c",
                true,
            ),
            (
                "compositeJson",
                json!({"invertedIndexConfigs": [{"path": "$.a"}], "rangeIndexConfigs": [{"path": "c"}]}),
                "a,c",
                false,
            ),
            ("compositeJson", json!({}), "", false),
        ];
        for (index, settings, expected, everything) in cases {
            let plan = plan(index, settings.clone());
            let paths = ["a", "a.b", "ab", "c"].into_iter();
            let found: Vec<&str> = paths.filter(|path| plan.kinds(path).is_some()).collect();
            assert_eq!(found.join(","), expected, "{settings}");
            assert_eq!(plan.is_everything(), everything, "{settings}");
        }
    }

    #[test]
    fn ranges_are_those_asked_for() {
        let settings = json!({"invertedIndexConfigs": [{"includeAllPaths": true}],
            "rangeIndexConfigs": [{"path": "$.n", "dataType": "LONG"}]});
        let plan = plan("compositeJson", settings);
        assert!(plan.kinds("n").is_some_and(|kinds| kinds.range));
        assert!(plan.kinds("a").is_some_and(|kinds| !kinds.range));
    }
}
