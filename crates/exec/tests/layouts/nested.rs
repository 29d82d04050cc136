//! The same variants in structs, lists and maps.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, ListArray, MapArray, StringArray, StructArray};
use arrow_array::{UInt32Array, cast::AsArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType as ArrowType, Field, Fields};
use growler_segment::write::variant_field;
use serde_json::{Value as Json, json};

use crate::document::Row;
use crate::queries::{LIMIT, Query};
use crate::text::document;

/// Whether the struct, list and map of a row are null, and how many variants the latter two hold.
fn place(id: usize) -> (bool, usize) {
    (id % 7 == 3, (id + id / 3) % 3)
}

/// Makes columns `s` (a struct with `v` and `i`), `l` (a list of copies) and `m` (a map of copies).
pub fn columns(props: &StructArray, start: usize) -> Vec<(Field, ArrayRef)> {
    let ids = start..start + props.len();
    let nulls: Vec<bool> = ids.clone().map(|id| !place(id).0).collect();
    let field = |name: &str| variant_field(name, props.data_type(), true);
    let fields = vec![field("v"), Field::new("i", ArrowType::Int32, true)];
    let numbers: Int32Array = ids.clone().map(|id| id as i32).collect();
    let parts: Vec<ArrayRef> = vec![Arc::new(props.clone()), Arc::new(numbers)];
    let s = StructArray::new(fields.into(), parts, Some(nulls.clone().into()));
    let lengths: Vec<usize> = ids
        .map(|id| if place(id).0 { 0 } else { place(id).1 })
        .collect();
    let rows = (0_u32..).zip(&lengths);
    let rows: UInt32Array = rows
        .flat_map(|(row, len)| std::iter::repeat_n(row, *len))
        .collect();
    let copies = arrow_select::take::take(props, &rows, None).unwrap();
    let copies = copies.as_struct().clone();
    let offsets = OffsetBuffer::from_lengths(lengths.iter().copied());
    let element = Arc::new(field("element"));
    let copied: ArrayRef = Arc::new(copies.clone());
    let l = ListArray::new(element, offsets.clone(), copied, Some(nulls.clone().into()));
    let keys = lengths
        .iter()
        .flat_map(|len| ["a", "b"].into_iter().take(*len));
    let keys: ArrayRef = Arc::new(keys.map(Some).collect::<StringArray>());
    let fields = vec![Field::new("key", ArrowType::Utf8, false), field("value")];
    let entries = StructArray::new(Fields::from(fields), vec![keys, Arc::new(copies)], None);
    let entry = Arc::new(Field::new("key_value", entries.data_type().clone(), false));
    let m = MapArray::new(entry, offsets, entries, Some(nulls.into()), false);
    let arrays: [(&str, ArrayRef); 3] =
        [("s", Arc::new(s)), ("l", Arc::new(l)), ("m", Arc::new(m))];
    let column = |(name, array): (&str, ArrayRef)| {
        (Field::new(name, array.data_type().clone(), true), array)
    };
    arrays.into_iter().map(column).collect()
}

/// Makes the queries on them. Below the root any value is welcome.
pub fn queries(rows: &[Row], on: bool) -> Vec<Query> {
    let form = |column: &str, id: usize, row: &Row| {
        let text = row.value().map_or("null".to_owned(), document);
        match (column, place(id)) {
            (_, (true, _)) => None,
            ("s", _) => Some(format!("{{\"i\":{id},\"v\":{text}}}")),
            ("l", (_, len)) => Some(format!("[{}]", vec![text; len].join(","))),
            (_, (_, len)) => {
                let entries = ["a", "b"].into_iter().take(len);
                let entries: Vec<_> = entries.map(|key| format!("\"{key}\":{text}")).collect();
                Some(format!("{{{}}}", entries.join(",")))
            }
        }
    };
    let mut queries = Vec::new();
    for column in ["s", "l", "m"] {
        let cells: Vec<Option<String>> = rows
            .iter()
            .enumerate()
            .map(|(id, row)| form(column, id, row))
            .collect();
        let shown = cells.iter().map(|cell| vec![json!(cell)]).collect();
        // What stands for null there is no matter of variants.
        queries.push(Query {
            sql: format!("SELECT {column} FROM {{t}} {LIMIT}"),
            expected: Some(shown).filter(|_| on).into(),
        });
        let nulls = (0..rows.len()).filter(|id| cells[*id].is_none());
        queries.push(Query {
            sql: format!("SELECT id FROM {{t}} WHERE {column} IS NULL {LIMIT}"),
            expected: Some(nulls.map(|id| vec![Json::from(id)]).collect()).into(),
        });
    }
    queries
}
