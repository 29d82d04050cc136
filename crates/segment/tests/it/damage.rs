//! Damaged files are errors that name the file, never panics.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use growler_base::{ErrorKind, RowRanges};
use growler_schema::DataType;
use growler_segment::{Error, FooterCache, NonObjectRoot, ReadOptions, Segment, Source};

use crate::reading::{documents, json_key, open, pack, testdata, texts, typed_key};

/// Sources of everything in a file.
fn everything(segment: &Segment) -> Result<Vec<Source>, Error> {
    let mut sources = vec![Source::row_id()];
    for field in segment.fields()? {
        sources.push(segment.bind_column(&field)?);
        if field.column_type.data_type == DataType::OpenStruct {
            for key in [
                "page_type",
                "latency_ms",
                "device.os",
                "items",
                "user_tier",
                "k",
            ] {
                let path = growler_segment::KeyPath::parse(key).unwrap();
                let output = growler_segment::KeyOutput::Json;
                sources.push(segment.bind_key(&field, &path, output, NonObjectRoot::Null)?);
            }
        }
    }
    Ok(sources)
}

/// Reads everything there is; returns the rows read.
fn read_all(path: &Path) -> Result<usize, Error> {
    let segment = Segment::open(path, &FooterCache::new(0))?;
    let sources = everything(&segment)?;
    let _ = segment.describe();
    let mut read = 0;
    for (group, rows) in segment.row_groups() {
        let mut ranges = vec![RowRanges::all(rows.row_count)];
        ranges.push([1..2, 3..rows.row_count.max(3)].into_iter().collect());
        for source in &sources {
            let _ = segment.statistics(group, source);
            ranges.push(segment.page_ranges(group, source, &|page| page.row_count % 2 == 0));
        }
        for source in &sources {
            let Some(mut ids) = segment.read_encoded(group, source)? else {
                continue;
            };
            while let Ok(Some(block)) = ids.next_block(1000) {
                let most = block.ids.iter().copied().max();
                let most = most.map_or(0, |id| usize::try_from(id).unwrap() + 1);
                assert!(most <= ids.dictionary().len());
            }
        }
        for ranges in ranges.iter().take(4) {
            for batch in segment.read(group, &sources, ranges, &ReadOptions { batch_rows: 1000 })? {
                read += batch?.row_count;
            }
        }
    }
    Ok(read)
}

#[test]
fn files_cut_short_are_errors_that_name_them() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for name in ["spark/seed4_typed", "duckdb/seed4_typed"] {
        let bytes = std::fs::read(testdata(&format!("{name}.parquet")))?;
        for part in 0..50 {
            let path = folder.path().join("cut.parquet");
            std::fs::write(&path, &bytes[..bytes.len() * part / 50])?;
            let error = read_all(&path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
            assert!(error.to_string().contains("cut.parquet"), "{error}");
        }
    }
    Ok(())
}

#[test]
fn files_that_are_no_parquet_are_errors_that_name_them() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut endless = b"PAR1".to_vec();
    endless.extend(0xFFFF_FFFF_u32.to_le_bytes());
    endless.extend(b"PAR1");
    let cases: [(&str, &[u8], ErrorKind); 6] = [
        ("empty", b"", ErrorKind::Corrupt),
        ("text", b"user_id,props\n1,2\n", ErrorKind::Corrupt),
        ("magic", b"PAR1PAR1", ErrorKind::Corrupt),
        ("zeros", b"PAR1\0\0\0\0\0\0\0\0PAR1", ErrorKind::Corrupt),
        ("endless", &endless, ErrorKind::LimitExceeded),
        ("encrypted", b"PAR1\0\0\0\0PARE", ErrorKind::Unsupported),
    ];
    for (name, bytes, kind) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes)?;
        let error = read_all(&path).unwrap_err();
        assert_eq!(error.kind(), kind, "{name}: {error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    assert_eq!(
        read_all(folder.path()).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    let missing = read_all(&folder.path().join("missing")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert!(missing.to_string().contains("missing"), "{missing}");
    Ok(())
}

/// Draws numbers from a seed.
fn next(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn flip(name: &Path, folder: &Path, rounds: usize, tail: bool) -> Result<()> {
    let bytes = std::fs::read(name).with_context(|| name.display().to_string())?;
    let path = folder.join("flipped.parquet");
    let mut state = bytes.len() as u64;
    for round in 0..rounds {
        let mut damaged = bytes.clone();
        for _ in 0..=next(&mut state) % 3 {
            let len = bytes.len() as u64;
            let at = match tail {
                true => len - 1 - next(&mut state) % (len / 2),
                false => next(&mut state) % len,
            };
            damaged[usize::try_from(at)?] ^= 1 << (next(&mut state) % 8);
        }
        std::fs::write(&path, &damaged)?;
        let found = read_all(&path);
        if let Err(error) = found {
            let expected = matches!(
                error.kind(),
                ErrorKind::Corrupt | ErrorKind::Unsupported | ErrorKind::LimitExceeded
            );
            assert!(expected, "round={round} {}: {error}", name.display());
            let names_file = error.to_string().contains("flipped.parquet");
            assert!(
                names_file || matches!(error, Error::Contradiction { .. }),
                "{error}"
            );
        }
    }
    Ok(())
}

#[test]
fn flipped_bits_never_panic() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut files: Vec<PathBuf> = Vec::new();
    for name in [
        "typed",
        "none",
        "v2pages",
        "codec_snappy",
        "codec_zstd",
        "codec_gzip",
        "codec_lz4_raw",
    ] {
        files.push(testdata("spark").join(format!("seed4_{name}.parquet")));
        files.push(testdata("duckdb").join(format!("seed4_{name}.parquet")));
    }
    for file in files.iter().filter(|file| file.exists()) {
        flip(file, folder.path(), 40, false)?;
        flip(file, folder.path(), 40, true)?;
    }
    Ok(())
}

#[test]
fn roots_that_are_no_objects_fail_with_their_doc_id() -> Result<()> {
    let path = pack("spark").join("roots__none.parquet");
    if !path.exists() {
        eprintln!("skipped: no {}", path.display());
        return Ok(());
    }
    let segment = open(&path)?;
    let expected = "VARIANT column v has a non-object root at docId 1 (";
    let end = "); OPEN_STRUCT can only represent an object root";
    for source in [
        documents(&segment, "v", NonObjectRoot::Fail)?,
        json_key(&segment, "v", "a", NonObjectRoot::Fail)?,
    ] {
        let error = texts(&segment, &source).unwrap_err().to_string();
        assert!(
            error.starts_with(expected) && error.ends_with(end),
            "{error}"
        );
        // The doc id is that of the segment, also when rows are left out before it.
        let rows = [0..1, 2..3].into_iter().collect();
        let group = growler_base::RowGroupIdx(0);
        let mut reader = segment.read(group, &[source], &rows, &ReadOptions::default())?;
        let error = reader.next().unwrap().unwrap_err().to_string();
        assert!(error.contains(" at docId 2 ("), "{error}");
        assert!(reader.next().is_none());
    }
    Ok(())
}

#[test]
fn malformed_groups_read_as_far_as_they_can() -> Result<()> {
    let folder = pack("malformed");
    if !folder.exists() {
        eprintln!("skipped: no {}", folder.display());
        return Ok(());
    }
    let segment = open(&folder.join("contradictory_scalar_in_key.parquet"))?;
    let key = typed_key(&segment, "v", "a", DataType::Int)
        .or_else(|_| typed_key(&segment, "props", "a", DataType::Int))?;
    let text = "VARIANT key has both a typed value and a residual at docId 1, which the shredding \
                spec allows only for an object.";
    let error = crate::reading::read(&segment, &[key], 10).unwrap_err();
    assert_eq!(error.to_string(), text);

    let segment = open(&folder.join("malformed_metadata.parquet"))?;
    let found = texts(&segment, &documents(&segment, "v", NonObjectRoot::Null)?)?;
    let expected = [None, None, None, Some(r#"{"b":"fine"}"#.to_owned())];
    assert_eq!(found, expected);
    assert_eq!(segment.malformed_rows(), 3);

    // Rows 1 to 3 have residuals that do not decode, one of them the head of an array.
    let segment = open(&folder.join("malformed_value_bytes.parquet"))?;
    let column = segment.fields()?.into_iter().find(is_variant);
    let column = column.context("no VARIANT")?.name;
    let document = documents(&segment, &column, NonObjectRoot::Fail)?;
    for source in [
        document,
        json_key(&segment, &column, "b", NonObjectRoot::Fail)?,
    ] {
        let found = texts(&segment, &source)?;
        let present: Vec<bool> = found.iter().map(Option::is_some).collect();
        assert_eq!(present, [true, false, false, false, true], "{found:?}");
    }
    assert_eq!(segment.malformed_rows(), 6);

    // What is in a leaf of its own reads whatever the residuals are like.
    for name in ["malformed_value_bytes", "iceberg_1_10_2_corrupt_residual"] {
        let segment = open(&folder.join(format!("{name}.parquet")))?;
        let variant = segment
            .fields()?
            .into_iter()
            .find(is_variant)
            .context("no VARIANT")?;
        let source = json_key(&segment, &variant.name, "a", NonObjectRoot::Null)?;
        let found = texts(&segment, &source)?;
        assert_eq!(found.len(), segment.row_count(), "{name}");
        if name == "malformed_value_bytes" {
            let expected = ["1", "2", "3", "4", "5"].map(|text| Some(text.to_owned()));
            assert_eq!(found, expected);
        }
    }
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "parquet")
            && let Err(error) = read_all(&path)
        {
            assert!(
                matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Unsupported),
                "{error}"
            );
        }
    }
    Ok(())
}

fn is_variant(field: &growler_schema::Field) -> bool {
    field.column_type.data_type == DataType::OpenStruct
}
