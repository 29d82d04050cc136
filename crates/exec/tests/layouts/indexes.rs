//! Random indexes over the keys of a table.

use std::path::Path;

use arrow_array::Array;
use growler_exec::View;
use growler_index::{Kind, Kinds, Reading, Remainder};

use crate::document::KEYS;
use crate::indexing::{Wanted, build};
use crate::rng::Rng;

/// Gives each segment of a view some indexes.
pub fn with_indexes(view: View, folder: &Path, rng: &mut Rng) -> View {
    let segments = 0..view.segments().len();
    let indexes = segments.map(|idx| {
        let (wanted, remainder) = match rng.below(8) {
            0 => return None,
            1..4 => (some_keys(rng), Vec::new()),
            _ => every_key(&view, idx, rng),
        };
        Some(build(&view, idx, &wanted, remainder, folder))
    });
    let indexes = indexes.collect();
    view.with_indexes(indexes)
}

fn some_keys(rng: &mut Rng) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    if rng.chance(50) {
        wanted.push(random("id", None, Reading::Values, rng));
    }
    for key in KEYS {
        for reading in [Reading::Values, Reading::Numbers] {
            if rng.chance(70) {
                wanted.push(random("props", Some(key), reading, rng));
            }
        }
    }
    wanted
}

/// Indexes all keys that some row has, and says that these are all.
fn every_key(view: &View, idx: usize, rng: &mut Rng) -> (Vec<Wanted>, Vec<Remainder>) {
    let mut wanted = Vec::new();
    let mut complete = true;
    for key in KEYS {
        for reading in [Reading::Values, Reading::Numbers] {
            let one = random("props", Some(key), reading, rng);
            match one.read(view, idx) {
                Err(_) => complete = false,
                Ok((_, arrays)) => {
                    let is_there =
                        |array: &arrow_array::ArrayRef| array.logical_null_count() < array.len();
                    if arrays.iter().any(is_there) {
                        wanted.push(one);
                    }
                }
            }
        }
    }
    let remainder = Remainder {
        column: "props".into(),
        complete,
        key_count: wanted.len() as u32,
    };
    (wanted, vec![remainder])
}

fn random(column: &str, path: Option<&str>, reading: Reading, rng: &mut Rng) -> Wanted {
    let all = [Kind::Dictionary, Kind::Inverted, Kind::Range, Kind::Bloom];
    let kinds: Kinds = match rng.below(4) {
        0 => all.into_iter().collect(),
        1 => Kinds::NONE.with(Kind::Dictionary).with(Kind::Inverted),
        _ => all.into_iter().filter(|_| rng.chance(50)).collect(),
    };
    let mut wanted = Wanted::new(column, path, kinds);
    wanted.reading = reading;
    if rng.chance(25) {
        wanted.distinct_count = *rng.pick(&[1, 2, 5]);
    }
    if rng.chance(25) {
        wanted.value_len_bytes = *rng.pick(&[0, 1, 4]);
    }
    wanted.marks_containers = rng.chance(50);
    wanted
}
