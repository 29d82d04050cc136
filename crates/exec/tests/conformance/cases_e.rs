//! Arrays and nesting.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType as ArrowType;
use parquet::file::properties::WriterProperties;

use crate::bytes::{int, list as list_bytes, metadata, object as object_bytes, string};
use crate::cases::{nested, owned, table_of, table_with};
use crate::layouts::{Case, NOTHING, agree, list, object};
use crate::parquet_files::{group, of_json, unshredded};

/// Long arrays have their length, elements and siblings.
#[test]
fn e01() {
    let mut rows = Vec::new();
    let mut documents = Vec::new();
    let mut arrays = Vec::new();
    for len in [255usize, 256, 300] {
        let elements: Vec<_> = (0..len).map(|at| int(at as i32)).collect();
        let value = list_bytes(&elements, 2);
        rows.push(Some((
            metadata(&["a", "b", "z"], 1, true),
            object_bytes(&[(0, value), (1, int(7)), (2, string("end"))], 1, 4),
        )));
        let text: Vec<_> = (0..len).map(|at| at.to_string()).collect();
        let text = format!("[{}]", text.join(","));
        documents.push(format!(r#"{{"a":{text},"b":7,"z":"end"}}"#));
        arrays.push(text);
    }
    let documents: Vec<_> = documents.iter().map(|text| Some(text.as_str())).collect();
    let arrays: Vec<_> = arrays.iter().map(|text| Some(text.as_str())).collect();
    let schemas = vec![
        object(&[("a", list(ArrowType::Int32))]),
        object(&[("a", NOTHING), ("b", ArrowType::Int32)]),
        object(&[("z", ArrowType::Utf8)]),
    ];
    let case = Case::of_rows(unshredded(&rows), schemas, &documents)
        .text("a", &arrays)
        .text("b", &[Some("7"); 3])
        .text("z", &[Some("end"); 3]);
    case.check();
    for (layout, column) in case.layouts() {
        let (_folder, table) = table_of(column);
        let found =
            table.texts("SELECT JSON_EXTRACT_SCALAR(v, '$.a[255]', 'STRING', 'none') FROM t");
        assert_eq!(
            found,
            owned(&[Some("none"), Some("255"), Some("255")]),
            "{layout}"
        );
    }
}

/// Fields may share one value.
#[test]
fn e03() {
    let value = vec![0x02, 2, 0, 1, 0, 0, 1, 0];
    let rows = unshredded(&[Some((metadata(&["a", "b"], 1, true), value))]);
    let (_folder, table) = table_of(rows);
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[Some(r#"{"a":null,"b":null}"#)])
    );
    agree(&table, "v['b']", &owned(&[None]), "shared");
    let value = vec![0x02, 2, 0, 1, 0, 0, 2, 0x0C, 9];
    let (_folder, table) = table_of(unshredded(&[Some((metadata(&["a", "b"], 1, true), value))]));
    assert_eq!(
        table.texts("SELECT v FROM t"),
        owned(&[Some(r#"{"a":9,"b":9}"#)])
    );
    agree(&table, "v['b']", &owned(&[Some("9")]), "shared");
}

/// Null structs and maps around variants move nothing.
#[test]
fn e04() {
    let variants = of_json(&[
        Some(r#"{"a":1}"#),
        Some(r#"{"a":2}"#),
        None,
        Some(r#"{"a":4}"#),
    ]);
    for (layout, column) in
        Case::of_rows(variants, vec![object(&[("a", ArrowType::Int64)])], &[]).layouts()
    {
        let s = group(
            vec![("v", Arc::new(column) as ArrayRef)],
            Some(vec![true, false, true, true]),
        );
        let (_folder, table) = table_with(vec![("s", Arc::new(s))], WriterProperties::default());
        let found = table.texts("SET enableNullHandling = true; SELECT s FROM t");
        let expected = [
            Some(r#"{"v":{"a":1}}"#),
            None,
            Some(r#"{"v":null}"#),
            Some(r#"{"v":{"a":4}}"#),
        ];
        assert_eq!(found, owned(&expected), "{layout}");
    }
    // Maps: null, empty, of a null, of a value, of two.
    let variants = of_json(&[None, Some(r#"{"a":1}"#), Some("[]"), Some("2")]);
    for (layout, column) in
        Case::of_rows(variants, vec![object(&[("a", ArrowType::Int64)])], &[]).layouts()
    {
        let keys: ArrayRef = Arc::new(arrow_array::StringArray::from(vec!["k"; 4]));
        let fields = vec![
            Arc::new(arrow_schema::Field::new("key", ArrowType::Utf8, false)),
            Arc::new(arrow_schema::Field::new(
                "value",
                column.data_type().clone(),
                true,
            )),
        ];
        let entries =
            arrow_array::StructArray::new(fields.into(), vec![keys, Arc::new(column)], None);
        let field = Arc::new(arrow_schema::Field::new(
            "key_value",
            entries.data_type().clone(),
            false,
        ));
        let offsets = arrow_buffer::OffsetBuffer::new(vec![0, 0, 0, 1, 2, 4].into());
        let nulls = Some(vec![false, true, true, true, true].into());
        let maps: ArrayRef = Arc::new(arrow_array::MapArray::new(
            field, offsets, entries, nulls, false,
        ));
        let (_folder, table) = table_with(vec![("m", maps)], WriterProperties::default());
        let found = table.texts("SET enableNullHandling = true; SELECT m FROM t");
        assert_eq!(found.len(), 5, "{layout}");
        assert_eq!(
            found[..4],
            owned(&[
                None,
                Some("{}"),
                Some(r#"{"k":null}"#),
                Some(r#"{"k":{"a":1}}"#)
            ]),
            "{layout}"
        );
    }
}

fn forty() -> Vec<Option<String>> {
    (0..40)
        .map(|at| match at % 5 {
            0 => None,
            1 => Some(format!(r#"{{"a":"n{at}"}}"#)),
            2 => Some("{}".to_owned()),
            _ => Some(format!(r#"{{"a":{at},"z":[{at}]}}"#)),
        })
        .collect()
}

/// Nested variants are the same at every batch size and page.
#[test]
fn e06() {
    let documents = forty();
    let texts: Vec<_> = documents.iter().map(Option::as_deref).collect();
    for (layout, column) in Case::of_rows(
        of_json(&texts),
        vec![object(&[("a", ArrowType::Int64)])],
        &[],
    )
    .layouts()
    {
        for batch_rows in [1, 7, 1000] {
            let nested = nested(column.clone(), batch_rows);
            let expected: Vec<_> = documents
                .iter()
                .map(|document| Some(format!("[{}]", document.as_deref().unwrap_or("null"))))
                .collect();
            let found = nested.table.texts("SELECT l FROM t LIMIT 100");
            assert_eq!(found, expected, "{layout} {batch_rows}");
            let found = nested
                .table
                .texts("SELECT l FROM t WHERE id IN (3, 17, 39)");
            let some = [3, 17, 39].map(|at: usize| expected[at].clone());
            assert_eq!(found, some, "{layout} {batch_rows}");
        }
    }
}

/// A key inside a struct's variant, with the other fields not read.
#[test]
fn e07() {
    let variants = of_json(&[Some(r#"{"a":1,"b":"x"}"#), None, Some(r#"{"b":{"a":2}}"#)]);
    for (layout, column) in
        Case::of_rows(variants, vec![object(&[("a", ArrowType::Int64)])], &[]).layouts()
    {
        let nested = nested(column, 2);
        for (path, expected) in [
            ("$.v.a", ["1", "none", "none"]),
            ("$.v.b.a", ["none", "none", "2"]),
            ("$.i", ["0", "0", "0"]),
        ] {
            let sql = format!("SELECT JSON_EXTRACT_SCALAR(s, '{path}', 'STRING', 'none') FROM t");
            assert_eq!(
                nested.table.texts(&sql),
                owned(&expected.map(Some)),
                "{layout} {path}"
            );
        }
        let sql =
            "SELECT COUNT(*) FROM t WHERE JSON_EXTRACT_SCALAR(s, '$.v.b', 'STRING', 'none') = 'x'";
        assert_eq!(nested.table.count(sql), 1, "{layout}");
    }
}
