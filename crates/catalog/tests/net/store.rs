//! A double of an object store that speaks S3: a folder as bucket `b`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use growler_catalog::{Properties, Storage};

use crate::double::{Asked, Double, Reply};

/// A running store.
pub struct Store {
    pub double: Double,
    /// Access keys that are let in; all when empty.
    pub good_keys: Arc<Mutex<Vec<String>>>,
    /// Requests that fail from now on, with this status.
    pub failing: Arc<Mutex<(usize, u16)>>,
    /// Whether answers wait.
    pub stalled: Arc<AtomicBool>,
}

impl Store {
    pub fn of(folder: &Path) -> Self {
        let good_keys = Arc::<Mutex<Vec<String>>>::default();
        let failing = Arc::<Mutex<(usize, u16)>>::default();
        let (keys, faults, root) = (
            Arc::clone(&good_keys),
            Arc::clone(&failing),
            folder.to_owned(),
        );
        let stalled = Arc::<AtomicBool>::default();
        let stalls = Arc::clone(&stalled);
        let double = Double::new(move |asked| {
            while stalls.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(5));
            }
            let mut fault = faults.lock().unwrap();
            if fault.0 > 0 {
                fault.0 -= 1;
                return Reply::new(fault.1, "<Error><Code>InternalError</Code></Error>");
            }
            drop(fault);
            let keys = keys.lock().unwrap().clone();
            let is_known = |key: &String| {
                asked
                    .header("authorization")
                    .contains(&format!("Credential={key}/"))
            };
            if !keys.is_empty() && !keys.iter().any(is_known) {
                let body = format!(
                    "<Error><Code>AccessDenied</Code><Message>{}</Message></Error>",
                    asked.header("authorization")
                );
                return Reply::new(403, body);
            }
            answer(&root, asked)
        });
        Self {
            double,
            good_keys,
            failing,
            stalled,
        }
    }

    /// Settings with this access key.
    pub fn settings(&self, key: &str) -> Properties {
        [
            ("s3.endpoint", self.double.uri.as_str()),
            ("s3.access-key-id", key),
            ("s3.secret-access-key", "secret-of-the-store"),
            ("s3.region", "us-east-1"),
        ]
        .into_iter()
        .collect()
    }

    pub fn storage(&self, key: &str) -> Storage {
        Storage::from(self.settings(key))
    }

    /// Counts the ranges that were read.
    pub fn reads(&self) -> usize {
        let asked = self.double.asked();
        asked
            .iter()
            .filter(|asked| asked.method == "GET" && !asked.headers.is_empty())
            .count()
    }
}

fn answer(root: &Path, asked: &Asked) -> Reply {
    if asked.query.contains_key("list-type") {
        return list(root, asked);
    }
    let path = decoded(asked.path.strip_prefix("/b/").unwrap());
    let Ok(bytes) = std::fs::read(root.join(path)) else {
        return Reply::new(404, "<Error><Code>NoSuchKey</Code></Error>");
    };
    let etag = format!("\"{}\"", bytes.len());
    let if_match = asked.header("if-match");
    if !if_match.is_empty() && if_match != etag {
        return Reply::new(412, "<Error><Code>PreconditionFailed</Code></Error>");
    }
    let reply = |status, body: &[u8]| {
        Reply::new(status, body)
            .with("ETag", &etag)
            .with("Last-Modified", "Mon, 30 Nov 2026 20:00:00 GMT")
    };
    let range = asked.header("range").strip_prefix("bytes=");
    let Some((start, end)) = range.and_then(|range| range.split_once('-')) else {
        return reply(200, &bytes);
    };
    let start: usize = start.parse().unwrap();
    if start >= bytes.len() {
        return Reply::new(416, "<Error><Code>InvalidRange</Code></Error>");
    }
    let end = end.parse::<usize>().unwrap().min(bytes.len() - 1);
    let place = format!("bytes {start}-{end}/{}", bytes.len());
    reply(206, &bytes[start..=end]).with("Content-Range", &place)
}

fn decoded(path: &str) -> String {
    let mut text = Vec::new();
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let pair = [bytes.next().unwrap(), bytes.next().unwrap()];
                let pair = std::str::from_utf8(&pair).unwrap();
                text.push(u8::from_str_radix(pair, 16).unwrap());
            }
            other => text.push(other),
        }
    }
    String::from_utf8(text).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => files(&path),
            path => vec![path],
        })
        .collect();
    found.sort();
    found
}

/// Lists in pages of two keys, unless asked for others. A `^` in a file's name is a slash of its key.
fn list(root: &Path, asked: &Asked) -> Reply {
    let prefix = decoded(asked.query("prefix"));
    let delimited = asked.query.contains_key("delimiter");
    let page: usize = asked.query("max-keys").parse().unwrap_or(2);
    let after = [
        asked.query("continuation-token"),
        asked.query("start-after"),
    ];
    let after = after.map(decoded).into_iter().max().unwrap();
    let keys = files(root).into_iter().filter_map(|path| {
        let key = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('^', "/");
        let rest = key.strip_prefix(&prefix)?;
        (!delimited || !rest.contains('/')).then(|| (key.clone(), path))
    });
    let mut left: Vec<_> = keys.filter(|(key, _)| *key > after).collect();
    left.sort();
    let is_last = left.len() <= page;
    left.truncate(page);
    let mut body = "<ListBucketResult><Name>b</Name>".to_owned();
    for (key, path) in &left {
        let len = std::fs::metadata(path).unwrap().len();
        body.push_str(&format!(
            "<Contents><Key>{key}</Key><LastModified>2026-11-30T20:00:00Z</LastModified>\
             <ETag>\"{len}\"</ETag><Size>{len}</Size></Contents>"
        ));
    }
    if let (false, Some((last, _))) = (is_last, left.last()) {
        body.push_str(&format!(
            "<IsTruncated>true</IsTruncated><NextContinuationToken>{last}</NextContinuationToken>"
        ));
    }
    body.push_str("</ListBucketResult>");
    Reply::new(200, body)
}
