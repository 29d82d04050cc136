//! Rows of a table: a column of every type, and documents.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, Float32Array, Float64Array, Int32Array,
    Int64Array, StringArray, TimestampMicrosecondArray,
};

use crate::document::Row;
use crate::generate::{self, Focus};
use crate::pools::{self, BINARIES, DECIMALS, DOUBLES, TIMES};
use crate::rng::Rng;

/// Rows that files are cut from.
pub struct Rows {
    pub documents: Vec<Row>,
    /// Columns beside the documents.
    pub columns: Vec<(&'static str, ArrayRef)>,
}

/// Makes rows.
pub fn rows(count: usize, focus: Focus, rng: &mut Rng) -> Rows {
    let ids: Int32Array = (0..count as i32).collect();
    let documents = (0..count).map(|_| generate::row(rng, focus)).collect();
    Rows {
        documents,
        columns: vec![
            ("id", Arc::new(ids)),
            ("b", booleans(count, rng)),
            ("i", ints(count, rng)),
            ("l", longs(count, rng)),
            ("f", floats(count, rng)),
            ("d", doubles(count, rng)),
            ("n", decimals(count, rng)),
            ("s", texts(count, rng)),
            ("y", binaries(count, rng)),
            ("t", times(count, rng)),
            ("m", lists(count, rng)),
            ("j", crate::documents::column(count, rng)),
        ],
    }
}

/// Draws values of a few or many that a function makes; some are null, sometimes all.
fn drawn<T: Clone>(
    count: usize,
    rng: &mut Rng,
    make: impl Fn(&mut Rng) -> T,
) -> impl Iterator<Item = Option<T>> {
    let distinct_count = *rng.pick(&[1, 2, 4, 12, 1000]);
    let null_percent = *rng.pick(&[0, 0, 10, 10, 40, 100]);
    // Rows beside each other may be alike, as in sorted files.
    let run_len = *rng.pick(&[1, 1, 1, 9]);
    let domain: Vec<T> = (0..distinct_count).map(|_| make(rng)).collect();
    let mut values: Vec<Option<T>> = Vec::with_capacity(count + run_len);
    while values.len() < count {
        let value = (!rng.chance(null_percent)).then(|| rng.pick(&domain).clone());
        let repeated = 1 + rng.below(run_len);
        values.extend(std::iter::repeat_n(value, repeated));
    }
    values.into_iter().take(count)
}

fn booleans(count: usize, rng: &mut Rng) -> ArrayRef {
    let values = drawn(count, rng, |rng| rng.chance(50));
    Arc::new(values.collect::<BooleanArray>())
}

fn ints(count: usize, rng: &mut Rng) -> ArrayRef {
    let values = drawn(count, rng, |rng| {
        i32::try_from(pools::long(rng)).unwrap_or(i32::MIN)
    });
    Arc::new(values.collect::<Int32Array>())
}

fn longs(count: usize, rng: &mut Rng) -> ArrayRef {
    Arc::new(drawn(count, rng, pools::long).collect::<Int64Array>())
}

fn floats(count: usize, rng: &mut Rng) -> ArrayRef {
    let pool = fractions(rng);
    let values = drawn(count, rng, |rng| *rng.pick(pool) as f32);
    Arc::new(values.collect::<Float32Array>())
}

fn doubles(count: usize, rng: &mut Rng) -> ArrayRef {
    let pool = fractions(rng);
    let values = drawn(count, rng, |rng| *rng.pick(pool));
    Arc::new(values.collect::<Float64Array>())
}

/// Picks what a column of fractions is made of: often of little but the two zeros, which are equal and
/// yet two values of an index.
fn fractions(rng: &mut Rng) -> &'static [f64] {
    const ZEROS: [f64; 2] = [-0.0, 0.0];
    const NEAR_ZERO: [f64; 5] = [-0.0, 0.0, 5e-324, -2.5, f64::NAN];
    match rng.below(6) {
        0 => &ZEROS,
        1 => &NEAR_ZERO,
        _ => &DOUBLES,
    }
}

fn decimals(count: usize, rng: &mut Rng) -> ArrayRef {
    let values = drawn(count, rng, |rng| *rng.pick(&DECIMALS));
    let array = values.collect::<Decimal128Array>();
    Arc::new(array.with_precision_and_scale(30, 3).unwrap())
}

fn texts(count: usize, rng: &mut Rng) -> ArrayRef {
    Arc::new(drawn(count, rng, pools::text).collect::<StringArray>())
}

fn binaries(count: usize, rng: &mut Rng) -> ArrayRef {
    let values = drawn(count, rng, |rng| *rng.pick(&BINARIES));
    Arc::new(values.collect::<BinaryArray>())
}

fn times(count: usize, rng: &mut Rng) -> ArrayRef {
    let values = drawn(count, rng, |rng| *rng.pick(&TIMES));
    Arc::new(values.collect::<TimestampMicrosecondArray>())
}

/// Lists, which are not indexed whatever a config says.
fn lists(count: usize, rng: &mut Rng) -> ArrayRef {
    let mut lists = ListBuilder::new(Int32Builder::new());
    for _ in 0..count {
        (0..rng.below(3)).for_each(|_| lists.values().append_value(rng.below(4) as i32));
        lists.append(rng.chance(90));
    }
    Arc::new(lists.finish())
}
