//! A dotted key: the look-up that reads as little as it can, against those that read everything.

use std::panic::catch_unwind;

use growler_base::ErrorKind;
use growler_variant::cache::PathCache;
use growler_variant::validate::{validate, validate_metadata};
use growler_variant::value::len_bytes;
use growler_variant::{Error, Found, KeyPath, Metadata, Node, ResolvedPath, convert};
use parquet_variant::Variant;

use crate::plain::{self, Plain, Refused};
use crate::{Parts, twin};

pub(crate) fn check(input: &[u8]) {
    let Parts {
        path,
        metadata,
        value,
    } = Parts::split(input);
    let key = match KeyPath::parse(&path) {
        Ok(key) => key,
        Err(error) => return assert_eq!(error.kind(), ErrorKind::InvalidInput),
    };
    let found = look_up(&key, metadata, value);
    if let Ok(Found::Value(found)) = &found {
        read(metadata, found);
    }
    let whole = plain::decode(metadata, value);
    check_validation(metadata, value, &whole);
    if let Ok(whole) = &whole {
        let found = found.as_ref().expect("what decodes is found");
        compare(&path, metadata, *found, whole);
    }
    compare_with_twin(&path, metadata, value, found.ok());
}

/// Looks up twice with a cache and once without.
fn look_up<'v>(key: &KeyPath, metadata: &[u8], value: &'v [u8]) -> Result<Found<'v>, Error> {
    let dictionary = Metadata::try_new(metadata);
    let found = dictionary.and_then(|names| ResolvedPath::new(&names, key).find(value));
    let mut cache = PathCache::new(key.clone());
    for _ in 0..2 {
        let again = cache.resolve(metadata).and_then(|path| path.find(value));
        assert_eq!(again, found);
    }
    found
}

/// Reads a value that was found as everything that it can be read as.
fn read(metadata: &[u8], found: &[u8]) {
    let _ = len_bytes(found);
    let Ok(node) = Node::try_new(found) else {
        return;
    };
    let _ = (node.to_bool(), node.to_i32(), node.to_i64(), node.to_f32());
    let _ = (
        node.to_f64(),
        node.nearest_f64(),
        node.to_bytes(),
        node.to_str(),
    );
    for scale in [i8::MIN, -38, -2, 0, 2, 38, i8::MAX] {
        let _ = node.to_decimal(scale);
    }
    use arrow_schema::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    for unit in [Second, Millisecond, Microsecond, Nanosecond] {
        let _ = node.to_timestamp(unit);
    }
    let dictionary = Metadata::try_new(metadata).expect("it was found with this dictionary");
    let (mut text, mut budget) = (Vec::new(), growler_variant::Budget::new());
    let written = convert::write_text(&dictionary, found, &mut text, &mut budget);
    assert!(std::str::from_utf8(&text).is_ok(), "{written:?}");
}

/// The full check accepts exactly what decodes, with a dictionary that is valid throughout.
fn check_validation(metadata: &[u8], value: &[u8], whole: &Result<Plain, Refused>) {
    let checked = validate(metadata, value);
    match (&checked, whole) {
        (Ok(()), Ok(_)) => {
            assert!(len_bytes(value).is_ok_and(|len| len <= value.len()));
        }
        (_, Err(Refused::TooMuch)) => {}
        (Ok(()), Err(Refused::Malformed)) => panic!("malformed bytes are accepted"),
        (Err(error), Ok(_)) => {
            let is_limit = error.kind() == ErrorKind::LimitExceeded;
            assert!(is_limit || validate_metadata(metadata).is_err(), "{error}");
        }
        (Err(error), Err(_)) => assert!(error.is_row_malformed(), "{error}"),
    }
}

fn compare(path: &str, metadata: &[u8], found: Found<'_>, whole: &Plain) {
    let expected = whole.find(path);
    match found {
        Found::NotObject => assert!(!whole.is_object()),
        Found::Missing => assert!(whole.is_object() && expected.is_none(), "{expected:?}"),
        Found::Null => assert_eq!(expected, Some(&Plain::Null)),
        Found::Value(found) => {
            let found = plain::decode(metadata, found).expect("the whole decodes");
            // Compared as text, in which NaN equals itself.
            assert_eq!(format!("{:?}", Some(&found)), format!("{expected:?}"));
        }
    }
}

/// The twin demands more than growler, save that it takes an object with a name twice, names that
/// end inside a character, and any number of nodes.
fn compare_with_twin(path: &str, metadata: &[u8], value: &[u8], found: Option<Found<'_>>) {
    let Some(theirs) = twin::variant(metadata, value) else {
        return;
    };
    match validate(metadata, value) {
        Ok(()) => {}
        Err(Error::DuplicateName { .. } | Error::Utf8 { part: "name" }) => return,
        Err(error) => {
            assert_eq!(
                error.kind(),
                ErrorKind::LimitExceeded,
                "the twin accepts this: {error}"
            );
            return;
        }
    }
    let ours = match found {
        Some(Found::Value(found)) => Some(found),
        Some(Found::Null) => Some(&[0][..]),
        _ => None,
    };
    let compared = catch_unwind(|| {
        let theirs = twin::find(&theirs, path).map(|found| format!("{found:?}"));
        let ours = ours.map(|found| format!("{:?}", Variant::new(metadata, found)));
        (ours, theirs)
    });
    if let Ok((ours, theirs)) = compared {
        assert_eq!(ours, theirs, "path={path:?}");
    }
}
