//! T51: a process that is killed at any point leaves the old view or the new one, and the next one
//! goes on from there.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use growler_table::store::{CommitHook, Error as StoreError, MemberState, RunState};

use crate::lake::{Cells, Lake};
use crate::world::{KillAt, Script, TABLE, World};

const OLD: &str = "[[40,40.0]]";
const NEW: &str = "[[20,4000.0]]";
const COUNT: &str = "SELECT COUNT(*), SUM(qty) FROM orders_ext";

/// A table of 20 files, and an overwrite of all of them by others.
fn lake() -> (Lake, String) {
    let mut lake = Lake::new(&[(1, "id", "long"), (2, "qty", "int")]);
    for id in 0..20 {
        lake.append(&[
            ("id", Cells::Long(vec![id, id])),
            ("qty", Cells::Int(vec![1, 1])),
        ]);
    }
    let before = lake.metadata_file();
    let replaced: Vec<_> = (0..20)
        .map(|id| {
            lake.write(&[
                ("id", Cells::Long(vec![id])),
                ("qty", Cells::Int(vec![200])),
            ])
        })
        .collect();
    lake.commit(|live| *live = replaced);
    (lake, before)
}

fn world(folder: &Path, file: &str, hook: Option<Arc<dyn CommitHook>>) -> World {
    let script = Script::default();
    *script.metadata_file.lock().unwrap() = file.to_owned();
    let world = World::hooked(folder, Arc::new(script), hook);
    world.set("batchMaxFiles", "7");
    world
}

#[test]
fn a_run_that_is_cut_short_anywhere_is_taken_up_again() {
    let (lake, before) = lake();
    let mut points = 0;
    for after in [false, true] {
        for commit in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let first = world(folder.path(), &before, None);
            assert_eq!(first.run().state, RunState::Completed);
            assert_eq!(first.text(COUNT), OLD);
            drop(first);
            let hook = Arc::new(KillAt {
                commit,
                after,
                seen: AtomicUsize::new(0),
            });
            // The commits of a start count too.
            let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let killed = world(folder.path(), &lake.metadata_file(), Some(hook.clone()));
                let done = killed.sync.run(TABLE);
                // Whatever happened, what is served is one or the other.
                let served = killed.text(COUNT);
                assert!(served == OLD || served == NEW, "{served}");
                done.is_ok_and(|report| report.state == RunState::Completed)
            }));
            if matches!(killed, Ok(true)) {
                break;
            }
            points += 1;
            let again = world(folder.path(), &lake.metadata_file(), None);
            let served = again.text(COUNT);
            assert!(
                served == OLD || served == NEW,
                "after={after} commit={commit}: {served}"
            );
            let staged_before = again
                .store
                .read(|r| r.count_members(TABLE, MemberState::Staged))
                .unwrap();
            let report = again.run();
            assert_eq!(
                report.state,
                RunState::Completed,
                "after={after} commit={commit}"
            );
            assert_eq!(again.text(COUNT), NEW);
            if served == OLD {
                // What was staged is not read again.
                assert_eq!(
                    report.record.files.read,
                    20 - staged_before,
                    "commit={commit}"
                );
            }
            let count = |state| again.store.read(|r| r.count_members(TABLE, state)).unwrap();
            assert_eq!(
                (count(MemberState::Active), count(MemberState::Staged)),
                (20, 0)
            );
            let checkpoint = again.sync.checkpoint(TABLE).unwrap().unwrap();
            assert_eq!(checkpoint.target.unwrap().snapshot_id, lake.head);
            assert!(again.store.read(|r| r.running()).unwrap().is_empty());
        }
    }
    assert!(points > 20, "{points}");
}

/// Ends the process at one commit, as `kill -9` does.
struct Abort {
    commit: usize,
    seen: AtomicUsize,
}

impl CommitHook for Abort {
    fn before_commit(&self, _point: &'static str) -> Result<(), StoreError> {
        match self.seen.fetch_add(1, Ordering::Relaxed) == self.commit {
            true => std::process::abort(),
            false => Ok(()),
        }
    }

    fn after_commit(&self, _point: &'static str) -> Result<(), StoreError> {
        Ok(())
    }
}

const FOLDER: &str = "GROWLER_TEST_KILLED_FOLDER";
const METADATA: &str = "GROWLER_TEST_KILLED_METADATA";
const COMMIT: &str = "GROWLER_TEST_KILLED_COMMIT";

/// The process that is killed; does nothing when nobody means it.
#[test]
fn child_that_is_killed() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let commit = std::env::var(COMMIT).unwrap().parse().unwrap();
    let hook = Abort {
        commit,
        seen: AtomicUsize::new(0),
    };
    let metadata = std::env::var(METADATA).unwrap();
    let world = world(Path::new(&folder), &metadata, Some(Arc::new(hook)));
    assert_eq!(world.run().state, RunState::Completed);
}

#[test]
fn a_process_that_is_killed_leaves_the_old_view_or_the_new() {
    let (lake, before) = lake();
    let folder = tempfile::tempdir().unwrap();
    let first = world(folder.path(), &before, None);
    assert_eq!(first.run().state, RunState::Completed);
    drop(first);
    let mut survived = false;
    for commit in 0..40 {
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::child_that_is_killed"])
            .env(FOLDER, folder.path())
            .env(METADATA, lake.metadata_file())
            .env(COMMIT, commit.to_string())
            .output()
            .unwrap()
            .status;
        survived = status.success();
        let again = world(folder.path(), &lake.metadata_file(), None);
        let served = again.text(COUNT);
        assert!(served == OLD || served == NEW, "commit={commit}: {served}");
        assert!(!survived || served == NEW);
        if survived {
            break;
        }
    }
    assert!(survived);
}
