//! Files that are fetched read as mapped ones, through a cache that may lose or damage what it has.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bytes::Bytes;
use growler_base::{CancelFlag, ErrorKind, Interrupt, RowGroupIdx, RowRanges, limits};
use growler_segment::{
    BlockCache, Delivery, FooterCache, NonObjectRoot, RangeSource, ReadOptions, Segment, Source,
};
use parquet::file::properties::WriterProperties;

use crate::reading::{open, read, testdata};
use crate::writing::{Column, write_groups};

/// A file in memory that counts what it is asked for.
#[derive(Debug, Default)]
struct Memory {
    bytes: Bytes,
    tag: Option<String>,
    reader: u64,
    calls: AtomicU64,
    fetched: AtomicU64,
    asked: Mutex<Vec<Range<u64>>>,
    /// Fails every call from this one on.
    fails_from: Option<u64>,
    slow: Duration,
}

impl Memory {
    fn of(path: &Path) -> Result<Self> {
        Ok(Self {
            bytes: std::fs::read(path)?.into(),
            ..Self::default()
        })
    }

    fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    fn fetched(&self) -> u64 {
        self.fetched.load(Ordering::Relaxed)
    }
}

impl RangeSource for Memory {
    fn len_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    fn reader(&self) -> u64 {
        self.reader
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Bytes>> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(self.slow);
        if self.fails_from.is_some_and(|from| call >= from) {
            return Err(io::Error::other("store is down"));
        }
        self.asked.lock().unwrap().extend_from_slice(ranges);
        let cut = |range: &Range<u64>| {
            let cut = self.bytes.slice(range.start as usize..range.end as usize);
            self.fetched.fetch_add(cut.len() as u64, Ordering::Relaxed);
            cut
        };
        Ok(ranges.iter().map(cut).collect())
    }
}

fn fetched(location: &str, source: Arc<dyn RangeSource>) -> Result<Segment> {
    Ok(Segment::open_source(
        location,
        source,
        &FooterCache::new(0),
    )?)
}

/// Every column of a file that can be bound.
fn sources(segment: &Segment) -> Result<Vec<Source>> {
    let fields = segment.fields()?;
    let bound = fields.iter().filter_map(|field| {
        let documents = segment.bind_document(field, NonObjectRoot::Null);
        documents.or_else(|_| segment.bind_column(field)).ok()
    });
    Ok(bound.collect())
}

/// Texts of all rows of all sources, or of the error.
fn shown(segment: &Segment, rows: &dyn Fn(usize) -> RowRanges) -> Result<String> {
    let sources = sources(segment)?;
    let mut shown = String::new();
    for (group, facts) in segment.row_groups() {
        let rows = rows(facts.row_count);
        let options = ReadOptions { batch_rows: 100 };
        let batches = segment.read(group, &sources, &rows, &options);
        match batches.and_then(|batches| batches.collect::<Result<Vec<_>, _>>()) {
            Ok(batches) => {
                for batch in batches {
                    shown.push_str(&format!("{:?}", batch.columns));
                }
            }
            Err(error) => shown.push_str(&error.to_string()),
        }
    }
    Ok(shown)
}

fn every_third(row_count: usize) -> RowRanges {
    let mut rows = RowRanges::default();
    (0..row_count)
        .step_by(3)
        .for_each(|row| rows.push(row..row + 1));
    rows
}

fn single(row: usize) -> RowRanges {
    let mut rows = RowRanges::default();
    rows.push(row..row + 1);
    rows
}

#[test]
fn fetched_files_read_as_mapped_ones() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut compared = 0;
    for writer in ["spark", "duckdb", "arrowrs", "malformed"] {
        let Ok(files) = std::fs::read_dir(testdata(writer)) else {
            continue;
        };
        for file in files {
            let path = file?.path();
            if path.extension().is_none_or(|ending| ending != "parquet") {
                continue;
            }
            let cache = BlockCache::open(folder.path(), 64 << 20)?;
            let location = path.to_str().unwrap();
            let remote = fetched(location, Arc::new(Memory::of(&path)?));
            let cached = fetched(
                location,
                cache.source(location, Arc::new(Memory::of(&path)?)),
            );
            let mapped = match open(&path) {
                Ok(mapped) => mapped,
                Err(error) => {
                    assert_eq!(remote.unwrap_err().to_string(), error.to_string());
                    continue;
                }
            };
            for rows in [&RowRanges::all as &dyn Fn(usize) -> RowRanges, &every_third] {
                let expected = shown(&mapped, rows)?;
                for segment in [remote.as_ref().unwrap(), cached.as_ref().unwrap()] {
                    assert!(segment.is_remote());
                    assert_eq!(segment.footer_bytes(), mapped.footer_bytes());
                    assert_eq!(shown(segment, rows)?, expected, "{location}");
                }
            }
            compared += 1;
        }
    }
    assert!(compared >= 10, "{compared}");
    Ok(())
}

/// Ten columns of 200,000 longs in two row groups, with page indexes.
fn wide(folder: &Path) -> Result<std::path::PathBuf> {
    let path = folder.join("wide.parquet");
    let group = |first: i64| -> Vec<Column> {
        let column = |column: i64| {
            let values =
                (first..first + 100_000).map(|row| Some((row * 7919 + column) % 1_000_003));
            Column::Int64(values.collect())
        };
        (0..10).map(column).collect()
    };
    let fields: String = (0..10).map(|at| format!("optional int64 c{at};")).collect();
    let message = format!("message m {{ {fields} }}");
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(1000)
        .set_write_batch_size(1000)
        .build();
    write_groups(&path, &message, &[group(0), group(100_000)], properties)?;
    Ok(path)
}

fn column(segment: &Segment, name: &str) -> Result<Source> {
    Ok(segment.bind_column(&crate::reading::field(segment, name)?)?)
}

#[test]
fn only_what_is_asked_for_is_fetched_in_few_calls() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = wide(folder.path())?;
    let memory = Arc::new(Memory::of(&path)?);
    let segment = fetched("s3://b/wide.parquet", memory.clone())?;
    assert_eq!(memory.calls(), 1, "the footer comes with one call");
    let footer = memory.fetched();

    let neighbours = [column(&segment, "c3")?, column(&segment, "c4")?];
    let group = RowGroupIdx(1);
    let all = RowRanges::all(100_000);
    let options = ReadOptions { batch_rows: 8192 };
    let rows: usize = segment
        .read(group, &neighbours, &all, &options)?
        .map(|batch| batch.unwrap().row_count)
        .sum();
    assert_eq!(rows, 100_000);
    assert_eq!(memory.calls(), 2, "neighbouring leaves come together");
    let of_two = memory.fetched() - footer;
    assert!((1_600_000..1_700_000).contains(&of_two), "{of_two}");

    let before = memory.fetched();
    let one = single(50_500);
    let batches: Vec<_> = segment
        .read(group, &neighbours, &one, &options)?
        .collect::<Result<_, _>>()?;
    let expected = [
        (150_500 * 7919 + 3) % 1_000_003,
        (150_500 * 7919 + 4) % 1_000_003,
    ];
    for (array, expected) in batches[0].columns.iter().zip(expected) {
        assert_eq!(array.as_primitive::<Int64Type>().value(0), expected);
    }
    let of_a_row = memory.fetched() - before;
    assert!(of_a_row < 500_000, "{of_a_row}");
    assert!(memory.calls() <= 4, "{}", memory.calls());
    let again = memory.calls();
    segment
        .read(group, &neighbours, &one, &options)?
        .for_each(drop);
    assert_eq!(memory.calls(), again + 1, "page indexes are kept");
    Ok(())
}

#[test]
fn chunks_larger_than_a_window_are_read_window_by_window() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("long.parquet");
    let values: Vec<i64> = (0..3_000_000_i64).map(|row| row * 2_654_435_761).collect();
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .build();
    let columns = vec![Column::Int64(values.iter().copied().map(Some).collect())];
    write_groups(
        &path,
        "message m { optional int64 a; }",
        &[columns],
        properties,
    )?;
    let memory = Arc::new(Memory::of(&path)?);
    let segment = fetched("s3://b/long.parquet", memory.clone())?;
    let batches = read(&segment, &[column(&segment, "a")?], 8192)?;
    let found = batches
        .iter()
        .flat_map(|columns| columns[0].as_primitive::<Int64Type>().values());
    assert!(found.eq(values.iter()));
    let longest = memory
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|range| range.end - range.start)
        .max();
    assert_eq!(longest, Some(limits::REMOTE_WINDOW_LEN_BYTES));
    // A page that a window cuts is fetched again from its start.
    assert!(
        memory.fetched() < memory.len_bytes() * 6 / 5,
        "{}",
        memory.fetched()
    );
    Ok(())
}

#[test]
fn a_store_that_is_down_is_unavailable_not_corrupt() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = wide(folder.path())?;
    let failing = |from| -> Result<Arc<Memory>> {
        Ok(Arc::new(Memory {
            fails_from: Some(from),
            ..Memory::of(&path)?
        }))
    };
    let cache = FooterCache::default();
    let error = Segment::open_source("s3://b/f.parquet", failing(0)?, &cache).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        error.to_string(),
        "cannot read file: store is down path=s3://b/f.parquet"
    );
    assert!(cache.is_empty());
    for rows in [RowRanges::all(100_000), single(7)] {
        let segment = fetched("s3://b/f.parquet", failing(1)?)?;
        let sources = [column(&segment, "c1")?];
        let read = segment.read(RowGroupIdx(0), &sources, &rows, &ReadOptions::default());
        let error = read
            .and_then(|batches| batches.collect::<Result<Vec<_>, _>>())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(error.to_string().contains("s3://b/f.parquet"), "{error}");
    }
    Ok(())
}

#[test]
fn damaged_files_fail_alike_or_read_alike() -> Result<()> {
    let path = testdata("spark").join("seed4_typed.parquet");
    let sound = std::fs::read(&path)?;
    let folder = tempfile::tempdir()?;
    let damaged = folder.path().join("seed4_typed.parquet");
    for at in (0..sound.len()).step_by(37) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x41;
        std::fs::write(&damaged, &bytes)?;
        let memory = Memory {
            bytes: bytes.into(),
            ..Memory::default()
        };
        let remote = fetched(damaged.to_str().unwrap(), Arc::new(memory));
        match (open(&damaged), remote) {
            (Ok(mapped), Ok(remote)) => {
                let all = &RowRanges::all;
                assert_eq!(shown(&remote, all)?, shown(&mapped, all)?, "{at}");
            }
            (Err(mapped), Err(remote)) => assert_eq!(remote.to_string(), mapped.to_string()),
            (mapped, remote) => panic!("{at}: mapped {mapped:?}, remote {remote:?}"),
        }
    }
    Ok(())
}

#[test]
fn a_remote_file_is_parsed_once_until_its_tag_changes() -> Result<()> {
    let path = testdata("spark").join("seed4_typed.parquet");
    let tagged = |tag: &str, reader| -> Result<Arc<Memory>> {
        Ok(Arc::new(Memory {
            tag: Some(tag.to_owned()),
            reader,
            ..Memory::of(&path)?
        }))
    };
    let cache = FooterCache::default();
    let opened = [
        ("a", 0, 1),
        ("a", 0, 0),
        ("b", 0, 1),
        ("a", 0, 1),
        ("a", 7, 1),
        ("a", 7, 0),
    ];
    for (tag, reader, calls) in opened {
        let memory = tagged(tag, reader)?;
        Segment::open_source("s3://b/f.parquet", memory.clone(), &cache)?;
        assert_eq!(memory.calls(), calls, "{tag}");
    }
    Ok(())
}

fn blocks(count: usize) -> Memory {
    let len = limits::REMOTE_BLOCK_LEN_BYTES * count - 5;
    Memory {
        bytes: (0..len).map(|at| (at / 1000) as u8).collect(),
        ..Memory::default()
    }
}

/// Reads one range.
fn one(source: &Arc<dyn RangeSource>, range: Range<u64>) -> io::Result<Bytes> {
    let read = source.read_ranges(std::slice::from_ref(&range))?;
    Ok(read.into_iter().next().unwrap())
}

fn cached_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let parts = std::fs::read_dir(folder)
        .unwrap()
        .map(|part| part.unwrap().path());
    let files = parts.flat_map(|part| std::fs::read_dir(part).unwrap());
    files.map(|file| file.unwrap().path()).collect()
}

#[test]
fn blocks_that_vanish_or_are_damaged_are_fetched_again() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let memory = Arc::new(blocks(4));
    let all = 0..memory.len_bytes();
    let read = |cache: &Arc<BlockCache>| -> Result<()> {
        let source = cache.source("s3://b/f", memory.clone());
        let found = one(&source, all.clone())?;
        assert_eq!(found, memory.bytes);
        Ok(())
    };
    let cache = BlockCache::open(folder.path(), 64 << 20)?;
    read(&cache)?;
    read(&cache)?;
    assert_eq!(memory.calls(), 1);
    assert_eq!((cache.counts().fetched, cache.counts().hits), (4, 4));

    let files = cached_files(folder.path());
    assert_eq!(files.len(), 4);
    std::fs::remove_file(&files[0])?;
    std::fs::write(&files[1], b"GBC1")?;
    let mut bytes = std::fs::read(&files[2])?;
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&files[2], bytes)?;
    read(&cache)?;
    assert_eq!(cache.counts().fetched, 7);

    // What a process leaves behind, half written files excepted, is of use to the next.
    let half = files[3].with_extension("1-1.tmp");
    std::fs::write(&half, b"half")?;
    let next = BlockCache::open(folder.path(), 64 << 20)?;
    assert!(!half.exists());
    read(&next)?;
    assert_eq!((next.counts().fetched, next.counts().hits), (0, 4));

    // The folder may go as a whole.
    std::fs::remove_dir_all(folder.path())?;
    read(&next)?;
    assert_eq!(next.counts().fetched, 4);
    Ok(())
}

#[test]
fn other_versions_of_a_file_have_other_blocks() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let cache = BlockCache::open(folder.path(), 64 << 20)?;
    for (tag, fill) in [(None, 1_u8), (Some("a"), 2), (Some("b"), 3)] {
        let memory = Memory {
            bytes: vec![fill; 100].into(),
            tag: tag.map(str::to_owned),
            ..Memory::default()
        };
        let source = cache.source("s3://b/f", Arc::new(memory));
        assert_eq!(one(&source, 10..11)?[0], fill);
    }
    Ok(())
}

#[test]
fn the_blocks_used_longest_ago_make_room() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let block = limits::REMOTE_BLOCK_LEN_BYTES as u64;
    let memory = Arc::new(blocks(20));
    let cache = BlockCache::open(folder.path(), block * 10)?;
    let source = cache.source("s3://b/f", memory.clone());
    let at = |number: u64| number * block..number * block + 1;
    one(&source, at(0))?;
    for number in 1..20 {
        one(&source, at(number))?;
        one(&source, at(0))?;
        assert!(cache.counts().len_bytes <= block * 10);
    }
    assert_eq!(cache.counts().fetched, 20, "the block in use stays");
    assert!(cached_files(folder.path()).len() <= 10);
    one(&source, at(1))?;
    assert_eq!(cache.counts().fetched, 21);
    // A cache smaller than it was drops what is too much at once.
    let smaller = BlockCache::open(folder.path(), block * 3)?;
    assert!(smaller.counts().len_bytes <= block * 3);
    assert!(cached_files(folder.path()).len() <= 3);
    Ok(())
}

#[test]
fn readers_at_the_same_time_fetch_a_block_once() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let cache = BlockCache::open(folder.path(), 64 << 20)?;
    let memory = Arc::new(Memory {
        slow: Duration::from_millis(50),
        ..blocks(6)
    });
    let barrier = Barrier::new(8);
    let block = limits::REMOTE_BLOCK_LEN_BYTES as u64;
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (cache, memory, barrier) = (&cache, &memory, &barrier);
            scope.spawn(move || {
                let source = cache.source("s3://b/f", memory.clone());
                barrier.wait();
                let start = block * (thread % 4);
                let range = start..start + block * 2;
                let found = one(&source, range.clone()).unwrap();
                let expected = memory.bytes.slice(range.start as usize..range.end as usize);
                assert_eq!(found, expected);
            });
        }
    });
    assert_eq!(cache.counts().fetched, 5);
    assert_eq!(memory.fetched(), block * 5);
    Ok(())
}

#[test]
fn a_fetch_of_another_that_fails_is_made_again() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let cache = BlockCache::open(folder.path(), 64 << 20)?;
    let down = Arc::new(Memory {
        slow: Duration::from_millis(300),
        fails_from: Some(0),
        ..blocks(1)
    });
    let (down, up) = (
        cache.source("s3://b/f", down),
        cache.source("s3://b/f", Arc::new(blocks(1))),
    );
    std::thread::scope(|scope| {
        let leader = scope.spawn(|| one(&down, 0..1).is_err());
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(one(&up, 0..1).unwrap()[0], 0);
        assert!(leader.join().unwrap());
    });
    Ok(())
}

/// Delivers on a thread of its own, after a while.
#[derive(Debug)]
struct Elsewhere(Arc<Memory>);

impl RangeSource for Elsewhere {
    fn len_bytes(&self) -> u64 {
        self.0.len_bytes()
    }

    fn tag(&self) -> Option<&str> {
        self.0.tag()
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Bytes>> {
        self.0.read_ranges(ranges)
    }

    fn deliver_ranges(&self, ranges: Vec<Range<u64>>, delivery: Delivery) {
        let memory = Arc::clone(&self.0);
        std::thread::spawn(move || delivery(memory.read_ranges(&ranges)));
    }
}

#[test]
fn who_leaves_a_fetch_does_not_end_it() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let cache = BlockCache::open(folder.path(), 64 << 20)?;
    let memory = Arc::new(Memory {
        slow: Duration::from_millis(400),
        ..blocks(2)
    });
    let source = cache.source("s3://b/f", Arc::new(Elsewhere(memory.clone())));
    let started = Instant::now();
    let deadline = started.checked_add(Duration::from_millis(100));
    let interrupt = Interrupt::new(CancelFlag::default(), deadline);
    let left = Interrupt::within(Some(&interrupt), || one(&source, 0..9).unwrap_err());
    assert_eq!(left.kind(), io::ErrorKind::TimedOut);
    assert!(started.elapsed() < Duration::from_millis(350));
    assert!(interrupt.is_met());
    // Who comes later waits for what is under way, and only for that.
    assert_eq!(one(&source, 0..9)?.len(), 9);
    assert_eq!(memory.calls(), 1);
    Ok(())
}

#[test]
fn a_fetch_that_breaks_off_is_an_error() -> Result<()> {
    #[derive(Debug)]
    struct Broken(Memory);
    impl RangeSource for Broken {
        fn len_bytes(&self) -> u64 {
            self.0.len_bytes()
        }
        fn tag(&self) -> Option<&str> {
            None
        }
        fn read_ranges(&self, _: &[Range<u64>]) -> io::Result<Vec<Bytes>> {
            Err(io::Error::other("not asked"))
        }
        fn deliver_ranges(&self, _: Vec<Range<u64>>, delivery: Delivery) {
            drop(delivery);
        }
    }
    let folder = tempfile::tempdir()?;
    let cache = BlockCache::open(folder.path(), 64 << 20)?;
    let source = cache.source("s3://b/f", Arc::new(Broken(blocks(1))));
    for _ in 0..2 {
        let error = one(&source, 0..1).unwrap_err();
        assert_eq!(error.to_string(), "the fetch of a block broke off");
    }
    Ok(())
}

#[test]
fn a_fetch_that_fails_does_not_fail_the_next() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let cache = BlockCache::open(folder.path(), 64 << 20)?;
    let down = Arc::new(Memory {
        fails_from: Some(0),
        ..blocks(1)
    });
    let source = cache.source("s3://b/f", down);
    for _ in 0..2 {
        let error = one(&source, 0..1).unwrap_err();
        assert_eq!(error.to_string(), "store is down");
    }
    let up = cache.source("s3://b/f", Arc::new(blocks(1)));
    assert_eq!(one(&up, 0..1)?[0], 0);
    // Nothing to keep blocks in is no reason to fail.
    let file = folder.path().join("00");
    let _ = std::fs::write(file, b"in the way");
    let tiny = BlockCache::open(&folder.path().join("tiny"), 0)?;
    let source = tiny.source("s3://b/f", Arc::new(blocks(2)));
    assert_eq!(one(&source, 0..3)?.len(), 3);
    assert_eq!(tiny.counts().len_bytes, 0);
    Ok(())
}
