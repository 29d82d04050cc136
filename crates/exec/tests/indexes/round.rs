//! A round: rows, files, and one set of indexes after the other.

use std::path::Path;

use growler_exec::reload::{
    IndexPlan, IndexStore, ReloadOptions, load_indexes, needs_reload, reload_segment,
};
use growler_exec::{Engine, EngineOptions, View};
use growler_schema::{DataType, TimeUnit};
use serde_json::Value;

use crate::answers::{Answer, ask};
use crate::config;
use crate::data::rows;
use crate::files::{Plan, write_files};
use crate::generate::{Focus, Roots};
use crate::queries::{Query, query};
use crate::rng::Rng;
use crate::tables::{Declared, at_first, later, open};

/// Queries that every set of indexes of a table is asked.
const QUERIES: usize = 160;
/// Sets of indexes under one schema.
const INDEX_SETS: usize = 6;
/// Rows of a table of more than one chunk of a set of rows.
const MANY_ROWS: usize = 66_000;
/// Of so many rounds of a long run one has many rows.
const MANY_EACH: u64 = 50;

const TYPES: [DataType; 11] = [
    DataType::Long,
    DataType::String,
    DataType::Double,
    DataType::String,
    DataType::Int,
    DataType::BigDecimal { scale: 3 },
    DataType::Boolean,
    DataType::Timestamp {
        unit: TimeUnit::Micros,
    },
    DataType::Float,
    DataType::Bytes,
    DataType::Timestamp {
        unit: TimeUnit::Nanos,
    },
];

/// How much was compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    pub tables: u64,
    pub index_sets: u64,
    pub reloads: u64,
    /// Answers with indexes beside those without.
    pub compared: u64,
    /// Of these, answers for which the filter read fewer values.
    pub spared: u64,
    /// Of these, errors.
    pub errors: u64,
}

impl Tally {
    pub fn add(&mut self, other: Self) {
        self.tables += other.tables;
        self.index_sets += other.index_sets;
        self.reloads += other.reloads;
        self.compared += other.compared;
        self.spared += other.spared;
        self.errors += other.errors;
    }
}

/// One table.
struct Table<'a> {
    what: &'a str,
    plans: &'a [Plan],
    engine: Engine,
    store: IndexStore,
    focus: Focus,
    many: bool,
}

/// Runs a round; in a long run some tables have many rows.
pub fn run(seed: u64, round: u64, is_long: bool) -> Tally {
    let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(round));
    let rng = &mut rng;
    let focus = focus(round as usize, rng);
    let many = is_long && round % MANY_EACH == MANY_EACH - 1;
    let row_count = match many {
        true => MANY_ROWS,
        false => *rng.pick(&[1, 8, 16, 24, 36]),
    };
    let rows = rows(row_count, focus, rng);
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("data");
    std::fs::create_dir(&files).unwrap();
    let plans = write_files(&files, &rows, focus, rng);
    let table = Table {
        what: &format!("seed={seed} round={round} {focus:?}"),
        plans: &plans,
        engine: Engine::new(EngineOptions {
            threads: 1,
            batch_rows: *rng.pick(&[8192, 16.max(row_count / 10)]),
            ..EngineOptions::default()
        })
        .unwrap(),
        store: match rng.chance(50) {
            true => IndexStore::Beside,
            false => IndexStore::Folder(folder.path().join("indexes")),
        },
        focus,
        many,
    };
    let mut tally = Tally {
        tables: 1,
        ..Tally::default()
    };
    let declared = at_first(rng);
    tally.add(table.under_schema(&files, declared, rng));
    if rng.chance(40) {
        tally.add(table.under_schema(&files, later(declared, rng), rng));
    }
    tally
}

fn focus(round: usize, rng: &mut Rng) -> Focus {
    Focus {
        data_type: TYPES[round % TYPES.len()],
        // Whether files may type the keys; where they may not agree, the schema need not say how.
        declared: rng.chance(75),
        wild: rng.chance(50),
        roots: match round % 16 {
            7 => Roots::Softened,
            _ => Roots::Objects,
        },
        malformed: rng.chance(30),
        nested: false,
    }
}

impl Table<'_> {
    /// Asks queries under one schema, with one set of indexes after the other.
    fn under_schema(&self, files: &Path, declared: Declared, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        let view = open(files.to_str().unwrap(), declared, self.focus);
        let mut view = self.engine.register(view);
        let (query_count, set_count) = match self.many {
            true => (QUERIES / 8, INDEX_SETS / 2),
            false => (QUERIES, INDEX_SETS),
        };
        let queries: Vec<Query> = (0..query_count).map(|_| query(self.focus, rng)).collect();
        let is_soft = self.focus.roots == Roots::Softened;
        let scans = queries.iter();
        let scans: Vec<Answer> = scans
            .map(|query| ask(&self.engine, query, is_soft, "*"))
            .collect();
        for set in 0..=set_count {
            let fields = match set {
                // What an earlier schema has left.
                0 => Value::Null,
                _ => config::fields(rng),
            };
            let plan = (set > 0).then(|| config::plan(&view, &fields));
            tally.reloads += self.reload(&mut view, plan.as_ref(), rng);
            let segments = 0..view.segments().len();
            if segments.clone().all(|idx| view.indexes(idx).is_none()) {
                continue;
            }
            tally.index_sets += 1;
            for (query, scan) in queries.iter().zip(&scans) {
                let skipped =
                    *rng.pick(&["", "", "", "", "", "", "props=json", "s=inverted&l=range"]);
                let found = ask(&self.engine, query, is_soft, skipped);
                tally.compared += 1;
                tally.spared += u64::from(found.scanned < scan.scanned);
                tally.errors += u64::from(found.is_error);
                if found.text != scan.text {
                    self.fail(query, &found, scan, skipped, &fields, declared);
                }
            }
        }
        tally
    }

    fn fail(
        &self,
        query: &Query,
        found: &Answer,
        scan: &Answer,
        skipped: &str,
        fields: &Value,
        declared: Declared,
    ) {
        panic!(
            "{}\nSET enableNullHandling={}; SET skipIndexes='{skipped}'; {}\nwith indexes: {}\nwithout:      {}\n\
             {fields}\n{declared:?} {:?}\n{:#?}",
            self.what,
            query.null_handling,
            query.sql,
            found.text,
            scan.text,
            self.store,
            self.plans
        );
    }

    /// Brings the segments, or most of them, to a plan; without one takes what is there.
    fn reload(
        &self,
        view: &mut std::sync::Arc<View>,
        plan: Option<&IndexPlan>,
        rng: &mut Rng,
    ) -> u64 {
        let mut reloads = 0;
        for idx in 0..view.segments().len() {
            let Some(plan) = plan else {
                let indexes = load_indexes(&view.segments()[idx], "t", &self.store);
                *view = self
                    .engine
                    .register(view.with_segment_indexes(idx, indexes));
                continue;
            };
            if rng.chance(10) {
                continue;
            }
            let options = ReloadOptions {
                budget_bytes: *rng.pick(&[1 << 10, 64 << 10, 256 << 20]),
                rebuild: rng.chance(10),
                ..ReloadOptions::default()
            };
            match reload_segment(view, idx, plan, &self.store, &options) {
                Ok(reloaded) => {
                    reloads += 1;
                    let next = view.with_segment_indexes(idx, reloaded.indexes);
                    *view = self.engine.register(next);
                    if rng.chance(20) {
                        let needs = needs_reload(view, idx, plan, &self.store);
                        assert!(!needs, "{} a reload leaves something to do", self.what);
                    }
                }
                // Roots that are no objects cannot be read, and not be indexed.
                Err(_) if self.focus.roots != Roots::Objects => {}
                Err(error) => panic!("{} {error}\n{:#?}", self.what, self.plans),
            }
        }
        reloads
    }
}
