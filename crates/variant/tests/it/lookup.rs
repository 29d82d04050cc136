//! Keys in objects of every encoding, and dictionaries that break their promises.

use growler_variant::cache::PathCache;
use growler_variant::{Found, KeyPath, Metadata, Node, ResolvedPath};

use crate::{json, raw};

fn find(metadata: &[u8], value: &[u8], path: &str) -> Option<i64> {
    let mut cache = PathCache::new(KeyPath::parse(path).unwrap());
    match cache.resolve(metadata).unwrap().find(value).unwrap() {
        Found::Value(found) => Node::try_new(found).unwrap().to_i64(),
        _ => None,
    }
}

#[test]
fn finds_keys_in_objects_of_every_width_and_size() {
    for (key_count, id_width) in [
        (5, 1),
        (100, 1),
        (200, 1),
        (256, 2),
        (1000, 2),
        (1000, 3),
        (1000, 4),
        (2500, 2),
    ] {
        let names: Vec<String> = (0..key_count).map(|key| format!("key{key:04}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let metadata = raw::metadata(&names, 2, true);
        // Every third key is not in the object.
        let present = (0..key_count).filter(|key| key % 3 != 1);
        let fields: Vec<_> = present.map(|key| (key, raw::int(key as i32 * 7))).collect();
        let reversed: Vec<_> = fields.iter().rev().cloned().collect();
        let in_order = raw::object(&fields, id_width, 2);
        let against = raw::object(&reversed, id_width, 4);
        for (key, name) in names.iter().enumerate() {
            let expected = (key % 3 != 1).then_some(key as i64 * 7);
            assert_eq!(
                find(&metadata, &in_order, name),
                expected,
                "{key} of {key_count}"
            );
            assert_eq!(
                find(&metadata, &against, name),
                expected,
                "{key} of {key_count}"
            );
        }
    }
}

#[test]
fn finds_names_that_a_dictionary_repeats_whatever_its_flag_says() {
    for sorted in [false, true] {
        let metadata = raw::metadata(&["b", "a", "a", "b", "a"], 1, sorted);
        for id in [1, 2, 4] {
            let value = raw::object(&[(id, raw::int(5)), (3, raw::int(6))], 1, 1);
            assert_eq!(
                find(&metadata, &value, "a"),
                Some(5),
                "id={id} sorted={sorted}"
            );
            assert_eq!(
                find(&metadata, &value, "b"),
                Some(6),
                "id={id} sorted={sorted}"
            );
        }
        let names = Metadata::try_new(&metadata).unwrap();
        assert_eq!(names.ids_of("a").collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(names.ids_of("c").count(), 0);
    }
}

#[test]
fn writes_unordered_objects_in_order_and_refuses_a_name_twice() {
    let metadata = raw::metadata(&["z", "a", "m", "a"], 1, true);
    let object = |ids: &[usize]| {
        let fields: Vec<_> = ids.iter().map(|&id| (id, raw::int(id as i32))).collect();
        raw::object(&fields, 1, 1)
    };
    assert_eq!(
        json(&metadata, &object(&[0, 1, 2])).as_deref(),
        Ok(r#"{"a":1,"m":2,"z":0}"#)
    );
    assert_eq!(
        json(&metadata, &object(&[3, 2, 0])).as_deref(),
        Ok(r#"{"a":3,"m":2,"z":0}"#)
    );
    for ids in [&[1, 3][..], &[1, 0, 3], &[2, 2], &[3, 2, 1]] {
        assert!(json(&metadata, &object(ids)).is_err(), "{ids:?}");
    }
}

#[test]
fn a_literal_name_wins_over_steps_at_every_level() {
    let names = ["a", "b", "c", "a.b", "b.c", "a.b.c", "", "."];
    let metadata = raw::metadata(&names, 1, false);
    let id = |name: &str| names.iter().position(|found| *found == name).unwrap();
    let object = |fields: &[(&str, Vec<u8>)]| {
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (id(name), value.clone()))
            .collect();
        raw::object(&fields, 1, 1)
    };
    let (one, two, null) = (raw::int(1), raw::int(2), vec![0]);
    let c = |value: &Vec<u8>| object(&[("c", value.clone())]);
    let cases: Vec<(&str, Vec<u8>, &str, Option<i64>)> = vec![
        (
            "step",
            object(&[("a", object(&[("b", one.clone())]))]),
            "a.b",
            Some(1),
        ),
        (
            "literal first",
            object(&[("a", object(&[("b", one.clone())])), ("a.b", two.clone())]),
            "a.b",
            Some(2),
        ),
        (
            "literal null hides the steps",
            object(&[("a", object(&[("b", one.clone())])), ("a.b", null.clone())]),
            "a.b",
            None,
        ),
        (
            "literal inside",
            object(&[("a", object(&[("b", c(&one)), ("b.c", two.clone())]))]),
            "a.b.c",
            Some(2),
        ),
        (
            "literal of two steps is no step",
            object(&[("a.b", c(&one))]),
            "a.b.c",
            None,
        ),
        ("not an object", object(&[("a", one.clone())]), "a.b", None),
        (
            "array",
            object(&[("a", raw::list(&[object(&[("b", one.clone())])], 1))]),
            "a.b",
            None,
        ),
        ("empty name", object(&[("", one.clone())]), "", Some(1)),
        (
            "dot as literal",
            object(&[(".", one.clone())]),
            ".",
            Some(1),
        ),
        (
            "dot as steps",
            object(&[("", object(&[("", one.clone())]))]),
            ".",
            Some(1),
        ),
    ];
    for (name, value, path, expected) in cases {
        assert_eq!(find(&metadata, &value, path), expected, "{name}");
    }
}

#[test]
fn tells_missing_null_and_not_an_object_apart() {
    let metadata = raw::metadata(&["a", "b", "c"], 1, true);
    let names = Metadata::try_new(&metadata).unwrap();
    let value = raw::object(&[(0, vec![0]), (1, raw::int(1))], 1, 1);
    let find = |path: &str, value: &[u8]| {
        let found = ResolvedPath::new(&names, &KeyPath::parse(path).unwrap()).find(value);
        found.map(|found| match found {
            Found::NotObject => "not object",
            Found::Missing => "missing",
            Found::Null => "null",
            Found::Value(_) => "value",
        })
    };
    assert_eq!(find("a", &value), Ok("null"));
    assert_eq!(find("b", &value), Ok("value"));
    assert_eq!(find("b.c", &value), Ok("missing"));
    assert_eq!(find("c", &value), Ok("missing"));
    assert_eq!(find("nowhere", &value), Ok("missing"));
    for root in [
        vec![0],
        raw::int(1),
        raw::list(std::slice::from_ref(&value), 1),
        vec![0x05, b'a'],
    ] {
        assert_eq!(find("a", &root), Ok("not object"));
        assert_eq!(find("nowhere", &root), Ok("not object"));
    }
    assert!(find("a", &[]).is_err());
    assert!(find("b", &value[..value.len() - 1]).is_err());
}

#[test]
fn the_cache_follows_the_dictionaries_of_the_rows() {
    let mut cache = PathCache::new(KeyPath::parse("k").unwrap());
    let dictionaries: Vec<Vec<u8>> = (0..2000)
        .map(|number| {
            let other = format!("other{number}");
            let names = if number % 2 == 0 {
                ["k", &other]
            } else {
                [other.as_str(), "k"]
            };
            raw::metadata(&names, 1, false)
        })
        .collect();
    let wide: Vec<String> = (0..4000).map(|number| format!("wide{number}")).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    let wide = raw::metadata(&[&wide[..], &["k"]].concat(), 4, false);
    let values = [0, 1].map(|id| raw::object(&[(id, raw::int(id as i32))], 1, 1));
    let wide_value = raw::object(&[(4000, raw::int(9))], 2, 1);
    let mut rows = cache.rows();
    for _ in 0..2 {
        for (number, metadata) in dictionaries.iter().enumerate() {
            for _ in 0..2 {
                let Ok(Found::Value(found)) = rows.find(metadata, &values[number % 2]) else {
                    panic!("not found in row {number}")
                };
                assert_eq!(
                    Node::try_new(found).unwrap().to_i64(),
                    Some(number as i64 % 2)
                );
            }
            if number % 100 == 0 {
                assert!(rows.find(&[2, 0, 0], &values[0]).is_err());
                assert!(rows.find(&[], &values[0]).is_err());
                let found = rows.find(&wide, &wide_value);
                assert!(matches!(found, Ok(Found::Value(_))));
            }
        }
    }
}

/// A row with a dictionary of its own, most of one shape: the key `a.b.c` where it was before,
/// elsewhere, under a literal name, under a repeated name, as no object, missing.
fn own_row(number: usize, padding: &str) -> (Vec<u8>, Vec<u8>) {
    let own = format!("own{number}{padding}");
    let names = match number % 13 {
        3 => ["z", "a", "b", "c", "b.c", own.as_str(), "y"],
        5 => ["c", "a", "b", "a", "a.b.c", own.as_str(), "y"],
        7 => ["a", "q", "b", "c", "y", own.as_str(), "a"],
        _ => ["z", "a", "b", "c", "x", own.as_str(), "y"],
    };
    let id = |name: &str| names.iter().rposition(|found| *found == name).unwrap();
    let value = raw::int(i32::try_from(number).unwrap());
    let c = raw::object(&[(id("c"), value.clone())], 1, 1);
    let b = match number % 13 {
        3 => raw::object(&[(id("b"), c), (4, raw::int(-1))], 1, 1),
        9 => raw::object(&[(5, raw::int(0)), (id("b"), c)], 1, 1),
        _ => raw::object(&[(id("b"), c)], 1, 1),
    };
    let fields = match number % 13 {
        5 => vec![(id("a"), b), (4, raw::int(-2))],
        8 => vec![(id("y"), b)],
        10 => vec![(id("a"), value)],
        11 => vec![(id("y"), value), (id("a"), b)],
        12 => vec![(id("a"), vec![0])],
        _ => vec![(id("a"), b), (id("y"), value)],
    };
    (raw::metadata(&names, 2, false), raw::object(&fields, 1, 1))
}

#[test]
fn rows_with_a_dictionary_each_give_what_a_search_of_it_gives() {
    // Long dictionaries are looked into before they are compared or searched.
    for padding in ["", &"~".repeat(600)] {
        let rows: Vec<_> = (0..2500).map(|number| own_row(number, padding)).collect();
        for path in ["a.b.c", "a", "a.b", "y", "c", "x", "a.b.c.d", "nowhere"] {
            let path = KeyPath::parse(path).unwrap();
            let mut cache = PathCache::new(path.clone());
            let mut cached = cache.rows();
            for (number, (metadata, value)) in rows.iter().enumerate() {
                let names = Metadata::try_new(metadata).unwrap();
                let expected = ResolvedPath::new(&names, &path).find(value).unwrap();
                // Every third dictionary is that of two rows in turn.
                for _ in 0..(number % 3).max(1) {
                    let found = cached.find(metadata, value).unwrap();
                    assert_eq!(found, expected, "{path} in row {number}");
                }
            }
        }
    }
}
