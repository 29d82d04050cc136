//! Rounds: rows, layouts, queries, answers.

use std::path::Path;

use growler_exec::{Engine, EngineOptions, Request, View};
use growler_schema::{DataType, Field, FieldRole, TableSchema, TimeUnit};
use growler_segment::FooterCache;
use serde_json::Value as Json;

use crate::document::{self, Doc, Focus, KEYS};
use crate::files::{Plan, write_layout};
use crate::indexes::with_indexes;
use crate::queries::{Query, Rows, queries};
use crate::rng::Rng;

/// Rounds of a plain test run.
const ROUNDS: u64 = 9;
/// Layouts of one round.
const LAYOUTS: usize = 4;

const TYPES: [DataType; 9] = [
    DataType::Long,
    DataType::String,
    DataType::Double,
    DataType::Int,
    DataType::BigDecimal { scale: 2 },
    DataType::Boolean,
    DataType::Timestamp {
        unit: TimeUnit::Micros,
    },
    DataType::Float,
    DataType::Bytes,
];

#[derive(Debug, Default)]
struct Tally {
    documents: usize,
    layouts: usize,
    queries: usize,
    answers: usize,
    products: usize,
}

#[test]
fn every_layout_gives_the_answer_of_the_model() {
    let setting = |name: &str, default: u64| {
        let text = std::env::var(name).ok();
        text.map_or(default, |text| text.parse().unwrap())
    };
    let seed = setting("GROWLER_LAYOUT_SEED", 1);
    let mut tally = Tally::default();
    let first = setting("GROWLER_LAYOUT_FIRST", 0);
    for round in first..first + setting("GROWLER_LAYOUT_ROUNDS", ROUNDS) {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(round);
        run(seed, round as usize, &mut tally);
    }
    eprintln!(
        "layouts: documents={} layouts={} queries={} answers={} documents x layouts x queries={}",
        tally.documents, tally.layouts, tally.queries, tally.answers, tally.products
    );
}

fn run(seed: u64, round: usize, tally: &mut Tally) {
    let mut rng = Rng::new(seed);
    let focus = Focus {
        data_type: TYPES[round % TYPES.len()],
        wild: rng.chance(25),
    };
    let row_count = *rng.pick(&[1, 16, 30, 45]);
    let rows: Vec<Option<Doc>> = (0..row_count)
        .map(|_| document::row(&mut rng, focus))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::new(EngineOptions {
        threads: 2,
        batch_rows: *rng.pick(&[8192, 16]),
        ..EngineOptions::default()
    })
    .unwrap();
    let layouts: Vec<Vec<Plan>> = (0..LAYOUTS)
        .map(|idx| layout(&engine, folder.path(), &rows, idx, focus, &mut rng))
        .collect();
    let mut asked = 0;
    for path in ["k", *rng.pick(&KEYS[1..])] {
        for on in [false, true] {
            for query in queries(&rows, path, focus, on, &mut rng) {
                let what = format!("seed={seed} type={focus:?} null_handling={on}");
                check(&engine, &query, on, &layouts, &what);
                asked += 1;
            }
        }
    }
    tally.documents += rows.len();
    tally.layouts += layouts.len();
    tally.queries += asked;
    tally.answers += asked * layouts.len();
    tally.products += rows.len() * layouts.len() * asked;
}

/// Writes one layout and makes it a table, with the type of every key declared.
fn layout(
    engine: &Engine,
    folder: &Path,
    rows: &[Option<Doc>],
    idx: usize,
    focus: Focus,
    rng: &mut Rng,
) -> Vec<Plan> {
    let name = format!("t{idx}");
    let indexes = &folder.join("indexes");
    let folder = folder.join(&name);
    std::fs::create_dir(&folder).unwrap();
    let plans = write_layout(&folder, rows, idx, rng);
    let location = folder.to_str().unwrap();
    let cache = FooterCache::default();
    let inferred = View::open(&name, location, None, &cache).unwrap();
    let fields = inferred.schema().fields().iter().cloned().map(|mut field| {
        if field.name == "props" {
            for key in KEYS {
                let child = Field::new(key, FieldRole::Dimension, focus.data_type.single());
                field.children.insert(key.to_owned(), child);
            }
        }
        field
    });
    let schema = TableSchema::new(&name, fields.collect());
    let view = View::open(&name, location, Some(&schema), &cache).unwrap();
    engine.register(with_indexes(view, indexes, rng));
    plans
}

fn check(engine: &Engine, query: &Query, on: bool, layouts: &[Vec<Plan>], what: &str) {
    let ask = |idx: usize, skipped: &str| {
        let sql = query.sql.replace("{t}", &format!("t{idx}"));
        let sql = format!("SET enableNullHandling = {on}; SET skipIndexes = '{skipped}'; {sql}");
        let outcome = engine.query(&sql, &Request::default());
        match (outcome.error, outcome.response.result_table) {
            (None, Some(table)) => {
                let mut json = Vec::new();
                table.write_json_rows(&mut json).unwrap();
                serde_json::from_slice::<Rows>(&json).map_err(|error| error.to_string())
            }
            (error, _) => Err(error.map_or_else(String::new, |error| error.to_string())),
        }
    };
    let first = ask(0, "*");
    if let Some(expected) = &query.expected {
        let found = first
            .as_ref()
            .unwrap_or_else(|error| panic!("{what} {} {error}", query.sql));
        if let Some(difference) = difference(found, expected) {
            panic!("{what}\n{}\nnot as the model: {difference}", query.sql);
        }
    }
    let layouts = layouts.iter().enumerate();
    let asked = layouts.flat_map(|(idx, plans)| [(idx, plans, "*"), (idx, plans, "")]);
    for (idx, plans, skipped) in asked.skip(1) {
        let found = ask(idx, skipped);
        let same = match (&found, &first) {
            (Ok(found), Ok(first)) => difference(found, first),
            (Err(a), Err(b)) if a.replace(&format!("t{idx}"), "t0") == *b => None,
            (found, first) => Some(format!("{found:?}\ninstead of {first:?}")),
        };
        if let Some(difference) = same {
            panic!(
                "{what}\n{}\nnot as the first layout: {difference}\nskipped indexes: {skipped}\nlayout {idx}: {plans:#?}",
                query.sql
            );
        }
    }
}

/// Says where two answers part; numbers that are equal are the same, whatever their form.
fn difference(found: &Rows, expected: &Rows) -> Option<String> {
    if found.len() != expected.len() {
        return Some(format!("{found:?}\nexpected {expected:?}"));
    }
    let same = |(a, b): (&Vec<Json>, &Vec<Json>)| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_cell(a, b))
    };
    let at = found.iter().zip(expected).position(|pair| !same(pair))?;
    Some(format!(
        "row {at} {:?}\nexpected {:?}",
        found[at], expected[at]
    ))
}

fn same_cell(found: &Json, expected: &Json) -> bool {
    match (found, expected) {
        (Json::Number(a), Json::Number(b)) => {
            a.to_string() == b.to_string()
                || (a.as_f64() == b.as_f64() && !(a.is_i64() && b.is_i64()))
        }
        (a, b) => a == b,
    }
}
