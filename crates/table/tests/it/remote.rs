//! Queries over files of an object store that does not answer.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use arrow_array::{Int64Array, RecordBatch};
use growler_base::Interrupt;
use growler_catalog::ObjectFiles;
use growler_exec::{CancelFlag, Engine, EngineOptions, QueryOutcome, Request, View};
use growler_schema::TableSchema;
use growler_segment::{BlockCache, Closed, FooterCache, Segment};
use growler_table::access::FileAccess;
use growler_table::store::RunState;
use growler_table::sync::ParquetFiles;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::bucket::Store;
use crate::world::World;

const ROWS: i64 = 400_000;
const SUM: &str = "SELECT SUM(a) FROM t";

/// A file whose values are far from its footer.
fn written(folder: &Path) -> u64 {
    let path = folder.join("f.parquet");
    let values: Int64Array = (0..ROWS).collect();
    let batch = RecordBatch::try_from_iter([("a", Arc::new(values) as _)]).unwrap();
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .build();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    path.metadata().unwrap().len()
}

struct Case {
    store: Store,
    engine: Engine,
    _folder: tempfile::TempDir,
}

impl Case {
    /// A table whose footers are known, in a store that answers no more.
    fn new(cached: bool) -> Self {
        let (folder, store, access, len_bytes) = unknown(cached);
        let segment = access.open("s3://b/f.parquet", len_bytes).unwrap();
        let schema = TableSchema::new("t", segment.fields().unwrap());
        let engine = Engine::new(EngineOptions::default()).unwrap();
        engine.register(View::of("t", schema, vec![segment]));
        store.stalled.store(true, Ordering::Relaxed);
        Self {
            store,
            engine,
            _folder: folder,
        }
    }

    fn assert_nothing_was_fetched_twice(&self) {
        let asked = self.store.double.asked();
        let range = |text: &str| {
            let (start, end) = text.strip_prefix("bytes=")?.split_once('-')?;
            Some((start.parse::<u64>().ok()?, end.parse::<u64>().ok()?))
        };
        let mut ranges: Vec<_> = asked
            .iter()
            .filter_map(|asked| range(asked.header("range")))
            .collect();
        ranges.sort_unstable();
        assert!(ranges.len() > 1);
        for pair in ranges.windows(2) {
            assert!(pair[0].1 < pair[1].0, "{pair:?}");
        }
    }

    fn query(&self, timeout_ms: u64, cancel: &CancelFlag) -> QueryOutcome {
        let request = Request {
            query_options: format!("timeoutMs={timeout_ms}"),
            cancel: cancel.clone(),
            ..Request::default()
        };
        self.engine.query(SUM, &request)
    }
}

fn shown(outcome: &QueryOutcome) -> String {
    format!("{:?}", outcome.response.result_table)
}

#[test]
fn a_deadline_ends_a_fetch_and_hurts_nobody_who_waits_for_it_too() {
    for cached in [true, false] {
        let case = Case::new(cached);
        let late = std::thread::scope(|scope| {
            let patient = scope.spawn(|| case.query(60_000, &CancelFlag::default()));
            std::thread::sleep(Duration::from_millis(100));
            let started = Instant::now();
            let late = case.query(400, &CancelFlag::default());
            let took = started.elapsed();
            assert!(took < Duration::from_millis(1400), "{took:?}");
            case.store.stalled.store(false, Ordering::Relaxed);
            let patient = patient.join().unwrap();
            assert_eq!(patient.error, None);
            let sum = (0..ROWS).map(|value| value as f64).sum::<f64>();
            assert!(
                shown(&patient).contains(&format!("{sum:?}")),
                "{}",
                shown(&patient)
            );
            late
        });
        let error = late.error.unwrap().to_string();
        assert_eq!(error, "ExecutionTimeoutError: query exceeded timeoutMs=400");
        if cached {
            case.assert_nothing_was_fetched_twice();
        }
    }
}

#[test]
fn who_began_a_fetch_may_leave_it_to_the_others() {
    let case = Case::new(true);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| case.query(500, &CancelFlag::default()));
        std::thread::sleep(Duration::from_millis(200));
        let second = scope.spawn(|| case.query(60_000, &CancelFlag::default()));
        assert_eq!(first.join().unwrap().error.unwrap().code(), 250);
        case.store.stalled.store(false, Ordering::Relaxed);
        assert_eq!(second.join().unwrap().error, None);
    });
    case.assert_nothing_was_fetched_twice();
}

#[test]
fn a_cancel_flag_ends_a_fetch_at_once() {
    for cached in [true, false] {
        let case = Case::new(cached);
        let cancel = CancelFlag::default();
        std::thread::scope(|scope| {
            let running = scope.spawn(|| case.query(60_000, &cancel));
            std::thread::sleep(Duration::from_millis(200));
            let raised = Instant::now();
            cancel.cancel();
            let error = running.join().unwrap().error.unwrap();
            assert_eq!(error.code(), 503, "{error}");
            assert!(raised.elapsed() < Duration::from_secs(1));
        });
        case.store.stalled.store(false, Ordering::Relaxed);
        assert_eq!(case.query(60_000, &CancelFlag::default()).error, None);
    }
}

#[test]
fn a_deadline_ends_the_opening_of_a_file() {
    let case = Case::new(false);
    let files = ObjectFiles::new(case.store.storage("key"));
    let access = FileAccess::new(files, Arc::new(FooterCache::default()), None);
    let (schema, known) = {
        let view = case.engine.view("t").unwrap();
        (view.schema().clone(), view.segments()[0].clone())
    };
    let len_bytes = known.len_bytes();
    let location = Path::new("s3://b/f.parquet");
    let closed = Closed::new(location, ROWS as usize, len_bytes, move || {
        access.open("s3://b/f.parquet", len_bytes)
    });
    let view = View::of("t", schema, vec![Segment::closed(closed.remote())]);
    case.engine.register(view);
    let started = Instant::now();
    let error = case.query(300, &CancelFlag::default()).error.unwrap();
    assert_eq!(error.code(), 250, "{error}");
    assert!(started.elapsed() < Duration::from_millis(1300));
    case.store.stalled.store(false, Ordering::Relaxed);
    assert_eq!(case.query(60_000, &CancelFlag::default()).error, None);
}

#[test]
fn a_run_that_hangs_in_its_source_ends_when_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::of(folder.path());
    store.stalled.store(true, Ordering::Relaxed);
    let source = ParquetFiles::new(ObjectFiles::new(store.storage("key")), "s3://b/t");
    let state = tempfile::tempdir().unwrap();
    let world = World::new(state.path(), Arc::new(source));
    let cancel = CancelFlag::default();
    let interrupt = Interrupt::new(cancel.clone(), None);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| Interrupt::within(Some(&interrupt), || world.run()));
        std::thread::sleep(Duration::from_millis(200));
        let raised = Instant::now();
        cancel.cancel();
        let report = running.join().unwrap();
        assert!(raised.elapsed() < Duration::from_secs(1));
        assert_eq!(report.state, RunState::Aborted, "{:?}", report.record);
    });
}

/// A file of which nothing is known, and access to it.
fn unknown(cached: bool) -> (tempfile::TempDir, Store, FileAccess, u64) {
    let folder = tempfile::tempdir().unwrap();
    let bucket = folder.path().join("b");
    std::fs::create_dir(&bucket).unwrap();
    let len_bytes = written(&bucket);
    let store = Store::of(&bucket);
    let cache = BlockCache::open(&folder.path().join("cache"), 64 << 20).unwrap();
    let access = FileAccess::new(
        ObjectFiles::new(store.storage("key")),
        Arc::default(),
        cached.then_some(cache),
    );
    (folder, store, access, len_bytes)
}

fn sum(segment: Segment) -> Result<String, growler_exec::Error> {
    let schema = TableSchema::new("t", segment.fields().unwrap());
    let engine = Engine::new(EngineOptions::default()).unwrap();
    engine.register(View::of("t", schema, vec![segment]));
    let outcome = engine.query(SUM, &Request::default());
    match outcome.error {
        Some(error) => Err(error),
        None => Ok(shown(&outcome)),
    }
}

#[test]
fn a_footer_costs_one_request_where_the_length_is_known() {
    for cached in [true, false] {
        let (_folder, store, access, len_bytes) = unknown(cached);
        let segment = access.open_sized("s3://b/f.parquet", len_bytes).unwrap();
        let asked = store.double.asked();
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert_eq!(asked[0].method, "GET");
        assert!(
            asked[0]
                .header("range")
                .ends_with(&format!("-{}", len_bytes - 1))
        );

        // What comes after it is of that version.
        let expected = sum(segment).unwrap();
        let asked = store.double.asked();
        assert!(asked.len() > 1);
        for asked in &asked[1..] {
            assert_eq!(asked.header("if-match"), format!("\"{len_bytes}\""));
        }

        // A table's file never changes under its name: nothing is asked to open it again.
        let again = access
            .open_immutable("s3://b/f.parquet", len_bytes)
            .unwrap();
        assert_eq!(store.double.asked().len(), asked.len());
        assert_eq!(sum(again).unwrap(), expected);

        // A file that may change is looked at each time.
        access.open_sized("s3://b/f.parquet", len_bytes).unwrap();
        assert_eq!(
            store.double.count("f.parquet") - store.reads(),
            0,
            "no HEAD"
        );
    }
}

#[test]
fn a_length_that_is_wrong_costs_another_request() {
    let (_folder, _store, access, len_bytes) = unknown(false);
    let expected = sum(access.open_asked("s3://b/f.parquet").unwrap()).unwrap();
    for wrong in [1, len_bytes - 1, len_bytes + 1, len_bytes * 2, 0] {
        let opened = access.open_sized("s3://b/f.parquet", wrong).unwrap();
        assert_eq!(opened.len_bytes(), len_bytes, "{wrong}");
        assert_eq!(sum(opened).unwrap(), expected);
    }
    let gone = access.open_sized("s3://b/gone.parquet", 9).unwrap_err();
    assert_eq!(gone.kind(), growler_base::ErrorKind::NotFound, "{gone}");
}

#[test]
fn a_file_that_was_replaced_is_an_error_once() {
    let (folder, _store, access, len_bytes) = unknown(false);
    let location = "s3://b/f.parquet";
    let expected = sum(access.open_immutable(location, len_bytes).unwrap()).unwrap();
    // The same rows in another file.
    let path = folder.path().join("b/f.parquet");
    let values: Int64Array = (0..ROWS).collect();
    let batch = RecordBatch::try_from_iter([("a", Arc::new(values) as _)]).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert_ne!(path.metadata().unwrap().len(), len_bytes);

    let stale = sum(access.open_immutable(location, len_bytes).unwrap());
    let text = stale.unwrap_err().to_string();
    assert!(text.contains("replaced while it was read"), "{text}");
    assert_eq!(
        sum(access.open_immutable(location, len_bytes).unwrap()).unwrap(),
        expected
    );
}
