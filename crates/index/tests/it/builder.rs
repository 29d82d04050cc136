//! What was built against a naive map of values to rows.

use std::ops::{Bound, Range};

use arrow_array::ArrayRef;
use growler_index::{Budget, Error, Kind, Kinds, RowSet, Subject, ValueIndex};
use growler_schema::{DataType, Value};
use proptest::prelude::*;

use crate::model::{
    Rows, Sample, TYPES, array, compare, dictionary_array, keyed_arrays, value, values, within,
};

/// Kinds that these tests ask for.
const KINDS: Kinds = Kinds::NONE.with(Kind::Dictionary).with(Kind::Inverted);

/// How rows are made: some hundred thousand need no more than a seed to fail again.
#[derive(Debug, Clone)]
struct Shape {
    row_count: u32,
    distinct_count: u32,
    /// Of a hundred rows, how many are null.
    nulls: u32,
    /// Rows of one value that follow one another.
    run: u32,
    seed: u32,
}

fn shape(row_count: Range<u32>) -> impl Strategy<Value = Shape> {
    let distinct = prop_oneof![1_u32..8, 1_u32..400, 1_u32..100_000];
    let nulls = prop_oneof![Just(0_u32), Just(3), Just(99), Just(100)];
    let run = prop_oneof![Just(1_u32), 1_u32..3000];
    (row_count, distinct, nulls, run, any::<u32>()).prop_map(
        |(row_count, distinct_count, nulls, run, seed)| Shape {
            row_count,
            distinct_count,
            nulls,
            run,
            seed,
        },
    )
}

impl Shape {
    fn rows(&self, data_type: DataType) -> Rows {
        let random = |at: u32, salt: u32| {
            let mixed = (at ^ self.seed)
                .wrapping_mul(0x9E37_79B1)
                .wrapping_add(salt);
            (mixed ^ mixed >> 15).wrapping_mul(0x85EB_CA77) >> 7
        };
        let row = |at: u32| {
            let is_null = random(at, 1) % 100 < self.nulls;
            (!is_null).then(|| value(data_type, random(at / self.run, 2) % self.distinct_count))
        };
        (0..self.row_count).map(row).collect()
    }
}

/// Tells whether a dictionary keeps a value.
fn is_kept(value: &Value) -> bool {
    !matches!(value, Value::String(text) if text.len() > 256)
}

/// The naive answers: each value that is kept with its rows, ascending.
fn naive(rows: &Rows) -> Vec<(Value, RowSet)> {
    let kept = rows.iter().zip(0_u32..).filter_map(|(value, row)| {
        let value = value.as_ref().filter(|value| is_kept(value))?;
        Some((value, row))
    });
    let mut pairs: Vec<(&Value, u32)> = kept.collect();
    pairs.sort_by(|(a, x), (b, y)| compare(a, b).then(x.cmp(y)));
    let groups = pairs.chunk_by(|(a, _), (b, _)| compare(a, b).is_eq());
    let group = |group: &[(&Value, u32)]| {
        let rows = group.iter().map(|(_, row)| *row).collect();
        (group[0].0.clone(), rows)
    };
    groups.map(group).collect()
}

fn rows_where(rows: &Rows, wanted: impl Fn(&Option<Value>) -> bool) -> RowSet {
    let rows = rows.iter().zip(0_u32..);
    rows.filter(|(value, _)| wanted(value))
        .map(|(_, row)| row)
        .collect()
}

fn check(index: &ValueIndex<'_>, data_type: DataType, rows: &Rows) -> Result<(), Error> {
    let expected = naive(rows);
    assert_eq!(index.nulls()?, rows_where(rows, Option::is_none));
    let others = rows_where(rows, |value| {
        value.as_ref().is_some_and(|value| !is_kept(value))
    });
    assert_eq!(index.others()?.unwrap_or_default(), others);
    let dictionary = index.dictionary()?.expect("a dictionary");
    let len = dictionary.len();
    assert_eq!(len as usize, expected.len());
    let all = values(data_type, &dictionary.values(0..len)?);
    assert!(
        all.iter()
            .zip(&expected)
            .all(|(a, (b, _))| compare(a, b).is_eq())
    );
    let counts = index.counts(0..len)?;
    for (rank, (value, rows)) in (0_u32..).zip(&expected).step_by(1 + expected.len() / 500) {
        assert_eq!(dictionary.rank(value)?, Some(rank));
        assert!(compare(&dictionary.value(rank)?, value).is_eq());
        assert_eq!(&index.rows(&[rank..rank + 1])?, rows);
        assert_eq!(u64::from(counts[rank as usize]), rows.len());
    }
    for ranks in [0..len, len / 3..len / 2, len / 4..len - len / 8, len..len] {
        check_ranks(index, &[ranks], &expected)?;
    }
    let apart = [len / 5..len / 4, len / 3..len / 3, len / 2..len * 2 / 3];
    check_ranks(index, &apart, &expected)
}

fn check_ranks(
    index: &ValueIndex<'_>,
    ranks: &[Range<u32>],
    expected: &[(Value, RowSet)],
) -> Result<(), Error> {
    let sets = ranks.iter().cloned().flatten();
    let rows: RowSet = sets
        .flat_map(|rank| expected[rank as usize].1.iter())
        .collect();
    assert_eq!(index.rows(ranks)?, rows, "ranks={ranks:?}");
    assert_eq!(index.count(ranks)?, rows.len());
    Ok(())
}

fn check_bounds(
    index: &ValueIndex<'_>,
    data_type: DataType,
    rows: &Rows,
    bounds: (u32, u32),
) -> Result<(), Error> {
    let dictionary = index.dictionary()?.expect("a dictionary");
    let expected = naive(rows);
    let (a, b) = (value(data_type, bounds.0), value(data_type, bounds.1));
    let lowers = [Bound::Unbounded, Bound::Included(&a), Bound::Excluded(&a)];
    let uppers = [Bound::Unbounded, Bound::Included(&b), Bound::Excluded(&b)];
    for (lower, upper) in lowers
        .iter()
        .flat_map(|lower| uppers.map(|upper| (*lower, upper)))
    {
        let inside = expected
            .iter()
            .filter(|(value, _)| within(value, lower, upper));
        let ranks = dictionary.rank_range(lower, upper)?;
        assert_eq!(ranks.len(), inside.count(), "bounds={lower:?} {upper:?}");
        if let Some(first) = ranks.clone().next() {
            assert!(within(&expected[first as usize].0, lower, upper));
        }
    }
    Ok(())
}

fn run(data_type: DataType, shape: &Shape, batch: usize, dictionary: bool) -> Result<(), Error> {
    let rows = shape.rows(data_type);
    let arrays: Vec<_> = rows
        .chunks(batch)
        .map(|rows| match dictionary && data_type == DataType::String {
            true => dictionary_array(rows),
            false => array(data_type, rows),
        })
        .collect();
    let subject = Subject::column("c");
    let sample = Sample::build(
        subject,
        data_type,
        &arrays,
        KINDS,
        Budget::of_bytes(1 << 20),
    )?;
    let indexes = sample.open(rows.len())?;
    assert!(indexes.verify().is_empty());
    let index = indexes
        .of_subject(&sample.built.subject)
        .expect("a subject");
    check(&index, data_type, &rows)?;
    check_bounds(
        &index,
        data_type,
        &rows,
        (shape.seed % 500, shape.run % 500),
    )
}

/// Builds every kind of index of rows, as values and as keys of a dictionary: the files are the same.
fn run_keyed(data_type: DataType, shape: &Shape, batch: usize) -> Result<(), Error> {
    let rows = shape.rows(data_type);
    let kinds = match data_type {
        // No file stores truths in a dictionary.
        DataType::Boolean => KINDS,
        _ => KINDS.with(Kind::Range).with(Kind::Bloom),
    };
    let file = |arrays: &[ArrayRef]| {
        let budget = Budget::of_bytes(1 << 20);
        let sample = Sample::build(Subject::column("c"), data_type, arrays, kinds, budget)?;
        Ok::<_, Error>(std::fs::read(sample.path()).expect("a file"))
    };
    let plain = file(&[array(data_type, &rows)])?;
    let keyed = file(&keyed_arrays(data_type, &rows, batch))?;
    assert_eq!(plain.len(), keyed.len());
    assert!(plain == keyed, "files differ");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn small_subjects_of_every_type(
        data_type in proptest::sample::select(&TYPES[..]),
        shape in shape(0..3000),
        batch in 1_usize..3000,
        dictionary in any::<bool>(),
    ) {
        run(data_type, &shape, batch, dictionary)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn keys_of_a_dictionary_are_their_values(
        data_type in proptest::sample::select(&TYPES[..]),
        shape in shape(1..3000),
        batch in 1_usize..3000,
    ) {
        run_keyed(data_type, &shape, batch)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    // A budget of one megabyte: many distinct values, and many rows, go through runs.
    #[test]
    fn large_subjects_spill(
        data_type in proptest::sample::select(&TYPES[..]),
        shape in shape(60_000..300_000),
        batch in 5_000_usize..90_000,
        dictionary in any::<bool>(),
    ) {
        run(data_type, &shape, batch, dictionary)?;
    }
}

#[test]
fn unique_values_spill_and_come_back() -> Result<(), Error> {
    for data_type in [DataType::Long, DataType::String] {
        let shape = Shape {
            row_count: 250_000,
            distinct_count: u32::MAX,
            nulls: 3,
            run: 1,
            seed: 7,
        };
        run(data_type, &shape, 8192, false)?;
    }
    Ok(())
}

#[test]
fn values_beyond_the_bound_are_others() -> Result<(), Error> {
    let rows: Rows = (0..100).map(|at| Some(Value::Int(at % 20))).collect();
    let budget = Budget::of_bytes(1 << 20).with_distinct_count(5);
    let arrays = [array(DataType::Int, &rows)];
    let sample = Sample::build(Subject::column("c"), DataType::Int, &arrays, KINDS, budget)?;
    let indexes = sample.open(100)?;
    let index = indexes
        .of_subject(&sample.built.subject)
        .expect("a subject");
    assert_eq!(index.distinct_count(), Some(5));
    assert_eq!(index.other_count(), 75);
    let others = rows_where(&rows, |row| !matches!(row, Some(Value::Int(..5))));
    assert_eq!(index.others()?, Some(others));
    Ok(())
}

#[test]
fn rows_marked_as_others_are_no_nulls() -> Result<(), Box<dyn std::error::Error>> {
    use growler_index::{IndexWriter, SegmentIndexes, ValueBuilder};
    let folder = tempfile::tempdir()?;
    let source = crate::model::source(6);
    let mut writer = IndexWriter::create(folder.path(), "a", source, 0)?;
    let subject = Subject::column("c");
    let budget = Budget::of_bytes(1 << 20);
    let mut builder = ValueBuilder::new(subject.clone(), DataType::Int, 6, KINDS, budget);
    builder.push_nulls(5)?;
    builder.mark_other(1)?;
    builder.mark_other(3)?;
    assert!(builder.mark_other(3).is_err());
    assert!(builder.mark_other(5).is_err());
    builder.push(&array(DataType::Int, &[Some(Value::Int(4))]))?;
    builder.finish(&mut writer)?;
    writer.finish()?;
    let indexes = SegmentIndexes::open(&folder.path().join("a"), &source)?.ok_or("no file")?;
    let index = indexes.of_subject(&subject).ok_or("no subject")?;
    assert!(index.nulls()?.iter().eq([0, 2, 4]));
    assert!(index.others()?.unwrap_or_default().iter().eq([1, 3]));
    assert_eq!(index.null_count(), Some(3));
    // The rows of most ranks are what is left of all rows.
    assert!(index.rows(&[0..1])?.iter().eq([5]));
    Ok(())
}

#[test]
fn prefixes_are_ranks() -> Result<(), Error> {
    let texts = [
        "",
        "a",
        "ab",
        "abc",
        "abd",
        "b",
        "\u{10FFFF}",
        "\u{10FFFF}x",
    ];
    let rows: Rows = texts
        .iter()
        .map(|text| Some(Value::String((*text).to_owned())))
        .collect();
    let arrays = [array(DataType::String, &rows)];
    let budget = Budget::of_bytes(1 << 20);
    let subject = Subject::column("c");
    let sample = Sample::build(subject, DataType::String, &arrays, KINDS, budget)?;
    let indexes = sample.open(texts.len())?;
    let index = indexes
        .of_subject(&sample.built.subject)
        .expect("a subject");
    let dictionary = index.dictionary()?.expect("a dictionary");
    for prefix in [
        "",
        "a",
        "ab",
        "abc",
        "abcd",
        "c",
        "\u{10FFFF}",
        "\u{10FFFF}xy",
    ] {
        let ranks = dictionary.prefix_ranks(prefix.as_bytes())?;
        let found: Vec<_> = (0_u32..)
            .zip(texts)
            .filter(|(_, text)| text.starts_with(prefix))
            .map(|(rank, _)| rank)
            .collect();
        assert!(ranks.eq(found), "prefix={prefix}");
    }
    Ok(())
}
