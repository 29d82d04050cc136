//! Files in an object store, against its double and against local files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use growler_base::{CancelFlag, ErrorKind, Interrupt};
use growler_catalog::objects::{OddKeys, StorageVendor};
use growler_catalog::{
    FileKind, Files, IcebergTable, ObjectFiles, ScanOptions, SnapshotSelector, Storage,
};

use crate::catalog::Counter;
use crate::store::Store;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("t/data/day=1 2")).unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("t/a.txt", b"0123456789");
    write("t/b.txt", b"b");
    write("t/c.txt", b"");
    write("t/data/day=1 2/f%3A.parquet", b"percent");
    write("u.txt", b"beside");
    folder
}

#[test]
fn objects_are_read_and_listed() {
    let folder = folder();
    let store = Store::of(folder.path());
    let files = ObjectFiles::new(store.storage("any"));
    assert_eq!(files.len_bytes("s3://b/t/a.txt").unwrap(), 10);
    for (range, expected) in [
        (0..4, "0123"),
        (8..20, "89"),
        (10..12, ""),
        (99..100, ""),
        (3..3, ""),
    ] {
        let read = files.read("s3a://b/t/a.txt", range.clone()).unwrap();
        assert_eq!(read, expected.as_bytes(), "{range:?}");
    }
    assert_eq!(
        files
            .read("s3://b/t/data/day=1 2/f%3A.parquet", 0..7)
            .unwrap(),
        "percent"
    );
    assert_eq!(
        files.list("s3://b/t/").unwrap(),
        ["a.txt", "b.txt", "c.txt"]
    );
    let below = files.list_below("s3://b/t", 100).unwrap().files;
    let found: Vec<_> = below
        .iter()
        .map(|file| (file.location.as_str(), file.len_bytes))
        .collect();
    let expected = [
        ("s3://b/t/a.txt", 10),
        ("s3://b/t/b.txt", 1),
        ("s3://b/t/c.txt", 0),
        ("s3://b/t/data/day=1 2/f%3A.parquet", 7),
    ];
    assert_eq!(found, expected);
    assert!(
        below
            .iter()
            .all(|file| file.etag.is_some() && file.modified.is_some())
    );
    let error = files.list_below("s3://b/t", 3).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn local_files_go_the_same_way() {
    let folder = folder();
    let root = folder.path().to_str().unwrap();
    let files = ObjectFiles::default();
    let path = format!("file://{root}/t/a.txt");
    assert_eq!(files.len_bytes(&path).unwrap(), 10);
    assert_eq!(files.read(&path, 8..20).unwrap(), "89");
    assert_eq!(files.list(&format!("{root}/t")).unwrap().len(), 3);
    assert_eq!(files.list_below(root, 100).unwrap().files.len(), 5);
    assert_eq!(
        files.list_below(root, 2).unwrap_err().kind(),
        ErrorKind::LimitExceeded
    );
    assert_eq!(
        files.read_ranges(&path, &[0..2, 9..10], None).unwrap(),
        ["01", "9"]
    );
    assert_eq!(
        files
            .read_ranges(&path, &[0..2, 9..11], None)
            .unwrap_err()
            .kind(),
        ErrorKind::Unavailable
    );
    assert_eq!(
        files.len_bytes(&format!("{root}/none")).unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn close_ranges_come_together_and_must_be_whole() {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..4_000_000_u32).map(|at| (at / 7) as u8).collect();
    std::fs::write(folder.path().join("f"), &bytes).unwrap();
    let store = Store::of(folder.path());
    let files = ObjectFiles::new(store.storage("any"));
    let ranges = [10..20, 3_000_000..3_000_005, 1000..2000, 0..0];
    let read = files
        .read_ranges("s3://b/f", &ranges, Some("\"4000000\""))
        .unwrap();
    for (read, range) in read.iter().zip(&ranges) {
        assert_eq!(read, &bytes[range.start as usize..range.end as usize]);
    }
    assert_eq!(store.reads(), 2);
    let behind = 3_999_990..4_000_001;
    let short = files
        .read_ranges("s3://b/f", std::slice::from_ref(&behind), None)
        .unwrap_err();
    assert!(
        short
            .to_string()
            .contains("file is shorter than it should be"),
        "{short}"
    );
    let other = files
        .read_ranges("s3://b/f", &ranges, Some("\"1\""))
        .unwrap_err();
    assert!(other.to_string().contains("object was replaced"), "{other}");
}

#[test]
fn many_files_are_read_in_order_and_within_bounds() {
    let folder = folder();
    let store = Store::of(folder.path());
    let files = ObjectFiles::new(store.storage("any"));
    let local = folder.path().join("u.txt");
    let paths = [
        "s3://b/t/a.txt",
        "s3://b/none",
        local.to_str().unwrap(),
        "s3://b/t/b.txt",
        "s3://b/t/c.txt",
    ];
    let read = files.read_many(&paths, FileKind::Manifest, 9);
    let shown: Vec<Result<&[u8], ErrorKind>> = read
        .iter()
        .map(|read| read.as_deref().map_err(growler_catalog::Error::kind))
        .collect();
    let expected: [Result<&[u8], ErrorKind>; 5] = [
        Err(ErrorKind::LimitExceeded),
        Err(ErrorKind::NotFound),
        Ok(b"beside"),
        Ok(b"b"),
        Ok(b""),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn stores_that_stumble_are_asked_again() {
    let folder = folder();
    let store = Store::of(folder.path());
    let files = ObjectFiles::new(store.storage("any"));
    *store.failing.lock().unwrap() = (2, 503);
    assert_eq!(files.read("s3://b/t/b.txt", 0..1).unwrap(), "b");
    assert_eq!(store.reads(), 3);
}

#[test]
fn failures_name_the_path_and_what_to_do_and_no_secret() {
    let folder = folder();
    let store = Store::of(folder.path());
    store.good_keys.lock().unwrap().push("other".to_owned());
    let files = ObjectFiles::new(store.storage("key-id-of-test"));
    for error in [
        files.read("s3://b/t/a.txt", 0..1).unwrap_err(),
        files.len_bytes("s3://b/t/a.txt").unwrap_err(),
        files.list("s3://b/t").unwrap_err(),
        files
            .read_all("s3://b/t/a.txt", FileKind::Manifest, 100)
            .unwrap_err(),
    ] {
        let text = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{text}");
        assert!(text.contains("path=s3://b/t"), "{text}");
        assert!(text.contains("access denied: check"), "{text}");
        for secret in ["key-id-of-test", "secret-of-the-store"] {
            assert!(!text.contains(secret), "{text}");
            assert!(!format!("{error:?}").contains(secret), "{text}");
        }
    }
    store.good_keys.lock().unwrap().clear();
    let error = files.read("s3://b/none", 0..1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read file: no such object path=s3://b/none"
    );
    assert_eq!(error.kind(), ErrorKind::NotFound);
    for location in ["ftp://b/a", "s3:///a"] {
        let error = files.read(location, 0..1).unwrap_err();
        assert!(error.to_string().contains(location), "{error}");
    }
}

#[test]
fn a_file_without_a_tag_is_told_by_its_time() {
    let mut info = growler_catalog::objects::FileInfo {
        location: "s3://b/f".to_owned(),
        len_bytes: 1,
        etag: Some("tag".to_owned()),
        modified: Some(std::time::UNIX_EPOCH + std::time::Duration::from_millis(2)),
    };
    assert_eq!(info.version().as_deref(), Some("tag"));
    info.etag = None;
    assert_eq!(info.version().as_deref(), Some("2000000"));
    info.modified = None;
    assert_eq!(info.version(), None);
}

/// Hands out another key each time.
#[derive(Debug)]
struct Vendor {
    storages: Vec<Storage>,
    calls: std::sync::atomic::AtomicUsize,
}

impl StorageVendor for Vendor {
    fn vend(&self) -> std::io::Result<Storage> {
        let call = self.calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let storage = self.storages.get(call).cloned();
        storage.ok_or_else(|| std::io::Error::other("catalog is down"))
    }
}

#[test]
fn refused_credentials_are_renewed_once_for_all_callers() {
    let folder = folder();
    let store = Store::of(folder.path());
    store.good_keys.lock().unwrap().push("key-two".to_owned());
    let vendor = Arc::new(Vendor {
        storages: vec![store.storage("key-two"), store.storage("key-three")],
        calls: Default::default(),
    });
    let made = || ObjectFiles::vended(store.storage("key-one"), vendor.clone());
    let files = made();
    let read = Counter::default();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (files, read) = (files.clone(), read.clone());
            scope.spawn(move || {
                assert_eq!(files.read("s3://b/t/b.txt", 0..1).unwrap(), "b");
                read.next();
            });
        }
    });
    assert_eq!(read.count(), 8);
    assert_eq!(vendor.calls.load(std::sync::atomic::Ordering::SeqCst), 1);
    // Many at a time too.
    store.good_keys.lock().unwrap()[0] = "key-three".to_owned();
    let paths = ["s3://b/t/a.txt", "s3://b/t/b.txt"];
    let many = made().read_many(&paths, FileKind::Manifest, 99);
    assert!(many.iter().all(Result::is_ok), "{many:?}");
    assert_eq!(vendor.calls.load(std::sync::atomic::Ordering::SeqCst), 2);
    // The catalog is not asked by every read that is refused.
    for _ in 0..3 {
        files.read("s3://b/t/b.txt", 0..1).unwrap_err();
    }
    assert_eq!(vendor.calls.load(std::sync::atomic::Ordering::SeqCst), 2);
    // Nothing better to be had: the refusal is the answer.
    store.good_keys.lock().unwrap()[0] = "key-four".to_owned();
    let error = files.read("s3://b/t/b.txt", 0..1).unwrap_err();
    assert!(error.to_string().contains("access denied"), "{error}");
}

#[test]
fn credentials_are_renewed_before_they_end() {
    let folder = folder();
    let store = Store::of(folder.path());
    let mut ending = store.settings("key-one");
    ending.set("s3.session-token-expires-at-ms", "1000");
    let vendor = Arc::new(Vendor {
        storages: vec![store.storage("key-two")],
        calls: Default::default(),
    });
    let files = ObjectFiles::vended(ending.into(), vendor.clone());
    files.read("s3://b/t/b.txt", 0..1).unwrap();
    files.read("s3://b/t/b.txt", 0..1).unwrap();
    assert_eq!(vendor.calls.load(std::sync::atomic::Ordering::SeqCst), 1);
    let asked = store.double.asked();
    assert!(
        asked
            .iter()
            .all(|asked| asked.header("authorization").contains("key-two"))
    );
}

#[test]
fn bare_settings_are_vended_first_and_a_failure_is_remembered() {
    let folder = folder();
    let store = Store::of(folder.path());
    let mut bare = growler_catalog::Properties::default();
    bare.set("s3.region", "r");
    let paths = ["s3://b/t/a.txt", "s3://b/t/b.txt"];
    for storages in [vec![store.storage("key-one")], vec![]] {
        let is_up = !storages.is_empty();
        let calls = Default::default();
        let vendor = Arc::new(Vendor { storages, calls });
        let files = ObjectFiles::vended(bare.clone().into(), vendor.clone());
        let many = files.read_many(&paths, FileKind::Manifest, 99);
        assert!(many.iter().all(|read| read.is_ok() == is_up), "{many:?}");
        let read = files
            .read("s3://b/t/b.txt", 0..1)
            .map_err(|e| e.to_string());
        let text = read.as_ref().err().map_or("", String::as_str);
        assert_eq!(text.contains("catalog is down"), !is_up, "{read:?}");
        assert_eq!(vendor.calls.load(std::sync::atomic::Ordering::SeqCst), 1);
    }
}

#[test]
fn a_table_in_a_store_is_planned_as_the_local_one() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/iceberg");
    let mut planned = 0;
    for writer in std::fs::read_dir(&samples)
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_dir())
    {
        let store = Store::of(&writer.path());
        let files: Arc<dyn Files> = Arc::new(ObjectFiles::new(store.storage("any")));
        for folder in std::fs::read_dir(writer.path()).unwrap().flatten() {
            let name = folder.file_name().into_string().unwrap();
            if !folder.path().is_dir() {
                continue;
            }
            let local = ObjectFiles::default();
            let local =
                IcebergTable::open(Arc::new(local), folder.path().to_str().unwrap()).unwrap();
            let remote = IcebergTable::open(Arc::clone(&files), &format!("s3://b/{name}")).unwrap();
            let options = ScanOptions {
                snapshot: SnapshotSelector::Current,
                predicate: None,
            };
            let (local_plan, plan) = (
                local.scan_plan(&options).unwrap(),
                remote.scan_plan(&options).unwrap(),
            );
            let local_root = folder.path();
            let paths: Vec<String> = plan.files.iter().map(|file| file.path.clone()).collect();
            let expected = local_plan.files.iter().map(|file| {
                let below = Path::new(&file.path).strip_prefix(&local_root).unwrap();
                format!("s3://b/{name}/{}", below.to_str().unwrap())
            });
            assert_eq!(paths, expected.collect::<Vec<_>>());
            planned += 1;
        }
    }
    assert!(planned >= 2, "{planned}");
}

#[test]
fn an_interrupt_ends_a_call_to_a_store_that_does_not_answer() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), "0123456789").unwrap();
    let store = Store::of(folder.path());
    let files = ObjectFiles::new(store.storage("key"));
    store.stalled.store(true, Ordering::Relaxed);
    let started = Instant::now();
    let deadline = started.checked_add(Duration::from_millis(100));
    let interrupt = Interrupt::new(CancelFlag::default(), deadline);
    let ended = Interrupt::within(Some(&interrupt), || {
        [
            files.info("s3://b/f").is_err(),
            files.list_below("s3://b", 9).is_err(),
            files.read_all("s3://b/f", FileKind::Metadata, 99).is_err(),
        ]
    });
    assert_eq!(ended, [true; 3]);
    assert!(started.elapsed() < Duration::from_secs(1));
    store.stalled.store(false, Ordering::Relaxed);
    assert_eq!(files.info("s3://b/f").unwrap().len_bytes, 10);
}

#[test]
fn odd_keys_are_left_out_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("t/data")).unwrap();
    let good = [
        "t/$a$.parquet",
        "t/a+b c.parquet",
        "t/data/\u{e9}=1.parquet",
        "t/data/f%3A.parquet",
        "t/z.parquet",
    ];
    for name in good {
        std::fs::write(folder.path().join(name), name).unwrap();
    }
    let store = Store::of(folder.path());
    let files = ObjectFiles::new(store.storage("key"));
    let listed = files.list_below("s3://b/t", 99).unwrap();
    assert_eq!(listed.left_out, OddKeys::default());
    assert_eq!(listed.files.len(), good.len());

    // Keys `t//x`, `t/data//1`, .. and `t/../w`: no file system has them.
    for name in [
        "t/^x",
        "t/data/^1",
        "t/data/^2",
        "t/data/^^3",
        "t/..^w",
        "t/zz^",
    ] {
        std::fs::write(folder.path().join(name), name).unwrap();
    }
    let listed = files.list_below("s3://b/t", 99).unwrap();
    let found: Vec<&str> = listed
        .files
        .iter()
        .map(|file| file.location.strip_prefix("s3://b/").unwrap())
        .collect();
    let mut expected = good.to_vec();
    // A key that ends with a slash is a folder's mark.
    expected.push("t/zz");
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(listed.left_out.count, 5);
    assert_eq!(listed.left_out.first.as_deref(), Some("t/../w"));
    assert_eq!(
        files.list_below("s3://b/t", 3).unwrap_err().kind(),
        ErrorKind::LimitExceeded
    );

    let mut names = files.list("s3://b/t").unwrap();
    names.sort();
    assert_eq!(names, ["$a$.parquet", "a+b c.parquet", "z.parquet"]);
}
