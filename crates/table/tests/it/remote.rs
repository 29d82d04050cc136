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
