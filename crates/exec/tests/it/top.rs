//! The first rows of an order are those of the whole order, whatever is left unread.

use std::os::unix::fs::FileExt;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use growler_exec::Engine;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};

use crate::generate::{Cut, Files, batch, ints};
use crate::support::{assert_rows, engine_with, rows, run};

/// A small generator of numbers, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

const DOUBLES: [f64; 10] = [
    f64::NAN,
    -0.0,
    0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1.5,
    -2.5,
    1e300,
    7.0,
    8.0,
];

/// Makes rows of which keys are random, ascending, or the same for long; some rows are null.
fn table(random: &mut Random, row_count: usize) -> Vec<RecordBatch> {
    let is_sorted = random.below(3) == 0;
    let null_chance = random.pick(&[0, 5, 50]);
    let distinct = random.pick(&[2, 20, 100_000]);
    let file_count = 1 + random.below(3) as usize;
    let file_rows = row_count.div_ceil(file_count);
    let file = |file: usize| {
        let rows = file * file_rows..((file + 1) * file_rows).min(row_count);
        let mut numbers = Vec::new();
        for row in rows.clone() {
            let number = match is_sorted {
                true => row as u64 * distinct / row_count as u64,
                false => random.below(distinct),
            };
            numbers.push((random.below(100) >= null_chance).then_some(number as i64));
        }
        let short = |number: &Option<i64>| number.map(|number| number as i32 - 10);
        let texts = numbers
            .iter()
            .map(|number| number.map(|n| format!("t{n:05}")));
        let doubles = numbers.iter().map(|number| {
            let chosen = (*number)? as u64;
            Some(match random.below(4) {
                0 => DOUBLES[(chosen % 10) as usize],
                _ => chosen as f64 / 4.0,
            })
        });
        let doubles: Float64Array = doubles.collect();
        let ids: Vec<Option<i32>> = rows.map(|row| Some(row as i32)).collect();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", ints(&ids)),
            ("i", ints(&numbers.iter().map(short).collect::<Vec<_>>())),
            ("l", Arc::new(Int64Array::from(numbers.clone()))),
            ("s", Arc::new(StringArray::from_iter(texts))),
            ("d", Arc::new(doubles)),
        ];
        batch(columns)
    };
    (0..file_count).map(file).collect()
}

fn order(random: &mut Random) -> String {
    let mut key = || {
        let column = random.pick(&["i", "l", "s", "d", "id"]);
        let direction = random.pick(&["", " DESC"]);
        let nulls = random.pick(&["", "", " NULLS FIRST", " NULLS LAST"]);
        format!("{column}{direction}{nulls}")
    };
    let first = key();
    match random.below(3) {
        0 => format!("{first}, {}", key_of(random)),
        1 => format!("{first}, l + 1"),
        _ => first,
    }
}

fn key_of(random: &mut Random) -> String {
    format!(
        "{}{}",
        random.pick(&["s", "d", "id"]),
        random.pick(&["", " DESC"])
    )
}

#[test]
fn first_rows_are_those_of_the_whole_order() {
    for seed in 1..=25_u64 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let row_count = random.pick(&[50, 400, 2000]) as usize;
        let cut = Cut {
            row_group_rows: random.pick(&[10, 60, 5000]),
            page_rows: random.pick(&[3, 16, 1000]),
            dictionary: random.below(2) == 0,
        };
        let files = Files::new(&table(&mut random, row_count), cut);
        let engines = [(1, 8192), (2, 7), (4, 64)].map(|(threads, batch_rows)| {
            let engine = engine_with(threads, batch_rows);
            files.register(&engine, "t");
            engine
        });
        for _ in 0..12 {
            check(&engines, &mut random, &format!("seed={seed} {cut:?}"));
        }
    }
}

fn check(engines: &[Engine], random: &mut Random, what: &str) {
    let (limit, offset) = (random.pick(&[1, 3, 10, 70]), random.pick(&[0, 0, 2, 40]));
    let filter = random.pick(&[
        "",
        "",
        "",
        "WHERE i > 0",
        "WHERE s LIKE 't%1%'",
        "WHERE id >= 30 AND d < 100",
        "WHERE l + 1 > 5",
        "WHERE d IS NULL",
        "WHERE i <> 3 OR s = 't00003'",
    ]);
    let set = format!(
        "SET enableNullHandling = {};",
        random.pick(&["true", "false"])
    );
    let sql = format!(
        "{set} SELECT id, i, d, s FROM t {filter} ORDER BY {}",
        order(random)
    );
    // As many rows as there are leave nothing out.
    let all = rows(&engines[0], &format!("{sql} LIMIT 100000"));
    let wanted = all.into_iter().skip(offset).take(limit).collect();
    for engine in engines {
        let sql = format!("{sql} LIMIT {limit} OFFSET {offset}");
        assert_rows(&rows(engine, &sql), &wanted, &format!("{what} {sql}"));
    }
}

fn sorted(cut: Cut) -> (Engine, Files) {
    let ids: Vec<Option<i32>> = (0..10_000).map(Some).collect();
    let others: Vec<Option<i32>> = (0..10_000).map(|id| Some(id % 7)).collect();
    let files = Files::new(
        &[batch(vec![("id", ints(&ids)), ("other", ints(&others))])],
        cut,
    );
    let engine = engine_with(2, 8192);
    files.register(&engine, "t");
    (engine, files)
}

#[test]
fn statistics_tell_which_pages_hold_the_first_rows() {
    let cut = |row_group_rows| Cut {
        row_group_rows,
        page_rows: 100,
        dictionary: false,
    };
    for row_group_rows in [1000, 20_000] {
        let (engine, _files) = sorted(cut(row_group_rows));
        for (sql, ids, most) in [
            (
                "SELECT id FROM t ORDER BY id DESC LIMIT 2",
                [9999, 9998],
                202,
            ),
            ("SELECT id FROM t ORDER BY id LIMIT 2", [0, 1], 202),
            (
                "SELECT id FROM t ORDER BY id DESC, other LIMIT 2",
                [9999, 9998],
                402,
            ),
        ] {
            let outcome = run(&engine, sql);
            let read = outcome.response.statistics.num_entries_scanned_post_filter;
            assert!(read <= most, "{row_group_rows} {sql} read={read}");
            let expected = ids.map(|id| vec![id.into()]).to_vec();
            assert_rows(&rows(&engine, sql), &expected, sql);
        }
    }
}

#[test]
fn rows_seen_leave_later_row_groups_unread() {
    let cut = Cut {
        row_group_rows: 1000,
        page_rows: 100,
        dictionary: true,
    };
    let (engine, _files) = sorted(cut);
    // All row groups have the greatest value, and the first rows win where keys are equal.
    let sql = "SELECT id FROM t WHERE id >= 10 ORDER BY other DESC LIMIT 2";
    assert_rows(
        &rows(&engine, sql),
        &vec![vec![13.into()], vec![20.into()]],
        sql,
    );
    let read = run(&engine, sql)
        .response
        .statistics
        .num_entries_scanned_post_filter;
    assert!(read < 25_000, "read={read}");
}

/// Overwrites all pages of a column but those with certain rows.
fn spoil(files: &Files, column: usize, keep: std::ops::Range<i64>) {
    let path = files.path(0);
    let file = std::fs::File::options()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    let metadata = reader.parse_and_finish(&file).unwrap();
    let (groups, offsets) = (metadata.row_groups(), metadata.offset_index().unwrap());
    let mut first = 0;
    for (group, offsets) in groups.iter().zip(offsets) {
        let pages = offsets[column].page_locations();
        for (idx, page) in pages.iter().enumerate() {
            let end = pages
                .get(idx + 1)
                .map_or(group.num_rows(), |next| next.first_row_index);
            if first + end <= keep.start || first + page.first_row_index >= keep.end {
                let junk = vec![0xff; page.compressed_page_size as usize];
                file.write_all_at(&junk, page.offset as u64).unwrap();
            }
        }
        first += group.num_rows();
    }
}

#[test]
fn pages_of_rows_ruled_out_by_another_column_are_not_read() {
    let cut = Cut {
        row_group_rows: 5000,
        page_rows: 100,
        dictionary: false,
    };
    for (sql, expected) in [
        // The other conjunct is no cheaper, and comes first as written.
        (
            "SELECT COUNT(*) FROM t WHERE other = 3 AND id BETWEEN 6210 AND 6229",
            3,
        ),
        (
            "SELECT COUNT(*) FROM t WHERE other IN (3, 4) AND id > 6209 AND id < 6230",
            6,
        ),
        ("SELECT MAX(other) FROM t WHERE id BETWEEN 6210 AND 6229", 6),
        (
            "SELECT other FROM t WHERE id < 6230 ORDER BY id DESC LIMIT 1",
            6229 % 7,
        ),
    ] {
        let (_, files) = sorted(cut);
        spoil(&files, 1, 6200..6300);
        let engine = engine_with(2, 8192);
        files.register(&engine, "t");
        assert_rows(&rows(&engine, sql), &vec![vec![expected.into()]], sql);
    }
}
