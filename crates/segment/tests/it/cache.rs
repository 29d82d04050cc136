//! Opened files are kept, as long as they stay the same.

use std::time::{Duration, SystemTime};

use anyhow::Result;
use growler_segment::{FooterCache, Segment};

use crate::reading::testdata;

#[test]
fn a_cached_file_is_not_parsed_again_until_it_changes() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("c.parquet");
    std::fs::copy(testdata("spark").join("seed4_typed.parquet"), &path)?;
    let cache = FooterCache::new(2);
    let first = Segment::open(&path, &cache)?;
    assert_eq!(cache.len(), 1);
    // What is shared shows in the layout, which is worked out once for both.
    let layout = first.variant_layout("props")?.unwrap();
    let again = Segment::open(&path, &cache)?;
    assert!(std::sync::Arc::ptr_eq(
        &layout,
        &again.variant_layout("props")?.unwrap()
    ));

    std::fs::remove_file(&path)?;
    std::fs::copy(testdata("duckdb").join("seed4_none.parquet"), &path)?;
    let file = std::fs::File::options().write(true).open(&path)?;
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1))?;
    let changed = Segment::open(&path, &cache)?;
    assert!(changed.variant_layout("props")?.unwrap().keys().is_empty());
    assert_eq!(cache.len(), 1);
    // The old handle still reads the old file.
    assert_eq!(
        first.variant_layout("props")?.unwrap().keys(),
        layout.keys()
    );
    Ok(())
}

#[test]
fn the_file_used_longest_ago_makes_room() -> Result<()> {
    let cache = FooterCache::new(2);
    let path = |name: &str| testdata("spark").join(format!("{name}.parquet"));
    let open = |name: &str| Segment::open(&path(name), &cache);
    let kept = open("seed4_typed")?.variant_layout("props")?.unwrap();
    open("seed4_none")?;
    open("seed4_typed")?;
    open("seed4_partial")?;
    assert_eq!(cache.len(), 2);
    let layout = open("seed4_typed")?.variant_layout("props")?.unwrap();
    assert!(std::sync::Arc::ptr_eq(&layout, &kept));
    cache.forget(&path("seed4_typed"));
    assert_eq!(cache.len(), 1);
    Ok(())
}
