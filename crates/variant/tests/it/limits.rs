//! Bytes that describe far more than they are.

use std::time::Instant;

use growler_base::ErrorKind;
use growler_variant::names::DictionaryCache;
use growler_variant::validate::validate;
use growler_variant::{Budget, Error, KeyPath, Metadata, ResolvedPath};

use crate::{json, raw};

/// Nests objects whose two fields share one value: `2^levels` nodes.
fn overlap_bomb(levels: usize) -> Vec<u8> {
    let mut value = raw::int(1);
    for _ in 0..levels {
        let len = value.len();
        let mut object = vec![2 | 3 << 2, 2, 0, 1];
        object.extend(
            [0_u32, 0, len as u32]
                .iter()
                .flat_map(|offset| offset.to_le_bytes()),
        );
        object.extend_from_slice(&value);
        value = object;
    }
    value
}

#[test]
fn a_bomb_of_shared_offsets_ends_at_once_with_an_error() {
    let metadata = raw::metadata(&["a", "b"], 1, true);
    let bomb = overlap_bomb(60);
    let start = Instant::now();
    let refused = json(&metadata, &bomb).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitExceeded);
    assert_eq!(validate(&metadata, &bomb), Err(refused));
    eprintln!(
        "bomb of {} bytes refused twice in {:?}",
        bomb.len(),
        start.elapsed()
    );
}

#[test]
fn modest_sharing_is_read() {
    let metadata = raw::metadata(&["a", "b"], 1, true);
    assert_eq!(
        json(&metadata, &overlap_bomb(1)).as_deref(),
        Ok(r#"{"a":1,"b":1}"#)
    );
    assert!(json(&metadata, &overlap_bomb(8)).is_ok());
}

#[test]
fn nesting_has_a_limit() {
    let nested = |levels: usize| (0..levels).fold(raw::int(7), |value, _| raw::list(&[value], 4));
    let metadata = raw::metadata(&[], 1, false);
    let text = json(&metadata, &nested(128)).unwrap();
    assert_eq!(text, format!("{}7{}", "[".repeat(128), "]".repeat(128)));
    let limit = Error::Depth { limit: 128 };
    assert_eq!(json(&metadata, &nested(129)), Err(limit.clone()));
    assert_eq!(validate(&metadata, &nested(5_000)), Err(limit));
}

#[test]
fn counts_that_do_not_fit_are_refused_before_any_loop() {
    let metadata = raw::metadata(&["a"], 1, true);
    let path = KeyPath::parse("a").unwrap();
    let resolved = ResolvedPath::new(&Metadata::try_new(&metadata).unwrap(), &path);
    // An object and an array of 2^32 - 1 entries in seven bytes.
    for value in [
        [0x7e, 0xff, 0xff, 0xff, 0xff, 0, 0],
        [0x1f, 0xff, 0xff, 0xff, 0xff, 0, 0],
    ] {
        assert!(json(&metadata, &value).is_err());
        assert!(!matches!(
            resolved.find(&value),
            Ok(growler_variant::Found::Value(_))
        ));
    }
    assert!(Metadata::try_new(&[0xc1, 0xff, 0xff, 0xff, 0xff, 0, 0]).is_err());
}

#[test]
fn text_has_a_limit_and_an_error_leaves_nothing_behind() {
    let metadata = raw::metadata(&["a"], 1, true);
    let value = raw::object(&[(0, raw::list(&vec![raw::int(1234); 100], 2))], 1, 2);
    let mut cache = DictionaryCache::new();
    let dictionary = cache.get(&metadata).unwrap();
    let mut text = b"kept".to_vec();
    let mut budget = Budget::with_limits(1 << 20, 40);
    let refused = growler_variant::json::write_json_in(dictionary, &value, &mut text, &mut budget);
    assert_eq!(
        refused.map_err(|error| error.kind()),
        Err(ErrorKind::LimitExceeded)
    );
    assert_eq!(text, b"kept");
}

#[test]
fn the_first_name_starts_the_names() {
    for (bytes, reads) in [
        (&[1, 1, 0, 2, b'a', b'b'][..], true),
        (&[1, 1, 1, 2, b'a', b'b'], false),
        (&[1, 0, 0], true),
        (&[1, 0, 1, b'a'], false),
    ] {
        assert_eq!(
            growler_variant::Metadata::try_new(bytes).is_ok(),
            reads,
            "{bytes:?}"
        );
    }
}
