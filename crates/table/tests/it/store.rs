//! The database: what is kept, what is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use growler_base::ErrorKind;
use growler_table::store::{
    CommitHook, DocumentKind, Error, MemberKey, MemberState, NewMember, RunId, RunState, StateRow,
    Store, ViewVersion,
};

type Done = Result<(), Error>;

fn member(path: &str, digest: &str) -> NewMember {
    NewMember {
        key: MemberKey {
            table_uuid: "u".into(),
            path: path.into(),
            len_bytes: 7,
            digest: digest.into(),
        },
        sequence_number: 1,
        body: format!("{{\"path\":\"{path}\"}}").into_bytes(),
    }
}

#[test]
fn documents_of_both_kinds_change_in_one_transaction() -> Done {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path())?;
    let kept = store.write("t", |w| {
        w.put_document(DocumentKind::Schema, "a", b"{1}")?;
        w.put_document(DocumentKind::Table, "a", b"{2}")?;
        w.put_document(DocumentKind::Table, "a", b"{3}")
    })?;
    assert_eq!(kept, 2);
    let failed = store.write("t", |w| {
        w.put_document(DocumentKind::Schema, "b", b"{4}")?;
        w.delete_document(DocumentKind::Table, "a")?;
        Err::<(), _>(Error::Stopped("test"))
    });
    assert!(failed.is_err());
    drop(store);
    let store = Store::open(folder.path())?;
    store.read(|r| {
        assert_eq!(r.document(DocumentKind::Schema, "b")?, None);
        let tables = r.documents(DocumentKind::Table)?;
        assert_eq!(tables, [("a".to_owned(), b"{3}".to_vec())]);
        Ok::<_, Error>(())
    })?;
    assert!(store.write("t", |w| w.delete_document(DocumentKind::Table, "a"))?);
    assert!(!store.write("t", |w| w.delete_document(DocumentKind::Table, "a"))?);
    Ok(())
}

#[test]
fn one_process_at_a_time() -> Done {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path())?;
    let error = Store::open(folder.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let text = error.to_string();
    assert!(
        text.starts_with("data directory is in use by another server"),
        "{text}"
    );
    drop(store);
    Store::open(folder.path()).map(|_| ())
}

#[test]
fn databases_that_cannot_be_used_are_told_apart() {
    let damaged = |text: &str| text.starts_with("database is damaged: ");
    let foreign = |text: &str| text.starts_with("database is not one of growler: path=");
    let newer = |text: &str| {
        text.starts_with("database was written by a later version of growler: version=99 latest=")
    };
    type Check = fn(&str) -> bool;
    type Make = fn(&std::path::Path);
    let cases: [(&str, Make, Check, ErrorKind); 4] = [
        (
            "text",
            |path| std::fs::write(path, vec![b'x'; 8192]).unwrap(),
            damaged,
            ErrorKind::Corrupt,
        ),
        (
            "pages",
            |path| {
                let folder = path.parent().unwrap();
                drop(Store::open(folder).unwrap());
                let mut bytes = std::fs::read(path).unwrap();
                for byte in bytes.iter_mut().skip(4096) {
                    *byte = 0x5a;
                }
                std::fs::write(path, bytes).unwrap();
            },
            damaged,
            ErrorKind::Corrupt,
        ),
        (
            "other program",
            |path| {
                let db = rusqlite::Connection::open(path).unwrap();
                db.execute_batch("CREATE TABLE t (a)").unwrap();
            },
            foreign,
            ErrorKind::Corrupt,
        ),
        (
            "later version",
            |path| {
                drop(Store::open(path.parent().unwrap()).unwrap());
                let db = rusqlite::Connection::open(path).unwrap();
                db.pragma_update(None, "user_version", 99).unwrap();
            },
            newer,
            ErrorKind::Unsupported,
        ),
    ];
    for (name, make, check, kind) in cases {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("growler.db");
        make(&path);
        let error = Store::open(folder.path()).unwrap_err();
        assert!(check(&error.to_string()), "{name}: {error}");
        assert_eq!(error.kind(), kind, "{name}");
    }
}

#[test]
fn members_are_staged_served_and_retired() -> Done {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path())?;
    let (first, second) = (RunId(1), RunId(2));
    store.write("t", |w| {
        w.follow("t")?;
        w.follow("t")?;
        for new in [member("b", ""), member("a", ""), member("c", "")] {
            w.stage_member("t", first, &new)?;
        }
        w.stage_member("t", first, &member("a", ""))
    })?;
    let paths = |state| {
        store.read(|r| {
            let members = r.members("t", state)?;
            Ok::<_, Error>(members.into_iter().map(|m| m.key.path).collect::<Vec<_>>())
        })
    };
    assert_eq!(paths(MemberState::Staged)?, ["a", "b", "c"]);
    let staged = store.read(|r| r.members("t", MemberState::Staged))?;
    store.write("t", |w| {
        w.adopt_members(&[staged[0].id, staged[1].id], second)?;
        assert_eq!(w.drop_staged_of_others("t", second)?, 1);
        assert_eq!(w.activate_members("t", second, ViewVersion(1))?, 2);
        // What is served is not staged again.
        w.stage_member("t", second, &member("a", ""))?;
        w.stage_member("t", second, &member("a", "deletes"))?;
        w.retire_members(&[staged[0].id], ViewVersion(2))?;
        w.activate_members("t", second, ViewVersion(2))
    })?;
    assert_eq!(paths(MemberState::Active)?, ["a", "b"]);
    assert_eq!(paths(MemberState::Retired)?, ["a"]);
    assert_eq!(
        store.read(|r| r.count_members("t", MemberState::Active))?,
        2
    );
    store.write("t", |w| w.forget_retired("t", ViewVersion(3)))?;
    assert!(paths(MemberState::Retired)?.is_empty());
    store.write("t", |w| w.unfollow("t"))?;
    assert!(paths(MemberState::Active)?.is_empty());
    Ok(())
}

#[test]
fn a_stale_owner_writes_nothing() -> Done {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path())?;
    store.write("t", |w| w.follow("t"))?;
    let take = |owner: &str, now| store.write("t", |w| w.take_lease("t", owner, now, now + 10));
    let first = take("one", 0)?.unwrap();
    assert_eq!(take("two", 5)?, None);
    store.write("t", |w| w.hold_lease(&first, 20))?;
    assert_eq!(take("two", 15)?, None);
    let second = take("two", 20)?.unwrap();
    assert!(second.fence > first.fence);
    let second = take("two", 20)?.unwrap();
    let written = store.write("t", |w| {
        w.put_state(
            "t",
            &StateRow {
                view_version: ViewVersion(9),
                ..StateRow::default()
            },
        )?;
        w.hold_lease(&first, 40)
    });
    assert_eq!(written.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(
        store.read(|r| r.state("t"))?.unwrap().view_version,
        ViewVersion(0)
    );
    store.write("t", |w| w.end_lease(&first))?;
    assert_eq!(take("three", 25)?, None);
    store.write("t", |w| w.end_lease(&second))?;
    assert!(take("three", 25)?.is_some());
    Ok(())
}

#[test]
fn schema_versions_are_added_and_never_change() -> Done {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path())?;
    let versions = store.write("t", |w| {
        w.follow("t")?;
        Ok::<_, Error>([
            w.add_served_schema("t", "a", 1)?,
            w.add_served_schema("t", "b", 2)?,
        ])
    })?;
    assert_eq!(versions.map(|version| version.0), [1, 2]);
    let last = store.read(|r| r.last_served_schema("t"))?.unwrap();
    assert_eq!((last.json.as_str(), last.created_ms), ("b", 2));
    let db = rusqlite::Connection::open(folder.path().join("growler.db")).unwrap();
    let refused = db
        .execute("UPDATE served_schema SET json = 'c'", [])
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("served schema versions never change")
    );
    Ok(())
}

#[test]
fn runs_are_kept_in_order_and_forgotten() -> Done {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path())?;
    store.write("t", |w| {
        w.follow("t")?;
        for idx in 0..5 {
            let id = w.start_run("t", idx, "{}")?;
            if idx < 4 {
                w.put_run(id, RunState::Completed, "{\"done\":1}")?;
            }
        }
        w.forget_runs("t", 2)
    })?;
    let running = store.read(|r| r.running())?;
    assert_eq!(running.len(), 1);
    assert_eq!(store.read(|r| r.last_run("t"))?.unwrap().started_ms, 4);
    Ok(())
}

/// Refuses one commit: before it is made, or after.
struct Refuse {
    before: bool,
    armed: AtomicBool,
}

impl CommitHook for Refuse {
    fn before_commit(&self, point: &'static str) -> Done {
        self.refuse(self.before, point)
    }

    fn after_commit(&self, point: &'static str) -> Done {
        self.refuse(!self.before, point)
    }
}

impl Refuse {
    fn refuse(&self, here: bool, point: &'static str) -> Done {
        match here && point == "now" && self.armed.swap(false, Ordering::Relaxed) {
            true => Err(Error::Stopped(point)),
            false => Ok(()),
        }
    }
}

#[test]
fn a_change_that_is_stopped_was_made_wholly_or_not() -> Done {
    for before in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let hook = Arc::new(Refuse {
            before,
            armed: AtomicBool::new(true),
        });
        let store = Store::open(folder.path())?.with_hook(hook);
        store.write("earlier", |w| w.follow("t"))?;
        let stopped = store.write("now", |w| {
            w.put_document(DocumentKind::Schema, "a", b"{}")?;
            w.put_document(DocumentKind::Table, "a", b"{}")
        });
        assert!(matches!(stopped, Err(Error::Stopped("now"))));
        let found = store.read(|r| {
            let schema = r.document(DocumentKind::Schema, "a")?.is_some();
            Ok::<_, Error>((schema, r.document(DocumentKind::Table, "a")?.is_some()))
        })?;
        assert_eq!(found, (!before, !before));
    }
    Ok(())
}
