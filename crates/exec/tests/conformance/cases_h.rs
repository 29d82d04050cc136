//! Paths.

use arrow_schema::DataType as ArrowType;
use growler_schema::DataType;

use crate::cases::{owned, table_of};
use crate::layouts::{Case, NOTHING, list, object};

/// A key below a shredded object and below one that is not, in every spelling.
#[test]
fn h01() {
    let case = Case::of_json(
        &[Some(r#"{"a":{"b":42},"m":{"k":7}}"#)],
        vec![
            object(&[("a", object(&[("b", ArrowType::Int64)]))]),
            object(&[("a", object(&[("c", ArrowType::Int64)])), ("m", NOTHING)]),
            object(&[("a", NOTHING)]),
        ],
    )
    .text("a.b", &[Some("42")])
    .text("m.k", &[Some("7")])
    .text("a", &[Some(r#"{"b":42}"#)]);
    case.check();
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        table.declare("v", &[("a", DataType::String)]);
        for source in [
            "v, '$.a.b'",
            "v, '$[''a''].b'",
            "v, '$.a[''b'']'",
            "v['a'], '$.b'",
        ] {
            let found = table.texts(&format!(
                "SELECT JSON_EXTRACT_SCALAR({source}, 'INT', 0) FROM t"
            ));
            assert_eq!(found, owned(&[Some("42")]), "{layout} {source}");
        }
        assert_eq!(
            table.count("SELECT COUNT(*) FROM t WHERE v['a.b'] = 42 AND v['m.k'] = 7"),
            1,
            "{layout}"
        );
        let group = table.texts("SELECT v['m.k'] FROM t GROUP BY v['m.k']");
        assert_eq!(group, owned(&[Some("7")]), "{layout}");
    }
}

/// Names that the layout uses itself are ordinary keys.
#[test]
fn h02() {
    let keys = [
        "null",
        "value",
        "typed_value",
        "metadata",
        "list",
        "element",
        "key_value",
        "v",
    ];
    let cells = ["xx", "1", "2", "3", "4", "5", "6", "7"];
    let mut pairs: Vec<_> = keys.iter().zip(cells).collect();
    pairs.sort();
    let fields: Vec<_> = pairs
        .iter()
        .map(|(key, cell)| match cell.parse::<i64>() {
            Ok(number) => format!(r#""{key}":{number}"#),
            Err(_) => format!(r#""{key}":"{cell}""#),
        })
        .collect();
    let document = format!("{{{}}}", fields.join(","));
    let shredded = |arrow: ArrowType| {
        object(
            &keys[1..]
                .iter()
                .map(|key| (*key, arrow.clone()))
                .collect::<Vec<_>>(),
        )
    };
    let documents = [Some(document.as_str())];
    let mut case = Case::of_json(
        &documents,
        vec![
            shredded(ArrowType::Int64),
            shredded(NOTHING),
            object(&[("null", ArrowType::Utf8), ("value", ArrowType::Int64)]),
            object(&[
                ("typed_value", object(&[("value", ArrowType::Int64)])),
                ("list", list(ArrowType::Int64)),
            ]),
        ],
    );
    for (key, cell) in keys.iter().zip(cells) {
        case = case.text(key, &[Some(cell)]);
    }
    case.check();
}

/// A key is not found by a prefix of its name.
#[test]
fn h04() {
    Case::of_json(
        &[Some(r#"{"a":{"c":2},"a_c":3,"ab":1}"#)],
        vec![
            object(&[
                ("ab", ArrowType::Int64),
                ("a", object(&[("c", ArrowType::Int64)])),
                ("a_c", ArrowType::Int64),
            ]),
            object(&[("ab", NOTHING)]),
            object(&[("a", NOTHING)]),
        ],
    )
    .text("a", &[Some(r#"{"c":2}"#)])
    .text("ab", &[Some("1")])
    .text("a_c", &[Some("3")])
    .text("a.c", &[Some("2")])
    .text("a.", &[None])
    .text("a.b", &[None])
    .check();
}

/// Indexes are for arrays, quoted names are keys, escapes work, bad syntax is an error.
#[test]
fn h05() {
    let document = r#"{"2":"k","a.b":1,"a]b":2,"it's":3,"l":["x","y","z"]}"#;
    let case = Case::of_json(
        &[Some(document)],
        vec![
            object(&[
                ("2", ArrowType::Utf8),
                ("a.b", ArrowType::Int64),
                ("it's", ArrowType::Int64),
            ]),
            object(&[("l", list(ArrowType::Utf8)), ("a]b", ArrowType::Int64)]),
            object(&[("l", NOTHING), ("2", NOTHING)]),
        ],
    )
    .text("2", &[Some("k")])
    .text("a.b", &[Some("1")])
    .text("a]b", &[Some("2")])
    .text("it's", &[Some("3")])
    .text("l.2", &[None])
    .text("[2]", &[None]);
    case.check();
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        for (path, expected) in [
            ("$['2']", "k"),
            ("$[2]", "none"),
            ("$.l[2]", "z"),
            ("$['l'][0]", "x"),
            ("$.l['2']", "none"),
            ("$.l[3]", "none"),
            ("$['a.b']", "1"),
            ("$['a]b']", "2"),
            (r#"$["it's"]"#, "3"),
        ] {
            let path = crate::sql::quoted(path);
            let found = table.texts(&format!(
                "SELECT JSON_EXTRACT_SCALAR(v, {path}, 'STRING', 'none') FROM t"
            ));
            assert_eq!(found, owned(&[Some(expected)]), "{layout} {path}");
        }
        for path in ["$[", "$['a", "$.l[x]", "$.l[99999999999999999999]x"] {
            let path = crate::sql::quoted(path);
            let sql = format!("SELECT JSON_EXTRACT_SCALAR(v, {path}, 'STRING', 'none') FROM t");
            assert!(
                table.try_rows(&sql).is_err(),
                "{layout} {path}: {:?}",
                table.try_rows(&sql)
            );
        }
    }
}

/// Quoted segments keep their boundaries.
#[test]
fn h07() {
    let case = Case::of_json(
        &[Some(r#"{"a":{"b":2},"a.b":1,"a[0]":3}"#)],
        vec![
            object(&[
                ("a.b", ArrowType::Int64),
                ("a", object(&[("b", ArrowType::Int64)])),
            ]),
            object(&[("a[0]", ArrowType::Int64), ("a", NOTHING)]),
            object(&[("a", object(&[("b", ArrowType::Int64)]))]),
        ],
    )
    // In brackets a literal name wins over a path.
    .text("a.b", &[Some("1")])
    .text("a[0]", &[Some("3")])
    .text("a", &[Some(r#"{"b":2}"#)]);
    case.check();
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        for (path, expected) in [
            ("$['a.b']", "1"),
            ("$['a[0]']", "3"),
            ("$.a.b", "2"),
            ("$['a']['b']", "2"),
            ("$.a['b']", "2"),
        ] {
            let path = crate::sql::quoted(path);
            let found = table.texts(&format!(
                "SELECT JSON_EXTRACT_SCALAR(v, {path}, 'STRING', 'none') FROM t"
            ));
            assert_eq!(found, owned(&[Some(expected)]), "{layout} {path}");
        }
    }
}

/// A step into what is no object finds nothing.
#[test]
fn h08() {
    let documents = [
        Some(r#"{"a":5}"#),
        Some(r#"{"a":"s"}"#),
        Some(r#"{"a":[]}"#),
        Some(r#"{"a":[{"b":1}]}"#),
        Some(r#"{"a":null}"#),
        Some("{}"),
        None,
        Some(r#"{"a":{"b":1}}"#),
    ];
    let cells = [None, None, None, None, None, None, None, Some("1")];
    let case = Case::of_json(
        &documents,
        vec![
            object(&[("a", object(&[("b", ArrowType::Int64)]))]),
            object(&[("a", ArrowType::Int64)]),
            object(&[("a", ArrowType::Utf8)]),
            object(&[("a", list(object(&[("b", ArrowType::Int64)])))]),
            object(&[("a", NOTHING)]),
        ],
    )
    .text("a.b", &cells)
    .text("a.b.c", &[None; 8])
    .typed("a.b", DataType::Long, &cells);
    case.check();
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        let found = table.texts("SELECT JSON_EXTRACT_SCALAR(v, '$.a.b', 'STRING', 'none') FROM t");
        let expected = cells.map(|cell| Some(cell.unwrap_or("none")));
        assert_eq!(found, owned(&expected), "{layout}");
    }
}
