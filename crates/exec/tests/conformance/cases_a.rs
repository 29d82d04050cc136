//! Null, missing and validity.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_schema::DataType as ArrowType;
use growler_schema::DataType;

use crate::cases::{SOFT, owned, table_of};
use crate::layouts::{self, Case, NOTHING, agree, list, object};
use crate::parquet_files::{bytes, group, of_json};
use crate::shared::data;
use crate::sql::Table;

/// An index beyond a list is NULL and null within one is JSON null, whatever the layout.
#[test]
fn a01() {
    let documents = [
        Some(r#"{"l":[]}"#),
        Some(r#"{"l":[null]}"#),
        Some(r#"{"l":[1]}"#),
    ];
    let schemas = vec![
        object(&[("l", list(ArrowType::Int64))]),
        object(&[("l", list(ArrowType::Utf8))]),
        object(&[("l", NOTHING)]),
    ];
    let case =
        Case::of_json(&documents, schemas).text("l", &[Some("[]"), Some("[null]"), Some("[1]")]);
    case.check();
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        table.declare("v", &[("l", DataType::String)]);
        for source in ["v['l'], '$[0]'", "v, '$.l[0]'"] {
            let found = table.texts(&format!(
                "SELECT JSON_EXTRACT_SCALAR({source}, 'STRING', 'none') FROM t"
            ));
            assert_eq!(
                found,
                owned(&[Some("none"), Some("none"), Some("1")]),
                "{layout} {source}"
            );
        }
    }
    // As roots the three are read at variant level only.
    let case = Case::of_rows(
        of_json(&[Some("[]"), Some("[null]"), Some("[1]")]),
        vec![list(ArrowType::Int64)],
        &[],
    );
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        assert_eq!(
            table.texts(&format!("{SOFT} SELECT v['0'] FROM t")),
            owned(&[Some("null"); 3]),
            "{layout}"
        );
    }
}

/// Nulls of the column hide what a perfectly shredded leaf holds below them.
#[test]
fn a02() {
    let documents = [None, Some(r#"{"a":1}"#), None];
    Case::of_json(
        &documents,
        vec![
            object(&[("a", ArrowType::Int64)]),
            object(&[("a", NOTHING)]),
        ],
    )
    .text("a", &[None, Some("1"), None])
    .typed("a", DataType::Long, &[None, Some("1"), None])
    .check();
    // The leaf has stale values and no null of its own.
    let a = group(
        vec![
            ("value", bytes(&[None, None, None])),
            ("typed_value", Arc::new(Int64Array::from(vec![7, 1, 9]))),
        ],
        None,
    );
    let typed: ArrayRef = Arc::new(group(vec![("a", Arc::new(a))], None));
    let names = bytes(&vec![Some(crate::bytes::metadata(&["a"], 1, true)); 3]);
    let column = group(
        vec![
            ("metadata", names),
            ("value", bytes(&[None, None, None])),
            ("typed_value", typed),
        ],
        Some(vec![false, true, false]),
    );
    let (_folder, table) = table_of(column);
    agree(&table, "v['a']", &owned(&[None, Some("1"), None]), "stale");
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[None, Some(r#"{"a":1}"#), None])
    );
}

/// Both parts null at a present root are a variant null, neither an error of bytes nor SQL NULL.
#[test]
fn a04() {
    let names = bytes(&vec![Some(crate::bytes::metadata(&["a"], 1, true)); 2]);
    let typed: ArrayRef = Arc::new(Int64Array::from(vec![None, None]));
    let column = group(
        vec![
            ("metadata", names),
            ("value", bytes(&[None, None])),
            ("typed_value", typed),
        ],
        Some(vec![true, false]),
    );
    let (_folder, table) = table_of(column);
    let error = table.failure("SELECT v FROM t");
    assert!(
        error.contains("non-object root at docId 0 (null"),
        "{error}"
    );
    assert_eq!(
        table.texts(&format!("{SOFT} SELECT v FROM t")),
        owned(&[None, None])
    );
    // As an element of a list it is a null that is there.
    if let Some(folder) = data("parquet-testing/shredded_variant") {
        for (case, found) in [("129", "null"), ("085", "array")] {
            let table = Table::open(&folder.join(format!("case-{case}.parquet"))).unwrap();
            let error = table.failure("SELECT var FROM t");
            assert!(
                error.contains(&format!("non-object root at docId 0 ({found}")),
                "{case}: {error}"
            );
        }
    }
    let element = group(
        vec![
            ("value", bytes(&[None, None])),
            (
                "typed_value",
                Arc::new(Int64Array::from(vec![None, Some(2)])) as ArrayRef,
            ),
        ],
        None,
    );
    let item = Arc::new(arrow_schema::Field::new(
        "element",
        element.data_type().clone(),
        false,
    ));
    let offsets = arrow_buffer::OffsetBuffer::new(vec![0, 2].into());
    let lists: ArrayRef = Arc::new(arrow_array::ListArray::new(
        item,
        offsets,
        Arc::new(element),
        None,
    ));
    let l = group(
        vec![("value", bytes(&[None])), ("typed_value", lists)],
        None,
    );
    let typed: ArrayRef = Arc::new(group(vec![("l", Arc::new(l) as ArrayRef)], None));
    let names = bytes(&[Some(crate::bytes::metadata(&["l"], 1, true))]);
    let (_folder, table) = table_of(group(
        vec![
            ("metadata", names),
            ("value", bytes(&[None])),
            ("typed_value", typed),
        ],
        None,
    ));
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[Some(r#"{"l":[null,2]}"#)])
    );
}

/// SQL NULL, variant null and a value stay apart: as a key, missing, null and a value.
#[test]
fn a05() {
    let documents = [None, Some(r#"{"k":null}"#), Some(r#"{"k":5}"#), Some("{}")];
    Case::of_json(
        &documents,
        vec![
            object(&[("k", ArrowType::Int64)]),
            object(&[("k", ArrowType::Utf8)]),
            object(&[("k", NOTHING)]),
        ],
    )
    .text("k", &[None, None, Some("5"), None])
    .check();
    let roots = of_json(&[None, Some("null"), Some("5")]);
    for (layout, column) in
        Case::of_rows(roots, vec![ArrowType::Int64, ArrowType::Utf8], &[]).layouts()
    {
        let (_folder, table) = table_of(column);
        // SQL NULL reads; the variant null is refused as what it is.
        let error = table.failure("SELECT v FROM t");
        assert!(
            error.contains("non-object root at docId 1 (null"),
            "{layout}: {error}"
        );
    }
}

/// A key of a shredded root that is no object is NULL for every row, once such roots are allowed.
#[test]
fn a07() {
    for (rows, schema) in [
        (vec![Some("true"), Some("false")], ArrowType::Boolean),
        (vec![Some("[1]"), Some("[]")], list(ArrowType::Int64)),
        (vec![Some("5"), Some("6")], ArrowType::Int64),
    ] {
        for (layout, column) in Case::of_rows(of_json(&rows), vec![schema], &[]).layouts() {
            let (_folder, table) = table_of(column);
            table.declare("v", &[("a", DataType::String)]);
            let on = format!("{SOFT} SET enableNullHandling = true;");
            assert_eq!(
                table.texts(&format!("{on} SELECT v['a'] FROM t")),
                owned(&[None, None]),
                "{layout}"
            );
            assert_eq!(
                table.count(&format!("{on} SELECT COUNT(*) FROM t WHERE v['a'] IS NULL")),
                2,
                "{layout}"
            );
            assert_eq!(
                table.count(&format!("{on} SELECT COUNT(*) FROM t WHERE v['a'] = 'x'")),
                0,
                "{layout}"
            );
            assert!(
                table
                    .failure("SELECT v['a'] FROM t")
                    .contains("non-object root at docId 0"),
                "{layout}"
            );
        }
    }
}

/// Null variants in structs, lists and maps stay in their slots.
#[test]
fn a08() {
    let variants = of_json(&[
        None,
        Some(r#"{"a":1}"#),
        Some("null"),
        None,
        Some(r#"{"a":"x"}"#),
    ]);
    for (layout, column) in
        Case::of_rows(variants, vec![object(&[("a", ArrowType::Int64)])], &[]).layouts()
    {
        let nested = crate::cases::nested(column, 5);
        let table = &nested.table;
        let texts = |sql: &str| table.texts(&format!("SET enableNullHandling = true; {sql}"));
        let slots = ["null", r#"{"a":1}"#, "null", "null", r#"{"a":"x"}"#];
        let each = |form: &dyn Fn(&str) -> String| slots.map(|slot| Some(form(slot))).to_vec();
        assert_eq!(
            texts("SELECT s FROM t"),
            each(&|v| format!(r#"{{"i":0,"v":{v}}}"#)),
            "{layout}"
        );
        assert_eq!(
            texts("SELECT l FROM t"),
            each(&|v| format!("[{v}]")),
            "{layout}"
        );
        assert_eq!(
            texts("SELECT m FROM t"),
            each(&|v| format!(r#"{{"k":{v}}}"#)),
            "{layout}"
        );
    }
}

/// An empty object is a value; its keys are missing.
#[test]
fn a10() {
    let documents = [Some("{}"), Some(r#"{"o":{}}"#)];
    Case::of_json(
        &documents,
        vec![
            object(&[("a", ArrowType::Int64), ("b", ArrowType::Utf8)]),
            object(&[("o", object(&[("a", ArrowType::Int64)]))]),
            object(&[("o", NOTHING)]),
        ],
    )
    .text("a", &[None, None])
    .text("o", &[None, Some("{}")])
    .text("o.a", &[None, None])
    .check();
}

/// A variant null is there: as a root it is refused, never taken for SQL NULL; below, the document
/// keeps it.
#[test]
fn a11() {
    if let Some(folder) = data("parquet-testing/shredded_variant") {
        for case in ["047", "089", "129", "135"] {
            let table = Table::open(&folder.join(format!("case-{case}.parquet"))).unwrap();
            let error = table.failure("SELECT var FROM t");
            assert!(
                error.contains("non-object root at docId 0 (null"),
                "{case}: {error}"
            );
        }
    }
    let documents = [Some(r#"{"k":null}"#), Some(r#"{"k":[null]}"#)];
    let schemas = vec![
        object(&[("k", list(ArrowType::Int64))]),
        object(&[("k", layouts::NOTHING)]),
    ];
    Case::of_json(&documents, schemas)
        .text("k", &[None, Some("[null]")])
        .check();
}
