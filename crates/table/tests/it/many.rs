//! A table of very many files: how long a sync takes, and how much memory. On demand:
//! `cargo test -p growler-table --test it --release -- --ignored many --nocapture`.

use std::sync::Arc;
use std::time::Instant;

use growler_table::store::RunState;

use crate::lake::{Cells, Lake, LiveFile};
use crate::world::{Script, World};

/// Peak memory of this process, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    number.unwrap_or_default()
}

/// Copies of a file under other names.
fn copies(lake: &Lake, file: &LiveFile, from: usize, count: usize) -> Vec<LiveFile> {
    let copy = |number: usize| {
        let path = format!("{}/data/copy{number:06}.parquet", lake.location());
        std::fs::hard_link(&file.path, &path).unwrap();
        LiveFile {
            path,
            ..file.clone()
        }
    };
    (from..from + count).map(copy).collect()
}

#[test]
#[ignore = "takes a while"]
fn many_files_are_synced() {
    let files: usize = std::env::var("GROWLER_FILES").map_or(10_000, |text| text.parse().unwrap());
    let mut lake = Lake::new(&[(1, "id", "long"), (2, "qty", "int")]);
    let ids: Vec<i64> = (0..100).collect();
    let cells = |ids: &[i64]| ids.iter().map(|id| i32::try_from(*id).unwrap()).collect();
    let first = lake.write(&[
        ("id", Cells::Long(ids.clone())),
        ("qty", Cells::Int(cells(&ids))),
    ]);
    let all = copies(&lake, &first, 0, files);
    lake.commit(|live| *live = all);
    let script = Arc::new(Script::default());
    *script.metadata_file.lock().unwrap() = lake.metadata_file();
    let folder = tempfile::tempdir().unwrap();
    let world = World::new(folder.path(), script.clone());
    world.evolve();
    let before = peak_kib();
    let timed = |what: &str| {
        let since = Instant::now();
        let report = world.run();
        assert_eq!(report.state, RunState::Completed, "{:?}", report.record);
        let (ms, opens) = (since.elapsed().as_millis(), world.opens());
        eprintln!(
            "{what}: ms={ms} opens={opens} peakRssMiB={}",
            peak_kib() / 1024
        );
        (report, opens)
    };
    eprintln!("files={files} peakRssMiB={} before", before / 1024);
    let (_, opens) = timed("first run");
    assert_eq!(opens, files);
    let (_, opens) = timed("second run");
    assert_eq!(opens, 0);
    lake.alter(&[(1, "id", "long"), (2, "qty", "long")]);
    let wide = lake.write(&[("id", Cells::Long(ids.clone())), ("qty", Cells::Long(ids))]);
    lake.commit(|live| live.push(wide));
    *script.metadata_file.lock().unwrap() = lake.metadata_file();
    let since = Instant::now();
    let seen = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while world.columns()[1] != "qty LONG" {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            since.elapsed()
        });
        let (_, opens) = timed("widening and one more file");
        assert_eq!(opens, 1);
        watch.join().unwrap()
    });
    eprintln!("widened type visible after ms={}", seen.as_millis());
    let counted = world.text("SELECT COUNT(*), MAX(qty) FROM orders_ext");
    assert_eq!(counted, format!("[[{},99]]", files * 100 + 100));
    let before = Instant::now();
    let script = Arc::new(Script::default());
    drop(world);
    let world = World::new(folder.path(), script);
    eprintln!(
        "restart without a catalog: ms={} opens={}",
        before.elapsed().as_millis(),
        world.opens()
    );
    assert_eq!(world.columns()[1], "qty LONG");
}
