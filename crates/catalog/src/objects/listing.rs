//! Listings of stores that have keys which the store's client cannot read.
//!
//! A key with an empty or dotted step (`a//x`, `a/../x`) fails the whole page that it is on. So pages are
//! made smaller until it is alone on one, and the listing goes on behind it.

use std::borrow::Cow;
use std::sync::Arc;

use object_store::list::PaginatedListOptions;
use object_store::path::Path;
use object_store::{Error, ObjectMeta, Result};

use super::store::Bucket;

/// Most keys of a page.
const PAGE: usize = 1000;
/// Most keys that are left out: each may cost a request.
const ODD_KEYS: u64 = 10_000;

/// What a place in a store has.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub(crate) found: Vec<ObjectMeta>,
    pub(crate) odd: OddKeys,
}

/// Keys that are left out of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OddKeys {
    /// How many; all that lie below an odd step may count as one.
    pub count: u64,
    /// The first of them.
    pub first: Option<String>,
}

/// Lists what lies below a key, with all below that or without; stops somewhat beyond `most`.
pub(crate) async fn list(
    store: Arc<dyn Bucket>,
    key: Path,
    deep: bool,
    most: usize,
) -> Result<Objects> {
    let is_odd =
        |listed: &Result<Vec<ObjectMeta>>| matches!(listed, Err(Error::InvalidPath { .. }));
    let listed = match deep {
        true => plain(&store, &key, most).await,
        false => store
            .list_with_delimiter(Some(&key))
            .await
            .map(|listed| listed.objects),
    };
    if is_odd(&listed) {
        return carefully(store, key, deep, most).await;
    }
    Ok(Objects {
        found: listed?,
        odd: OddKeys::default(),
    })
}

async fn plain(store: &Arc<dyn Bucket>, key: &Path, most: usize) -> Result<Vec<ObjectMeta>> {
    use futures_util::StreamExt;
    let mut found = Vec::new();
    let mut objects = store.list(Some(key));
    while let Some(object) = objects.next().await {
        found.push(object?);
        if found.len() > most {
            break;
        }
    }
    Ok(found)
}

async fn carefully(store: Arc<dyn Bucket>, key: Path, deep: bool, most: usize) -> Result<Objects> {
    let prefix = (!key.as_ref().is_empty()).then(|| format!("{key}/"));
    let mut objects = Objects::default();
    let mut size = PAGE;
    let (mut after, mut token) = (None, None::<String>);
    loop {
        let options = PaginatedListOptions {
            offset: token.is_none().then(|| after.clone()).flatten(),
            delimiter: (!deep).then_some(Cow::Borrowed("/")),
            max_keys: Some(size),
            page_token: token.clone(),
            ..PaginatedListOptions::default()
        };
        match store.list_paginated(prefix.as_deref(), options).await {
            Ok(page) => {
                objects.found.extend(page.result.objects);
                token = page.page_token;
                if token.is_none() || objects.found.len() > most {
                    return Ok(objects);
                }
                size = size.saturating_mul(2).min(PAGE);
            }
            Err(Error::InvalidPath { .. }) if size > 1 => size = (size / 8).max(1),
            Err(Error::InvalidPath { source }) => {
                let next = odd_key(&source).filter(|odd| after.as_ref() < Some(&behind(odd)));
                let (Some(odd), true) = (next, objects.odd.count < ODD_KEYS) else {
                    return Err(Error::InvalidPath { source });
                };
                objects.odd.count = objects.odd.count.saturating_add(1);
                objects.odd.first.get_or_insert_with(|| odd.to_owned());
                (after, token) = (Some(behind(odd)), None);
            }
            Err(error) => return Err(error),
        }
    }
}

fn odd_key(error: &object_store::path::Error) -> Option<&str> {
    use object_store::path::Error as Odd;
    match error {
        Odd::EmptySegment { path } | Odd::BadSegment { path, .. } => Some(path),
        _ => None,
    }
}

/// Returns what a listing goes on behind: all that is below an odd step is odd.
fn behind(key: &str) -> String {
    match key.ends_with('/') {
        true => format!("{key}{}", char::MAX),
        false => key.to_owned(),
    }
}
