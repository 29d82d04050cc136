//! Rounds: rows, layouts, queries, answers.

use std::path::Path;

use growler_exec::{Engine, EngineOptions, View};
use growler_schema::{DataType, Field, FieldRole, TableSchema, TimeUnit};
use growler_segment::{FooterCache, KeyPath};

use crate::check::Round;
use crate::document::{KEYS, Row};
use crate::files::{Plan, write_layout};
use crate::generate::{self, Focus, Roots};
use crate::indexes::with_indexes;
use crate::nested;
use crate::queries::{Expected, Query, queries};
use crate::rng::Rng;

/// Rounds of a plain test run.
const ROUNDS: u64 = 18;
/// Layouts of one round.
const LAYOUTS: usize = 4;

/// Types of keys, and whether they are declared.
const TYPES: [(DataType, bool); 12] = [
    (DataType::Long, true),
    (DataType::String, false),
    (DataType::Double, true),
    (DataType::String, true),
    (DataType::Int, true),
    (DataType::BigDecimal { scale: 3 }, true),
    (DataType::Boolean, true),
    (
        DataType::Timestamp {
            unit: TimeUnit::Micros,
        },
        true,
    ),
    (DataType::Float, true),
    (DataType::Bytes, true),
    (DataType::String, false),
    (
        DataType::Timestamp {
            unit: TimeUnit::Nanos,
        },
        true,
    ),
];

#[derive(Debug, Default)]
struct Tally {
    documents: usize,
    layouts: usize,
    queries: usize,
    answers: usize,
    modelled: usize,
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
    // Past the capture of test output.
    let line = format!(
        "layouts: documents={} layouts={} queries={} (of the model {}) answers={} \
         documents x layouts x queries={}\n",
        tally.documents,
        tally.layouts,
        tally.queries,
        tally.modelled,
        tally.answers,
        tally.products
    );
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
}

fn run(seed: u64, round: usize, tally: &mut Tally) {
    let mut rng = Rng::new(seed);
    let focus = focus(round, &mut rng);
    let row_count = *rng.pick(&[1, 16, 30, 45]);
    let rows: Vec<Row> = (0..row_count)
        .map(|_| generate::row(&mut rng, focus))
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
    let round = Round {
        what: format!("seed={seed} {focus:?}"),
        engine,
        rows,
        focus,
        layouts,
    };
    let mut asked = Vec::new();
    for on in [false, true] {
        for path in ["k", *rng.pick(&KEYS[1..])] {
            for query in queries(&round.rows, path, focus, on, &mut rng) {
                round.check(&query, on, true);
                asked.push(query);
            }
        }
        if focus.nested {
            for query in nested::queries(&round.rows, on) {
                round.check(&query, on, false);
                asked.push(query);
            }
        }
    }
    let is_modelled = |query: &&Query| matches!(query.expected, Expected::Rows(_));
    tally.documents += round.rows.len();
    tally.layouts += round.layouts.len();
    tally.queries += asked.len();
    tally.modelled += asked.iter().filter(is_modelled).count();
    tally.answers += asked.len() * round.layouts.len();
    tally.products += round.rows.len() * round.layouts.len() * asked.len();
}

fn focus(round: usize, rng: &mut Rng) -> Focus {
    let (data_type, declared) = TYPES[round % TYPES.len()];
    Focus {
        data_type,
        declared,
        wild: rng.chance(40),
        // In turn, at another pace than the types.
        roots: match round % 5 {
            1 => Roots::Softened,
            3 => Roots::Refused,
            _ => Roots::Objects,
        },
        malformed: rng.chance(30),
        nested: rng.chance(40),
    }
}

/// Writes one layout and makes it a table, with the type of every key declared or of none.
fn layout(
    engine: &Engine,
    folder: &Path,
    rows: &[Row],
    idx: usize,
    focus: Focus,
    rng: &mut Rng,
) -> Vec<Plan> {
    let name = format!("t{idx}");
    let indexes = &folder.join("indexes");
    let folder = folder.join(&name);
    std::fs::create_dir(&folder).unwrap();
    let plans = write_layout(&folder, rows, idx, focus, rng);
    let location = folder.to_str().unwrap();
    let cache = FooterCache::default();
    let inferred = View::open(&name, location, None, &cache).unwrap();
    let fields = inferred.schema().fields().iter().cloned().map(|mut field| {
        if field.name == "props" && focus.declared {
            for key in KEYS {
                let child = Field::new(key, FieldRole::Dimension, focus.data_type.single());
                field.children.insert(key.to_owned(), child);
            }
        }
        field
    });
    let schema = TableSchema::new(&name, fields.collect());
    let view = View::open(&name, location, Some(&schema), &cache).unwrap();
    let field = view.schema().field("props").unwrap();
    for key in KEYS {
        // One type in all layouts, or their answers may differ.
        let key_type = view.key_type(field, &KeyPath::parse(key).unwrap()).unwrap();
        let found = (key_type.data_type, key_type.typed);
        assert_eq!(found, (focus.data_type, focus.declared), "{key} {plans:#?}");
    }
    engine.register(with_indexes(view, indexes, rng));
    plans
}
