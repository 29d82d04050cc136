//! Keys and documents of shredded columns.
//!
//! Run with `cargo bench -p growler-variant --bench shred`; compare figures of one run only.
#![allow(missing_docs, reason = "criterion makes public functions")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark may stop")]

mod data;

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, StringArray, StructArray};
use arrow_schema::{DataType as ArrowType, Field};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use growler_base::LeafIdx;
use growler_schema::{DataType, KeyType};
use growler_variant::KeyPath;
use growler_variant::shred::{
    DocumentReader, Group, KeyOutput, KeyPlan, KeyReader, Layout, LeafFacts, NonObjectRoot,
};
use parquet_variant_compute::{VariantArray, json_to_variant, unshred_variant, variant_to_json};

use data::columns::{layout_of, object, shred_as, with_metadata_dictionary};

const ROWS: usize = 8192;

fn documents() -> ArrayRef {
    let document = |row: usize| {
        let os = ["ios", "android", "windows"][row % 3];
        let tier = if row.is_multiple_of(2) {
            r#","user_tier":"gold""#
        } else {
            ""
        };
        format!(
            r#"{{"page_type":"P{}","latency_ms":{},"device":{{"os":"{os}","model":"m{}"}},"tags":["t{}","common"],"session":"s-{row}-of-a-longer-name"{tier}}}"#,
            row % 7,
            row * 37 % 5000,
            row % 100,
            row % 11,
        )
    };
    Arc::new(StringArray::from_iter_values((0..ROWS).map(document)))
}

fn shred(column: &StructArray) -> StructArray {
    shred_as(
        column,
        &[
            ("page_type", ArrowType::Utf8View),
            ("latency_ms", ArrowType::Int64),
            ("device", object(&[("os", ArrowType::Utf8View)])),
        ],
    )
}

fn shred_throughout(column: &StructArray) -> StructArray {
    let text = ArrowType::Utf8View;
    let device = object(&[("os", text.clone()), ("model", text.clone())]);
    let item = Arc::new(Field::new("item", text.clone(), true));
    shred_as(
        column,
        &[
            ("page_type", text.clone()),
            ("latency_ms", ArrowType::Int64),
            ("device", device),
            ("tags", ArrowType::List(item)),
            ("session", text.clone()),
            ("user_tier", text),
        ],
    )
}

/// As DuckDB writes integers: a typed column of nulls, and every number in the residual beside it.
fn with_integers_in_residual(column: &StructArray) -> StructArray {
    let typed = column.column_by_name("typed_value").unwrap().as_struct();
    let value = (0..ROWS).map(|row| {
        let number = i64::try_from(row * 37 % 5000).unwrap();
        Some([&[6 << 2][..], &number.to_le_bytes()].concat())
    });
    let value: ArrayRef = Arc::new(value.collect::<BinaryArray>());
    let nulls: ArrayRef = Arc::new(Int64Array::new_null(ROWS));
    let children = vec![
        Arc::new(Field::new("value", ArrowType::Binary, true)),
        Arc::new(Field::new("typed_value", ArrowType::Int64, true)),
    ];
    let latency: ArrayRef = Arc::new(StructArray::new(children.into(), vec![value, nulls], None));
    let replace = |group: &StructArray, name: &str, array: ArrayRef| {
        let position = group
            .column_names()
            .iter()
            .position(|found| *found == name)
            .unwrap();
        let mut fields = group.fields().to_vec();
        fields[position] = Arc::new(Field::new(name, array.data_type().clone(), true));
        let mut arrays = group.columns().to_vec();
        arrays[position] = array;
        StructArray::new(fields.into(), arrays, group.nulls().cloned())
    };
    let typed: ArrayRef = Arc::new(replace(typed, "latency_ms", latency));
    replace(column, "typed_value", typed)
}

fn keys(c: &mut Criterion) {
    let plain = json_to_variant(&documents()).unwrap().into_inner();
    let plain = with_metadata_dictionary(&plain);
    let typed = shred(&json_to_variant(&documents()).unwrap().into_inner());
    let typed = with_metadata_dictionary(&typed);
    let duckdb = with_integers_in_residual(&typed);
    let unshredded = Layout {
        metadata: LeafIdx(0),
        root: Group::unshredded(LeafIdx(1)),
    };
    let seed = layout_of(&typed);
    let output = |data_type| {
        KeyOutput::Typed(KeyType {
            data_type,
            typed: true,
        })
    };
    let (text, long) = (output(DataType::String), output(DataType::Long));
    let cases = [
        ("leaf, text", &seed, &typed, "page_type", text),
        ("leaf, long", &seed, &typed, "latency_ms", long),
        (
            "leaf, long as double",
            &seed,
            &typed,
            "latency_ms",
            output(DataType::Double),
        ),
        ("leaf, nested", &seed, &typed, "device.os", text),
        ("own residual, long", &seed, &duckdb, "latency_ms", long),
        (
            "root residual, short text",
            &seed,
            &typed,
            "user_tier",
            text,
        ),
        ("root residual, long text", &seed, &typed, "session", text),
        ("rebuilt object", &seed, &typed, "device", text),
        (
            "unshredded, short text",
            &unshredded,
            &plain,
            "user_tier",
            text,
        ),
        (
            "unshredded, long text",
            &unshredded,
            &plain,
            "session",
            text,
        ),
        ("unshredded, long", &unshredded, &plain, "latency_ms", long),
        ("unshredded, nested", &unshredded, &plain, "device.os", text),
        ("unshredded, array", &unshredded, &plain, "tags", text),
        ("unshredded, absent", &unshredded, &plain, "nowhere", text),
    ];
    let mut group = c.benchmark_group("key");
    group.throughput(Throughput::Elements(ROWS as u64));
    for (name, layout, column, key, output) in cases {
        let plan = Arc::new(KeyPlan::compile(layout, &KeyPath::parse(key).unwrap()));
        let mut reader = KeyReader::new(plan, output, NonObjectRoot::Fail);
        let facts = LeafFacts::unknown().without_literals();
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| reader.read(black_box(column), &facts).unwrap());
        });
    }
    group.finish();
}

/// The twin puts a shredded document together in two steps, `unshred` and `to_json`, whose times
/// add up.
fn whole_documents(c: &mut Criterion) {
    let raw = json_to_variant(&documents()).unwrap().into_inner();
    let (part, throughout) = (shred(&raw), shred_throughout(&raw));
    let unshredded = Layout {
        metadata: LeafIdx(0),
        root: Group::unshredded(LeafIdx(1)),
    };
    let mut group = c.benchmark_group("document");
    group.throughput(Throughput::Elements(ROWS as u64));
    let cases = [
        ("unshredded", unshredded, &raw),
        ("shredded in part", layout_of(&part), &part),
        ("shredded throughout", layout_of(&throughout), &throughout),
    ];
    let mut expected: Option<ArrayRef> = None;
    for (name, layout, column) in cases {
        let reader = DocumentReader::new(Arc::new(layout), NonObjectRoot::Fail);
        let column = with_metadata_dictionary(column);
        let found = reader.read(&column).unwrap().array;
        assert_eq!(&found, expected.get_or_insert_with(|| Arc::clone(&found)));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| reader.read(black_box(&column)).unwrap());
        });
    }
    for (name, column) in [("in part", &part), ("throughout", &throughout)] {
        let variant = VariantArray::try_new(column).unwrap();
        group.bench_function(BenchmarkId::new("twin, unshred", name), |b| {
            b.iter(|| unshred_variant(black_box(&variant)).unwrap());
        });
    }
    let binary = |name: &str| -> ArrayRef {
        let child = raw.column_by_name(name).unwrap().as_binary_view();
        Arc::new(BinaryArray::from_iter_values(child.iter().flatten()))
    };
    let field = |name: &str| Arc::new(Field::new(name, ArrowType::Binary, false));
    let columns = vec![binary("metadata"), binary("value")];
    let names = vec![field("metadata"), field("value")];
    let plain: ArrayRef = Arc::new(StructArray::new(names.into(), columns, None));
    group.bench_function("twin, to_json", |b| {
        b.iter(|| variant_to_json(black_box(&plain)).unwrap());
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = keys, whole_documents
}
criterion_main!(benches);
