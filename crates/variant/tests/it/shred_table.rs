//! Shredded groups put together by hand: every row of the specification's truth table, the invalid
//! shapes of the conformance corpus, casts of typed leaves, malformed bytes.

use std::sync::Arc;

use arrow_array::types::{Int32Type, TimestampMicrosecondType};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, Date32Array, Decimal128Array,
    DictionaryArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, ListArray, PrimitiveArray, StringArray, StringViewArray, StructArray,
    Time64MicrosecondArray, TimestampNanosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use growler_base::LeafIdx;
use growler_schema::{DataType, KeyType, TimeUnit};
use growler_variant::shred::{
    DocumentReader, KeyColumn, KeyOutput, KeyPlan, KeyReader, LeafFacts, NonObjectRoot, ScalarType,
};
use growler_variant::{Error, KeyPath};

use crate::raw::{int, list, metadata, object};
use crate::shred_column::{cells, facts_of, layout_of, prune};

type Bytes = Option<Vec<u8>>;
type Outcome = Result<Vec<Option<&'static str>>, Error>;

/// Names of every dictionary here; a field refers to one by its position.
const NAMES: [&str; 5] = ["a", "b", "c", "k", "a.b"];
const NULL: &[u8] = &[0];

fn group(children: Vec<(&str, ArrayRef)>, nulls: Option<Vec<bool>>) -> StructArray {
    let field = |(name, array): &(&str, ArrayRef)| {
        Arc::new(Field::new(*name, array.data_type().clone(), true))
    };
    let fields: Vec<_> = children.iter().map(field).collect();
    let arrays = children.into_iter().map(|(_, array)| array).collect();
    StructArray::new(fields.into(), arrays, nulls.map(NullBuffer::from))
}

fn bytes(rows: &[Bytes]) -> ArrayRef {
    Arc::new(
        rows.iter()
            .map(|row| row.as_deref())
            .collect::<BinaryViewArray>(),
    )
}

fn names(len: usize) -> ArrayRef {
    Arc::new(BinaryViewArray::from_iter_values(vec![
        metadata(
            &NAMES, 1, false
        );
        len
    ]))
}

/// A column of which `typed` may be absent; the metadata is the same in every row.
fn column(value: &[Bytes], typed: Option<ArrayRef>, nulls: Option<Vec<bool>>) -> StructArray {
    let mut children = vec![("metadata", names(value.len())), ("value", bytes(value))];
    children.extend(typed.map(|typed| ("typed_value", typed)));
    group(children, nulls)
}

/// A shredded field.
fn field(value: &[Bytes], typed: ArrayRef) -> ArrayRef {
    Arc::new(group(
        vec![("value", bytes(value)), ("typed_value", typed)],
        None,
    ))
}

fn ints(rows: &[Option<i32>]) -> ArrayRef {
    Arc::new(Int32Array::from(rows.to_vec()))
}

fn fields(children: Vec<(&str, ArrayRef)>, present: &[bool]) -> ArrayRef {
    Arc::new(group(children, Some(present.to_vec())))
}

fn none(len: usize) -> Vec<Bytes> {
    vec![None; len]
}

fn some(value: &[u8]) -> Bytes {
    Some(value.to_vec())
}

fn text() -> KeyOutput {
    KeyOutput::Typed(KeyType::untyped())
}

fn typed(data_type: DataType) -> KeyOutput {
    KeyOutput::Typed(KeyType {
        data_type,
        typed: true,
    })
}

fn read_key(
    column: &StructArray,
    key: &str,
    output: KeyOutput,
    roots: NonObjectRoot,
) -> Result<KeyColumn, Error> {
    let plan = KeyPlan::compile(&layout_of(column), &KeyPath::parse(key)?);
    let facts = facts_of(column);
    let mut reader = KeyReader::new(Arc::new(plan.clone()), output, roots);
    match reader.read(&prune(column, &plan.leaves(&facts, output)), &facts) {
        Err(Error::NeedsResidual { residuals, .. }) => {
            let facts = facts.with_residuals(&residuals);
            reader.read(&prune(column, &plan.leaves(&facts, output)), &facts)
        }
        read => read,
    }
}

fn read_document(column: &StructArray, roots: NonObjectRoot) -> Result<KeyColumn, Error> {
    let reader = DocumentReader::new(Arc::new(layout_of(column)), roots);
    reader.read(&prune(column, &reader.leaves(&facts_of(column))))
}

fn check(what: &str, found: Result<KeyColumn, Error>, expected: Outcome) {
    let found = found.map(|column| cells(&column.array));
    let expected = expected.map(|cells| {
        cells
            .into_iter()
            .map(|cell| cell.map(str::to_owned))
            .collect::<Vec<_>>()
    });
    assert_eq!(found, expected, "{what}");
}

fn check_key(what: &str, column: &StructArray, key: &str, output: KeyOutput, expected: Outcome) {
    check(
        what,
        read_key(column, key, output, NonObjectRoot::Fail),
        expected,
    );
}

fn check_document(what: &str, column: &StructArray, expected: Outcome) {
    check(what, read_document(column, NonObjectRoot::Fail), expected);
}

/// Rows: SQL NULL, residual object, typed object, union, empty object typed, empty residual beside.
#[test]
fn roots() {
    let residual = |fields: &[(usize, Vec<u8>)]| Some(object(fields, 1, 1));
    let value = [
        None,
        residual(&[(0, int(1)), (2, int(2))]),
        None,
        residual(&[(2, int(4)), (1, int(5))]),
        None,
        residual(&[]),
    ];
    let a = field(&none(6), ints(&[None, None, Some(3), Some(6), None, None]));
    let typed_value = fields(vec![("a", a)], &[false, false, true, true, true, true]);
    let present = vec![false, true, true, true, true, true];
    let column = column(&value, Some(typed_value), Some(present));
    let documents = [
        None,
        Some(r#"{"a":1,"c":2}"#),
        Some(r#"{"a":3}"#),
        Some(r#"{"a":6,"b":5,"c":4}"#),
        Some("{}"),
        Some("{}"),
    ];
    check_document("documents", &column, Ok(documents.to_vec()));
    let a = vec![None, Some("1"), Some("3"), Some("6"), None, None];
    check_key("shredded", &column, "a", typed(DataType::Int), Ok(a));
    let c = vec![None, Some("2"), None, Some("4"), None, None];
    check_key("not shredded", &column, "c", text(), Ok(c));
    check_key(
        "through a number",
        &column,
        "a.b",
        text(),
        Ok(vec![None; 6]),
    );
}

/// Rows: missing, variant null, a value of another type, the typed value.
#[test]
fn field_groups() {
    let value = [
        None,
        some(NULL),
        Some(vec![1 | 2 << 2, b'n', b'a']),
        None,
        Some(int(7)),
    ];
    let k = field(&value, ints(&[None, None, None, Some(5), None]));
    let typed_value = fields(vec![("k", k)], &[true; 5]);
    let column = column(&none(5), Some(typed_value), None);
    let documents = [
        Some("{}"),
        Some(r#"{"k":null}"#),
        Some(r#"{"k":"na"}"#),
        Some(r#"{"k":5}"#),
        Some(r#"{"k":7}"#),
    ];
    check_document("documents", &column, Ok(documents.to_vec()));
    let numbers = || Ok(vec![None, None, None, Some("5"), Some("7")]);
    check_key("INT", &column, "k", typed(DataType::Int), numbers());
    check_key("LONG", &column, "k", typed(DataType::Long), numbers());
    let doubles = || Ok(vec![None, None, None, Some("5.0"), Some("7.0")]);
    check_key("DOUBLE", &column, "k", typed(DataType::Double), doubles());
    check_key("number", &column, "k", KeyOutput::Number, doubles());
    check_key(
        "text",
        &column,
        "k",
        text(),
        Ok(vec![None, None, Some("na"), Some("5"), Some("7")]),
    );
    let json = vec![None, None, Some("\"na\""), Some("5"), Some("7")];
    check_key("JSON", &column, "k", KeyOutput::Json, Ok(json));
}

/// Rows: a list with all sorts of elements, an empty list, a residual number, missing.
#[test]
fn elements() {
    let number = Some(int(9));
    let value = [None, None, some(NULL), number.clone()];
    let build = |value: &[Bytes]| {
        let group = group(
            vec![
                ("value", bytes(value)),
                ("typed_value", ints(&[Some(1), None, None, None])),
            ],
            None,
        );
        let item = Arc::new(Field::new("element", group.data_type().clone(), true));
        let offsets = OffsetBuffer::new(vec![0, 4, 4, 4, 4].into());
        let nulls = NullBuffer::from(vec![true, true, false, false]);
        let list: ArrayRef = Arc::new(ListArray::new(item, offsets, Arc::new(group), Some(nulls)));
        let k = field(&[None, None, number.clone(), None], list);
        column(&none(4), Some(fields(vec![("k", k)], &[true; 4])), None)
    };
    let valid = build(&value);
    let lists = vec![Some("[1,null,null,9]"), Some("[]"), Some("9"), None];
    check_key("list", &valid, "k", text(), Ok(lists));
    check_key(
        "number beside lists",
        &valid,
        "k",
        typed(DataType::Int),
        Ok(vec![None, None, Some("9"), None]),
    );
    check_key("into a list", &valid, "k.0", text(), Ok(vec![None; 4]));
    let documents = [
        Some(r#"{"k":[1,null,null,9]}"#),
        Some(r#"{"k":[]}"#),
        Some(r#"{"k":9}"#),
        Some("{}"),
    ];
    check_document("documents", &valid, Ok(documents.to_vec()));

    let both = build(&[number.clone(), None, None, None]);
    let contradiction = || Err(Error::Contradiction { row: 0 });
    check_key("case 40, key", &both, "k", text(), contradiction());
    check_document("case 40, document", &both, contradiction());
}

#[test]
fn a_scalar_or_list_beside_a_residual_is_a_contradiction() {
    let contradiction = || Err(Error::Contradiction { row: 1 });
    let k = field(&[None, Some(int(1))], ints(&[Some(1), Some(2)]));
    let shredded = column(&none(2), Some(fields(vec![("k", k)], &[true, true])), None);
    for output in [
        typed(DataType::Int),
        text(),
        KeyOutput::Json,
        typed(DataType::Bytes),
    ] {
        check_key("field", &shredded, "k", output, contradiction());
    }
    check_document("field", &shredded, contradiction());

    let scalar = column(
        &[None, Some(int(1))],
        Some(ints(&[None, Some(2)])),
        Some(vec![false, true]),
    );
    check_key("case 42, key", &scalar, "k", text(), contradiction());
    check_document("case 42, document", &scalar, contradiction());
}

#[test]
fn an_object_beside_a_residual_that_is_none_is_a_contradiction() {
    for (case, value) in [("case 87", int(1)), ("case 128", NULL.to_vec())] {
        let a = field(&none(1), ints(&[None]));
        let column = column(
            &[Some(value.clone())],
            Some(fields(vec![("a", a)], &[true])),
            None,
        );
        let contradiction = || Err(Error::Contradiction { row: 0 });
        check_document(case, &column, contradiction());
        check_key(case, &column, "c", text(), contradiction());

        let inner = fields(vec![("b", field(&none(1), ints(&[Some(1)])))], &[true]);
        let k = field(&[Some(value)], inner);
        let nested = self::column(&none(1), Some(fields(vec![("k", k)], &[true])), None);
        check_document(case, &nested, contradiction());
        check_key(case, &nested, "k", text(), contradiction());
        check_key(case, &nested, "k", typed(DataType::Int), contradiction());
    }
}

/// Beside an object a residual is legal, so one that does not decode is malformed like any other:
/// the document is null and what it could have held is absent, but shredded keys are read.
#[test]
fn undecodable_bytes_beside_an_object_are_malformed() {
    let counted = |read: Result<KeyColumn, Error>| {
        let read = read.unwrap();
        (cells(&read.array), read.malformed_rows)
    };
    let sound = |cell: &str| (vec![None, Some(cell.to_owned())], 1);
    let shredded = || Ok(vec![Some("1"), Some("2")]);
    // Heads of an array, a string, a number, an unknown type and an object; nothing.
    let broken: [&[u8]; 6] = [&[3, 5, 0], &[0x1d], &[0x14, 1], &[0xfc], &[2, 9], &[]];
    for value in broken {
        let what = format!("{value:?}");
        let rows = [some(value), Some(object(&[(2, int(9))], 1, 1))];
        let a = || field(&none(2), ints(&[Some(1), Some(2)]));
        let typed_value = |name, group| Some(fields(vec![(name, group)], &[true; 2]));
        let root = column(&rows, typed_value("a", a()), None);
        let document = counted(read_document(&root, NonObjectRoot::Fail));
        assert_eq!(document, sound(r#"{"a":2,"c":9}"#), "{what}");
        for output in [text(), typed(DataType::Int), KeyOutput::Json] {
            let key = counted(read_key(&root, "c", output, NonObjectRoot::Fail));
            assert_eq!(key, sound("9"), "{what} as {output:?}");
            check_key(&what, &root, "a", output, shredded());
        }

        let k = field(&rows, fields(vec![("a", a())], &[true; 2]));
        let nested = column(&none(2), typed_value("k", k), None);
        let document = counted(read_document(&nested, NonObjectRoot::Fail));
        assert_eq!(document, sound(r#"{"k":{"a":2,"c":9}}"#), "{what}");
        let key = counted(read_key(&nested, "k", text(), NonObjectRoot::Fail));
        assert_eq!(key, sound(r#"{"a":2,"c":9}"#), "{what}");
        let key = counted(read_key(&nested, "k.c", text(), NonObjectRoot::Fail));
        assert_eq!(key, sound("9"), "{what}");
        check_key(&what, &nested, "k.a", text(), shredded());

        // A literal name that cannot be looked for does not hide what is shredded.
        let b = field(&none(2), fields(vec![("b", a())], &[true; 2]));
        let literal = column(&rows, typed_value("a", b), None);
        check_key(&what, &literal, "a.b", text(), shredded());
    }
}

/// C02: reads that see a conflict agree on it; what is shredded reads without looking for one.
#[test]
fn every_read_of_a_conflict_gives_one_answer() {
    let contradiction = || Err(Error::Contradiction { row: 1 });
    let outputs = [text(), typed(DataType::Int), KeyOutput::Json];
    // A residual that is no object, beside an object.
    for value in [NULL.to_vec(), int(1), list(&[int(1)], 1)] {
        let b = field(&none(2), ints(&[Some(5), None]));
        let typed_value = fields(vec![("b", b)], &[true; 2]);
        let root = column(&[None, Some(value)], Some(typed_value), None);
        check_document("document", &root, contradiction());
        for output in outputs {
            for key in ["a", "a.b", "b.c"] {
                check_key(key, &root, key, output, contradiction());
            }
            check_key("typed side", &root, "b", output, Ok(vec![Some("5"), None]));
        }
    }
    // One name on both sides; in row 0 the shredded side is missing.
    let both = Some(object(&[(1, int(9)), (2, int(8))], 1, 1));
    let b = field(&none(2), ints(&[None, Some(5)]));
    let typed_value = fields(vec![("b", b)], &[true; 2]);
    let root = column(&[both.clone(), both], Some(typed_value), None);
    let documents = vec![Some(r#"{"c":8}"#), Some(r#"{"b":5,"c":8}"#)];
    check_document("document", &root, Ok(documents));
    for output in outputs {
        check_key("key", &root, "b", output, Ok(vec![None, Some("5")]));
        check_key("beside", &root, "c", output, Ok(vec![Some("8"), Some("8")]));
    }
    check_key("through it", &root, "b.a", text(), Ok(vec![None, None]));
}

/// Cases 43 and 125: the shredded side wins over the residual, also when it is missing.
#[test]
fn the_shredded_side_of_a_name_wins() {
    let residual = Some(object(&[(0, NULL.to_vec()), (1, int(9))], 1, 1));
    let b = field(&none(2), ints(&[None, Some(34)]));
    let typed_value = fields(vec![("b", b)], &[true, true]);
    let column = column(&[residual.clone(), residual], Some(typed_value), None);
    let documents = vec![Some(r#"{"a":null}"#), Some(r#"{"a":null,"b":34}"#)];
    check_document("documents", &column, Ok(documents));
    check_key(
        "key",
        &column,
        "b",
        typed(DataType::Int),
        Ok(vec![None, Some("34")]),
    );
    check_key(
        "number",
        &column,
        "b",
        KeyOutput::Number,
        Ok(vec![None, Some("34.0")]),
    );
}

/// Case 84: field groups are optional, and one is null.
#[test]
fn a_null_field_group_is_missing() {
    let leaf = ints(&[Some(34), Some(99)]);
    let children = vec![("value", bytes(&none(2))), ("typed_value", leaf)];
    let a: ArrayRef = Arc::new(group(children, Some(vec![true, false])));
    let column = column(&none(2), Some(fields(vec![("a", a)], &[true, true])), None);
    check_document(
        "documents",
        &column,
        Ok(vec![Some(r#"{"a":34}"#), Some("{}")]),
    );
    check_key(
        "key",
        &column,
        "a",
        typed(DataType::Int),
        Ok(vec![Some("34"), None]),
    );
    check_key("text", &column, "a", text(), Ok(vec![Some("34"), None]));
}

#[test]
fn groups_without_value_read_as_if_it_were_null() {
    let a: ArrayRef = Arc::new(group(vec![("typed_value", ints(&[Some(1), None]))], None));
    let typed_value = fields(vec![("a", a)], &[true, true]);
    let column = group(
        vec![("metadata", names(2)), ("typed_value", typed_value)],
        None,
    );
    check_document(
        "documents",
        &column,
        Ok(vec![Some(r#"{"a":1}"#), Some("{}")]),
    );
    check_key(
        "key",
        &column,
        "a",
        typed(DataType::Int),
        Ok(vec![Some("1"), None]),
    );
    check_key("not shredded", &column, "c", text(), Ok(vec![None, None]));
}

#[test]
fn roots_that_are_no_objects_fail_or_read_as_null() {
    let a_list = list(&[int(1)], 1);
    let good = || Some(object(&[(0, int(1))], 1, 1));
    let roots: [(&str, Bytes); 4] = [
        ("int", Some(int(1))),
        ("array", Some(a_list)),
        ("null", some(NULL)),
        ("null", None),
    ];
    for (found, root) in roots {
        let shredded = fields(
            vec![("a", field(&none(2), ints(&[None, None])))],
            &[false, false],
        );
        for typed_value in [None, Some(shredded)] {
            let column = column(&[good(), root.clone()], typed_value, None);
            let failure = || Err(Error::NonObjectRoot { row: 1, found });
            check_document(found, &column, failure());
            check_key(found, &column, "a", text(), failure());
            check_key(found, &column, "a.b", text(), failure());
            check_key(found, &column, "c", text(), failure());
            let documents = vec![Some(r#"{"a":1}"#), None];
            check(
                found,
                read_document(&column, NonObjectRoot::Null),
                Ok(documents),
            );
            let key = read_key(&column, "a", text(), NonObjectRoot::Null);
            check(found, key, Ok(vec![Some("1"), None]));
        }
    }
    let scalar = column(&none(1), Some(ints(&[Some(1)])), None);
    let failure = || {
        Err(Error::NonObjectRoot {
            row: 0,
            found: "int",
        })
    };
    check_document("typed root", &scalar, failure());
    check_key("typed root", &scalar, "a", text(), failure());
    check(
        "typed root",
        read_key(&scalar, "a", text(), NonObjectRoot::Null),
        Ok(vec![None]),
    );
}

#[test]
fn malformed_rows_are_absent_and_counted() {
    let cut = vec![2, 1];
    let not_utf8 = object(&[(0, vec![1 | 2 << 2, 0xff, 0xfe])], 1, 1);
    let long_not_utf8 = [&[0x40, 20, 0, 0, 0][..], &[0xff; 20]].concat();
    let long_not_utf8 = object(&[(0, long_not_utf8)], 1, 1);
    let good = object(&[(0, vec![1 | 2 << 2, b'o', b'k'])], 1, 1);
    let duplicate = object(&[(0, int(1)), (0, int(2))], 1, 1);
    let rows = [good, cut, not_utf8, long_not_utf8, vec![]].map(Some);
    let column = column(&rows, None, None);
    let expected = [Some("ok".to_owned()), None, None, None, None];
    let read = read_key(&column, "a", text(), NonObjectRoot::Fail).unwrap();
    assert_eq!(
        (cells(&read.array), read.malformed_rows),
        (expected.to_vec(), 4)
    );
    let read = read_key(&column, "a", typed(DataType::Int), NonObjectRoot::Fail).unwrap();
    assert_eq!(
        (cells(&read.array), read.malformed_rows),
        (vec![None; 5], 4)
    );
    let read = read_document(&column, NonObjectRoot::Fail).unwrap();
    let documents = vec![Some(r#"{"a":"ok"}"#.to_owned()), None, None, None, None];
    assert_eq!((cells(&read.array), read.malformed_rows), (documents, 4));

    let b = field(&none(1), ints(&[Some(3)]));
    let partial = self::column(
        &[Some(duplicate)],
        Some(fields(vec![("b", b)], &[true])),
        None,
    );
    let read = read_document(&partial, NonObjectRoot::Fail).unwrap();
    assert_eq!((cells(&read.array), read.malformed_rows), (vec![None], 1));
    check_key(
        "beside malformed bytes",
        &partial,
        "b",
        typed(DataType::Int),
        Ok(vec![Some("3")]),
    );
}

#[test]
fn malformed_metadata_counts_only_where_it_is_needed() {
    let good = object(&[(0, int(1))], 1, 1);
    let names: ArrayRef = Arc::new(BinaryArray::from_iter([
        Some(metadata(&NAMES, 1, false)),
        Some(vec![2, 0, 0]),
        None,
    ]));
    let value = bytes(&vec![Some(good); 3]);
    let column = group(vec![("metadata", names), ("value", value)], None);
    let read = read_key(&column, "a", typed(DataType::Long), NonObjectRoot::Fail).unwrap();
    assert_eq!(cells(&read.array), [Some("1".to_owned()), None, None]);
    assert_eq!(read.malformed_rows, 2);
    let read = read_document(&column, NonObjectRoot::Fail).unwrap();
    assert_eq!(
        cells(&read.array),
        [Some(r#"{"a":1}"#.to_owned()), None, None]
    );
    assert_eq!(read.malformed_rows, 2);
}

/// A typed leaf converts to every key type as the same value in a residual does.
#[test]
fn casts_of_typed_leaves_are_those_of_residuals() {
    for (leaf, variants) in leaves() {
        let rows = variants.len();
        let k = field(&none(rows + 1), leaf);
        let shredded = fields(vec![("k", k)], &vec![true; rows + 1]);
        let shredded = column(&none(rows + 1), Some(shredded), None);
        let mut residual: Vec<Bytes> = variants
            .iter()
            .map(|value| Some(object(&[(3, value.clone())], 1, 1)))
            .collect();
        residual.push(Some(object(&[], 1, 1)));
        let residual = column(&residual, None, None);
        for output in outputs() {
            let read = |column| read_key(column, "k", output, NonObjectRoot::Fail).unwrap();
            let (found, expected) = (cells(&read(&shredded).array), cells(&read(&residual).array));
            assert_eq!(found, expected, "{variants:?} as {output:?}");
        }
        let read = |column| cells(&read_document(column, NonObjectRoot::Fail).unwrap().array);
        assert_eq!(read(&shredded), read(&residual), "{variants:?}");
    }
}

fn outputs() -> Vec<KeyOutput> {
    let decimal = |scale| DataType::BigDecimal { scale };
    let timestamp = |unit| DataType::Timestamp { unit };
    let types = [
        DataType::Int,
        DataType::Long,
        DataType::Float,
        DataType::Double,
        decimal(0),
        decimal(2),
        decimal(5),
        DataType::Boolean,
        timestamp(TimeUnit::Micros),
        DataType::String,
        DataType::Bytes,
        DataType::Json,
    ];
    types
        .map(typed)
        .into_iter()
        .chain([KeyOutput::Json, KeyOutput::Number])
        .collect()
}

/// Makes a primitive of that type id.
fn primitive(id: u8, payload: &[u8]) -> Vec<u8> {
    [&[id << 2][..], payload].concat()
}

fn sized(id: u8, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap();
    primitive(id, &[&len.to_le_bytes()[..], payload].concat())
}

fn string(text: &str) -> Vec<u8> {
    match u8::try_from(text.len()) {
        Ok(len) if len < 64 => [&[1 | len << 2][..], text.as_bytes()].concat(),
        _ => sized(16, text.as_bytes()),
    }
}

/// A leaf of those values, with a null at its end, and the same values as variants.
fn leaf<T: Clone, A: Array + FromIterator<Option<T>> + 'static>(
    values: &[T],
    variant: impl Fn(T) -> Vec<u8>,
) -> (ArrayRef, Vec<Vec<u8>>) {
    let rows = values.iter().cloned().map(Some).chain([None]);
    (
        Arc::new(rows.collect::<A>()),
        values.iter().cloned().map(variant).collect(),
    )
}

fn decimal(unscaled: &[i128], precision: u8, scale: u8) -> (ArrayRef, Vec<Vec<u8>>) {
    let rows = unscaled.iter().copied().map(Some).chain([None]);
    let array = rows.collect::<Decimal128Array>();
    let array = array
        .with_precision_and_scale(precision, i8::try_from(scale).unwrap())
        .unwrap();
    let width = if precision <= 9 { 4 } else { 16 };
    let id = if precision <= 9 { 8 } else { 10 };
    let variant =
        |value: &i128| primitive(id, &[&[scale][..], &value.to_le_bytes()[..width]].concat());
    (Arc::new(array), unscaled.iter().map(variant).collect())
}

/// Leaves of every type.
fn leaves() -> Vec<(ArrayRef, Vec<Vec<u8>>)> {
    let texts = [
        "",
        "x",
        "12",
        "true",
        "exactly 12 b",
        "a text that no view holds itself, \"é\"",
    ];
    let bytes = [&b"\0\xff"[..], b"more than the twelve"];
    let uuids = [Some([0x12; 16]), None];
    let uuids = FixedSizeBinaryArray::try_from_sparse_iter_with_size(uuids.into_iter(), 16);
    let dictionary: DictionaryArray<Int32Type> =
        texts.into_iter().map(Some).chain([None]).collect();
    let floats = [
        0.1,
        -0.0,
        2.0,
        1e30,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    let doubles = [
        0.1,
        -0.0,
        2.0,
        1e300,
        f64::NAN,
        f64::INFINITY,
        1.0e-7,
        9007199254740993.0,
    ];
    let micros = [0, -1, 1_700_000_000_123_456, 1_700_000_000_000_000];
    let little = |value: i64| value.to_le_bytes();
    vec![
        leaf::<_, BooleanArray>(&[true, false], |value| {
            primitive(if value { 1 } else { 2 }, &[])
        }),
        leaf::<_, Int8Array>(&[i8::MIN, 0, 7], |value| primitive(3, &value.to_le_bytes())),
        leaf::<_, Int16Array>(&[i16::MIN, 700], |value| primitive(4, &value.to_le_bytes())),
        leaf::<_, Int32Array>(&[i32::MIN, 0, 16_777_217], int),
        leaf::<_, Int64Array>(&[i64::MIN, 5, (1 << 53) + 1, i64::MAX], |value| {
            primitive(6, &value.to_le_bytes())
        }),
        leaf::<_, Float32Array>(&floats, |value| primitive(14, &value.to_le_bytes())),
        leaf::<_, Float64Array>(&doubles, |value| primitive(7, &value.to_le_bytes())),
        decimal(&[125, 100, -1, 999_999_999, 0], 9, 2),
        decimal(&[10_i128.pow(30) + 1, -5, 0], 38, 5),
        leaf::<_, Date32Array>(&[0, -1, 20_000], |value| {
            primitive(11, &value.to_le_bytes())
        }),
        leaf::<_, Time64MicrosecondArray>(&[0, 86_399_999_999], |value| {
            primitive(17, &little(value))
        }),
        leaf::<_, PrimitiveArray<TimestampMicrosecondType>>(&micros, |value| {
            primitive(13, &little(value))
        }),
        leaf::<_, TimestampNanosecondArray>(&micros, |value| primitive(19, &little(value))),
        leaf::<_, StringArray>(&texts, string),
        leaf::<_, StringViewArray>(&texts, string),
        (Arc::new(dictionary), texts.map(string).to_vec()),
        leaf::<_, BinaryArray>(&bytes, |value| sized(15, value)),
        leaf::<_, BinaryViewArray>(&bytes, |value| sized(15, value)),
        (Arc::new(uuids.unwrap()), vec![primitive(20, &[0x12; 16])]),
    ]
}

/// What a group above hides is hidden although the leaf's own bits show it.
#[test]
fn validity_of_all_groups_counts() {
    for leaf in [
        ints(&[Some(1), Some(2), Some(3)]),
        Arc::new(StringArray::from(vec!["1", "2", "3"])) as ArrayRef,
        Arc::new(StringViewArray::from(vec!["1", "2", "3"])),
        Arc::new(
            [Some("1"), Some("2"), Some("3")]
                .into_iter()
                .collect::<DictionaryArray<Int32Type>>(),
        ),
    ] {
        let k = field(&none(3), leaf);
        let typed_value = fields(vec![("k", k)], &[true, false, true]);
        let column = column(&none(3), Some(typed_value), Some(vec![true, false, false]));
        check_key(
            "hidden",
            &column,
            "k",
            text(),
            Ok(vec![Some("1"), None, None]),
        );
        let ints = read_key(&column, "k", typed(DataType::Int), NonObjectRoot::Fail).unwrap();
        assert_eq!(
            ints.array.null_count(),
            if ints.array.is_valid(0) { 2 } else { 3 }
        );
    }
}

#[test]
fn a_leaf_of_the_right_type_is_handed_on_as_it_is() {
    let leaf = ints(&[Some(1), None, Some(3)]);
    let k = field(&none(3), Arc::clone(&leaf));
    let column = column(&none(3), Some(fields(vec![("k", k)], &[true; 3])), None);
    let read = read_key(&column, "k", typed(DataType::Int), NonObjectRoot::Fail).unwrap();
    assert!(read.array.to_data().ptr_eq(&leaf.to_data()));
}

#[test]
fn zone_and_precision_of_a_leaf_become_those_of_the_key() {
    let micros = PrimitiveArray::<TimestampMicrosecondType>::from(vec![7]).with_timezone("UTC");
    let decimals = Decimal128Array::from(vec![125])
        .with_precision_and_scale(9, 2)
        .unwrap();
    let timestamp = DataType::Timestamp {
        unit: TimeUnit::Micros,
    };
    let cases: [(ArrayRef, DataType, &str); 2] = [
        (Arc::new(micros), timestamp, "7"),
        (
            Arc::new(decimals),
            DataType::BigDecimal { scale: 2 },
            "125/2",
        ),
    ];
    for (leaf, data_type, expected) in cases {
        let k = field(&none(1), leaf);
        let column = column(&none(1), Some(fields(vec![("k", k)], &[true])), None);
        let read = read_key(&column, "k", typed(data_type), NonObjectRoot::Fail).unwrap();
        assert_eq!(*read.array.data_type(), data_type.arrow_type());
        assert_eq!(cells(&read.array), [Some(expected.to_owned())]);
    }
}

/// A time outside of the day is malformed in a leaf as it is in a residual.
#[test]
fn times_outside_of_the_day_are_malformed() {
    let k = field(
        &none(1),
        Arc::new(Time64MicrosecondArray::from(vec![86_400_000_000])),
    );
    let column = column(&none(1), Some(fields(vec![("k", k)], &[true])), None);
    for read in [
        read_key(&column, "k", text(), NonObjectRoot::Fail).unwrap(),
        read_document(&column, NonObjectRoot::Fail).unwrap(),
    ] {
        assert_eq!((cells(&read.array), read.malformed_rows), (vec![None], 1));
    }
}

/// An object residual where the typed part is null is against the format; it reads as it stands.
#[test]
fn objects_in_the_residual_of_an_untyped_row_are_read() {
    let b = field(&none(3), ints(&[Some(1), None, None]));
    let value = [None, Some(object(&[(1, int(2))], 1, 1)), Some(int(3))];
    let a = field(&value, fields(vec![("b", b)], &[true, false, false]));
    let column = column(&none(3), Some(fields(vec![("a", a)], &[true; 3])), None);
    check_key(
        "key",
        &column,
        "a.b",
        typed(DataType::Int),
        Ok(vec![Some("1"), Some("2"), None]),
    );
    let objects = vec![Some(r#"{"b":1}"#), Some(r#"{"b":2}"#), Some("3")];
    check_key("object", &column, "a", text(), Ok(objects));

    let plan = KeyPlan::compile(&layout_of(&column), &KeyPath::parse("a.b").unwrap());
    let output = typed(DataType::Int);
    let facts = facts_of(&column).without_literals();
    let mut reader = KeyReader::new(Arc::new(plan.clone()), output, NonObjectRoot::Fail);
    let narrow = prune(&column, &plan.leaves(&facts, output));
    let needs = reader.read(&narrow, &facts).map(|read| read.malformed_rows);
    assert_eq!(needs, Err(needs_residual(1, 2)));

    let facts = facts.with_objects_typed();
    let read = reader.read(&narrow, &facts);
    check(
        "as the format demands",
        read,
        Ok(vec![Some("1"), None, None]),
    );
}

fn needs_residual(row: usize, leaf: u32) -> Error {
    Error::NeedsResidual {
        row,
        residuals: [LeafIdx(leaf)].into(),
    }
}

/// Only the residuals that rows depend on are asked for, all of them at once.
#[test]
fn a_read_again_takes_the_missing_residuals_alone() {
    // 0 metadata, 1 value, a: 2 value (b: 3 value (c: 4 value 5 typed))
    let name = |id, value| Some(object(&[(id, value)], 1, 1));
    let c = field(&none(4), ints(&[Some(1), None, None, None]));
    let b = field(
        &[None, name(2, int(2)), None, None],
        fields(vec![("c", c)], &[true, false, false, false]),
    );
    let below = name(1, object(&[(2, int(3))], 1, 1));
    let a = field(
        &[None, name(3, int(9)), below, None],
        fields(vec![("b", b)], &[true, true, false, false]),
    );
    let root = [name(3, int(7)), None, None, None];
    let column = column(&root, Some(fields(vec![("a", a)], &[true; 4])), None);
    let plan = KeyPlan::compile(&layout_of(&column), &KeyPath::parse("a.b.c").unwrap());
    let (output, facts) = (
        typed(DataType::Int),
        LeafFacts::unknown().without_literals(),
    );
    let mut reader = KeyReader::new(Arc::new(plan.clone()), output, NonObjectRoot::Fail);
    assert_eq!(plan.leaves(&facts, output), [4, 5].map(LeafIdx));
    let read = reader.read(&prune(&column, &plan.leaves(&facts, output)), &facts);
    let Err(Error::NeedsResidual { row: 1, residuals }) = read else {
        panic!("{read:?}");
    };
    let facts = facts.with_residuals(&residuals);
    let leaves = plan.leaves(&facts, output);
    assert_eq!(leaves, [0, 2, 3, 4, 5].map(LeafIdx), "not the root's");
    let read = reader.read(&prune(&column, &leaves), &facts);
    check(
        "again",
        read,
        Ok(vec![Some("1"), Some("2"), Some("3"), None]),
    );

    let on_the_way: Vec<(u32, u32)> = plan
        .residuals_on_the_way()
        .map(|(value, below)| (value.0, below[0].0))
        .collect();
    assert_eq!(on_the_way, [(1, 2), (2, 3), (3, 4)]);
}

/// One batch serves several keys, so it may hold residuals without the names that a key needs.
#[test]
fn a_residual_without_names_is_read_again() {
    let b = field(&none(2), ints(&[Some(1), None]));
    let value = [None, Some(object(&[(1, int(2))], 1, 1))];
    let a = field(&value, fields(vec![("b", b)], &[true, false]));
    let column = column(&none(2), Some(fields(vec![("a", a)], &[true; 2])), None);
    let plan = KeyPlan::compile(&layout_of(&column), &KeyPath::parse("a.b").unwrap());
    let (output, facts) = (typed(DataType::Int), facts_of(&column).without_literals());
    let mut reader = KeyReader::new(Arc::new(plan.clone()), output, NonObjectRoot::Fail);
    let mut leaves = plan.leaves(&facts, output);
    leaves.push(LeafIdx(2)); // the residual of `a`
    let read = reader.read(&prune(&column, &leaves), &facts);
    let needs = read.map(|read| read.malformed_rows);
    assert_eq!(needs, Err(needs_residual(1, 2)));
    let facts = facts.with_residuals(&[LeafIdx(2)]);
    let read = reader.read(&prune(&column, &plan.leaves(&facts, output)), &facts);
    check("with names", read, Ok(vec![Some("1"), Some("2")]));
}

#[test]
fn plans_read_no_more_leaves_than_they_need() {
    // 0 metadata, 1 value, a: 2 value 3 (b: 4 value 5 typed), c: 6 value 7 typed
    let b = field(&[None, None], ints(&[Some(1), None]));
    let a = field(
        &[None, Some(int(1))],
        fields(vec![("b", b)], &[true, false]),
    );
    let c = field(&none(2), ints(&[Some(1), None]));
    let residual = [Some(object(&[(3, int(1))], 1, 1)), None];
    let column = column(
        &residual,
        Some(fields(vec![("a", a), ("c", c)], &[true, true])),
        None,
    );
    let layout = layout_of(&column);
    let (unknown, known) = (LeafFacts::unknown(), facts_of(&column).without_literals());
    let (long, text) = (typed(DataType::Long), text());
    let cases: [(&str, KeyOutput, &LeafFacts, &[u32]); 9] = [
        ("c", long, &known, &[6]),
        ("c", text, &known, &[6]),
        ("c", long, &unknown, &[5, 6]),
        ("c", text, &unknown, &[0, 5, 6]),
        ("a.b", long, &known, &[4]),
        ("a.b", long, &facts_of(&column), &[0, 1, 4]),
        ("a", text, &known, &[0, 2, 4]),
        ("a", long, &known, &[2, 3]),
        ("k", long, &known, &[0, 1, 3]),
    ];
    for (key, output, facts, expected) in cases {
        let plan = KeyPlan::compile(&layout, &KeyPath::parse(key).unwrap());
        let leaves: Vec<u32> = plan
            .leaves(facts, output)
            .into_iter()
            .map(|leaf| leaf.0)
            .collect();
        assert_eq!(leaves, expected, "{key} as {output:?}");
    }
    let plan = |key| KeyPlan::compile(&layout, &KeyPath::parse(key).unwrap());
    let sole = Some((LeafIdx(4), ScalarType::Int32));
    let typed = |leaves: &[u32]| {
        let leaves: Vec<LeafIdx> = leaves.iter().copied().map(LeafIdx).collect();
        known.clone().with_typed(&leaves)
    };
    assert_eq!(plan("a.b").sole_leaf(&typed(&[1, 2])), sole);
    assert_eq!(plan("a.b").sole_leaf(&typed(&[1])), None);
    assert_eq!(plan("a.b").sole_leaf(&known), None);
    assert_eq!(plan("a.b").sole_leaf(&facts_of(&column)), None);
    assert_eq!(plan("c").sole_leaf(&unknown), None);
    assert_eq!(plan("a").sole_leaf(&known), None);
    assert_eq!(plan("a.b").literal_names().collect::<Vec<_>>(), ["a.b"]);
    assert_eq!(plan("c").literal_names().count(), 0);
    assert_eq!(plan("a.b").key_type(), Some(DataType::Int));
    assert_eq!(plan("a.k").key_type(), None);
}
