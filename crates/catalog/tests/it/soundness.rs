//! No file that has a matching row is ever left out: random tables, under several specs at once, with
//! bounds that are there, cut, loose or missing, against a reader that looks at every row.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use apache_avro::types::Value as Avro;
use growler_base::FieldId;
use growler_catalog::metadata::{PrimitiveType, Transform};
use growler_catalog::prune::{Comparison, Test, VariantPath};
use growler_catalog::table::DataFile;
use growler_catalog::{Datum, FileIndex, IcebergTable, Predicate, ScanOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::made::{self, Made, MadeManifest};
use crate::pruning::variant_bound;

const DAY: i64 = 86_400_000_000;
const VARIANT: i32 = 6;
/// Id, name, type in the table, transforms that take it.
const COLUMNS: [(i32, &str, &str, &[&str]); 5] = [
    (
        1,
        "id",
        "long",
        &["identity", "bucket[3]", "truncate[4]", "void"],
    ),
    (
        2,
        "ts",
        "timestamp",
        &["day", "month", "year", "hour", "identity"],
    ),
    (3, "s", "string", &["identity", "truncate[2]", "bucket[4]"]),
    (4, "d", "double", &["identity", "mystery"]),
    (
        5,
        "n",
        "decimal(9,2)",
        &["identity", "truncate[50]", "bucket[5]"],
    ),
];
const PATHS: [&str; 3] = ["k", "a.b", "t"];

type Row = BTreeMap<i32, Datum>;

/// A row: its columns, and its document.
#[derive(Debug, Clone)]
struct RandomRow {
    columns: Row,
    document: Value,
}

#[derive(Debug, Clone)]
struct File {
    name: String,
    rows: Vec<RandomRow>,
}

fn datum(id: i32, draw: &mut Draw) -> Option<Datum> {
    let number = draw.between(-6, 12);
    if draw.one_in(6) {
        return None;
    }
    Some(match id {
        1 => Datum::Long(number),
        // On both sides of 1970, at the start, the end and inside of days.
        2 => Datum::Timestamp(number * DAY / 2 + [0, -1, 7][draw.below(3)]),
        3 => Datum::String(draw.text().into()),
        4 => Datum::Double(match draw.below(8) {
            0 => f64::NAN,
            1 => -0.0,
            2 => 0.0,
            3 => f64::INFINITY,
            _ => number as f64 / 4.0,
        }),
        _ => Datum::Decimal {
            unscaled: i128::from(number) * 25,
            scale: 2,
        },
    })
}

/// Choices from a seed (xorshift).
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::try_from(self.below(usize::try_from(high - low).unwrap())).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn text(&mut self) -> String {
        let letters = ['a', 'b', '\u{e9}', '\u{1f9ca}', '[', '\u{10ffff}'];
        (0..self.below(5))
            .map(|_| letters[self.below(letters.len())])
            .collect()
    }

    fn document(&mut self) -> Value {
        let mut document = serde_json::Map::new();
        for key in ["k", "t", "a.b"] {
            if !self.one_in(4) {
                document.insert(key.to_owned(), self.leaf());
            }
        }
        if !self.one_in(3) {
            document.insert("a".to_owned(), json!({"b": self.leaf()}));
        }
        Value::Object(document)
    }

    fn leaf(&mut self) -> Value {
        let number = self.between(-5, 9);
        match self.below(7) {
            0 => Value::Null,
            1 => json!(number as f64 / 2.0),
            2 => json!([self.text(), self.text()]),
            3 => json!(number),
            4 => json!(number * 1000),
            _ => json!(self.text()),
        }
    }
}

/// Values of one kind under one path of the documents of a file; none where bounds are not allowed.
fn of_path<'r>(rows: &'r [RandomRow], path: &[&str]) -> Option<Vec<&'r Value>> {
    let mut found = Vec::new();
    for row in rows {
        let mut at = Some(&row.document);
        for step in path {
            at = at.and_then(|value| value.get(step));
        }
        match at {
            None | Some(Value::Null) => {}
            // The elements of a list are under the path of the list.
            Some(Value::Array(items)) => found.extend(items),
            Some(value) => found.push(value),
        }
    }
    let kind = |value: &Value| (value.is_string(), value.is_i64(), integer_width(value));
    let same = found.windows(2).all(|pair| kind(pair[0]) == kind(pair[1]));
    (same && !found.is_empty()).then_some(found)
}

/// Whole numbers are of several types in a variant.
fn integer_width(value: &Value) -> u8 {
    match value.as_i64() {
        Some(value) if i8::try_from(value).is_ok() => 1,
        Some(_) => 2,
        None => 0,
    }
}

fn json_order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (a, b) => a.as_f64().unwrap().total_cmp(&b.as_f64().unwrap()),
    }
}

fn document_bounds(rows: &[RandomRow], draw: &mut Draw) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut lower, mut upper) = (serde_json::Map::new(), serde_json::Map::new());
    for path in [&["k"][..], &["t"], &["a.b"], &["a", "b"]] {
        let Some(mut values) = of_path(rows, path) else {
            continue;
        };
        values.sort_by(|a, b| json_order(a, b));
        let name = VariantPath::new(path.iter().copied()).text().to_owned();
        if !draw.one_in(8) {
            lower.insert(name.clone(), values[0].clone());
        }
        if !draw.one_in(8) {
            upper.insert(name, values[values.len() - 1].clone());
        }
    }
    let given = !lower.is_empty() || !upper.is_empty();
    given.then(|| {
        (
            variant_bound(&Value::Object(lower)),
            variant_bound(&Value::Object(upper)),
        )
    })
}

fn bytes(datum: &Datum) -> Vec<u8> {
    match datum {
        Datum::Int(value) | Datum::Date(value) => value.to_le_bytes().to_vec(),
        Datum::Long(value) | Datum::Timestamp(value) => value.to_le_bytes().to_vec(),
        Datum::Double(value) => value.to_le_bytes().to_vec(),
        Datum::String(text) => text.as_bytes().to_vec(),
        Datum::Decimal { unscaled, .. } => i64::try_from(*unscaled).unwrap().to_be_bytes().to_vec(),
        other => panic!("{other:?}"),
    }
}

/// The order in which writers look for bounds: zeros by their sign.
fn order(a: &Datum, b: &Datum) -> Ordering {
    match (a, b) {
        (Datum::Double(a), Datum::Double(b)) => a.total_cmp(b),
        (Datum::Decimal { unscaled: a, .. }, Datum::Decimal { unscaled: b, .. }) => a.cmp(b),
        (Datum::String(a), Datum::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Datum::Timestamp(a), Datum::Timestamp(b)) => a.cmp(b),
        (Datum::Long(a), Datum::Long(b)) => a.cmp(b),
        (Datum::Int(a), Datum::Int(b)) | (Datum::Date(a), Datum::Date(b)) => a.cmp(b),
        _ => panic!("{a:?} {b:?}"),
    }
}

/// A lower bound no larger than a value; cut, loosened, or as an old type wrote it.
fn lower_bound(value: &Datum, draw: &mut Draw) -> Vec<u8> {
    match value {
        Datum::String(text) => text.chars().take(2).collect::<String>().into_bytes(),
        Datum::Long(value) if draw.one_in(2) => {
            i32::try_from(*value).unwrap().to_le_bytes().to_vec()
        }
        Datum::Long(value) => (value - draw.between(0, 3)).to_le_bytes().to_vec(),
        Datum::Double(value) if draw.one_in(3) => (*value as f32).to_le_bytes().to_vec(),
        other => bytes(other),
    }
}

/// An upper bound no smaller than a value; none where none can be written.
fn upper_bound(value: &Datum, draw: &mut Draw) -> Option<Vec<u8>> {
    Some(match value {
        Datum::String(text) if text.chars().count() > 2 => {
            let mut cut: Vec<char> = text.chars().take(2).collect();
            while let Some(last) = cut.pop() {
                if let Some(next) = char::from_u32(u32::from(last) + 1) {
                    cut.push(next);
                    return Some(cut.into_iter().collect::<String>().into_bytes());
                }
            }
            return None;
        }
        Datum::Long(value) if draw.one_in(2) => {
            i32::try_from(*value).unwrap().to_le_bytes().to_vec()
        }
        Datum::Double(value) if draw.one_in(3) => (*value as f32).to_le_bytes().to_vec(),
        other => bytes(other),
    })
}

fn described(file: &File, partition: &[(&'static str, Avro)], draw: &mut Draw) -> Made {
    let mut made = Made::data(&format!("/lake/t/{}", file.name)).partition(partition);
    made.rows = i64::try_from(file.rows.len()).unwrap();
    for (id, ..) in COLUMNS {
        let there: Vec<&Datum> = file
            .rows
            .iter()
            .filter_map(|row| row.columns.get(&id))
            .collect();
        if !draw.one_in(4) {
            let nulls = file.rows.len() - there.len();
            made.nulls.push((id, i64::try_from(nulls).unwrap()));
        }
        let numbers = there.into_iter().filter(|datum| !is_nan(datum));
        let mut numbers: Vec<&Datum> = numbers.collect();
        numbers.sort_by(|a, b| order(a, b));
        if let (Some(first), false) = (numbers.first(), draw.one_in(5)) {
            made.lower.push((id, lower_bound(first, draw)));
        }
        if let (Some(last), false) = (numbers.last(), draw.one_in(5)) {
            made.upper
                .extend(upper_bound(last, draw).map(|bound| (id, bound)));
        }
    }
    if let Some((lower, upper)) = document_bounds(&file.rows, draw) {
        made.lower.push((VARIANT, lower));
        made.upper.push((VARIANT, upper));
    }
    made
}

fn is_nan(datum: &Datum) -> bool {
    matches!(datum, Datum::Double(value) if value.is_nan())
}

/// A partition field: its name, id, source and transform.
type Part = (&'static str, i32, i32, &'static str);

fn spec(number: usize, draw: &mut Draw) -> Vec<Part> {
    let names = ["p0", "p1", "p2"];
    let parts = (0..draw.below(3)).map(|at| {
        let (source, _, _, transforms) = COLUMNS[draw.below(COLUMNS.len())];
        let id = i32::try_from(1000 + number * 10 + at).unwrap();
        (
            names[at],
            id,
            source,
            transforms[draw.below(transforms.len())],
        )
    });
    parts.collect()
}

fn primitive(id: i32) -> PrimitiveType {
    let column = COLUMNS.iter().find(|column| column.0 == id).unwrap();
    PrimitiveType::parse(column.2)
}

fn partition_of(row: &Row, parts: &[Part]) -> Vec<Option<Datum>> {
    let value = |(_, _, source, transform): &Part| {
        let transform = match *transform {
            // Nobody knows what it computes; it may be any text.
            "mystery" => return None,
            known => Transform::parse(known),
        };
        transform.apply(row.get(source)?)
    };
    parts.iter().map(value).collect()
}

fn partition_type(part: &Part) -> Value {
    let (_, _, source, transform) = part;
    match Transform::parse(transform).result_type(&primitive(*source)) {
        Some(PrimitiveType::Int | PrimitiveType::Date) => json!("int"),
        Some(PrimitiveType::Long) => json!("long"),
        Some(PrimitiveType::Timestamp) => {
            json!({"type": "long", "logicalType": "timestamp-micros"})
        }
        Some(PrimitiveType::Double) => json!("double"),
        Some(PrimitiveType::Decimal { .. }) => {
            json!({"type": "fixed", "name": format!("dec{}", part.1), "size": 4,
            "logicalType": "decimal", "precision": 9, "scale": 2})
        }
        _ => json!("string"),
    }
}

fn avro(value: &Option<Datum>) -> Avro {
    match value {
        None => Avro::Null,
        Some(Datum::Int(value) | Datum::Date(value)) => Avro::Int(*value),
        Some(Datum::Long(value)) => Avro::Long(*value),
        Some(Datum::Timestamp(micros)) => Avro::TimestampMicros(*micros),
        Some(Datum::Double(value)) => Avro::Double(*value),
        Some(Datum::String(text)) => Avro::String(text.to_string()),
        Some(Datum::Decimal { unscaled, .. }) => {
            let bytes = i32::try_from(*unscaled).unwrap().to_be_bytes();
            Avro::Decimal(bytes.into())
        }
        Some(other) => panic!("{other:?}"),
    }
}

/// What the list says of the partitions; nothing where all are null, or one is not a number.
fn summaries(parts: &[Part], partitions: &[Vec<Option<Datum>>]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let of_part = |at: usize| {
        let values = partitions
            .iter()
            .filter_map(|partition| partition[at].as_ref());
        let mut values: Vec<&Datum> = values.collect();
        if values.iter().any(|value| is_nan(value)) {
            return None;
        }
        values.sort_by(|a, b| order(a, b));
        Some((bytes(values.first()?), bytes(values.last()?)))
    };
    let all: Option<Vec<_>> = (0..parts.len()).map(of_part).collect();
    all.unwrap_or_default()
}

fn table(draw: &mut Draw) -> (IcebergTable, Vec<File>) {
    let mut manifests = Vec::new();
    let mut files = Vec::new();
    let mut specs = Vec::new();
    for number in 0..1 + draw.below(3) {
        let parts = spec(number, draw);
        let mut groups: Vec<(Vec<Option<Datum>>, Vec<RandomRow>)> = Vec::new();
        for _ in 0..4 + draw.below(30) {
            let columns = COLUMNS
                .iter()
                .filter_map(|(id, ..)| Some((*id, datum(*id, draw)?)));
            let columns: Row = columns.collect();
            let document = draw.document();
            let row = RandomRow { columns, document };
            let partition = partition_of(&row.columns, &parts);
            let key = format!("{partition:?}");
            let full = 1 + draw.below(6);
            let group = groups
                .iter_mut()
                .find(|(other, rows)| format!("{other:?}") == key && rows.len() < full);
            match group {
                Some((_, rows)) => rows.push(row),
                None => groups.push((partition, vec![row])),
            }
        }
        let mut made = Vec::new();
        let partitions: Vec<_> = groups
            .iter()
            .map(|(partition, _)| partition.clone())
            .collect();
        for (partition, rows) in groups {
            let name = format!("f{:04}", files.len());
            let values = parts
                .iter()
                .zip(&partition)
                .map(|(part, value)| (part.0, avro(value)));
            let values: Vec<_> = values.collect();
            let file = File { name, rows };
            made.push(described(&file, &values, draw));
            files.push(file);
        }
        let types = parts
            .iter()
            .map(|part| (part.0, part.1, partition_type(part)));
        manifests.push(MadeManifest {
            spec: i32::try_from(number).unwrap(),
            partition: types.collect(),
            summaries: summaries(&parts, &partitions),
            ..MadeManifest::new(1, made)
        });
        let fields = parts.iter().map(|(name, id, source, transform)| {
            json!({"name": name, "field-id": id, "source-id": source, "transform": transform})
        });
        specs.push(json!({"spec-id": number, "fields": fields.collect::<Vec<_>>()}));
    }
    let columns = COLUMNS
        .iter()
        .map(|(id, name, kind, _)| json!({"id": id, "name": name, "type": kind}));
    let mut columns: Vec<Value> = columns.collect();
    columns.push(json!({"id": VARIANT, "name": "props", "type": "variant"}));
    (made::table(json!(columns), json!(specs), &manifests), files)
}

fn test(literal: impl Fn(&mut Draw) -> Datum, draw: &mut Draw) -> Test {
    const COMPARISONS: [Comparison; 6] = [
        Comparison::Eq,
        Comparison::NotEq,
        Comparison::Lt,
        Comparison::LtEq,
        Comparison::Gt,
        Comparison::GtEq,
    ];
    match draw.below(9) {
        0 => Test::IsNull,
        1 => Test::IsNotNull,
        2 => Test::In((0..draw.below(4)).map(|_| literal(draw)).collect()),
        3 => Test::NotIn((0..draw.below(3)).map(|_| literal(draw)).collect()),
        4 => Test::StartsWith(draw.text().into()),
        _ => Test::Compare(COMPARISONS[draw.below(6)], literal(draw)),
    }
}

fn predicate(depth: usize, draw: &mut Draw) -> Predicate {
    match draw.below(if depth == 0 { 4 } else { 6 }) {
        0 => {
            let literal = |draw: &mut Draw| match draw.below(3) {
                0 => Datum::Int(i32::try_from(draw.between(-5, 9)).unwrap()),
                1 => Datum::Double(draw.between(-9, 12) as f64 / 2.0),
                _ => Datum::String(draw.text().into()),
            };
            Predicate::Variant {
                id: FieldId(VARIANT),
                paths: VariantPath::of_dotted(PATHS[draw.below(PATHS.len())]).unwrap(),
                test: test(literal, draw),
            }
        }
        1..=3 => {
            let id = COLUMNS[draw.below(COLUMNS.len())].0;
            let literal = move |draw: &mut Draw| loop {
                if let Some(datum) = datum(id, draw) {
                    return datum;
                }
            };
            let test = test(literal, draw);
            Predicate::Field {
                id: FieldId(id),
                test,
            }
        }
        4 => Predicate::And((0..2).map(|_| predicate(depth - 1, draw)).collect()),
        _ => Predicate::Or((0..2).map(|_| predicate(depth - 1, draw)).collect()),
    }
}

/// Tells whether a row is wanted, in the way of any engine: what engines see differently is wanted.
fn wants(predicate: &Predicate, row: &RandomRow) -> bool {
    match predicate {
        Predicate::Always => true,
        Predicate::And(parts) => parts.iter().all(|part| wants(part, row)),
        Predicate::Or(parts) => parts.iter().any(|part| wants(part, row)),
        Predicate::Field { id, test } => passes(test, row.columns.get(&id.0)),
        Predicate::Variant { paths, test, .. } => {
            let value = match paths.iter().any(|path| path.text() == "$['a.b']") {
                // A literal name goes before steps.
                true => row
                    .document
                    .get("a.b")
                    .or_else(|| row.document.get("a")?.get("b")),
                false => PATHS.iter().find_map(|key| {
                    let path = VariantPath::new([*key]);
                    paths.contains(&path).then(|| row.document.get(*key))?
                }),
            };
            passes_of_key(test, value.filter(|value| !value.is_null()))
        }
    }
}

fn passes_of_key(test: &Test, value: Option<&Value>) -> bool {
    let literals: Vec<&Datum> = match test {
        Test::Compare(_, literal) => vec![literal],
        Test::In(literals) | Test::NotIn(literals) => literals.iter().collect(),
        Test::StartsWith(_) | Test::IsNull | Test::IsNotNull => Vec::new(),
    };
    let is_text = |literal: &&Datum| matches!(literal, Datum::String(_));
    let as_text = literals.iter().any(is_text) || matches!(test, Test::StartsWith(_));
    let value = match value {
        None => None,
        Some(Value::String(text)) => Some(Datum::String(text.as_str().into())),
        // As the engine reads what is no text where text is asked for.
        Some(other) if as_text => Some(Datum::String(other.to_string().into())),
        Some(Value::Array(_)) => Some(Datum::Boolean(true)),
        Some(number) => Some(Datum::Double(number.as_f64().unwrap())),
    };
    passes(test, value.as_ref())
}

fn passes(test: &Test, value: Option<&Datum>) -> bool {
    let Some(value) = value else {
        return *test == Test::IsNull;
    };
    match test {
        Test::IsNull => false,
        Test::IsNotNull => true,
        Test::Compare(comparison, literal) => compares(*comparison, value, literal),
        Test::In(literals) => literals.iter().any(|l| compares(Comparison::Eq, value, l)),
        Test::NotIn(literals) => literals
            .iter()
            .all(|l| compares(Comparison::NotEq, value, l)),
        Test::StartsWith(prefix) => {
            matches!(value, Datum::String(text) if text.starts_with(prefix.as_ref()))
        }
    }
}

fn compares(comparison: Comparison, value: &Datum, literal: &Datum) -> bool {
    let wanted = |found: Ordering| match comparison {
        Comparison::Eq => found.is_eq(),
        Comparison::NotEq => found.is_ne(),
        Comparison::Lt => found.is_lt(),
        Comparison::LtEq => found.is_le(),
        Comparison::Gt => found.is_gt(),
        Comparison::GtEq => found.is_ge(),
    };
    let number = |datum: &Datum| match datum {
        Datum::Int(value) => Some(f64::from(*value)),
        Datum::Long(value) => Some(*value as f64),
        Datum::Double(value) => Some(*value),
        _ => None,
    };
    match (number(value), number(literal)) {
        // NaN is above all numbers, or equal to none.
        (Some(value), Some(literal)) if value.is_nan() || literal.is_nan() => {
            value.is_nan() && !literal.is_nan() && wanted(Ordering::Greater)
        }
        // Zeros are one value, or two.
        (Some(value @ 0.0), Some(literal @ 0.0)) => {
            wanted(Ordering::Equal) || wanted(value.total_cmp(&literal))
        }
        (Some(value), Some(literal)) => value.partial_cmp(&literal).is_some_and(wanted),
        (None, None) if std::mem::discriminant(value) == std::mem::discriminant(literal) => {
            wanted(order(value, literal))
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_file_with_a_matching_row_is_left_out(seed in 1_u64..) {
        let mut draw = Draw(seed);
        let (table, files) = table(&mut draw);
        let everything = table.scan_plan(&ScanOptions::default()).unwrap();
        prop_assert_eq!(everything.files.len(), files.len());
        let index = FileIndex::new(table.clone(), std::sync::Arc::new(everything));
        let name = |file: &DataFile| file.path.rsplit('/').next().unwrap().to_owned();
        for _ in 0..30 {
            let predicate = predicate(2, &mut draw);
            let options = ScanOptions { predicate: Some(predicate.clone()), ..ScanOptions::default() };
            let planned = table.scan_plan(&options).unwrap();
            let planned: Vec<String> = planned.files.iter().map(name).collect();
            let matching = index.matching(&predicate);
            let kept = matching.iter().map(|at| name(&index.plan().files[at as usize]));
            let kept: Vec<String> = kept.collect();
            for file in &files {
                let row = file.rows.iter().find(|row| wants(&predicate, row));
                if let Some(row) = row {
                    prop_assert!(planned.contains(&file.name), "planned {:?} {:?}", predicate, row);
                    prop_assert!(kept.contains(&file.name), "index {:?} {:?}", predicate, row);
                }
            }
        }
    }
}

#[test]
fn random_tables_are_pruned_at_all() {
    let (mut kept, mut all, mut closed) = (0, 0, 0);
    for seed in 1..30 {
        let mut draw = Draw(seed * 0x9e37_79b9);
        let (table, files) = table(&mut draw);
        for _ in 0..20 {
            let predicate = Some(predicate(1, &mut draw));
            let options = ScanOptions {
                predicate,
                ..ScanOptions::default()
            };
            let plan = table.scan_plan(&options).unwrap();
            kept += plan.files.len();
            all += files.len();
            closed += plan.stats.manifests_pruned;
        }
    }
    assert!(kept * 10 < all * 8, "{kept} of {all}");
    assert!(closed > 5, "{closed}");
}
