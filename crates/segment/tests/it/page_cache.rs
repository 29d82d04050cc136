//! Pages that are kept read as those in the file, and are never those of another file.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use growler_base::{RowGroupIdx, RowRanges};
use growler_segment::{FooterCache, NonObjectRoot, PageCache, Segment, Source};
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

use crate::reading::{documents, field, json_key, testdata, texts};
use crate::selection::{Dice, chosen, some_ranges};
use crate::writing::{Column, write_groups};

fn footers(most_len_bytes: usize) -> FooterCache {
    FooterCache::default().with_pages(Arc::new(PageCache::new(most_len_bytes)))
}

/// A file of two row groups of small pages: numbers as text, a third of them null, and few
/// distinct words.
fn paged(path: &Path, salt: u32, properties: WriterProperties) -> Result<()> {
    let message = "message m { optional binary t (STRING); optional binary w (STRING); }";
    let group = |rows: std::ops::Range<u32>| {
        let text = |row: u32| (!row.is_multiple_of(3)).then(|| format!("{row:05}").into_bytes());
        let word = |row: u32| Some(format!("word number {}", (row + salt) % 7).into_bytes());
        vec![
            Column::Bytes(rows.clone().map(text).collect()),
            Column::Bytes(rows.map(word).collect()),
        ]
    };
    write_groups(
        path,
        message,
        &[group(0..2000), group(2000..3000)],
        properties,
    )
}

fn properties(codec: Compression, version: WriterVersion, index: bool) -> WriterProperties {
    WriterProperties::builder()
        .set_compression(codec)
        .set_writer_version(version)
        .set_column_dictionary_enabled("t".into(), false)
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(50)
        .set_offset_index_disabled(!index)
        .set_statistics_enabled(match index {
            true => EnabledStatistics::Page,
            false => EnabledStatistics::Chunk,
        })
        .build()
}

/// Reads the same rows of a file with a cache and without, whole row groups and parts in turn.
fn check(
    path: &Path,
    most_len_bytes: usize,
    sources: impl Fn(&Segment) -> Result<Vec<Source>>,
) -> Result<()> {
    let (kept, plain) = (footers(most_len_bytes), footers(0));
    let (kept_segment, plain_segment) = (Segment::open(path, &kept)?, Segment::open(path, &plain)?);
    let (kept_sources, plain_sources) = (sources(&kept_segment)?, sources(&plain_segment)?);
    let mut dice = Dice(11);
    for round in 0..12 {
        for (group, rows) in kept_segment.row_groups() {
            let ranges = match round % 3 {
                0 => RowRanges::all(rows.row_count),
                _ => some_ranges(rows.row_count, &mut dice),
            };
            let batch_rows = [9, 64, 8192][dice.roll(3)];
            let found = chosen(&kept_segment, group, &kept_sources, &ranges, batch_rows)?;
            let expected = chosen(&plain_segment, group, &plain_sources, &ranges, batch_rows)?;
            assert_eq!(found, expected, "round={round} path={}", path.display());
            assert!(kept.pages().counts().len_bytes <= most_len_bytes);
        }
    }
    let counts = kept.pages().counts();
    assert!(
        counts.hits > 0 && counts.pages > 0,
        "{counts:?} path={}",
        path.display()
    );
    assert_eq!(
        plain.pages().counts().hits + plain.pages().counts().misses,
        0
    );
    drop((kept_segment, kept_sources));
    kept.forget(path);
    assert_eq!(kept.pages().counts().len_bytes, 0, "the file is closed");
    Ok(())
}

#[test]
fn kept_pages_read_as_those_in_the_file() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let codecs = [
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
    ];
    let path = folder.path().join("c.parquet");
    for (number, codec) in codecs.into_iter().enumerate() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for index in [true, false] {
                paged(&path, 0, properties(codec, version, index))?;
                // Room for all pages, and for a few.
                let room = [1 << 20, 8 << 10][number % 2];
                check(&path, room, |segment| {
                    let fields = ["t", "w"].map(|name| field(segment, name));
                    let bind =
                        |field: Result<growler_schema::Field>| Ok(segment.bind_column(&field?)?);
                    fields.into_iter().map(bind).collect()
                })?;
            }
        }
    }
    Ok(())
}

#[test]
fn kept_pages_of_variants_read_as_those_in_the_file() -> Result<()> {
    for name in [
        "spark/seed4_typed",
        "spark/seed4_none",
        "duckdb/seed4_typed",
    ] {
        check(&testdata(&format!("{name}.parquet")), 1 << 20, |segment| {
            let mut sources = vec![documents(segment, "props", NonObjectRoot::Fail)?];
            for key in ["page_type", "latency_ms", "device.os", "user_tier"] {
                sources.push(json_key(segment, "props", key, NonObjectRoot::Fail)?);
            }
            Ok(sources)
        })?;
    }
    Ok(())
}

#[test]
fn a_file_that_takes_the_place_of_another_has_its_own_pages() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("c.parquet");
    let footers = footers(1 << 20);
    let read = || {
        let segment = Segment::open(&path, &footers)?;
        let source = segment.bind_column(&field(&segment, "w")?)?;
        anyhow::Ok(texts(&segment, &source)?.swap_remove(0))
    };
    // Words of one length, so that pages lie where those of the other file do.
    let zstd = || {
        let codec = Compression::ZSTD(ZstdLevel::default());
        properties(codec, WriterVersion::PARQUET_1_0, true)
    };
    for salt in [3, 4, 3] {
        let next = folder.path().join("next");
        paged(&next, salt, zstd())?;
        let seconds = Duration::from_secs(u64::from(salt) + footers.pages().counts().misses);
        let file = std::fs::File::options().write(true).open(&next)?;
        file.set_modified(SystemTime::UNIX_EPOCH + seconds)?;
        std::fs::rename(&next, &path)?;
        let before = footers.pages().counts().hits;
        for round in 0..4 {
            assert_eq!(
                read()?,
                Some(format!("word number {salt}")),
                "round={round}"
            );
            let hits = footers.pages().counts().hits - before;
            assert_eq!(hits > 0, round > 1, "round={round}");
        }
    }
    Ok(())
}

#[test]
fn damaged_pages_are_not_kept() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("c.parquet");
    let codec = Compression::ZSTD(ZstdLevel::default());
    paged(
        &path,
        0,
        properties(codec, WriterVersion::PARQUET_1_0, true),
    )?;
    let mut bytes = std::fs::read(&path)?;
    // Every zstd frame begins so.
    let magic = [0x28, 0xB5, 0x2F, 0xFD];
    let frames = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, found)| *found == magic);
    let frames: Vec<usize> = frames.map(|(at, _)| at).collect();
    frames.iter().for_each(|at| bytes[*at] = 0);
    std::fs::write(&path, bytes)?;
    let footers = footers(1 << 20);
    let segment = Segment::open(&path, &footers)?;
    let source = segment.bind_column(&field(&segment, "t")?)?;
    for _ in 0..3 {
        for rows in [RowRanges::all(2000), std::iter::once(210..220).collect()] {
            assert!(
                chosen(
                    &segment,
                    RowGroupIdx(0),
                    std::slice::from_ref(&source),
                    &rows,
                    64
                )
                .is_err()
            );
        }
    }
    assert_eq!(footers.pages().counts().pages, 0);
    Ok(())
}
