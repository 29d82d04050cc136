//! The requests themselves, as futures.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore};

use super::failure::is_behind_the_end;
use crate::Error;
use crate::error::FileKind;

/// One whole file that is read.
pub(crate) struct Reading {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) key: Path,
    pub(crate) location: Arc<str>,
    pub(crate) kind: FileKind,
    pub(crate) most: u64,
}

impl Reading {
    /// Reads it; none when that must be tried again.
    pub(crate) async fn run(reading: Option<Self>) -> Option<Result<Bytes, Error>> {
        let reading = reading?;
        let read = read_bounded(reading.store, reading.key, reading.most)
            .await
            .ok()?;
        let (location, kind, most) = (reading.location, reading.kind, reading.most);
        Some(read.map_err(|len| too_long(&location, kind, len, most)))
    }
}

pub(crate) fn too_long(path: &Arc<str>, file: FileKind, len: u64, most: u64) -> Error {
    Error::Limit {
        file,
        path: Arc::clone(path),
        cause: format!("file is too long len={len} limit={most}").into(),
    }
}

/// Reads a whole object; its length when that is beyond the bound.
pub(crate) async fn read_bounded(
    store: Arc<dyn ObjectStore>,
    key: Path,
    most: u64,
) -> object_store::Result<Result<Bytes, u64>> {
    let found = store.get_opts(&key, GetOptions::default()).await?;
    if found.meta.size > most {
        return Ok(Err(found.meta.size));
    }
    found.bytes().await.map(Ok)
}

/// Reads a range as far as the object goes.
pub(crate) async fn read_range(
    store: Arc<dyn ObjectStore>,
    key: Path,
    range: Range<u64>,
) -> object_store::Result<Bytes> {
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        ..GetOptions::default()
    };
    match store.get_opts(&key, options).await {
        Ok(found) => found.bytes().await,
        Err(error) if is_behind_the_end(&error) => Ok(Bytes::new()),
        Err(error) => Err(error),
    }
}

pub(crate) async fn read_coalesced(
    store: Arc<dyn ObjectStore>,
    key: Path,
    ranges: Arc<[Range<u64>]>,
    etag: Option<String>,
) -> object_store::Result<Vec<Bytes>> {
    /// Gap that is read rather than asked around, in bytes.
    const GAP: u64 = 256 << 10;
    let fetch = |range: Range<u64>| {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range.clone())),
            if_match: etag.clone(),
            ..GetOptions::default()
        };
        let (store, key) = (Arc::clone(&store), key.clone());
        async move {
            let bytes = store.get_opts(&key, options).await?.bytes().await?;
            // Cutting the ranges out of a short answer would panic.
            whole(bytes, &range).map_err(|short| object_store::Error::Generic {
                store: "objects",
                source: Box::new(short),
            })
        }
    };
    object_store::coalesce_ranges(&ranges, fetch, GAP).await
}

/// Returns the bytes of a range, an error when they are too few.
pub(crate) fn whole(bytes: Bytes, range: &Range<u64>) -> io::Result<Bytes> {
    let expected = range.end.saturating_sub(range.start);
    match u64::try_from(bytes.len()) == Ok(expected) {
        true => Ok(bytes),
        false => {
            let found = bytes.len();
            let cause =
                format!("file is shorter than it should be expected={expected} found={found}");
            Err(io::Error::new(io::ErrorKind::UnexpectedEof, cause))
        }
    }
}

#[cfg(test)]
mod tests {
    use object_store::ObjectStoreExt;
    use object_store::memory::InMemory;

    use super::*;
    use crate::blocking;

    #[test]
    fn ranges_behind_the_end_are_an_error() {
        let read = blocking::run(async {
            let (store, key) = (Arc::new(InMemory::new()), Path::from("f"));
            store.put(&key, "0123456789".into()).await?;
            read_coalesced(store, key, Arc::from([0..4, 100..104]), None).await
        });
        let error = read.unwrap().unwrap_err();
        let error = super::super::failure::io_error(&error, &crate::Properties::default());
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{error}");
    }
}
