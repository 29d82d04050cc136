//! What reading a variant costs, in one table: every target of the codec in one run.
//!
//! Run with `cargo bench -p growler-variant --bench table`. It prints a Markdown table: nanoseconds
//! a row of the quickest of many rounds in which both sides take turns, and their ratio. The other
//! side is `parquet-variant`, `-compute` or `-json` on the same batch, or growler on other data.
//! Times move between runs, ratios of one run less so. A text behind `--` picks the lines that have it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark may stop")]
#![allow(clippy::print_stdout, reason = "the table is the result")]

#[path = "../data/mod.rs"]
mod data;
mod measure;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, StructArray};
use arrow_schema::{DataType, Field};
use growler_variant::KeyPath;
use growler_variant::cache::PathCache;
use growler_variant::shred::{DocumentReader, NonObjectRoot};
use parquet_variant_compute::{VariantArray, unshred_variant, variant_to_json};

use data::columns::{layout_of, object, shred_as, with_metadata_dictionary};
use data::rows::{
    Batch, integers, per_row, shared, strings, twin, twin_by_row, wide, wide_per_row,
};
use measure::{Side, Table, Target};

/// Rows of a batch of small documents: about a page of them, quick enough to be read undisturbed.
const ROWS: usize = 4000;

fn main() {
    // Without `--bench` cargo only wants to know whether it runs.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.find(|argument| !argument.starts_with('-'));
    let time = Duration::from_secs(if is_bench { 1 } else { 0 });
    let mut table = Table::start(time, wanted.unwrap_or_default());
    unshredded_keys(&mut table);
    documents(&mut table);
    key_counts(&mut table);
}

fn read(batch: &Batch, cache: &mut PathCache, data_type: &DataType) -> ArrayRef {
    if *data_type == DataType::Int64 {
        Arc::new(integers(batch, cache))
    } else {
        Arc::new(strings(batch, cache))
    }
}

fn reader<'b>(batch: &'b Batch, path: &str, data_type: &'b DataType) -> Side<'b> {
    let mut cache = PathCache::new(KeyPath::parse(path).unwrap());
    assert_eq!(
        &read(batch, &mut cache, data_type),
        &twin(batch, path, data_type),
        "{path}"
    );
    Side::new(batch.len(), move || read(batch, &mut cache, data_type))
}

fn unshredded_keys(table: &mut Table) {
    let batches = [
        ("one dictionary", shared(ROWS).with_one_dictionary(), 5.0),
        ("equal dictionaries", shared(ROWS), 5.0),
        ("a dictionary a row", per_row(ROWS), 3.0),
    ];
    let (text, integer) = (DataType::Utf8View, DataType::Int64);
    for (name, batch, times) in &batches {
        let keys = [
            ("text key", "user_tier", &text, *times),
            ("integer key", "latency_ms", &integer, *times),
            ("nested key", "device.os", &text, 5.0),
            ("missing key", "nowhere", &text, 5.0),
        ];
        for (key, path, data_type, times) in keys {
            let other = Side::new(batch.len(), || twin(batch, path, data_type));
            table.row(
                &format!("{key}, {name}"),
                reader(batch, path, data_type),
                "`variant_get`",
                other,
                Target::Quicker(times),
            );
        }
        for (key, path, data_type, _) in &keys[..2] {
            let other = Side::new(batch.len(), || twin_by_row(batch, path, data_type));
            table.row(
                &format!("{key}, {name}"),
                reader(batch, path, data_type),
                "`try_new` and a look-up",
                other,
                Target::Quicker(10.0),
            );
        }
    }
}

/// A column of documents and its reader.
struct Documents {
    column: StructArray,
    reader: DocumentReader,
}

impl Documents {
    fn new(column: StructArray) -> Self {
        let layout = Arc::new(layout_of(&column));
        Self {
            reader: DocumentReader::new(layout, NonObjectRoot::Fail),
            column,
        }
    }

    fn read(&self) -> ArrayRef {
        self.reader.read(&self.column).unwrap().array
    }

    fn side(&self) -> Side<'_> {
        Side::new(self.column.len(), || self.read())
    }
}

/// The twin's text function takes plain binary only, in version 59.
fn as_binary(column: &StructArray) -> ArrayRef {
    let names = ["metadata", "value"];
    let binary = names.map(|name| -> ArrayRef {
        let child = column.column_by_name(name).unwrap().as_binary_view();
        Arc::new(BinaryArray::from_iter_values(child.iter().flatten()))
    });
    let fields = names.map(|name| Arc::new(Field::new(name, DataType::Binary, false)));
    Arc::new(StructArray::new(
        fields.to_vec().into(),
        binary.to_vec(),
        None,
    ))
}

fn documents(table: &mut Table) {
    let (raw, own) = (shared(ROWS).column(), per_row(ROWS).column());
    let unshredded = Documents::new(with_metadata_dictionary(&raw));
    let unshredded_per_row = Documents::new(own.clone());
    for (name, documents, raw) in [
        ("one dictionary", &unshredded, &raw),
        ("a dictionary a row", &unshredded_per_row, &own),
    ] {
        let binary = as_binary(raw);
        let expected = variant_to_json(&binary).unwrap();
        assert!(documents.read().as_string_view().iter().eq(&expected));
        table.row(
            &format!("document, unshredded, {name}"),
            documents.side(),
            "`variant_to_json`",
            Side::new(ROWS, || variant_to_json(&binary).unwrap()),
            Target::Quicker(3.0),
        );
    }
    let binary = as_binary(&raw);
    for (name, column) in [
        ("in part", shredded_in_part(&raw)),
        ("throughout", shredded_throughout(&raw)),
    ] {
        let variant = VariantArray::try_new(&column).unwrap();
        let documents = Documents::new(with_metadata_dictionary(&column));
        assert_eq!(&documents.read(), &unshredded.read());
        let what = format!("document, shredded {name}");
        table.row(
            &what,
            documents.side(),
            "the same unshredded",
            unshredded.side(),
            Target::Within(2.0),
        );
        // The text function cannot take what `unshred_variant` returns: its own input stands in.
        let other = Side::new(ROWS, || {
            black_box(unshred_variant(&variant).unwrap());
            variant_to_json(&binary).unwrap()
        });
        table.row(
            &what,
            documents.side(),
            "`unshred_variant` and `variant_to_json`",
            other,
            Target::Quicker(4.0),
        );
    }
}

fn shredded_in_part(column: &StructArray) -> StructArray {
    let text = DataType::Utf8View;
    shred_as(
        column,
        &[
            ("user_tier", text.clone()),
            ("latency_ms", DataType::Int64),
            ("device", object(&[("os", text)])),
        ],
    )
}

/// All keys; `referrer` holds variant nulls, which stay in its own residual.
fn shredded_throughout(column: &StructArray) -> StructArray {
    let text = DataType::Utf8View;
    let item = Arc::new(Field::new("item", text.clone(), true));
    shred_as(
        column,
        &[
            ("user_tier", text.clone()),
            ("latency_ms", DataType::Int64),
            ("page_type", text.clone()),
            ("url", text.clone()),
            (
                "device",
                object(&[("os", text.clone()), ("model", text.clone())]),
            ),
            ("price", DataType::Float64),
            ("in_stock", DataType::Boolean),
            ("tags", DataType::List(item)),
            ("session", text.clone()),
            ("referrer", text),
        ],
    )
}

/// Rows of the widest objects that a page of 1 MB holds, whose values then lie in a near cache as
/// they do after decoding.
const PAGE_ROWS: usize = 100;
/// Rows whose values take 20 MB: what is read of them comes from far away.
const FAR_ROWS: usize = 2000;

/// A name, a number of rows, and what makes a batch of so many keys and rows.
type Shape = (&'static str, usize, fn(usize, usize) -> Batch);

fn key_counts(table: &mut Table) {
    let shapes: [Shape; 4] = [
        ("one dictionary", PAGE_ROWS, |keys, rows| {
            wide(keys, rows).with_one_dictionary()
        }),
        ("one dictionary, 20 MB", FAR_ROWS, |keys, rows| {
            wide(keys, rows).with_one_dictionary()
        }),
        ("equal dictionaries", PAGE_ROWS, wide),
        ("a dictionary a row, 20 MB", FAR_ROWS, wide_per_row),
    ];
    for (name, rows, make) in shapes {
        let (few, many) = (make(5, rows), make(1000, rows));
        let paths = [
            ("present", "key0003", "key0667"),
            ("not in the object", "last", "last"),
            ("not in the dictionary", "nowhere", "nowhere"),
        ];
        for (key, in_few, in_many) in paths {
            // Where each row has its own dictionary no name of it is missing in the row.
            if key == "not in the object" && name.starts_with("a dictionary a row") {
                continue;
            }
            table.row(
                &format!("1,000 keys, {name}, key {key}"),
                reader(&many, in_many, &DataType::Int64),
                "5 keys",
                reader(&few, in_few, &DataType::Int64),
                Target::Within(3.0),
            );
        }
    }
}
