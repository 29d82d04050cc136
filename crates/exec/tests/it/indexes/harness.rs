//! Tables with indexes, asked with them and without.

use growler_exec::{Engine, QueryStatistics, Request, View};
use growler_index::{Kind, Kinds, Remainder};
use tempfile::TempDir;

use crate::indexing::{Wanted, build};
use crate::support::{Rows, engine, rows, sample, view};

/// Every kind of index.
pub fn all_kinds() -> Kinds {
    [Kind::Dictionary, Kind::Inverted, Kind::Range, Kind::Bloom]
        .into_iter()
        .collect()
}

/// A dictionary and postings.
pub fn inverted() -> Kinds {
    Kinds::NONE.with(Kind::Dictionary).with(Kind::Inverted)
}

/// A table of an engine whose segments have indexes.
pub struct Indexed {
    pub engine: Engine,
    _folder: TempDir,
}

impl Indexed {
    /// Indexes each segment of a view as told, and makes it table `t`.
    pub fn new(view: View, wanted: impl Fn(usize) -> (Vec<Wanted>, Vec<Remainder>)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let indexes = (0..view.segments().len()).map(|idx| {
            let (wanted, remainders) = wanted(idx);
            let none = wanted.is_empty() && remainders.is_empty();
            (!none).then(|| build(&view, idx, &wanted, remainders, folder.path()))
        });
        let indexes = indexes.collect();
        let engine = engine();
        engine.register(view.with_indexes(indexes));
        Self {
            engine,
            _folder: folder,
        }
    }

    /// Indexes sample files; every segment alike.
    pub fn sample(location: &str, wanted: &[Wanted], remainders: &[Remainder]) -> Self {
        let view = view("t", sample(location).to_str().unwrap());
        Self::new(view, |_| (wanted.to_vec(), remainders.to_vec()))
    }

    /// Checks that indexes do not change an answer; returns it with its counters.
    pub fn check(&self, sql: &str) -> (Rows, QueryStatistics) {
        let (found, statistics) = self.ask(sql);
        let (scanned, _) = self.ask(&format!("SET skipIndexes = '*'; {sql}"));
        assert_eq!(found, scanned, "{sql}");
        (found, statistics)
    }

    fn ask(&self, sql: &str) -> (Rows, QueryStatistics) {
        let outcome = self.engine.query(sql, &Request::default());
        assert_eq!(outcome.error, None, "{sql}");
        let mut json = Vec::new();
        let table = outcome.response.result_table.unwrap();
        table.write_json_rows(&mut json).unwrap();
        let rows = serde_json::from_slice(&json).unwrap();
        (rows, outcome.response.statistics)
    }

    /// Returns the operators of a plan.
    pub fn plan(&self, sql: &str) -> Vec<String> {
        let found = rows(&self.engine, sql);
        let text = |row: &Vec<serde_json::Value>| row[0].as_str().unwrap().to_owned();
        found.iter().map(text).collect()
    }

    /// Returns the counters of a query.
    pub fn statistics(&self, sql: &str) -> QueryStatistics {
        self.ask(sql).1
    }
}

/// Says that all unshredded keys of `props` are indexed.
pub fn complete() -> Remainder {
    Remainder {
        column: "props".into(),
        complete: true,
        key_count: 0,
    }
}
