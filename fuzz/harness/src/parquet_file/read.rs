//! Opens a file and reads everything in it, in several ways.

use std::cell::RefCell;
use std::path::Path;

use arrow_buffer::BooleanBuffer;
use growler_base::{ErrorKind, RowGroupIdx, RowRanges};
use growler_schema::{DataType, Field, KeyType};
use growler_segment::{
    Bits, Error, FooterCache, IdSet, KeyOutput, KeyPath, NonObjectRoot, ReadOptions, Segment,
    Source,
};
use tempfile::TempDir;

/// Rows after which a read ends: a few bytes can say that billions of rows are null.
const ROWS: usize = 50_000;
const KEYS: [&str; 5] = ["page_type", "latency_ms", "device.os", "items", "user_tier"];
const NAME: &str = "changed.parquet";

thread_local! {
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

pub(super) fn check(file: &[u8]) {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(new_folder);
        let path = folder.path().join(NAME);
        std::fs::write(&path, file).expect("a temporary file");
        if let Err(error) = read(&path) {
            check_error(&error);
        }
    });
}

/// In memory, where there is such a folder.
fn new_folder() -> TempDir {
    let in_memory = Path::new("/dev/shm");
    let made = if in_memory.is_dir() {
        TempDir::new_in(in_memory)
    } else {
        TempDir::new()
    };
    made.expect("a temporary folder")
}

/// Errors blame the file, and name it.
fn check_error(error: &Error) {
    let is_fitting = matches!(
        error.kind(),
        ErrorKind::Corrupt
            | ErrorKind::Unsupported
            | ErrorKind::LimitExceeded
            | ErrorKind::InvalidInput
    );
    assert!(is_fitting, "{:?}: {error}", error.kind());
    let names_file = error.to_string().contains(NAME);
    assert!(
        names_file || matches!(error, Error::Contradiction { .. }),
        "{error}"
    );
}

/// Reads all sources together; if that fails each alone, so that a column that fails does not hide
/// the next.
fn read(path: &Path) -> Result<(), Error> {
    let segment = Segment::open(path, &FooterCache::new(0))?;
    let _ = segment.describe();
    let mut sources = vec![Source::row_id()];
    for field in segment.fields()? {
        match bind(&segment, &field) {
            Ok(bound) => sources.extend(bound),
            Err(error) => check_error(&error),
        }
    }
    let together = read_rows(&segment, &sources, 7);
    if together.is_err() {
        for source in &sources {
            if let Err(error) = read_rows(&segment, std::slice::from_ref(source), 1000) {
                check_error(&error);
            }
        }
    }
    together
}

fn bind(segment: &Segment, field: &Field) -> Result<Vec<Source>, Error> {
    let mut sources = vec![segment.bind_column(field)?];
    if field.column_type.data_type != DataType::OpenStruct {
        return Ok(sources);
    }
    sources.push(segment.bind_document(field, NonObjectRoot::Null)?);
    let _ = segment.variant_layout(&field.name)?;
    for key in KEYS {
        let path = KeyPath::parse(key).expect("a short key");
        let found = segment.key_type(field, &path)?;
        let data_type = found.unwrap_or(DataType::Long);
        let typed = KeyOutput::Typed(KeyType {
            data_type,
            typed: true,
        });
        for output in [typed, KeyOutput::Json, KeyOutput::Number] {
            sources.push(segment.bind_key(field, &path, output, NonObjectRoot::Null)?);
        }
    }
    Ok(sources)
}

fn read_rows(segment: &Segment, sources: &[Source], batch_rows: usize) -> Result<(), Error> {
    let options = ReadOptions { batch_rows };
    for (group, rows) in segment.row_groups().take(4) {
        let mut ranges = vec![RowRanges::all(rows.row_count)];
        ranges.push([1..2, 3..rows.row_count.max(3)].into_iter().collect());
        for source in sources {
            let _ = segment.statistics(group, source);
            ranges.push(segment.page_ranges(group, source, &|page| page.row_count % 2 == 0));
        }
        for source in sources {
            test_ids(segment, group, source, &ranges)?;
        }
        for ranges in ranges.iter().take(3) {
            let mut left = ranges.row_count().min(rows.row_count);
            for batch in segment.read(group, sources, ranges, &options)? {
                let batch = batch?;
                let lens = batch.columns.iter().map(|column| column.len());
                assert!(lens.into_iter().all(|len| len == batch.row_count));
                assert!(batch.row_count <= batch_rows && batch.row_count <= left);
                left -= batch.row_count;
                if ranges.row_count() - left > ROWS {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Tests ids of rows, which may end anywhere, but with a bit for each row.
fn test_ids(
    segment: &Segment,
    group: RowGroupIdx,
    source: &Source,
    ranges: &[RowRanges],
) -> Result<(), Error> {
    for ranges in ranges.iter().take(2) {
        for mut part in segment.read_encoded_parts(group, source, ranges)? {
            let len = part.dictionary().len();
            let set = IdSet::new(&BooleanBuffer::collect_bool(len, |id| id % 3 == 1));
            let (mut passed, mut valid) = (Bits::default(), Bits::default());
            let mut tested = 0;
            while tested < ROWS {
                match part.test(&set, 1000, &mut passed, &mut valid) {
                    Ok(0) | Err(_) => break,
                    Ok(count) => tested += count,
                }
                assert_eq!((passed.len(), valid.len()), (tested, tested));
            }
        }
    }
    Ok(())
}
